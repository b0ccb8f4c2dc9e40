#!/bin/bash
# SPDX-License-Identifier: MIT
# An exec that fails changes nothing: what was open stays as it was, and what is opened then is not mixed up with it.
. "$(dirname "$0")/common.sh"
. "$here/lines.sh"
pack_lines
compile t "$here/exec-fails.c"
run 0 ./t "$tmp/tree"
run 0 preload "$tmp/p.slu:/data" ./t /data
run 0 preload "$tmp/p.slu:/data" \
	bash -c 'exec 3</data/small/001; shopt -s execfail; exec /no/such; read -r l <&3; echo "$l"'
[ "$(cat out)" = "001 00000000000" ] || fail "after bash's failed exec: $(cat out)"
