#!/bin/bash
# SPDX-License-Identifier: MIT
# What the shim costs a program that has nothing to do with it:  overhead.sh BUILDDIR WORKDIR
#
# Instructions in user space, counted by callgrind, with and without the shim (one pack mounted), outside any mount:
# grep -r over a tree of sources, and a Python program that computes and reads files. What starting up costs is
# counted apart, by a run that does nothing, and taken off. A count is the same every time, so once is enough.
set -euo pipefail
build=$1 work=$2
sluice=$build/sluice
export PYTHONHASHSEED=0 # the same dictionaries every time
pack=$work/overhead.slu
tree=/usr/include
if ! command -v valgrind >/dev/null; then
	printf '\nInstructions with and without the shim: skipped: valgrind is missing\n'
	exit 0
fi
mkdir -p "$work/overhead"
echo sample >"$work/overhead/sample"
"$sluice" pack "$work/overhead" -o "$pack" --force -q

# count COMMAND...: the instructions of its run. (grep that finds nothing fails.)
count() {
	{ "$@" || true; } 2>&1 >/dev/null | sed -n 's/.*Collected : //p'
}
plain() {
	count valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@"
}
shimmed() {
	count "$sluice" run "$pack:/sluice-bench" -- valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@"
}

# compare NAME NOTHING... -- COMMAND...: NOTHING is the program's start and nothing else.
compare() {
	local name=$1 nothing=()
	shift
	while [ "$1" != -- ]; do
		nothing+=("$1")
		shift
	done
	shift
	local a b start_a start_b
	start_a=$(plain "${nothing[@]}") start_b=$(shimmed "${nothing[@]}")
	a=$(plain "$@") b=$(shimmed "$@")
	awk -v name="$name" -v a="$a" -v b="$b" -v sa="$start_a" -v sb="$start_b" 'BEGIN {
		printf "  %-38s %14.0f %14.0f   %+.2f %%      %+.0f\n", name, a - sa, b - sb, 100 * ((b - sb) / (a - sa) - 1), sb - sa }'
}

printf '\nInstructions in user space, outside any mount (callgrind)\n'
printf '  %-38s %14s %14s   %s\n' "" "without shim" "with shim" "more       to start up"
compare "grep -r over $tree" grep -r no-such-word /dev/null -- grep -r no-such-word "$tree"
compare "Python: computing and reading files" /usr/bin/python3 -c pass -- /usr/bin/python3 -c "
import glob
total = 0
for name in sorted(glob.glob('$tree/linux/*.h')):
    with open(name, 'rb') as f:
        total += len(f.read())
for i in range(2000000):
    total += i * i % 7
"
rm -rf "$pack" "$work/overhead"
