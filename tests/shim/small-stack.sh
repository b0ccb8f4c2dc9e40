#!/bin/bash
# SPDX-License-Identifier: MIT
# A thread with the smallest stack that there may be opens, asks and resolves on the host as without the shim; with
# twice that in the mount.
. "$(dirname "$0")/common.sh"
. "$here/lines.sh"
mkdir -p tree/dir && ln -s ../small tree/dir/to-small
pack_lines
compile t "$here/small-stack.c" -pthread
for what in open stat realpath; do
	run 0 ./t "$tmp/tree" $what 1
	run 0 preload "$tmp/p.slu:/data" ./t "$tmp/tree" $what 1
	run 0 preload "$tmp/p.slu:/data" ./t /data $what 2
done
