#!/bin/bash
# SPDX-License-Identifier: MIT
# Two thousand workers killed amid their calls exhaust nothing.
. "$(dirname "$0")/common.sh"
pack_small
compile t "$here/killed.c"
n=2000
long && n=20000
run 0 preload "$tmp/p.slu:/data" timeout 100 ./t /data $n
[ "$(cat out)" = "lowest 3" ] || fail "$(cat out)"
