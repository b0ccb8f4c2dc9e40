#!/bin/bash
# SPDX-License-Identifier: MIT
# fio verifies a file of the pack, which it wrote before with a checksum in every block, through its engines.
. "$(dirname "$0")/common.sh"
requires fio
mkdir tree
job=(--name=j --bs=8k --verify=crc32c --verify_fatal=1 --verify_state_save=0 --minimal --thread)
fio "${job[@]}" --filename="$tmp/tree/data" --rw=write --size=8m --ioengine=psync --do_verify=0 --refill_buffers >/dev/null 2>&1 ||
	skip "this fio cannot write its pattern"
"$SLUICE" pack -q tree -o p.slu
engines="sync psync vsync pvsync pvsync2 mmap libaio posixaio io_uring"
for e in $engines; do
	fio --enghelp="$e" >/dev/null 2>&1 || { echo "without $e: this fio does not have it"; continue; }
	for rw in read randread; do
		args=("${job[@]}" --readonly --filename=/data/data --rw=$rw --size=8m --ioengine="$e" --iodepth=8)
		# what fio cannot do on the plain file is no concern of ours
		if ! fio "${args[@]/\/data\/data/$tmp/tree/data}" >plain 2>&1; then
			echo "without $e $rw: fio cannot verify with it here: $(tail -n 1 plain)"
			continue
		fi
		run 0 preload "$tmp/p.slu:/data" timeout 60 fio "${args[@]}"
		grep -qiE 'error|bad|verify' err && fail "$e $rw: $(cat err)"
	done
done
# and it does notice: the same file with another byte fails
cp tree/data x && printf 'X' | dd of=x bs=1 seek=100000 conv=notrunc 2>/dev/null
cp x tree/data && "$SLUICE" pack -q --force tree -o p.slu
preload "$tmp/p.slu:/data" fio "${job[@]}" --readonly --filename=/data/data --rw=read --size=8m --ioengine=psync >out 2>err &&
	fail "fio does not notice a wrong byte: this test proves nothing"
exit 0
