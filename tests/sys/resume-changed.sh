#!/bin/bash
# SPDX-License-Identifier: MIT
# --resume takes over nothing that is no longer true: files that changed since, other options.
. "$(dirname "$0")/../lib/test.sh"
[ -n "${FAULTS:-}" ] || skip "faults cannot be injected into this build"

mktree --bare --count 60 --size 20000 --classes 3 src
opts="-j 1 --checkpoint 64K -q"
interrupted() {
	rm -rf p.slu .p.slu.partial
	rc=0
	env LD_PRELOAD="$FAULTS" FAULT_KIND=kill FAULT_CALLS=read,pread,pread64 FAULT_AT=90 FAULT_REPORT=report FAULT_ALSO=libasan \
		"$SLUICE" pack src -o p.slu --resume $opts "$@" 2>/dev/null || rc=$?
	[ $rc = 137 ] || fail "not killed: exit $rc"
	[ -d .p.slu.partial ] || fail "nothing is there to go on from"
}
same_as_fresh() {
	run 0 "$SLUICE" pack src -o p.slu --resume $opts "$@"
	rm -rf want.slu
	run 0 "$SLUICE" pack src -o want.slu $opts "$@"
	diff -r want.slu p.slu
	no_partial .
}

interrupted
same_as_fresh
# Other bytes of the same length and the same mtime are the user's own fault; another mtime is seen.
interrupted
echo changed >src/class-00/item-00000.bin
same_as_fresh
interrupted
rm src/class-00/item-00003.bin
same_as_fresh
interrupted
echo new >src/class-00/aaa
same_as_fresh
interrupted
chmod 600 src/class-01/item-00001.json
same_as_fresh
interrupted
touch -d '2001-02-03 04:05:06.789' src/class-01/item-00001.json
same_as_fresh
# Other options.
interrupted --codec lz4
same_as_fresh --codec zstd
interrupted
same_as_fresh --shards 3
interrupted
same_as_fresh --labels dir
# Damage in what was left behind.
interrupted
for f in .p.slu.partial/*; do
	s=$(stat -c %s "$f")
	[ "$s" -gt 5000 ] && printf 'XXXX' | dd of="$f" bs=1 seek=4600 conv=notrunc status=none
done
"$SLUICE" pack src -o p.slu --resume $opts 2>err || { sentence; rm -rf .p.slu.partial; run 0 "$SLUICE" pack src -o p.slu --resume $opts; }
run 0 "$SLUICE" verify -q p.slu
rm -rf want.slu
run 0 "$SLUICE" pack src -o want.slu $opts
diff -r want.slu p.slu
# Somebody's own directory of that name.
rm -rf p.slu .p.slu.partial
mkdir .p.slu.partial
echo precious >.p.slu.partial/precious
"$SLUICE" pack src -o p.slu --resume $opts 2>err || sentence
"$SLUICE" pack src -o p.slu $opts --force 2>err || sentence
[ "$(cat .p.slu.partial/precious)" = precious ] || fail "a file that is not ours was removed"
