#!/bin/bash
# SPDX-License-Identifier: MIT
# sluice run --why: a damaged sample gives EIO to the program and a line in the report; the others are served.
. "$(dirname "$0")/../lib/test.sh"
[ "${TEST_SANITIZED:-0}" = 0 ] || [ -n "${SLUICE_SHIM:-}" ] || skip "the shim of this build wants the sanitizer's runtime first"

mktree --bare --count 6 --size 300 src
run 0 "$SLUICE" pack src -o p.slu -q --codec none
printf '\377\376' | dd of=p.slu/shard-00000 bs=1 seek=4100 conv=notrunc status=none
"$SLUICE" verify p.slu >verify && fail "the pack is not damaged"
bad=$(sed -n 's/.*(\(class-[^)]*\)).*/\1/p' verify | head -n 1)
[ -n "$bad" ] || fail "$(cat verify)"

run 1 "$SLUICE" run --why p.slu:/data -- sh -c 'cat /data/class-*/* >copy'
has err "Input/output error"
has err "damaged"
has err "/data/$bad"
run 0 "$SLUICE" run --why-json why.json p.slu:/data -- sh -c "cat /data/$bad >/dev/null || exit 0"
"$python" - "/data/$bad" <<-'EOF'
	import errno, json, sys
	why = json.load(open("why.json"))
	notes = [n for n in why["not_served"] if n["kind"] == "damaged" and n["path"] == sys.argv[1]]
	assert notes and notes[0]["errno"] == errno.EIO and notes[0]["program"] == "cat", why
EOF
