#!/bin/bash
# SPDX-License-Identifier: MIT
# File systems and kernels that lack a call: locks, renameat2's flags, allocation in advance,
# links' times. Packing and unpacking go on without it.
. "$(dirname "$0")/../lib/test.sh"
[ -n "${FAULTS:-}" ] || skip "faults cannot be injected into this build"

mktree --small src
mktree --bare --count 5 other
run 0 "$SLUICE" pack src -o want.slu -q
without() {
	local calls=$1 error=$2
	shift 2
	run 0 env LD_PRELOAD="$FAULTS" FAULT_KIND=always FAULT_CALLS="$calls" FAULT_ERRNO="$error" FAULT_REPORT=report FAULT_ALSO=libasan \
		"$SLUICE" "$@"
}
try() {
	rm -rf p.slu
	without "$1" "$2" pack src -o p.slu -q
	diff -r want.slu p.slu
	without "$1" "$2" pack other -o p.slu -q --force
	without "$1" "$2" pack src -o p.slu -q --force
	diff -r want.slu p.slu
	without "$1" "$2" verify -q p.slu
	without "$1" "$2" verify -q --rebuild-index p.slu
	diff -r want.slu p.slu
	[ "$(ls -A | grep p.slu)" = p.slu ] || fail "without $1: left behind: $(ls -A)"
}
for error in EINVAL ENOSYS; do
	try renameat2 $error
done
try flock EOPNOTSUPP
try fallocate,fallocate64,posix_fallocate,posix_fallocate64 EOPNOTSUPP
try sync_file_range ENOSYS
try copy_file_range EOPNOTSUPP
try pthread_create EAGAIN
