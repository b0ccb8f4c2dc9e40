#!/bin/bash
# SPDX-License-Identifier: MIT
# Descriptors run out: EMFILE as on a plain directory, with as many to be had, and all is well after some are closed.
. "$(dirname "$0")/common.sh"
pack_small
compile t "$here/fds.c"
for limit in 16 64 1024; do
	run 0 ./t "$tmp/tree" $limit
	plain=$(cat out)
	run 0 preload "$tmp/p.slu:/data" ./t /data $limit
	[ "$(cat out)" = "$plain" ] || fail "limit $limit: $(cat out) descriptors instead of $plain"
done
