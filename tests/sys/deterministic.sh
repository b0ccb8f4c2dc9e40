#!/bin/bash
# SPDX-License-Identifier: MIT
# The number of threads changes no byte of a pack.
#   deterministic.sh CODEC [OPTION...]
. "$(dirname "$0")/../lib/test.sh"
codec=$1
shift

mktree --count 300 --size 5000 src
run 0 "$SLUICE" pack src -o 1.slu --codec "$codec" -j 1 -q "$@"
for j in 2 5; do
	run 0 "$SLUICE" pack src -o $j.slu --codec "$codec" -j $j -q "$@"
	diff -r 1.slu $j.slu
done
# Nor does a copy of the tree, listed by its file system in another order.
mkdir copy
for e in $(ls -r src); do cp -a "src/$e" copy/; done
touch -r src copy
mktree --compare src copy
run 0 "$SLUICE" pack copy -o copy.slu --codec "$codec" -j 3 -q "$@"
diff -r 1.slu copy.slu
