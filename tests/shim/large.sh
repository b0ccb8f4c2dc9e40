#!/bin/bash
# SPDX-License-Identifier: MIT
# Files over 2 and 4 GiB: offsets, maps and copies beyond 32 bits.
. "$(dirname "$0")/common.sh"
free=$(df --output=avail -k . | tail -n 1)
[ "$free" -gt 12000000 ] || skip "less than 12 GB free"
mkdir tree
"$python" - tree/large <<'P'
import random, sys
r = random.Random(1)
block = r.randbytes(1 << 20)
with open(sys.argv[1], "wb") as f:              # 4 GiB and a bit that does not pack, each block told by its number
    for i in range(4100):
        f.write(i.to_bytes(8, "little") + bytes(b ^ (i & 255) for b in block[:64]) + block[72:] if i % 64 == 0
                else i.to_bytes(8, "little") + block[8:])
P
"$SLUICE" pack -q --codec none tree -o p.slu
m="$tmp/p.slu:/data"
cat >t.py <<'P'
import hashlib, mmap, os, sys
f = os.open(sys.argv[1], os.O_RDONLY)
size = os.fstat(f).st_size
out = [size, os.lseek(f, -100, os.SEEK_END), os.lseek(f, 3 << 30, os.SEEK_SET)]
for at in (0, (1 << 31) - 5, (1 << 31) + 5, (1 << 32) - 5, (1 << 32) + 5, size - 7):
    out.append(hashlib.md5(os.pread(f, 100000, at)).hexdigest())
os.lseek(f, (1 << 32) - 50, 0)
out.append(hashlib.md5(os.read(f, 100)).hexdigest())
m = mmap.mmap(f, 0, access=mmap.ACCESS_READ)
out.append(hashlib.md5(m[(1 << 32) - 10:(1 << 32) + 10]).hexdigest())
m = mmap.mmap(f, 1 << 20, offset=1 << 32, access=mmap.ACCESS_READ)
out.append(hashlib.md5(m[:]).hexdigest())
with open(sys.argv[1], "rb") as g:
    g.seek((1 << 32) + 123)
    out += [hashlib.md5(g.read(1000)).hexdigest(), g.tell()]
out.append(len(os.read(f, 0x7ffff000 + 10)) if len(sys.argv) > 2 else 0)
print(out)
P
"$python" t.py tree/large >want
run 0 preload "$m" "$python" t.py /data/large
cmp out want || fail "$(cat out) instead of $(cat want)"
run 0 preload "$m" cmp /data/large tree/large
run 0 preload "$m" sh -c 'tail -c 1000000 </data/large | md5sum; dd if=/data/large bs=1M skip=4090 2>/dev/null | md5sum; stat -c %s /data/large'
run 0 preload "$m" cp /data/large copy
cmp copy tree/large || fail "cp"
