# SPDX-License-Identifier: MIT
"""shutil and the copies that the kernel makes."""
import filecmp
import os
import shutil
import socket

from common import P, attempt, md5, p, show


def tree(top):
    rows = []
    for b, d, f in os.walk(os.fsencode(top)):
        for n in sorted(d + f):
            q = os.path.join(b, n)
            st = os.lstat(q)
            if os.path.islink(q):
                rows.append((os.path.relpath(q, os.fsencode(top)), os.readlink(q)))
            elif os.path.isfile(q):
                with open(q, "rb") as g:
                    rows.append((os.path.relpath(q, os.fsencode(top)), st.st_mode, st.st_mtime_ns, md5(g.read())))
            else:
                rows.append((os.path.relpath(q, os.fsencode(top)), st.st_mode, st.st_mtime_ns))
    return sorted(rows)


shutil.copytree(P, "whole", symlinks=True)
for row in tree("whole"):
    print(row)
shutil.copytree(p("class-a"), "a")
show("dircmp", (filecmp.dircmp("a", p("class-a")).diff_files, filecmp.cmp("a/img-00.jpg", p("class-a/img-00.jpg"), shallow=False)))
show("cmpfiles", filecmp.cmpfiles("whole", P, ["comp.txt", "big.bin", "raw70k.bin", "empty"], shallow=False))
show("shallow", filecmp.cmp("whole/comp.txt", p("comp.txt")))
for rel in ("comp.txt", "big.bin", "raw70k.bin", "small.bin", "empty", "text/lines.txt"):
    for f in (shutil.copyfile, shutil.copy, shutil.copy2):
        f(p(rel), "x")
        show("%s %s" % (f.__name__, rel), (md5(open("x", "rb").read()), oct(os.stat("x").st_mode),
                                           os.stat("x").st_mtime_ns if f is shutil.copy2 else 0))
    with open(p(rel), "rb") as i, open("y", "wb") as o:
        shutil.copyfileobj(i, o)
    show("copyfileobj", md5(open("y", "rb").read()))
    a, b = socket.socketpair()
    with open(p(rel), "rb") as i:
        n = os.sendfile(a.fileno(), i.fileno(), 3, 1000)
        show("sendfile", (n, md5(b.recv(2000)) if n else "", i.tell()))
        a.sendall(b"x")
        b.recv(1)
        n = os.sendfile(a.fileno(), i.fileno(), None, 100)
        show("sendfile at the offset", (n, md5(b.recv(2000)) if n else "", os.lseek(i.fileno(), 0, 1)))
    with open(p(rel), "rb") as i:
        if os.fstat(i.fileno()).st_size < 100000:
            show("socket.sendfile", (a.sendfile(i), i.tell()))
    a.close()
    b.close()
    with open(p(rel), "rb") as i, open("z", "wb") as o:
        n, total = 1, 0
        try:
            while n:
                n = os.copy_file_range(i.fileno(), o.fileno(), 1 << 20)
                total += n
            show("copy_file_range", total)
        except OSError:
            show("copy_file_range", os.fstat(i.fileno()).st_size)    # EXDEV is an answer; the kernel decides
    r, w = os.pipe()
    with open(p(rel), "rb") as i:
        n = os.splice(i.fileno(), w, 500)
        show("splice", (n, md5(os.read(r, 500)) if n else ""))
    os.close(r)
    os.close(w)
attempt("copy into", shutil.copy, "x", p("new"))
attempt("copy over", shutil.copyfile, "x", p("comp.txt"))
attempt("same", shutil.copyfile, p("comp.txt"), p("comp.txt"))
attempt("move out", shutil.move, p("comp.txt"), "moved")
show("moved is a copy", os.path.exists("moved"))
attempt("move in", shutil.move, "x", p("new"))
failed = []
shutil.rmtree(p("class-a"), onerror=lambda f, path, info: failed.append((f.__name__, path, info[1].errno)))
show("rmtree", sorted(failed))
attempt("copystat", shutil.copystat, p("comp.txt"), "y")
attempt("copymode", shutil.copymode, "y", p("comp.txt"))
show("which", shutil.which("script.sh", path=P))
show("usage", shutil.disk_usage(P).total > 0)
name = shutil.make_archive("archive", "gztar", P, "class-a")
shutil.unpack_archive(name, "unpacked")
show("archive", [r[-1] for r in tree("unpacked/class-a")])
shutil.unpack_archive(p("archive.zip"), "unzipped")
show("unpacked", sorted(os.listdir("unzipped")))
