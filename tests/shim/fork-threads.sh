#!/bin/bash
# SPDX-License-Identifier: MIT
# Threads that fork at the same time: each child holds what it inherits, and no slot is given to two open files.
. "$(dirname "$0")/common.sh"
pack_small
compile t "$here/fork-threads.c" -pthread
seconds=4
long && seconds=60
under 110 env LD_PRELOAD="$shim" SLUICE_MOUNTS="$tmp/p.slu:/data" ./t /data $seconds >out
[ "$(cat out)" = "bad 0, next descriptor 3" ] || fail "$(cat out)"
