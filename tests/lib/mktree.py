#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes a deterministic test tree, and compares trees.

    mktree.py [options] DIR        makes it (DIR must not exist)
    mktree.py --compare A B        exit 0: the same names, kinds, bytes, modes, mtimes, targets

The standard tree has nested and empty directories, empty files, links that are relative,
dangling or to directories, names that are not UTF-8, of 255 bytes, with shared prefixes and
suffixes, many modes, mtimes with nanoseconds, before 1970 too, compressible and
incompressible files, and sizes around 64 KiB.
"""
import argparse
import os
import random
import stat
import sys

EPOCH = 1_700_000_000_000_000_000


class Maker:
    def __init__(self, root, seed):
        self.root, self.rng = os.fsencode(root), random.Random(seed)
        self.made = []

    def path(self, *parts):
        return os.path.join(self.root, *parts)

    def mtime(self):
        return EPOCH + self.rng.randrange(-10 ** 15, 10 ** 15)

    def dir(self, rel, mode=0o755):
        p = self.path(rel)
        os.makedirs(p, exist_ok=True)
        self.made.append((p, mode, self.mtime()))

    def file(self, rel, data, mode=0o644, mtime=None):
        p = self.path(rel)
        os.makedirs(os.path.dirname(p), exist_ok=True)
        with open(p, "wb") as f:
            f.write(data)
        os.chmod(p, mode)
        t = self.mtime() if mtime is None else mtime
        os.utime(p, ns=(t, t))

    def link(self, rel, target):
        p = self.path(rel)
        os.makedirs(os.path.dirname(p), exist_ok=True)
        os.symlink(target, p)
        t = self.mtime()
        os.utime(p, ns=(t, t), follow_symlinks=False)

    def noise(self, n):
        return self.rng.randbytes(n)

    def text(self, n):
        words = [b"sample", b"layer", b"batch", b"epoch", b"loss", b"{", b"}", b'"id":', b"0.125", b"\n"]
        out = bytearray()
        while len(out) < n:
            out += self.rng.choice(words) + b" "
        return bytes(out[:n])

    def finish(self):
        """Directories last, deepest first: making a file changes its directory's mtime."""
        stated = {p for p, _, _ in self.made}
        for base, dirs, _ in os.walk(self.root):
            for d in [base] + [os.path.join(base, x) for x in dirs]:
                if d not in stated and not os.path.islink(d):
                    stated.add(d)
                    self.made.append((d, 0o755, self.mtime()))
        for p, mode, t in sorted(self.made, key=lambda m: -m[0].count(b"/")):
            os.chmod(p, mode)
            os.utime(p, ns=(t, t))


def standard(m, big=True):
    m.dir(b"empty")
    m.dir(b"nested/empty/a/b/c")
    m.dir(b"private", 0o700)
    m.file(b"empty-file", b"")
    m.file(b"one", b"1")
    m.file(b"nested/empty-file", b"", 0o600)
    for i, mode in enumerate((0o400, 0o444, 0o600, 0o640, 0o755, 0o777, 0o4755, 0o2755, 0o1644)):
        m.file(b"modes/%03o" % mode, b"mode %d\n" % i, mode)
    m.file(b"times/before-1970", b"x", mtime=-1_234_567_890_123)
    m.file(b"times/zero", b"x", mtime=0)
    m.file(b"times/one", b"x", mtime=1)
    m.file(b"times/far", b"x", mtime=4_000_000_000_999_999_999)
    m.link(b"links/relative", b"../one")
    m.link(b"links/dangling", b"nowhere/at/all")
    m.link(b"links/directory", b"../nested/empty")
    m.link(b"links/itself", b"itself")
    m.link(b"links/long", b"x" * 1000)
    m.file(b"bytes/\xff\xfe\x80", b"not UTF-8\n")
    m.file(b"bytes/sp ace\ttab\nnewline", b"spaces\n")
    m.file(b"bytes/\xc3\xa9t\xc3\xa9", b"UTF-8\n")
    m.file(b"bytes/" + b"L" * 255, b"long\n")
    m.file(b"bytes/" + b"L" * 254 + b"M", b"long\n")
    m.dir(b"bytes/" + b"D" * 255)
    m.file(b"bytes/...", b"three dots\n")
    m.file(b"bytes/-n", b"a dash\n")
    for i in range(40):
        m.file(b"shared/prefix-%04d-suffix.json" % i, b'{"number": %d, "text": "%s"}\n' % (i, m.text(200 + 13 * i)))
    for i in range(20):
        m.file(b"shared/%s.txt" % (b"a" * (i + 1)), m.text(50 * i))
    deep = b"/".join(b"d%d" % i for i in range(30))
    m.file(b"deep/" + deep + b"/leaf", b"deep\n")
    sizes = [65535, 65536, 65537, 4095, 4096, 4097] + ([300 << 10] if big else [])
    for n in sizes:
        m.file(b"sizes/noise-%d" % n, m.noise(n))
        m.file(b"sizes/text-%d" % n, m.text(n))


def many(m, count, size, classes):
    for i in range(count):
        n = size if size < 2 else m.rng.randrange(size // 2, size + size // 2)
        kind = i % 3
        data = m.noise(n) if kind == 0 else m.text(n)
        m.file(b"class-%02d/item-%05d.%s" % (i % classes, i, (b"bin", b"json", b"txt")[kind]), data)


def walk(root):
    root = os.fsencode(root)
    out = {}
    for base, dirs, files in os.walk(root):
        for name in [b"."] * (base == root) + dirs + files:
            p = os.path.join(base, name)
            out[os.path.relpath(p, root)] = p
    return out


def difference(a, b, ignore_links_mtime=False):
    """The first difference of two trees as a sentence, or None."""
    x, y = walk(a), walk(b)
    if set(x) != set(y):
        return "names differ: %r" % sorted(set(x) ^ set(y))[:5]
    for rel in sorted(x):
        s, t = os.lstat(x[rel]), os.lstat(y[rel])
        for field in ("st_mode", "st_mtime_ns", "st_uid", "st_gid"):
            if field == "st_mtime_ns" and ignore_links_mtime and stat.S_ISLNK(s.st_mode):
                continue
            if field in ("st_uid", "st_gid") and os.geteuid() != 0:
                continue
            # Without privilege nobody gets a file's owner, and so not its set-id bits.
            ignored = stat.S_ISUID | stat.S_ISGID if field == "st_mode" and os.geteuid() != 0 else 0
            if getattr(s, field) & ~ignored != getattr(t, field) & ~ignored:
                return "%r: %s is %d and %d" % (rel, field, getattr(s, field), getattr(t, field))
        if stat.S_ISLNK(s.st_mode) and os.readlink(x[rel]) != os.readlink(y[rel]):
            return "%r: links differ" % rel
        if stat.S_ISREG(s.st_mode):
            with open(x[rel], "rb") as f, open(y[rel], "rb") as g:
                if f.read() != g.read():
                    return "%r: bytes differ" % rel
    return None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--count", type=int, default=0, help="so many more files, in class folders")
    ap.add_argument("--size", type=int, default=2000, help="about this size each")
    ap.add_argument("--classes", type=int, default=5)
    ap.add_argument("--bare", action="store_true", help="only the --count files, not the standard tree")
    ap.add_argument("--small", action="store_true", help="no file over 65537 bytes")
    ap.add_argument("--compare", action="store_true")
    ap.add_argument("paths", nargs="+")
    arg = ap.parse_args()
    if arg.compare:
        d = difference(*arg.paths)
        if d:
            print("mktree: %s" % d, file=sys.stderr)
        return 1 if d else 0
    os.makedirs(arg.paths[0])
    m = Maker(arg.paths[0], arg.seed)
    if not arg.bare:
        standard(m, big=not arg.small)
    many(m, arg.count, arg.size, arg.classes)
    m.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
