#!/bin/bash
# SPDX-License-Identifier: MIT
# The main job, end to end:  demo.sh BUILDDIR
#
# Takes the CIFAR-10 JPEGs where ../shared has them, else makes a small tree of real JPEGs; traces a
# program that reads them, packs them, verifies the pack, reads everything back both ways, traces the
# same program on the pack, and shows the two side by side.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-build}" && pwd)
sluice=$build/sluice
work=${DEMO_DIR:-$build/demo}
archive=$here/../shared/data/cifar10-jpeg.tar.zst

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || say() { printf '\n%s\n' "$*"; }

mkdir -p "$work"
if [ ! -e "$work/complete" ]; then
	rm -rf "$work/data"
	mkdir -p "$work/data"
	if [ -r "$archive" ]; then
		"$here/tools/deps" data
		say "Unpacking CIFAR-10 (60,000 JPEG files)"
		tar --zstd -xf "$archive" -C "$work/data"
	else
		"$here/tools/deps" jpeg
		say "Making a small tree of JPEG files (no ../shared/data here)"
		/usr/bin/python3 "$here/tests/lib/jpegtree.py" "$work/data"
	fi
	touch "$work/complete"
fi

# Labels come from the first directory level: the classes, which may be below train/.
data=data
[ ! -d "$work/data/train" ] || data=data/train

# A program that nobody has changed; it marks its epochs and steps if it finds the Python package.
export PYTHONPATH=$build/python${PYTHONPATH:+:$PYTHONPATH}
cd "$work"
say "\$ sluice trace -o before -- python3 examples/read_files.py $data"
rm -rf before after
"$sluice" trace -o before -- /usr/bin/python3 "$here/examples/read_files.py" "$data" | tee before.txt
say "\$ sluice report before"
"$sluice" report before

say "\$ sluice pack $data -o train.slu --labels dir"
"$sluice" pack "$work/$data" -o "$work/train.slu" --labels dir --force
say "\$ sluice info train.slu"
"$sluice" info "$work/train.slu"
say "\$ sluice verify train.slu"
"$sluice" verify "$work/train.slu"

# One path to show: the first file of the first directory.
class=$("$sluice" ls "$work/train.slu" | sed -n 1p)
sample=$class/$("$sluice" ls "$work/train.slu" "$class" | sed -n 1p)
say "\$ sluice cat train.slu $sample | cmp - $data/$sample"
"$sluice" cat "$work/train.slu" "$sample" | cmp - "$work/$data/$sample"
echo "the same bytes"

say "\$ sluice run --why train.slu:/data/train -- sh -c 'find /data/train -type f | wc -l; cmp /data/train/$sample $data/$sample'"
"$sluice" run --why "$work/train.slu:/data/train" -- \
	sh -c "find /data/train -type f | wc -l; cmp '/data/train/$sample' '$work/$data/$sample'"
echo "an unmodified program sees the same files"

say "\$ sluice unpack train.slu -C again; diff -r $data again"
rm -rf "$work/again"
"$sluice" unpack "$work/train.slu" -C "$work/again"
diff -r "$work/$data" "$work/again"
echo "the same tree"
rm -rf "$work/again"

say "Every sample once, in a new random order: plain files and the pack side by side"
"$sluice" pack "$work/$data" -o "$work/raw.slu" --codec none --force -q
"$build/bench/bench-read" "$work/$data" "$work/raw.slu" "$work/train.slu" "the demo's files" 3

say "\$ python3 examples/load.py $data raw.slu    # the same in Python, one thread each"
if PYTHONPATH=$build/python /usr/bin/python3 -c 'import sluice' 2>/dev/null; then
	PYTHONPATH=$build/python /usr/bin/python3 "$here/examples/load.py" "$work/$data" "$work/raw.slu"
else
	echo "left out: the Python package was not built (python3-dev)"
fi

say "\$ sluice trace -o after -- sluice run train.slu:$data -- python3 examples/read_files.py $data"
"$sluice" trace -o after -- "$sluice" run "train.slu:$data" -- /usr/bin/python3 "$here/examples/read_files.py" "$data" |
	tee after.txt
cmp <(sed 's/, [^,]*$//' before.txt) <(sed 's/, [^,]*$//' after.txt)
say "\$ sluice report before after"
"$sluice" report before after
echo
echo "What was made is in $work"
