#!/bin/bash
# SPDX-License-Identifier: MIT
# Successful calls do not touch errno, in the mount and outside.
. "$(dirname "$0")/common.sh"
pack_small
compile t "$here/errno.c"
run 0 ./t "$tmp/tree"
run 0 preload "$tmp/p.slu:/data" ./t /data "$tmp/tree"
