#!/bin/bash
# SPDX-License-Identifier: MIT
# Output that cannot be written is never passed over; JSON is JSON; names cannot drive a terminal.
. "$(dirname "$0")/../lib/test.sh"

mktree --count 10 src
run 0 "$SLUICE" pack src -o p.slu --json
"$python" -m json.tool <out >/dev/null
for c in "info --json" "ls --json" "ls -R --json" "verify --json"; do
	run 0 "$SLUICE" $c p.slu
	"$python" -c 'import json, sys; assert json.load(sys.stdin)["schema"] == 1' <out
done
run 0 "$SLUICE" unpack p.slu -C dst --json
"$python" -m json.tool <out >/dev/null

# A full disk at the other end.
if [ -w /dev/full ]; then
	for c in info ls "ls -lR" "cat" verify; do
		more=
		[ "$c" != cat ] || more=one
		rc=0
		"$SLUICE" $c p.slu $more >/dev/full 2>err || rc=$?
		[ $rc = 2 ] || fail "$c > /dev/full: exit $rc"
		sentence
	done
fi
# A closed one.
for c in info ls "cat" verify; do
	more=
	[ "$c" != cat ] || more=one
	rc=0
	"$SLUICE" $c p.slu $more >&- 2>err || rc=$?
	[ $rc = 2 ] || fail "$c with stdout closed: exit $rc"
done
# A pipe whose reader has gone: no message, not a success.
mktree --bare --count 3000 --size 10 many
run 0 "$SLUICE" pack many -o many.slu -q
{ "$SLUICE" ls -lR many.slu 2>err && echo 0 >rc || echo $? >rc; } | head -1 >/dev/null
[ "$(cat rc)" = 2 ] || fail "ls into a closed pipe: exit $(cat rc)"
[ ! -s err ] || fail "a closed pipe is told: $(cat err)"

# Messages escape control characters.
run 2 "$SLUICE" cat p.slu "$(printf 'a\033[31mb')"
sentence
! grep -q "$(printf '\033')" err || fail "an escape sequence came through"
