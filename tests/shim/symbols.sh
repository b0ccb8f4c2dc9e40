#!/bin/bash
# SPDX-License-Identifier: MIT
# The shim shows nothing but names that libc (libaio, liburing) has too and the three by which libsluice tells of spans,
# and needs nothing but libc and the loader:
# a process with its own zstd is not disturbed.
. "$(dirname "$0")/common.sh"
requires nm objdump

nm -D --defined-only "$shim" | awk '$2 !~ /[aA]/ { sub(/@.*/, "", $3); print $3 }' | sort -u >ours
[ "$(wc -l <ours)" -gt 150 ] || fail "only $(wc -l <ours) names: is this the shim?"
libc=$(ldd /bin/cat | awk '/libc\.so/ { print $3 }')
{
	nm -D --defined-only "$libc"
	ls "$(dirname "$libc")"/libaio.so.1* "$(dirname "$libc")"/lib{dl,pthread,rt}.so.* 2>/dev/null | while read -r l; do
		nm -D --defined-only "$l"
	done
} | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u >theirs
# libaio and liburing may not be installed, and newer versions of libc have more; their names are known
printf '%s\n' openat2 __isoc23_fscanf __isoc23_vfscanf slu_shim_tracing slu_shim_span_begin slu_shim_span_end io_submit io_pgetevents io_getevents io_setup io_destroy io_cancel | sort -u - theirs -o theirs
comm -23 ours theirs | grep -vE "^io_uring_(setup|queue_init(_params|_mem)?|submit(_and_.*)?)$" >strange || :
[ -s strange ] && fail "names that libc does not have: $(tr '\n' ' ' <strange)"

nm -D --undefined-only "$shim" | awk '{ sub(/@.*/, "", $2); print $2 }' | grep -iE 'zstd|lz4|xxh|fuse|sluice|slu_' >foreign &&
	fail "imports: $(tr '\n' ' ' <foreign)"
objdump -p "$shim" | awk '/NEEDED/ { print $2 }' | grep -vE '^(libc\.so\.6|ld-linux.*|libpthread\.so.*|libdl\.so.*)$' >needed &&
	fail "needs: $(tr '\n' ' ' <needed)"
nm -D --defined-only "$shim" | grep -vE ' slu_shim_(tracing|span_begin|span_end)$' | grep -qE ' [TDBRV] (slu_|ZSTD|LZ4|XXH)' && fail "its own names are visible"
# initial-exec thread-local storage is little: the loader has only some to give
objdump -p "$shim" | awk '/TLS/ { getline; print $2 }' | while read -r size; do
	[ $((size)) -le 1024 ] || fail "$((size)) bytes of thread-local storage"
done
exit 0
