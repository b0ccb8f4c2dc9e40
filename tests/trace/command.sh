#!/bin/bash
# SPDX-License-Identifier: MIT
# sluice trace as a command: exit codes and signals are the program's, mistakes are told, a directory is never mixed.
. "$(dirname "$0")/../lib/test.sh"
S=$SLUICE
says() { grep -qF -- "$1" err || fail "not '$1' but: $(cat err)"; }

run 3 "$S" trace -q -o a -- sh -c 'exit 3'
run 2 "$S" trace -o a -- true
says "'a' holds a trace already: name another directory with -o"
mkdir mine && touch mine/thesis
run 2 "$S" trace -o mine -- true
says "'mine' is not empty"
[ "$(ls mine)" = thesis ] || fail "left something: $(ls mine)"
run 127 "$S" trace -o b -- /nonexistent/program
[ ! -e b ] || fail "a directory is left for a program that did not run"
run 2 "$S" trace -o b/c/d -- true
says "cannot make the directory 'b/c/d'"
run 2 "$S" trace
says "no command given"
run 2 "$S" trace --memory 1K -- true
says "--memory must be from 4M to 16G"
run 0 "$S" trace --help
grep -q "sluice report" out || fail "help: $(cat out)"

# the default name is new each time, and told
run 0 "$S" trace -- cat /dev/null
says "'sluice report sluice-trace-cat-"
run 0 "$S" trace -- cat /dev/null
[ "$(ls -d sluice-trace-cat-* | wc -l)" = 2 ] || fail "directories: $(ls -d sluice-trace-*)"

# signals go to the program, and its end by one is ours
"$S" trace -q -o sig -- sh -c 'trap "echo term >&2; exit 5" TERM; echo ready >pipe; while :; do sleep 0.1; done' 2>err &
pid=$!
while [ ! -s pipe ]; do sleep 0.05; done
kill -TERM $pid
rc=0
wait $pid || rc=$?
[ $rc = 5 ] && grep -q term err || fail "the program did not get the signal: $rc $(cat err)"
rc=0
"$S" trace -q -o sig2 -- sh -c 'kill -KILL $$' || rc=$?
[ $rc = 137 ] || fail "exit $rc for a killed program"

# a static program cannot be seen, and that is said
echo 'int main(void) { return 0; }' >static.c
if "${CC:-cc}" -static -o static static.c 2>/dev/null; then
	run 0 "$S" trace -o st -- ./static
	says "what it does itself will not be recorded"
	says "nothing was recorded"
fi

# ranks of one job share a directory and are told apart; another job's do not get in
for r in 0 1; do
	SLURM_JOB_ID=77 SLURM_PROCID=$r SLURM_NTASKS=2 run 0 "$S" trace -q -o job -- cat /etc/passwd
done
"$DUMP" job | awk -F'\t' '$1 == "process" { print $7, $8 }' | sort | tr '\n' ' ' >ranks
[ "$(cat ranks)" = "rank=0 world=2 rank=1 world=2 " ] || fail "ranks: $(cat ranks)"
SLURM_JOB_ID=78 SLURM_PROCID=0 run 2 "$S" trace -q -o job -- true
exit 0
