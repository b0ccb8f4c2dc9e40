#!/bin/bash
# SPDX-License-Identifier: MIT
# How a mount ends: by SIGTERM, SIGINT and SIGHUP, in front and in the background; by force; lazily; and the mount of a
# killed server is cleared.
. "$(dirname "$0")/../lib/test.sh"
. "$lib/mount.sh"

mkdir -p src/d
echo text >src/d/f
run 0 "$SLUICE" pack src -o p.slu -q

# Background jobs of a script have SIGINT ignored; env gives it back.
for sig in TERM HUP INT; do
	mkdir -p m
	env --default-signal=INT "$SLUICE" mount -f "$tmp/p.slu" "$tmp/m" 2>err &
	server=$!
	cleanup take_down "$tmp/m"
	wait_for cat m/d/f
	kill -s $sig $server
	wait $server || fail "SIG$sig: exit $?"
	not_mounted m || fail "still mounted after SIG$sig"
done

# In the background. It keeps nothing of ours: no terminal, no directory, no descriptor.
exec 9>held
mount_pack p.slu m
exec 9>&-
pid=$(pgrep -f "mount.*$tmp/")
[ "$(readlink /proc/"$pid"/cwd)" = / ]
[ "$(readlink /proc/"$pid"/fd/1)" = /dev/null ]
[ "$(ps -o sid= -p "$pid" | tr -d ' ')" = "$pid" ]
! ls -l /proc/"$pid"/fd | grep -q held || fail "the server has our descriptor"
[ "$(cat m/d/f)" = text ]
kill "$pid"
wait_for not_mounted m
no_servers

# While a file is open: a signal ends it all the same, the reader gets an error.
serve p.slu m
exec 8<m/d/f
kill "$server"
wait "$server"
not_mounted m
exec 8<&-

# umount: busy, lazy.
serve p.slu m
exec 8<m/d/f
run 2 "$SLUICE" umount m
sentence
has err 'in use'
is_mounted m
run 0 "$SLUICE" umount --lazy m
not_mounted m
[ "$(cat <&8)" = text ]
exec 8<&-
wait "$server"

# Killed: the dead mount gives an error to its users, is told by mount, and goes with umount.
serve p.slu m
cat m/d/f >/dev/null
kill -9 "$server"
wait "$server" 2>/dev/null || true
run 2 ls m/d
has err 'not connected'
run 2 "$SLUICE" mount p.slu m
sentence
has err 'already'
run 0 "$SLUICE" umount m
not_mounted m
mount_pack p.slu m
[ "$(cat m/d/f)" = text ]
run 0 "$SLUICE" umount m/
no_servers
