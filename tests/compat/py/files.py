# SPDX-License-Identifier: MIT
"""open and io, os.open and kin, mmap, linecache, fileinput."""
import fileinput
import io
import linecache
import mmap
import os
import tokenize

from common import P, attempt, md5, p, show

FILES = ["text/lines.txt", "comp.txt", "raw70k.bin", "big.bin", "small.bin", "empty", "links/chain1", "class-a/img-00.jpg"]

for rel in FILES:
    with open(p(rel), "rb") as f:
        show(rel, md5(f.read()))
        show("tell", f.tell())
        f.seek(-min(10, f.tell()), os.SEEK_END)
        show("end", f.read())
        f.seek(0)
        b = bytearray(5000)
        show("readinto", f.readinto(b))
        show("peek", md5(f.peek(10)[:10]))
        show("isatty", f.isatty())
        show("fileno", f.fileno())
    with open(p(rel), "rb", buffering=0) as f:
        show("raw", md5(f.readall()))
        show("again", f.read(10))
    with io.FileIO(p(rel)) as f:
        show("FileIO", (f.read(3), f.seek(2), f.read(1), f.mode, f.closefd, f.seekable(), f.readable(), f.writable()))
    with open(p(rel), encoding="latin-1", newline="") as f:
        lines = f.readlines()
        show("lines", (len(lines), md5("".join(lines).encode("latin-1"))))
for rel in ("text/utf8.txt", "text/crlf.txt", "text/no-newline.txt"):
    with open(p(rel)) as f:
        show(rel, f.read())
    with open(p(rel)) as f:
        next(f)
        attempt("tell in iteration", f.tell)
        show("rest", list(f))
        f.seek(0)
        show("readline", f.readline())
        show("tell", f.tell())
        show("rest", f.read())

fd = os.open(p("comp.txt"), os.O_RDONLY)
show("pread", md5(os.pread(fd, 1000, 500)))
bufs = [bytearray(10), bytearray(100)]
show("preadv", (os.preadv(fd, bufs, 7), md5(bytes(bufs[1]))))
show("readv", (os.readv(fd, bufs), md5(bytes(bufs[1]))))
show("lseek", os.lseek(fd, 0, os.SEEK_CUR))
show("SEEK_HOLE", os.lseek(fd, 0, os.SEEK_HOLE))
attempt("fadvise", os.posix_fadvise, fd, 0, 0, os.POSIX_FADV_SEQUENTIAL)
show("inheritable", os.get_inheritable(fd))
os.set_inheritable(fd, True)
show("inheritable", os.get_inheritable(fd))
e = os.dup(fd)
show("dup", (e, os.get_inheritable(e), os.lseek(e, 5, 0), os.lseek(fd, 0, 1)))
show("dup2", os.dup2(fd, 20))
attempt("device encoding", os.device_encoding, fd)
attempt("isatty", os.isatty, fd)
attempt("ttyname", os.ttyname, fd)
attempt("terminal size", os.get_terminal_size, fd)
attempt("fpathconf", os.fpathconf, fd, "PC_NAME_MAX")
attempt("statvfs", lambda: os.fstatvfs(fd).f_namemax)
attempt("blocking", os.get_blocking, fd)
os.set_blocking(fd, False)
attempt("blocking", os.get_blocking, fd)
with os.fdopen(fd) as f:
    show("fdopen", f.readline())
attempt("closed", os.read, fd, 1)
with open(20, "rb", closefd=False) as f:
    show("closefd", md5(f.read()))
os.close(20)
show("fromfd", md5(open(e, "rb").read()))
with open(p("text/lines.txt"), opener=lambda path, flags: os.open(path, flags, dir_fd=os.open(P, os.O_RDONLY))) as f:
    show("opener", f.readline())

for rel in ("text/lines.txt", "comp.txt", "raw70k.bin", "big.bin"):
    with open(p(rel), "rb") as f:
        m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
        c = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_COPY)
        attempt("writable map", mmap.mmap, f.fileno(), 0)
        o = mmap.mmap(f.fileno(), 500, offset=0, prot=mmap.PROT_READ, flags=mmap.MAP_PRIVATE)
        attempt("too long", mmap.mmap, f.fileno(), 1 << 24, access=mmap.ACCESS_READ)
    show("mmap", (len(m), md5(m[:]), m.size(), m.find(b"fox"), m[10:20] == c[10:20], md5(o[:])))
    c[:3] = b"abc"
    show("copy", (c[:5], m[:3] != b"abc"))
    m.madvise(mmap.MADV_WILLNEED)
    attempt("resize", lambda: m.resize(10))
    attempt("write", lambda: m.write(b"x"))
    m.close()
attempt("map of nothing", lambda: mmap.mmap(os.open(p("empty"), os.O_RDONLY), 0, access=mmap.ACCESS_READ))

show("linecache", (linecache.getline(p("text/lines.txt"), 3), linecache.checkcache()))
with fileinput.input([p("text/one-line.txt"), p("text/numbers.txt")]) as f:
    show("fileinput", [(x, f.filelineno()) for x in f][:3])
with tokenize.open(p("py/local_module.py")) as f:
    show("tokenize", f.readline())
for mode in ("r+", "w", "a", "x", "rb+", "wb"):
    attempt("open " + mode, open, p("text/lines.txt"), mode)
    attempt("open new " + mode, open, p("new"), mode)
for rel in ("class-a", "no-such", "links/dangling", "links/loop1", "empty/x", "names/" + "z" * 300):
    attempt(rel, open, p(rel))
for name in sorted(os.listdir(os.fsencode(p("names")))):
    path = os.path.join(os.fsencode(p("names")), name)
    if os.path.isfile(path):
        with open(path, "rb") as f:
            show(repr(name), f.read() == name)
files = [open(p("comp.txt"), "rb") for _ in range(200)]
show("200 at once", (len({f.fileno() for f in files}), all(f.read(5) == b"epoch" for f in files)))
