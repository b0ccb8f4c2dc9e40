#!/bin/bash
# SPDX-License-Identifier: MIT
# A file becomes a real one while another thread reads it in sequence: each byte is given once; likewise the entries of
# a directory.
. "$(dirname "$0")/common.sh"
. "$here/lines.sh"
pack_lines
compile t "$here/moving.c" -pthread
for what in sendfile held fork vfork entries; do
	run 0 timeout 20 ./t "$tmp/tree" $what 0.05
	run 0 preload "$tmp/p.slu:/data" timeout 30 ./t /data $what 0.45
done
