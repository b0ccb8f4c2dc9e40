#!/bin/bash
# SPDX-License-Identifier: MIT
# memcheck finds nothing in a program that opens, reads, maps, duplicates and lists under the shim.
. "$(dirname "$0")/common.sh"
requires valgrind
pack_small
compile t "$here/loop.c" -pthread
# clean FILE: without what valgrind says of itself, that it does not know a system call (we then do without)
clean() {
	sed -i -E '/WARNING: unhandled .* syscall/d; /^--[0-9]+-- (You may|Read the file|Nevertheless|it at http)/d' "$1"
}
n=2
long && n=20
run 0 ./t "$tmp/tree" $n
run 0 preload "$tmp/p.slu:/data" valgrind -q --error-exitcode=9 --leak-check=no --child-silent-after-fork=yes ./t /data $n
[ "$(cat out)" = "0 0" ] || fail "$(cat out)"
clean err
[ ! -s err ] || fail "valgrind says: $(head -n 30 err)"
run 0 preload "$tmp/p.slu:/data" valgrind -q --error-exitcode=9 --leak-check=no ./t /data $n 3
clean err
[ ! -s err ] || fail "valgrind says: $(head -n 30 err)"
