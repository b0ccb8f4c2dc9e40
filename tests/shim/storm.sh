#!/bin/bash
# SPDX-License-Identifier: MIT
# Threads, forks, vforks, spawns and execs at once: every byte and every offset is right, and no descriptor leaks.
. "$(dirname "$0")/common.sh"
pack_small
compile t "$here/storm.c" -pthread
seconds=3
long && seconds=60
run 0 timeout 100 ./t "$tmp/tree" 1
run 0 timeout 200 env LD_PRELOAD="$shim" SLUICE_MOUNTS="$tmp/p.slu:/data" ./t /data $seconds
[ "$(cat out)" = "bad 0, next descriptor 3" ] || fail "$(cat out)"
