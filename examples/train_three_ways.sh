#!/bin/bash
# SPDX-License-Identifier: MIT
# One training, three ways to the data:  train_three_ways.sh BUILDDIR [OPTION OF train_cifar10.py...]
#
# On a fifth of the CIFAR-10 JPEGs where ../shared has them (TRAIN_ARCHIVE: another place), else on images made
# here. The packs are where no files are, so that what reads them reads nothing else.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:?the build directory}" && pwd)
shift
work=${TRAIN_DIR:-$build/training}
archive=${TRAIN_ARCHIVE-$here/../shared/data/cifar10-jpeg.tar.zst}
options=("$@")
[ $# -gt 0 ] || options=(--epochs 3)
export PATH=$build:/usr/bin:$PATH PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] || say() { printf '\n%s\n' "$*"; }

for module in torch torchvision sluice; do
	python3 -c "import $module" 2>/dev/null || {
		echo "skipped: python3 has no module $module"
		exit 77
	}
done

files=$work/files packs=$work/packs
mkdir -p "$files" "$packs"
if [ ! -e "$work/complete" ]; then
	rm -rf "$files/data"
	mkdir "$files/data"
	if [ -r "$archive" ]; then
		"$here/tools/deps" data
		say "Unpacking a fifth of CIFAR-10 (12,000 JPEG files)"
		tar --zstd -xf "$archive" -C "$files/data" --wildcards 'train/*/0*.jpg' 'test/*/0[01]*.jpg'
	else
		"$here/tools/deps" jpeg
		say "Making JPEG files of ten classes (no CIFAR-10 here)"
		python3 "$here/tests/lib/jpegtree.py" --learnable --size 32 --count 3000 "$files/data/train"
		python3 "$here/tests/lib/jpegtree.py" --learnable --size 32 --count 1000 --seed 2 "$files/data/test"
	fi
	for part in train test; do
		say "\$ sluice pack data/$part -o $part.slu --labels dir"
		sluice pack "$files/data/$part" -o "$packs/$part.slu" --labels dir --force -q
	done
	ln -sf "$here/examples/train_cifar10.py" "$files"
	ln -sf "$here/examples/train_cifar10.py" "$packs"
	touch "$work/complete"
fi

# way DIR COMMAND...: runs it there, and keeps its last line.
way() {
	cd "$1"
	shift
	say "\$ $*"
	"$@" "${options[@]}" | tee "$work/out"
	tail -n 1 "$work/out" >>"$work/ways"
}

: >"$work/ways"
way "$files" python3 train_cifar10.py --data data/train --test data/test
way "$packs" sluice run train.slu:data/train test.slu:data/test -- python3 train_cifar10.py --data data/train --test data/test
way "$packs" python3 train_cifar10.py --pack train.slu --test test.slu

say "Side by side (${options[*]})"
tr '=' ' ' <"$work/ways" | awk '
	BEGIN { printf "%-8s %9s %17s %10s\n", "way", "accuracy", "waited for data", "samples/s" }
	{ printf "%-8s %9s %17s %10s\n", $2, $4, $6, $8 }'
