#!/bin/bash
# SPDX-License-Identifier: MIT
# A mounted pack is the tree it was made of: names, bytes, attributes, links, lists.
#   mount-basic.sh CODEC
. "$(dirname "$0")/../lib/test.sh"
. "$lib/mount.sh"
codec=$1

mktree --count 200 src
mkdir -p 'src/with space' src/void/deeper
printf 'one' >'src/with space/a b'
printf 'two' >"src/with space/new
line"
printf 'three' >'src/with space/comma,back\slash'
ln -s 'with space' src/to-dir
ln -s 'with space/a b' src/to-file
"$python" - <<'PY'
import os, random
r = random.Random(5)
open("src/large.bin", "wb").write(r.randbytes((5 << 20) + 123))            # raw, in many requests
open("src/large.txt", "wb").write(b"".join(b"line %d of a file\n" % i for i in range(400000)))
os.makedirs("src/many")
for i in range(1500):                                                       # a list in many requests
    open("src/many/%04d" % i, "w").write(str(i))
PY
run 0 "$SLUICE" pack src -o p.slu --codec "$codec" -q
mount_pack p.slu m -v
has out "is mounted on"

mktree --compare src m
diff -r --no-dereference src m

# Every field of stat(2) but device and the change times, which are the pack's own; inode numbers are sluice ls's.
(cd src && find . ! -type d -printf '%p %m %U %G %s %l %T@ %y\n' | sort) >want
(cd m && find . ! -type d -printf '%p %m %U %G %s %l %T@ %y\n' | sort) >have
diff want have
"$python" - <<'PY'
import json, os, subprocess
listed = subprocess.run([os.environ["SLUICE"], "ls", "-R", "--json", "p.slu"], stdout=subprocess.PIPE, check=True).stdout
for e in json.loads(listed.decode("utf-8", "surrogateescape"))["entries"]:
    if "\ufffd" in e["path"]:
        continue                                    # not UTF-8: JSON cannot carry it
    p = os.path.join("m", e["path"])
    st = os.lstat(p)
    assert st.st_ino == e["ino"], p
    assert st.st_mtime_ns == e["mtime_ns"] == st.st_ctime_ns, p
    assert st.st_blksize == 4096, p
    if e["type"] == "file":
        assert st.st_blocks == (st.st_size + 4095) // 4096 * 8, p
for root, dirs, files in os.walk(b"m"):             # entries' types and numbers are stat's
    for d in os.scandir(root):
        assert d.inode() == d.stat(follow_symlinks=False).st_ino, d.path
names = os.listdir("m/many")
assert len(names) == len(set(names)) == 1500
assert os.statvfs("m").f_flag & os.ST_RDONLY
PY

# Parts, through read and through mmap.
"$python" - <<'PY'
import mmap, os, random
r = random.Random(7)
for name in ("large.bin", "large.txt", "with space/a b"):
    want = open("src/" + name, "rb").read()
    fd = os.open("m/" + name, os.O_RDONLY)
    for _ in range(200):
        n, at = r.randrange(300000), r.randrange(len(want) + 10)
        assert os.pread(fd, n, at) == want[at:at + n], (name, n, at)
    with mmap.mmap(fd, 0, prot=mmap.PROT_READ) as m:
        assert m[:] == want
    os.close(fd)
PY

# No such name, as often as asked; not a directory; a loop-free "..".
for i in 1 2; do
	run 1 cat m/none
	has err 'No such file'
done
run 1 cat 'm/with space/a b/x'
has err 'Not a directory'
cmp 'm/void/../with space/a b' 'src/with space/a b'

# Extended attributes: known, and there are none.
"$python" - <<'PY'
import errno, os
assert os.listxattr("m/large.txt") == []
try:
    os.getxattr("m/large.txt", "user.none")
    raise SystemExit("an attribute that is not there was found")
except OSError as e:
    assert e.errno == errno.ENODATA, e
PY

run 0 "$SLUICE" umount m
[ -z "$(ls -A m)" ]
no_servers
