#!/bin/bash
# SPDX-License-Identifier: MIT
# What cannot be mounted or unmounted is told in one sentence, and nothing is left behind.
. "$(dirname "$0")/../lib/test.sh"
. "$lib/mount.sh"

mkdir -p src m other
echo text >src/f
run 0 "$SLUICE" pack src -o p.slu -q

refused() { # CODE WORDS CMD...
	run "$1" "${@:3}"
	sentence
	has err "$2"
}
refused 2 'none.slu' "$SLUICE" mount none.slu m
refused 2 'not a pack' "$SLUICE" mount src m
refused 2 'No such file' "$SLUICE" mount p.slu nowhere
refused 2 'not a directory' "$SLUICE" mount p.slu src/f
refused 2 'unknown option' "$SLUICE" mount p.slu m -o no_such_option
refused 2 'no pack given' "$SLUICE" mount
refused 2 'no directory' "$SLUICE" mount p.slu
refused 2 'too many' "$SLUICE" mount p.slu m m
refused 2 'twice' "$SLUICE" mount p.slu m -o a -o b
refused 2 'nothing is mounted' "$SLUICE" umount m
refused 2 'No such file' "$SLUICE" umount nowhere
refused 2 'type is proc' "$SLUICE" umount /proc
refused 2 'no directory given' "$SLUICE" umount
no_servers

cp -r p.slu damaged.slu
printf x | dd of=damaged.slu/index bs=1 seek=100 conv=notrunc status=none
refused 1 'damaged.slu' "$SLUICE" mount damaged.slu m
no_servers

mount_pack p.slu m
refused 2 'already' "$SLUICE" mount p.slu m
refused 2 'already' "$SLUICE" mount -f p.slu m/
# Two mounts of one pack, and one of another, do not mind each other; relative paths and links will do.
ln -s other link
cleanup take_down "$tmp/other"
run 0 "$SLUICE" mount ./p.slu link
cmp src/f other/f
has /proc/self/mountinfo " $tmp/other "
has /proc/self/mountinfo "fuse.sluice $tmp/p.slu "
run 0 "$SLUICE" umount link
run 0 "$SLUICE" umount m

# Names that options and tables must escape.
mkdir 'a, b\ "c"' "new
line"
cp -r p.slu 'p,o=1\ .slu'
cleanup take_down "$tmp/a, b\\ \"c\""
run 0 "$SLUICE" mount 'p,o=1\ .slu' 'a, b\ "c"'
cmp src/f 'a, b\ "c"/f'
run 0 "$SLUICE" umount 'a, b\ "c"'
cleanup take_down "$tmp/new
line"
run 0 "$SLUICE" mount p.slu "new
line"
run 0 "$SLUICE" umount "new
line"
no_servers
