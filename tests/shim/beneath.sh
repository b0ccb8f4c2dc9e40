#!/bin/bash
# SPDX-License-Identifier: MIT
# A mount over an existing directory: nothing reaches the host's files beneath, neither by a relative link, nor with all
# descriptors in use, nor by a socket's name, nor by moving a directory that the mount is in.
. "$(dirname "$0")/common.sh"
pack_small
compile t "$here/beneath.c"
mkdir -p host/par/over/dir host/wk
echo host >host/par/over/victim && echo host >host/par/over/hello && echo host >host/par/over/dir/inner
ln -s par/over host/link && ln -s ../par/over host/wk/link && mkdir host/other
state() {
	(cd host && find . -printf '%p %y %s %l\n' | sort && find . -type f -exec md5sum {} + | sort)
}
state >before
m="$tmp/p.slu:$tmp/host/par/over"
untouched() {
	state >now
	cmp -s before now || fail "after $*: $(diff before now)"
}

# by a relative link
is() {
	local want=$1 got
	shift
	got=$(cd host/wk && preload "$m" "$@" 2>&1) || :
	[ "$got" = "$want" ] || fail "$*: '$got' instead of '$want'"
}
is hello cat link/hello
is inner cat link/dir/inner
is "cat: link/victim: No such file or directory" cat link/victim
for c in 'echo x >link/new' 'echo x >>link/victim' 'rm link/victim' 'mkdir link/new' 'mktemp link/XXXXXX' \
	'rmdir link/dir' 'mv link/victim .' 'ln -s x link/new' 'touch link/hello' 'chmod 777 link/hello' \
	'rm -rf link/dir' 'cp /etc/passwd link'; do
	(cd host/wk && preload "$m" sh -c "$c" >"$tmp/out" 2>&1) && fail "$c: it did"
	untouched "$c"
done

# the rest in C, as it is about errno
run 0 preload "$m" ./t "$tmp/host" full
untouched "all descriptors in use"
run 0 preload "$m" ./t "$tmp/host" rename
untouched rename
run 0 preload "$m" ./t "$tmp/host" bind
untouched bind

# what a user would do
run 1 preload "$m" mv host/par host/par2
has err "Device or resource busy"
untouched "mv of the parent"
run 1 preload "$m" mv host elsewhere
untouched "mv of the parent's parent"
# a neighbour may move
run 0 preload "$m" mv host/other host/another
[ -d host/another ] || fail "a directory beside the mount was not moved"
