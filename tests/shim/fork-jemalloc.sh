#!/bin/bash
# SPDX-License-Identifier: MIT
# fork() with threads under an allocator whose locks are held meanwhile: the shim allocates nothing of it then.
. "$(dirname "$0")/common.sh"
pack_small
compile t "$here/storm.c" -pthread
jemalloc=$(ldconfig -p | awk '/libjemalloc\.so\.2/ { print $NF; exit }')
[ -n "$jemalloc" ] || skip "there is no libjemalloc.so.2"
before=$jemalloc
run 0 preload "$tmp/p.slu:/data" timeout 30 ./t /data 1
[ "$(cat out)" = "bad 0, next descriptor 3" ] || fail "jemalloc first: $(cat out)"
before= after=$jemalloc
run 0 preload "$tmp/p.slu:/data" timeout 30 ./t /data 1
[ "$(cat out)" = "bad 0, next descriptor 3" ] || fail "the shim first: $(cat out)"
