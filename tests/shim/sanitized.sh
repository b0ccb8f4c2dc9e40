#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs that were built with ASan, UBSan or TSan run under the shim. Their runtime comes first in LD_PRELOAD.
. "$(dirname "$0")/common.sh"
pack_small
one() { # one FLAG LIBRARY
	local lib
	if ! "$cc" -fsanitize="$1" -g -O1 -w -D_GNU_SOURCE -pthread -o "t-$1" "$here/loop.c" 2>/dev/null; then
		echo "without $1: it cannot be linked"
		return 0
	fi
	lib=
	[ -z "$2" ] || lib=$("$cc" -print-file-name="$2")
	[ -f "$lib" ] || lib=
	"./t-$1" "$tmp/tree" 1 4 >/dev/null 2>err || {
		echo "without $1: it does not run here at all"
		return 0
	}
	run 0 timeout 100 env LD_PRELOAD="$lib $shim" SLUICE_MOUNTS="$tmp/p.slu:/data" "./t-$1" /data 3 4
	[ "$(cat out)" = "0 0" ] || fail "$1: $(cat out)"
	grep -qE 'Sanitizer|runtime error' err && fail "$1: $(head -n 20 err)"
	return 0
}
# The shim is not instrumented: what it does with its locks, and maps with system calls of its own, TSan cannot see.
echo 'called_from_lib:libsluice-shim.so' >suppressions
export ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=halt_on_error=1:suppressions=$tmp/suppressions
one address libasan.so
one undefined libubsan.so
one thread libtsan.so
