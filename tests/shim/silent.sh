#!/bin/bash
# SPDX-License-Identifier: MIT
# The shim prints nothing, ever: not for a pack that is not there, not for damage, not for nonsense in its variables.
# The program goes on, and only calls below the mount fail.
. "$(dirname "$0")/common.sh"
pack_small
quiet() {
	local mounts=$1
	shift
	LD_PRELOAD=$shim SLUICE_MOUNTS=$mounts "$@" >out 2>err && rc=0 || rc=$?
	[ $rc -lt 128 ] || fail "mounts '$mounts': $* ended with $rc"
	grep -qi -e sluice -e shim err && fail "mounts '$mounts': it says: $(cat err)"
	return 0
}
quiet "$tmp/no-such.slu:/data" cat tree/hello
[ "$(cat out)" = hello ] || fail "a missing pack stops what is outside"
quiet "$tmp/no-such.slu:/data" cat /data/hello
[ $rc = 1 ] || fail "cat of a missing pack's file: exit $rc"
grep -qE 'Input/output error|No such file' err || fail "it says: $(cat err)"
for nonsense in '' ';' ':' ':/data' "$tmp/p.slu:" "$tmp/p.slu" '/:/' ';;;::;' "$tmp/tree:/data" "/dev/null:/data" "$tmp/p.slu:relative" \
	"$tmp/p.slu:/data;$tmp/p.slu:/data" "$(printf 'x%.0s' {1..9000}):/data"; do
	quiet "$nonsense" cat tree/hello
	[ "$(cat out)" = hello ] || fail "with SLUICE_MOUNTS='$nonsense' a file outside cannot be read: $(cat err)"
done
cp -r p.slu bad.slu
for f in bad.slu/*; do
	[ -f "$f" ] && head -c 100 /dev/urandom >"$f"
done
[ -f bad.slu ] && head -c 4096 /dev/urandom >bad.slu
quiet "$tmp/bad.slu:/data" sh -c 'cat /data/hello; ls /data; cat tree/hello'
grep -q hello out || fail "a damaged pack stops what is outside"
# nothing that it does may show in a program's own output
quiet "$tmp/p.slu:/data" sh -c 'ls /data >/dev/null; cat /data/nothing 2>/dev/null; cat /data/hello'
[ "$(cat out)" = hello ] && [ ! -s err ] || fail "output: $(cat out err)"
