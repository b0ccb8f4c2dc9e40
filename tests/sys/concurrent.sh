#!/bin/bash
# SPDX-License-Identifier: MIT
# Two processes that make the same pack: the second is refused, the first is not disturbed.
. "$(dirname "$0")/../lib/test.sh"
[ -n "${FAULTS:-}" ] || skip "faults cannot be injected into this build"

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
	run 0 env LD_PRELOAD="$FAULTS" FAULT_KIND=run FAULT_RUN="sh $tmp/second.sh" FAULT_CALLS=pread,pread64,read \
		FAULT_AT=10 FAULT_REPORT=report FAULT_ALSO=libasan "$SLUICE" pack src -o p.slu -q $more
	[ "$(cat second.rc)" = 2 ] || fail "the second run ($more): exit $(cat second.rc)"
	has second.err "another process"
	[ "$(wc -l <second.err)" = 1 ]
	diff -r want.slu p.slu
	no_partial .
done

# A reader whose pack is replaced under it gets the old bytes or an error, never the new ones.
mktree --bare --count 30 --size 3000 --seed 9 other
cat src/class-*/* >want
names=$(cd src && echo class-*/*)
for k in 1 2 3 4 5 6; do
	rm -rf p.slu
	cp -r want.slu p.slu
	rc=0
	env LD_PRELOAD="$FAULTS" FAULT_KIND=run FAULT_RUN="cd $tmp && $SLUICE pack other -o p.slu -q --force" \
		FAULT_CALLS=io FAULT_AT=$k FAULT_REPORT=report FAULT_ALSO=libasan "$SLUICE" cat p.slu $names >out 2>err || rc=$?
	case $rc in
	0) cmp want out || { [ $k -le 2 ] && [ "$("$SLUICE" cat p.slu $names | cksum)" = "$(cksum <out)" ]; } ;;
	2) [ ! -s out ] && [ -s err ] ;;
	*) fail "replaced at call $k: exit $rc" ;;
	esac
done

# The second comes while the first publishes and removes what it replaced: whoever succeeds, what is
# there is sound, and nobody's files are taken away.
second="cd $tmp && $SLUICE pack other -o p.slu -q --force"
for k in $(seq 1 40); do
	rm -rf p.slu
	cp -r want.slu p.slu
	run 0 env LD_PRELOAD="$FAULTS" FAULT_KIND=run FAULT_RUN="$second 2>/dev/null" FAULT_CALLS=fsync,renameat2,unlinkat,rmdir \
		FAULT_AT="$k" FAULT_REPORT=report FAULT_ALSO=libasan "$SLUICE" pack src -o p.slu -q --force
	run 0 "$SLUICE" verify -q p.slu
	no_partial .
	"$python" -c 'import struct, sys; sys.exit(struct.unpack_from("<8sQQ", open("report", "rb").read())[2] != 0)' && break
done
[ "$k" -gt 5 ] && [ "$k" -lt 40 ] || fail "the second came in at $k places"
