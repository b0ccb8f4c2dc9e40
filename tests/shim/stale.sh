#!/bin/bash
# SPDX-License-Identifier: MIT
# A stream that libc closes inside gives its descriptor back: the socket or pipe that gets the number next is one.
. "$(dirname "$0")/common.sh"
. "$here/lines.sh"
pack_lines
compile t "$here/stale.c"
run 0 ./t "$tmp/tree" <tree/small/007
run 0 preload "$tmp/p.slu:/data" bash -c './t /data </data/small/007'
