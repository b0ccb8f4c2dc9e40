#!/bin/bash
# SPDX-License-Identifier: MIT
# sluice run --why: what a killed run has left behind, the next one removes; not what one that lives still needs, nor what
# is too young to tell.
. "$(dirname "$0")/../lib/test.sh"
[ "${TEST_SANITIZED:-0}" = 0 ] || skip "the shim of this build wants the sanitizer's runtime first"

mktree --bare --count 4 --size 200 src
run 0 "$SLUICE" pack src -o p.slu -q
mkdir t
export TMPDIR=$tmp/t

# start: a run that waits; $pid is its, $dir its directory.
start() {
	local before i
	before=$(ls t)
	"$SLUICE" run --why --no-watch p.slu:/data -- sh -c 'echo $$ >shell; exec sleep 60' 2>why &
	pid=$!
	cleanup kill -9 $pid
	for i in $(seq 200); do
		[ ! -s shell ] || break
		sleep 0.05
	done
	[ -s shell ] || fail "it does not start"
	cleanup kill -9 "$(cat shell)"
	rm shell
	dir=$(comm -13 <(echo "$before") <(ls t))
	[ -d "t/$dir" ] || fail "no directory: $(ls t)"
}

start
live=$dir
start
dead=$dir
kill -9 $pid
wait $pid 2>/dev/null || :
run 0 "$SLUICE" run --why p.slu:/data -- true
[ -d "t/$dead" ] || fail "it was removed though it could be of one that is just starting"
touch -d '1 hour ago' "t/$dead" "t/$live"
run 0 "$SLUICE" run --why p.slu:/data -- cat /data/class-00/item-00000.bin
[ ! -e "t/$dead" ] || fail "it is still there"
[ -e "t/$live/ledger" ] || fail "that of a living run is gone"
[ "$(ls t)" = "$live" ] || fail "$(ls t)"
