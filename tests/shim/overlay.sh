#!/bin/bash
# SPDX-License-Identifier: MIT
# Mounts and the tree around them: a point that does not exist, with its parents; one over an existing directory, also
# through links of the host and relative paths; one inside another; neighbours with the same beginning; several packs.
. "$(dirname "$0")/common.sh"
pack_small
mkdir other && echo other >other/which && mkdir other/dir && echo two >other/dir/two
"$SLUICE" pack -q other -o o.slu
is() {
	local want=$1 mounts=$2 got
	shift 2
	got=$(preload "$mounts" "$@" 2>&1) || :
	[ "$got" = "$want" ] || fail "$*: '$got' instead of '$want' (mounts $mounts)"
}
m="$tmp/p.slu:/sluice-none/a/b"
is hello "$m" cat /sluice-none/a/b/hello
is b "$m" ls /sluice-none/a
is a "$m" ls /sluice-none
is "dir,link" "$m" sh -c 'cd /sluice-none/a && ls -d b/dir/link | tr / "\n" | tail -n 2 | paste -sd,'
is yes "$m" sh -c '[ -d /sluice-none ] && [ -d /sluice-none/a/b ] && [ ! -e /sluice-none/x ] && echo yes'
is /sluice-none/a "$m" sh -c 'cd /sluice-none/a/b/dir && cd ../.. && pwd -P'
is hello "$m" sh -c 'cd /sluice-none && cat a/b/hello'
is "cat: /sluice-none/a/x: No such file or directory" "$m" cat /sluice-none/a/x
is "touch: cannot touch '/sluice-none/x': Read-only file system" "$m" touch /sluice-none/x
is sluice-none "$m" sh -c 'ls / | grep sluice-none'

mkdir -p host/over host/over2 && echo host >host/over/host-file && echo near >host/over2/near && echo up >host/up
m="$tmp/p.slu:$tmp/host/over"
is hello "$m" cat host/over/hello
is "cat: host/over/host-file: No such file or directory" "$m" cat host/over/host-file
is near "$m" cat "$tmp/host/over2/near"
is "cat: $tmp/host/over2/hello: No such file or directory" "$m" cat "$tmp/host/over2/hello"
is "cat: $tmp/host/ove/hello: No such file or directory" "$m" cat "$tmp/host/ove/hello"
ln -s host/over way && ln -s "$tmp/host" up && ln -s over/dir/inner host/in && mkdir -p x/y && ln -s ../../host/over/to-dir x/y/far
is hello "$m" cat way/hello
is hello "$m" cat up/over/hello
is inner "$m" cat host/in
is inner "$m" cat x/y/far/inner
is up "$m" cat way/../up
is up "$m" cat host/over/dir/../../up
is up "$m" sh -c 'cd way/dir && cat ../../up'
is "$tmp/host/over/dir" "$m" sh -c 'cd way/to-dir && pwd -P'
is hello "$m" sh -c 'cd host/over2 && cat ../over/hello'
is hello "$m" sh -c 'cd host && cat ./over/./hello'
is "over over2 up" "$m" sh -c 'cd host && ls -d o* u* | paste -sd" "'
is written "$m" sh -c 'echo written >host/over2/new && cat host/over2/new'
[ -f host/over2/new ] || fail "a file beside the mount was not written"
[ "$(cat host/over/host-file)" = host ] || fail "the directory below was changed"

m="$tmp/p.slu:/data;$tmp/o.slu:/data/dir;$tmp/o.slu:/data2"
is hello "$m" cat /data/hello
is other "$m" cat /data/dir/which
is "cat: /data/dir/inner: No such file or directory" "$m" cat /data/dir/inner
is two "$m" cat /data/dir/dir/two
is other "$m" cat /data2/which
is "cat: /data2/hello: No such file or directory" "$m" cat /data2/hello
is hello "$m" cat /data/dir/../hello
is "/data" "$m" sh -c 'cd /data/dir/dir && cd ../.. && pwd -P'
is "dir which" "$m" sh -c 'ls /data/dir | paste -sd" "'
is 1 "$m" sh -c 'ls -d /data/dir | wc -l'
is other "$m" cat /data/to-dir/which
is "hello other" "$m" sh -c 'echo $(cat /data/hello /data2/which)'
# the outer one named last makes no difference to the inner one
m="$tmp/o.slu:/data/new/deep;$tmp/p.slu:/data"
is other "$m" cat /data/new/deep/which
is hello "$m" cat /data/hello
is deep "$m" ls /data/new
is yes "$m" sh -c 'ls /data | grep -q "^new$" && echo yes'
# a mount of everything that one lists: no name twice
is "" "$tmp/p.slu:/data;$tmp/o.slu:/data/dir" sh -c 'ls -a /data | sort | uniq -d'
# the pack may lie in the directory that it covers
mkdir self && cp -r p.slu self/p.slu
is hello "$tmp/self/p.slu:$tmp/self" cat self/hello
