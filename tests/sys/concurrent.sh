#!/bin/bash
# SPDX-License-Identifier: MIT
# Two processes that make the same pack: the second is refused, the first is not disturbed.
. "$(dirname "$0")/../lib/test.sh"
[ -n "${FAULTS_SO:-}" ] && [ "${TEST_SANITIZED:-0}" != 1 ] || skip "there is no faults library"

mktree --bare --count 30 --size 3000 src
run 0 "$SLUICE" pack src -o want.slu -q
for more in "" "--force" "--resume" "--force --resume"; do
	rm -rf p.slu
	cat >second.sh <<X
cd "$tmp"
"$SLUICE" pack src -o p.slu -q $more 2>second.err
echo \$? >second.rc
X
	# The second run comes in the middle of the first one's reading.
	run 0 env LD_PRELOAD="$FAULTS_SO" FAULT_KIND=run FAULT_RUN="sh $tmp/second.sh" FAULT_CALLS=pread,pread64,read \
		FAULT_AT=10 FAULT_REPORT=report "$SLUICE" pack src -o p.slu -q $more
	[ "$(cat second.rc)" = 2 ] || fail "the second run ($more): exit $(cat second.rc)"
	has second.err "another process"
	[ "$(wc -l <second.err)" = 1 ]
	diff -r want.slu p.slu
	no_partial .
done

# Readers of a pack that is replaced under them go on with the old one.
mktree --bare --count 30 --size 3000 --seed 9 other
cat src/class-*/* >want
names=$(cd src && echo class-*/*)
run 0 env LD_PRELOAD="$FAULTS_SO" FAULT_KIND=run FAULT_RUN="cd $tmp && $SLUICE pack other -o p.slu -q --force" \
	FAULT_CALLS=openat,openat64 FAULT_AT=3 FAULT_REPORT=report "$SLUICE" cat p.slu $names
cmp want out
[ "$("$SLUICE" info --json p.slu | grep identity)" != "$("$SLUICE" info --json want.slu | grep identity)" ] ||
	fail "the pack was not replaced"
