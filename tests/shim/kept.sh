#!/bin/bash
# SPDX-License-Identifier: MIT
# A program may put a descriptor of its own at any number, also where the shim has one of its own: it can be closed, and
# the mount works on.
. "$(dirname "$0")/common.sh"
. "$here/lines.sh"
pack_lines
compile t "$here/kept.c"
for limit in 256 1024; do
	run 0 bash -c "ulimit -n $limit && ./t '$tmp/tree' '$tmp/tree/raw'"
	run 0 preload "$tmp/p.slu:/data" bash -c "ulimit -n $limit && exec ./t /data '$tmp/tree/raw'"
done
