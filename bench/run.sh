#!/bin/bash
# SPDX-License-Identifier: MIT
# All benchmarks:  run.sh BUILDDIR
# ROUNDS (default 11) and BENCH_DIR (default BUILDDIR/bench-data; the disk to measure) may be set.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
work=${BENCH_DIR:-$build/bench-data}
rounds=${ROUNDS:-11}
archive=$here/../shared/data/cifar10-jpeg.tar.zst
mkdir -p "$work"

echo "machine: $(nproc) cores, $(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo), kernel $(uname -r), load $(cut -d' ' -f1 /proc/loadavg)"

sets=()
if [ -r "$archive" ]; then
	if [ ! -e "$work/cifar.complete" ]; then
		mkdir -p "$work/cifar"
		tar --zstd -xf "$archive" -C "$work/cifar"
		touch "$work/cifar.complete"
	fi
	sets+=("cifar:CIFAR-10 (60,000 JPEGs of 0.9 KB)")
fi
if [ ! -e "$work/blobs.complete" ]; then
	"$build/bench/make-blobs" "$work/blobs" 20000 2048 30720
	touch "$work/blobs.complete"
fi
sets+=("blobs:generated blobs (20,000 of 2-30 KiB, incompressible)")

for entry in "${sets[@]}"; do
	set=${entry%%:*} name=${entry#*:}
	"$build/bench/bench-pack" "$build/sluice" "$work/$set" "$work" "$name" "$rounds"
	"$build/sluice" pack "$work/$set" -o "$work/$set-none.slu" --codec none --force -q
	"$build/sluice" pack "$work/$set" -o "$work/$set-auto.slu" --force -q
	"$build/bench/bench-read" "$work/$set" "$work/$set-none.slu" "$work/$set-auto.slu" "$name" "$rounds"
	rm -rf "$work/$set-none.slu" "$work/$set-auto.slu"
done
# A turn takes half a minute, most of it squashfs: fewer rounds.
set=${sets[0]%%:*} name=${sets[0]#*:}
"$build/bench/bench-fuse" "$build/sluice" "$work/$set" "$work" "$name" "$(((rounds + 2) / 3))"
"$build/bench/bench-shim" "$build/sluice" "$work/$set" "$work" "$name" "$rounds" "$here/tests/lib/bench-python.py" \
	"$build/bench/prepared-dirs.so"
"$here/bench/overhead.sh" "$build" "$work"
"$build/bench/bench-index" "$work"
"$build/bench/bench-order" "$rounds"
"$build/bench/bench-epoch" "$work"
/usr/bin/python3 "$here/bench/bench-load.py" "$build" "$work" "$rounds"
