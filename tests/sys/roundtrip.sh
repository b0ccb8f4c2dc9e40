#!/bin/bash
# SPDX-License-Identifier: MIT
# pack, then unpack: the same names, bytes, modes, times in ns, links, empty directories.
#   roundtrip.sh [--nobody] CODEC [OPTION...]
. "$(dirname "$0")/../lib/test.sh"
if [ "$1" = --nobody ]; then
	shift
	as_nobody "$@"
fi
codec=$1
shift

mktree --count 60 src
run 0 "$SLUICE" pack src -o p.slu --codec "$codec" -q "$@"
no_partial .
run 0 "$SLUICE" verify -q p.slu
owner=
[ "$(id -u)" != 0 ] || owner=--owner
run 0 "$SLUICE" unpack p.slu -C dst -q $owner
mktree --compare src dst

# A second pack of what was unpacked tells the same.
run 0 "$SLUICE" pack dst -o q.slu --codec "$codec" -q "$@"
[ "$(id -u)" != 0 ] || cmp p.slu/index q.slu/index # set-id bits need privilege
