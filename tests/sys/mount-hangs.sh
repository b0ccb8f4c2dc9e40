#!/bin/bash
# SPDX-License-Identifier: MIT
# A disk that does not respond holds up who reads from it, and nobody else. The disk is another mount, whose
# server is stopped.
. "$(dirname "$0")/../lib/test.sh"
. "$lib/mount.sh"
requires timeout

mkdir -p src/d
"$python" - <<'PY'
import random
r = random.Random(9)
for name, size in (("first", 3000), ("middle", 20 << 20), ("very-last", 3000)):
    open("src/d/" + name, "wb").write(r.randbytes(size))
PY
mkdir outer
run 0 "$SLUICE" pack src -o outer/inner.slu --codec none -q
run 0 "$SLUICE" pack outer -o outer.slu --codec none -q
serve outer.slu disk
below=$server
cleanup eval "kill -CONT $below 2>/dev/null"
mkdir m
"$SLUICE" mount -f "$tmp/disk/inner.slu" "$tmp/m" 2>m.err &
server=$!
cleanup eval "kill -9 $server 2>/dev/null"
cleanup take_down "$tmp/m"
wait_for is_mounted m
cmp src/d/first m/d/first # now the kernel has this file, and the server the index
ls -l m/d >/dev/null
sleep 0.2 # those that helped go back to sleep, after one request each: the first thread is alone
for i in $(seq 40); do
	[ ! -e m/d/none-$i ]
done

kill -STOP "$below"
cat m/d/very-last >late & # its bytes are on the disk that does not respond
reader=$!
sleep 0.3
kill -0 "$reader"
timeout 5 stat m/d/none 2>/dev/null && fail "it is there" || [ $? = 1 ] || fail "the mount hangs with its disk"
timeout 5 cat m/d/first | cmp - src/d/first

kill -CONT "$below"
wait "$reader"
cmp late src/d/very-last
run 0 "$SLUICE" umount m
wait "$server"
run 0 "$SLUICE" umount disk
no_servers
