#!/bin/bash
# SPDX-License-Identifier: MIT
# A flipped byte is EIO for the files it is in, by every way to read them, and never other bytes; other files are fine.
. "$(dirname "$0")/common.sh"
pack_small
shard=$(find p.slu -type f -size +2000k | head -n 1)
[ -n "$shard" ] || shard=p.slu
# the middle of ./tree/big, which is stored as it is
at=$("$python" - "$shard" tree/big <<'P'
import sys
print(open(sys.argv[1], "rb").read().find(open(sys.argv[2], "rb").read()[1000000:1000064]))
P
)
[ "$at" -gt 0 ] || skip "the big file is not stored as it is"
"$python" - "$shard" "$at" <<'P'
import sys
f = open(sys.argv[1], "r+b")
f.seek(int(sys.argv[2]))
b = f.read(1)
f.seek(int(sys.argv[2]))
f.write(bytes([b[0] ^ 1]))
P
m="$tmp/p.slu:/data"
fails() {
	preload "$m" "$@" >out 2>err && rc=0 || rc=$?
	[ $rc -ne 0 ] && [ $rc -lt 128 ] || fail "$*: exit $rc"
	grep -q 'Input/output error' err || fail "$*: $(head -n 3 err)"
}
fails cat /data/big
fails md5sum /data/big
fails cp /data/big copy
# libc reads its own stdin inside, where only the kernel can answer: it has nothing that could be read.
preload "$m" sh -c 'md5sum </data/big' >out 2>err && fail "a damaged file was read through a redirection"
grep -qE 'Input/output error|Bad file descriptor' err || fail "md5sum </data/big: $(head -n 3 err)"
[ ! -s out ] || fail "a damaged file gave a sum"
fails "$python" -c 'open("/data/big", "rb").read()'
fails "$python" -c 'import mmap; f = open("/data/big", "rb"); m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ); m[:]'
fails "$python" -c 'import os; f = os.open("/data/big", 0); os.pread(f, 1000, 1000000)'
fails "$python" -c 'import shutil; shutil.copyfile("/data/big", "x")'
for f in hello text raw small empty dir/inner; do
	preload "$m" cmp "/data/$f" "tree/$f" || fail "a neighbour of the damage is harmed: $f"
done
