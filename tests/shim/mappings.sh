#!/bin/bash
# SPDX-License-Identifier: MIT
# Mappings that are replaced, cut, moved and grown show the bytes of their file or fault, and memory of the program's
# own beside them is never taken for one.
. "$(dirname "$0")/common.sh"
. "$here/lines.sh"
pack_lines
compile t "$here/mappings.c"
run 0 ./t "$tmp/tree" "$tmp/tree/raw" 0.1
run 0 preload "$tmp/p.slu:/data" timeout 60 ./t /data "$tmp/tree/raw" 1.5
