#!/bin/bash
# SPDX-License-Identifier: MIT
# Other preloaded libraries, before and after the shim: one that counts calls and reads files (of the mount
# too) in its constructor, and jemalloc, which opens files while it allocates.
. "$(dirname "$0")/common.sh"
pack_small
compile logger.so "$here/logger.c" -shared -fPIC
want=$(md5sum <tree/raw)
programs=(
	"md5sum /data/raw"
	"cat /data/dir/link"
	"$python -c print(len(open('/data/text').read()),__import__('os').listdir('/data/dir'))"
	"sh -c cat</data/hello|md5sum"
)
check_all() {
	local p
	for p in "${programs[@]}"; do
		read -ra argv <<<"$p"
		[ "${argv[0]}" = sh ] && argv=(sh -c 'cat </data/hello | md5sum')
		under 20 env LD_PRELOAD="$1" SLUICE_MOUNTS="$tmp/p.slu:/data" "${argv[@]}" >out 2>err
		[ ! -s err ] || fail "$1: ${argv[*]} says: $(head -n 2 err)"
		[ -s out ] || fail "$1: ${argv[*]} says nothing"
	done
	LD_PRELOAD="$1" SLUICE_MOUNTS="$tmp/p.slu:/data" md5sum </dev/null >/dev/null
	[ "$(LD_PRELOAD="$1" SLUICE_MOUNTS="$tmp/p.slu:/data" sh -c 'md5sum </data/raw')" = "$want" ] || fail "$1: other bytes"
}
check_all "$shim"
export LOGGER_OUT=$tmp/log
check_all "$tmp/logger.so $shim"
[ -s log ] || fail "the logger was not there"
: >log
check_all "$shim $tmp/logger.so"
[ -s log ] || fail "the logger was not there"
# its constructor runs before ours (it is later in the list, and so initialised earlier), and reads what is in the mount
export LOGGER_READS=$tmp/tree/hello
check_all "$shim $tmp/logger.so"
check_all "$tmp/logger.so $shim"
export LOGGER_READS=/data/hello
check_all "$tmp/logger.so $shim"
check_all "$shim $tmp/logger.so"
unset LOGGER_READS LOGGER_OUT
jemalloc=$(ldconfig -p | awk '/libjemalloc\.so\.2/ { print $NF; exit }')
[ -n "$jemalloc" ] || { echo "without jemalloc: it is not installed"; exit 0; }
check_all "$jemalloc $shim"
check_all "$shim $jemalloc"
MALLOC_CONF=background_thread:true check_all "$shim $jemalloc"
