#!/bin/bash
# SPDX-License-Identifier: MIT
# Threads that are cancelled in close() and read() leave a table that agrees with the kernel, and fork() works after.
. "$(dirname "$0")/common.sh"
. "$here/lines.sh"
pack_lines
compile t "$here/cancel.c" -pthread
run 0 timeout 30 ./t "$tmp/tree"
run 0 preload "$tmp/p.slu:/data" timeout 60 ./t /data
