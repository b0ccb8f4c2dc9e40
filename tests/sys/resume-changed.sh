#!/bin/bash
# SPDX-License-Identifier: MIT
# --resume takes over nothing that is no longer true: files that changed since, other options.
. "$(dirname "$0")/../lib/test.sh"
[ -n "${FAULTS:-}" ] || skip "faults cannot be injected into this build"

mktree --bare --count 2600 --size 150 --classes 3 src
opts="-j 1 --checkpoint 1K -q"
interrupted() {
	rm -rf p.slu .p.slu.partial
	rc=0
	env LD_PRELOAD="$FAULTS" FAULT_KIND=kill FAULT_CALLS=pwrite,pwrite64 FAULT_AT=14 FAULT_REPORT=report FAULT_ALSO=libasan \
		"$SLUICE" pack src -o p.slu --resume $opts "$@" || rc=$?
	[ $rc = 137 ] || fail "not killed: exit $rc"
	[ -d .p.slu.partial ] || fail "nothing is there to go on from"
}
# same_as_fresh LEAST MOST OPTION...: so many files are taken over, and the pack is as it must be
same_as_fresh() {
	local least=$1 most=$2 taken
	shift 2
	run 0 "$SLUICE" pack src -o p.slu --resume --json $opts "$@"
	taken=$(sed -n 's/.*"resumed_files": \([0-9]*\).*/\1/p' out)
	[ "$taken" -ge "$least" ] && [ "$taken" -le "$most" ] || fail "$taken files were taken over"
	rm -rf want.slu
	run 0 "$SLUICE" pack src -o want.slu $opts "$@"
	diff -r want.slu p.slu
	no_partial .
}

interrupted
same_as_fresh 500 2599
# A change that comes before what was done: nothing is taken over.
for change in 'echo changed >src/class-00/item-00000.bin' 'rm src/class-00/item-00003.bin' 'echo new >src/class-00/aaa' \
	'chmod 600 src/class-00/item-00006.bin' 'touch -d "2001-02-03 04:05:06.789" src/class-00/item-00009.bin' \
	'mkdir src/0' 'ln -s x src/class-00/link' 'chmod 700 src'; do
	interrupted
	eval "$change"
	same_as_fresh 0 2599
done
# Other options.
interrupted --codec lz4
same_as_fresh 0 0 --codec zstd
interrupted
same_as_fresh 0 0 --shards 3
interrupted
same_as_fresh 0 2599 --labels dir # labels are no part of the samples
# Without --resume one starts afresh.
interrupted
run 0 "$SLUICE" pack src -o p.slu $opts --json
has out '"resumed_files": 0'
no_partial .
# Damage in what was left behind is seen, in the bytes, in the journal, and in the length.
interrupted
printf 'XXXX' | dd of=.p.slu.partial/shard-00000 bs=1 seek=4600 conv=notrunc status=none
same_as_fresh 0 2599
interrupted
for f in .p.slu.partial/*; do
	case $f in *shard-*) continue ;; esac
	printf 'XXXX' | dd of="$f" bs=1 seek=100 conv=notrunc status=none
done
same_as_fresh 0 2599
interrupted
truncate -s 8192 .p.slu.partial/shard-00000
same_as_fresh 0 2599
# Somebody's own directory of that name.
rm -rf p.slu .p.slu.partial
mkdir .p.slu.partial
echo precious >.p.slu.partial/precious
for more in --resume --force; do
	run 2 "$SLUICE" pack src -o p.slu $opts $more
	sentence
	[ "$(cat .p.slu.partial/precious)" = precious ] || fail "a file that is not ours was removed"
done
