#!/bin/bash
# SPDX-License-Identifier: MIT
# posix_spawn() in a directory of a pack, or of what the pack covers: as with plain files, and never in the host's
# directory beneath.
. "$(dirname "$0")/common.sh"
pack_small
compile t "$here/spawn.c"
mkdir -p over/dir over/hidden
: >over/hello
run 0 timeout 20 ./t "$tmp/tree"
[ "$(cat out)" = "$tmp/tree/dir
$tmp/tree/dir" ] || fail "$(cat out)"
for point in /data "$tmp/over"; do
	run 0 preload "$tmp/p.slu:$point" timeout 20 ./t "$point"
	[ "$(cat out)" = "$point/dir
$point/dir" ] || fail "$(cat out)"
done
