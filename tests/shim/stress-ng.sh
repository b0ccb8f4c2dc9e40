#!/bin/bash
# SPDX-License-Identifier: MIT
# stress-ng's stressors of files, directories and descriptors do under the shim what they do without it: they run
# outside of the mount (they write), and every call passes through.
. "$(dirname "$0")/common.sh"
requires stress-ng
pack_small
seconds=1
list="dup close open dir fstat getdent seek"
if long; then
	seconds=2
	list="$list dirdeep dirmany dentry fd-fork mmap mmapfork chdir chmod link symlink rename readahead sendfile splice pipe fork vfork \
		exec spawn aio iomix filename lockf flock fcntl ioprio copy-file fpunch fsize access xattr utime touch statx handle locka \
		lockofd file-ioctl inode-flags io metamix dnotify inotify null zero poll epoll sockfd memfd msync mincore \
		mlock mremap madvise remap vm-splice tee verity fiemap"
fi
tried=0
for s in $list; do
	mkdir -p work
	stress-ng --help 2>/dev/null | grep -qE -- "--$s +N" || continue
	args=(--"$s" 2 --timeout $seconds --temp-path "$tmp/work" --verify -q --oomable)
	preload "$tmp/p.slu:/data" timeout 100 stress-ng "${args[@]}" >out 2>&1 && got=0 || got=$?
	rm -rf work && mkdir work
	if [ $got != 0 ]; then # some do not work everywhere
		timeout 100 stress-ng "${args[@]}" >plain 2>&1 && want=0 || want=$?
		[ $got = $want ] || fail "$s: exit $got with the shim, $want without: $(tail -n 5 out)"
		echo "$s: does not work here, with the shim or without: $(tail -n 1 plain)"
	fi
	rm -rf work
	tried=$((tried + 1))
done
[ $tried -ge 5 ] || fail "only $tried stressors are known to this stress-ng"
