#!/bin/bash
# SPDX-License-Identifier: MIT
# open, read and close are async-signal-safe in the mount as outside: a handler may call them whatever its thread is in.
. "$(dirname "$0")/common.sh"
. "$here/lines.sh"
pack_lines
compile t "$here/handlers.c" -pthread
for during in malloc threads fork dup2 fork-sent vfork-sent; do
	run 0 timeout 20 ./t "$tmp/tree" $during 0.05
	run 0 preload "$tmp/p.slu:/data" timeout 20 ./t /data $during 0.4
done
