# SPDX-License-Identifier: MIT
# What tests of mounts share. Source it after test.sh; it skips the test where there is no FUSE.
#
# Gives: mount_pack, serve, wait_for, no_servers. Whatever a test mounts is unmounted at its end.

"$SLUICE" --version | grep -q '^fuse' || skip "this build has no FUSE"
[ -r /dev/fuse ] && [ -w /dev/fuse ] || skip "/dev/fuse cannot be used"
[ "$(id -u)" = 0 ] || requires fusermount3
requires pgrep

# take_down DIR: unmounts whatever is there, dead or alive.
take_down() {
	"$SLUICE" umount --lazy "$1" >/dev/null 2>&1
	return 0
}

mkdir -p "$tmp/probe.d" "$tmp/probe.m"
cleanup take_down "$tmp/probe.m"
"$SLUICE" pack "$tmp/probe.d" -o "$tmp/probe.slu" -q
if ! "$SLUICE" mount "$tmp/probe.slu" "$tmp/probe.m" 2>"$tmp/probe.err"; then
	! grep 'cannot mount on' "$tmp/probe.err" || skip "mounting is not allowed here"
	fail "cannot even mount: $(cat "$tmp/probe.err")"
fi
"$SLUICE" umount "$tmp/probe.m"
rm -r "$tmp"/probe.*

# mount_pack PACK DIR [OPTION...]: in the background. DIR is made.
mount_pack() {
	mkdir -p "$2"
	cleanup take_down "$tmp/$2"
	run 0 "$SLUICE" mount "$tmp/$1" "$tmp/$2" "${@:3}"
}

# wait_for CMD...: until it succeeds, 10 s at most.
wait_for() {
	local i
	for i in $(seq 200); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.05
	done
	echo "${BASH_SOURCE[1]##*/}:${BASH_LINENO[0]}: waited in vain for: $*" >&2
	exit 1
}

is_mounted() {
	grep -q " $tmp/$1 .* - fuse.sluice " /proc/self/mountinfo
}

not_mounted() {
	! is_mounted "$1"
}

# serve PACK DIR [OPTION...]: in the foreground of a job; its number is $server, its stderr in DIR.err.
serve() {
	mkdir -p "$2"
	"$SLUICE" mount -f "$tmp/$1" "$tmp/$2" "${@:3}" 2>"$tmp/$2.err" &
	server=$!
	cleanup take_down "$tmp/$2"
	cleanup eval "kill -9 $server 2>/dev/null"
	wait_for is_mounted "$2"
}

any_server() {
	pgrep -f "mount.*$tmp/" >/dev/null
}

gone() {
	! any_server
}

# no_servers: all have ended.
no_servers() {
	wait_for gone
}
