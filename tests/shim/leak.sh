#!/bin/bash
# SPDX-License-Identifier: MIT
# A program that opens files for days does not grow.
. "$(dirname "$0")/common.sh"
pack_small
compile t "$here/leak.c"
n=7000
long && n=200000
run 0 preload "$tmp/p.slu:/data" ./t /data $n
