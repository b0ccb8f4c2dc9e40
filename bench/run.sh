#!/bin/bash
# SPDX-License-Identifier: MIT
# All benchmarks, or some:  run.sh BUILDDIR [pack|fuse|shim|overhead|index|order|epoch|load|span]...
# ROUNDS (default 11) and BENCH_DIR (default BUILDDIR/bench-data; the disk to measure) may be set.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
work=${BENCH_DIR:-$build/bench-data}
rounds=${ROUNDS:-11}
archive=$here/../shared/data/cifar10-jpeg.tar.zst
shift
parts=" $* "
mkdir -p "$work"

# wanted PART: all are, if none is named.
wanted() {
	[ "$parts" = "  " ] || case $parts in *" $1 "*) true ;; *) false ;; esac
}

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
	wanted pack || break
	set=${entry%%:*} name=${entry#*:}
	"$build/bench/bench-pack" "$build/sluice" "$work/$set" "$work" "$name" "$rounds"
	"$build/sluice" pack "$work/$set" -o "$work/$set-none.slu" --codec none --force -q
	"$build/sluice" pack "$work/$set" -o "$work/$set-auto.slu" --force -q
	"$build/bench/bench-read" "$work/$set" "$work/$set-none.slu" "$work/$set-auto.slu" "$name" "$rounds"
	rm -rf "$work/$set-none.slu" "$work/$set-auto.slu"
done
set=${sets[0]%%:*} name=${sets[0]#*:}
# A turn takes half a minute, most of it squashfs: fewer rounds.
! wanted fuse || "$build/bench/bench-fuse" "$build/sluice" "$work/$set" "$work" "$name" "$(((rounds + 2) / 3))"
! wanted shim || "$build/bench/bench-shim" "$build/sluice" "$work/$set" "$work" "$name" "$rounds" \
	"$here/tests/lib/bench-python.py" "$build/bench/prepared-dirs.so"
! wanted overhead || "$here/bench/overhead.sh" "$build" "$work"
! wanted trace || "$build/bench/bench-trace" "$build/sluice" "$build/bench/trace-loop" "$here/bench/trace-loop.py" "$work" "$rounds"
! wanted index || "$build/bench/bench-index" "$work"
! wanted order || "$build/bench/bench-order" "$rounds"
! wanted epoch || "$build/bench/bench-epoch" "$work"
! wanted load || /usr/bin/python3 "$here/bench/bench-load.py" "$build" "$work" "$rounds"
! wanted span || /usr/bin/python3 "$here/bench/bench-span.py" "$build" "$rounds"
