#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the tree that the conformance cases read.

    maketree.py [--torch] [--programs DIR] POINT DIR

POINT is where the tree will be seen: absolute links in it point there. DIR must not exist; beside
it (DIR/../outside, DIR/../outside.txt) lies what links out of the tree lead to. --torch adds what
only torch can make. --programs is where the case programs are: two of them go into the tree.
"""
import argparse
import os
import random
import shutil
import sqlite3
import sys
import tarfile
import zipfile

EPOCH = 1_700_000_000_000_000_000
BIG, RAW, TEXT = 3 * 1024 * 1024 + 123, 70 * 1024, 300 * 1024     # as compat.h knows them


class Tree:
    def __init__(self, root, point):
        self.root, self.point = os.fsencode(root), os.fsencode(point)
        self.rng = random.Random(3)
        os.makedirs(self.root)

    def path(self, rel):
        p = os.path.join(self.root, rel)
        os.makedirs(os.path.dirname(p), exist_ok=True)
        return p

    def file(self, rel, data, mode=0o644):
        with open(self.path(rel), "wb") as f:
            f.write(data)
        os.chmod(self.path(rel), mode)

    def link(self, rel, target):
        os.symlink(target, self.path(rel))

    def noise(self, n):
        return self.rng.randbytes(n)

    def finish(self):
        """Times that a file system can hold and no clock gave, directories last."""
        for n, (base, dirs, files) in enumerate(os.walk(self.root, topdown=False)):
            for name in sorted(files + dirs):
                p = os.path.join(base, name)
                t = EPOCH + sum(os.path.relpath(p, self.root)) * 1_000_000_007
                os.utime(p, ns=(t, t), follow_symlinks=False)
        os.utime(self.root, ns=(EPOCH, EPOCH))


def text(t):
    lines = b"".join(b"line %d: the quick brown fox\n" % i for i in range(100))
    t.file(b"text/lines.txt", lines[:2000])
    t.file(b"text/one-line.txt", b"just one line\n")
    t.file(b"text/no-newline.txt", b"no newline at the end")
    t.file(b"text/numbers.txt", b"".join(b"%d %d\n" % (i, i * i) for i in range(20)))
    t.file(b"text/utf8.txt", "Grüße, 世界\nπ ≈ 3.14159\n".encode())
    t.file(b"text/crlf.txt", b"one\r\ntwo\r\n")
    t.file(b"comp.txt", (b"epoch %d loss 0.125 accuracy 0.5\n" * 20000)[:TEXT])
    t.file(b"raw70k.bin", t.noise(RAW))
    t.file(b"big.bin", t.noise(BIG))
    t.file(b"small.bin", t.noise(1000))
    t.file(b"page.bin", t.noise(4096))
    t.file(b"empty", b"")
    os.makedirs(t.path(b"empty-dir"))
    for i in range(300):
        t.file(b"many/entry-%03d" % i, b"%d\n" % i)
    t.file(b"deep/" + b"/".join(b"d%d" % i for i in range(20)) + b"/leaf", b"deep\n")


def names(t):
    for name in (b"with space", b"new\nline", b"\xff\xfe\x80", b"x" * 255, b"y" * 255, b"-dash", b"[brackets]", b"star*",
                 b"quo'te\"s", b"...", b".hidden", "ünïcödé".encode(), b"back\\slash", b"tab\there"):
        t.file(b"names/" + name, name)
    t.file(b"names/dir with space/in\nside", b"x")


def links(t):
    t.link(b"links/rel", b"../text/lines.txt")
    t.link(b"links/abs", t.point + b"/text/lines.txt")
    t.link(b"links/dir", b"../class-a")
    t.link(b"links/absdir", t.point + b"/class-b")
    t.link(b"links/dangling", b"nowhere/at/all")
    t.link(b"links/chain1", b"chain2")
    t.link(b"links/chain2", b"./chain3")
    t.link(b"links/chain3", b"../links/rel")
    t.link(b"links/loop1", b"loop2")
    t.link(b"links/loop2", b"loop1")
    t.link(b"links/self", b"self")
    t.link(b"links/up", b"..")
    t.link(b"links/out", b"../../outside.txt")
    t.link(b"links/outdir", b"../../outside")
    t.link(b"links/through", b"outdir/../mnt/text/lines.txt")
    beside = os.path.dirname(t.root)
    os.makedirs(os.path.join(beside, b"outside"))
    for rel, data in ((b"outside.txt", b"outside\n"), (b"outside/in.txt", b"in the outside directory\n")):
        with open(os.path.join(beside, rel), "wb") as f:
            f.write(data)
        os.utime(os.path.join(beside, rel), ns=(EPOCH, EPOCH))
    os.utime(os.path.join(beside, b"outside"), ns=(EPOCH, EPOCH))


def modes(t):
    for mode in (0o600, 0o444, 0o755, 0o4755) + ((0o000,) if os.geteuid() == 0 else ()):     # others could not pack it
        t.file(b"modes/%04o" % mode, b"mode %o\n" % mode, mode)
    for mode in (0o700, 0o1777):
        os.makedirs(t.path(b"modes/dir-%04o" % mode))
        os.chmod(t.path(b"modes/dir-%04o" % mode), mode)
    t.file(b"modes/owned", b"1000:1001\n", 0o640)
    if os.geteuid() == 0:
        os.chown(t.path(b"modes/owned"), 1000, 1001)
    t.file(b"script.sh", b'#!/bin/sh\necho "script: $# $*"\nhead -n 1 "$(dirname "$0")/text/lines.txt"\nexit 3\n', 0o755)


def pictures(t):
    from PIL import Image
    for c in (b"class-a", b"class-b", b"class-c"):
        for i in range(8):
            im = Image.frombytes("RGB", (8, 8), t.noise(192)).resize((48, 40), Image.BICUBIC)
            im.save(os.fsdecode(t.path(c + b"/img-%02d.jpg" % i)), quality=88)
    Image.frombytes("RGB", (32, 32), t.noise(3072)).save(os.fsdecode(t.path(b"pictures/noise.png")))
    Image.new("L", (100, 50), 77).save(os.fsdecode(t.path(b"pictures/grey.png")))


def arrays(t):
    import numpy
    r = numpy.random.RandomState(5)
    v = r.standard_normal(1000)
    numpy.save(os.fsdecode(t.path(b"arrays/vec.npy")), v)
    numpy.save(os.fsdecode(t.path(b"arrays/matrix.npy")), r.standard_normal((300, 200)).astype("f4"))
    numpy.save(os.fsdecode(t.path(b"arrays/flat.npy")), numpy.arange(50000, dtype="i4") // 7)
    numpy.savez(os.fsdecode(t.path(b"arrays/set.npz")), a=v, b=numpy.arange(10))
    numpy.savez_compressed(os.fsdecode(t.path(b"arrays/zset.npz")), a=v, b=numpy.zeros((100, 100)))
    t.file(b"arrays/raw.f64", v.tobytes())


def containers(t):
    import h5py
    import numpy
    with h5py.File(os.fsdecode(t.path(b"data.h5")), "w", track_order=False) as f:
        f.create_dataset("images", data=numpy.arange(20 * 32 * 32, dtype="u1").reshape(20, 32, 32))
        f.create_dataset("packed", data=numpy.zeros((1000, 10)), chunks=(100, 10), compression="gzip")
        f.create_group("g/sub").attrs["name"] = "value"
        f["g/sub/v"] = numpy.arange(5.0)
    db = sqlite3.connect(t.path(b"base.sqlite"))
    db.execute("create table sample (id integer primary key, name text, label int)")
    db.executemany("insert into sample values (?, ?, ?)", ((i, "item-%05d" % i, i % 10) for i in range(3000)))
    db.execute("create index by_label on sample (label)")
    db.commit()
    db.close()
    with zipfile.ZipFile(os.fsdecode(t.path(b"archive.zip")), "w") as z:
        for i in range(20):
            info = zipfile.ZipInfo("item-%d.txt" % i, (2023, 1, 1, 0, 0, 0))
            z.writestr(info, "number %d\n" % i * (i + 1), zipfile.ZIP_DEFLATED if i % 2 else zipfile.ZIP_STORED)
    with tarfile.open(os.fsdecode(t.path(b"archive.tar")), "w") as a:
        for rel in (b"text/lines.txt", b"raw70k.bin"):
            info = tarfile.TarInfo(rel.decode())
            info.size, info.mtime = os.path.getsize(t.path(rel)), 1_700_000_000
            with open(t.path(rel), "rb") as f:
                a.addfile(info, f)


def programs(t, where):
    os.makedirs(t.path(b"bin"), exist_ok=True)
    shutil.copyfile(os.path.join(where, "compat-hello"), t.path(b"bin/hello"))
    os.chmod(t.path(b"bin/hello"), 0o755)
    for name in ("libcompat-hello.so", "compat-hello.so"):
        if os.path.exists(os.path.join(where, name)):
            shutil.copyfile(os.path.join(where, name), t.path(b"bin/libhello.so"))
            os.chmod(t.path(b"bin/libhello.so"), 0o755)
    t.file(b"src/main.c", b'#include <stdio.h>\n#include "part.h"\n\nint main(void)\n{\n\tprintf("%d\\n", part());\n}\n')
    t.file(b"src/part.h", b"int part(void);\n")
    t.file(b"src/part.c", b'#include "part.h"\n\nint part(void)\n{\n\treturn 7;\n}\n')
    t.file(b"src/Makefile", b"all: main.c part.c\n\tcc -o main main.c part.c\n")
    t.file(b"py/local_module.py", b'"""In the mount."""\nVALUE = 42\n\n\ndef fail():\n    raise ValueError("from the mount")\n')
    t.file(b"py/pkg/__init__.py", b"from . import inner\n")
    t.file(b"py/pkg/inner.py", b"NAME = __name__\n")


def torch_files(t):
    import torch
    torch.manual_seed(1)
    torch.save({"w": torch.randn(64, 32), "b": torch.zeros(64), "step": 7}, os.fsdecode(t.path(b"model.pt")))
    torch.save([torch.arange(1000)], os.fsdecode(t.path(b"old.pt")), _use_new_zipfile_serialization=False)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--torch", action="store_true")
    ap.add_argument("--programs")
    ap.add_argument("point")
    ap.add_argument("dir")
    arg = ap.parse_args()
    os.umask(0o022)
    t = Tree(arg.dir, arg.point)
    text(t)
    names(t)
    links(t)
    modes(t)
    pictures(t)
    arrays(t)
    containers(t)
    if arg.programs:
        programs(t, arg.programs)
    if arg.torch:
        torch_files(t)
    t.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
