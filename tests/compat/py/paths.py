# SPDX-License-Identifier: MIT
"""os.stat and kin, walks, dir_fd, glob, pathlib, os.chdir."""
import glob
import os
import pathlib
import stat

from common import P, attempt, p, show

RELS = ["", "text/lines.txt", "class-a", "links/rel", "links/dir", "links/dangling", "links/loop1", "links/out", "no-such", "empty/x",
        "modes/0000", "modes/4755", "modes/owned", "script.sh"]


def brief(st):
    size = None if stat.S_ISDIR(st.st_mode) else (st.st_size, st.st_nlink)
    return stat.filemode(st.st_mode), st.st_uid, st.st_gid, size, st.st_mtime_ns


for rel in RELS:
    path = p(rel) if rel else P
    attempt("stat " + rel, lambda: brief(os.stat(path)))
    attempt("lstat " + rel, lambda: brief(os.lstat(path)))
    q = pathlib.Path(path)
    show(rel, (os.path.exists(path), os.path.lexists(path), os.path.isfile(path), os.path.isdir(path), os.path.islink(path),
               os.access(path, os.R_OK), os.access(path, os.W_OK), os.access(path, os.X_OK)))
    attempt("getsize", lambda: os.path.getsize(path) if not os.path.isdir(path) else 0)
    attempt("getmtime", os.path.getmtime, path)
    attempt("realpath", os.path.realpath, path)
    attempt("strict", lambda: os.path.realpath(path, strict=True))
    attempt("readlink", os.readlink, path)
    attempt("pathlib", lambda: (q.exists(), q.is_file(), q.is_dir(), q.is_symlink(), str(q.resolve())))
    attempt("owner", q.owner)
    attempt("statvfs", lambda: os.statvfs(path).f_flag & os.ST_RDONLY)
    attempt("pathconf", os.pathconf, path, "PC_NAME_MAX")
    attempt("listxattr", os.listxattr, path)
    attempt("getxattr", os.getxattr, path, "user.x")
show("samefile", (os.path.samefile(p("links/rel"), p("text/lines.txt")), os.path.samefile(p("empty"), p("small.bin"))))

for rel in ("", "class-a", "links", "empty-dir", "names", "many", "links/dir"):
    path = os.path.join(os.fsencode(P), os.fsencode(rel))
    show("listdir " + rel, sorted(os.listdir(path)))
    with os.scandir(path) as it:
        rows = []
        for e in it:
            try:
                follow = e.is_file(), e.is_dir()
            except OSError as error:    # loops
                follow = error.errno
            rows.append((e.name, follow, e.is_symlink(), e.is_file(follow_symlinks=False), e.is_dir(follow_symlinks=False),
                         brief(e.stat(follow_symlinks=False)), e.inode() == os.lstat(e.path).st_ino))
        show("scandir " + rel, sorted(rows))
    fd = os.open(path, os.O_RDONLY)
    show("listdir(fd)", sorted(os.listdir(fd)) == sorted(map(os.fsdecode, os.listdir(path))))
    show("twice", sorted(os.listdir(fd)) == sorted(map(os.fsdecode, os.listdir(path))))
    with os.scandir(fd) as it:
        show("scandir(fd)", len(sorted(e.name for e in it)))
    os.close(fd)
for bad in ("empty", "no-such", "links/loop1", "links/dangling"):
    attempt("listdir " + bad, os.listdir, p(bad))
    attempt("scandir " + bad, os.scandir, p(bad))

for top in (True, False):
    rows = [(os.fsencode(b), sorted(map(os.fsencode, d)), sorted(map(os.fsencode, f))) for b, d, f in os.walk(P, topdown=top)]
    show("walk", sorted(rows))
rows = [(os.fsencode(b), sorted(map(os.fsencode, d)), sorted(map(os.fsencode, f)), len(os.listdir(fd)))
        for b, d, f, fd in os.fwalk(P)]
show("fwalk", sorted(rows))
rows = [(b, sorted(f)) for b, d, f, fd in os.fwalk("class-a", dir_fd=os.open(P, os.O_RDONLY))]
show("fwalk with dir_fd", rows)
show("walk with links", sum(len(f) for b, d, f in os.walk(p("links/dir"), followlinks=True)))

d = os.open(p("class-a"), os.O_RDONLY | os.O_DIRECTORY)
show("dir_fd", (brief(os.stat("img-00.jpg", dir_fd=d)), os.access("img-00.jpg", os.R_OK, dir_fd=d)))
show("readlink dir_fd", os.readlink("../links/rel", dir_fd=d))
f = os.open("img-01.jpg", os.O_RDONLY, dir_fd=d)
show("open dir_fd", len(os.read(f, 100000)))
attempt("unlink dir_fd", os.unlink, "img-00.jpg", dir_fd=d)
attempt("mkdir dir_fd", os.mkdir, "new", dir_fd=d)
attempt("rename dir_fd", os.rename, "img-00.jpg", "x", src_dir_fd=d, dst_dir_fd=d)

# No "**" over links/up: near forty links the kernel says ELOOP sooner or later, as its first attempt counts too.
for pattern in ("*", "*/*.jpg", "class-?/img-0[0-2].jpg", "arrays/**/*.npy", "no*", "links/*", "names/.*", "deep/**", "c*/**", "*/"):
    show("glob " + pattern, sorted(map(os.fsencode, glob.glob(p(pattern), recursive=True))))
    show("root_dir", len(glob.glob(pattern, root_dir=P, recursive=True)))
root = pathlib.Path(P)
show("rglob", sorted(str(x) for x in root.rglob("*.txt")))
show("Path.glob", sorted(str(x) for x in root.glob("class-*/*7.jpg")))
show("iterdir", sorted(x.name for x in root.iterdir()))
show("read_text", (root / "text/one-line.txt").read_text())
show("read_bytes", len((root / "big.bin").read_bytes()))
attempt("write_text", lambda: (root / "new").write_text("x"))
attempt("touch", (root / "comp.txt").touch)
attempt("unlink", (root / "comp.txt").unlink)
attempt("mkdir", (root / "class-a").mkdir, exist_ok=True)
attempt("mkdir parents", (root / "x/y").mkdir, parents=True)

os.chdir(P)
show("cwd", (os.getcwd(), os.getcwdb(), sorted(os.listdir())[:3], os.path.abspath("x"), os.path.exists("comp.txt")))
os.chdir("class-a")
show("cwd", (os.getcwd(), str(pathlib.Path.cwd()), sorted(glob.glob("*"))[:2], os.path.realpath("../links/chain1")))
os.chdir("../links/dir/..")
show("cwd", os.getcwd())
d = os.open(p("class-b"), os.O_RDONLY)
os.fchdir(d)
show("cwd", (os.getcwd(), len(os.listdir("."))))
os.chdir(d)
attempt("chdir file", os.chdir, p("empty"))
attempt("chdir none", os.chdir, "none")
os.chdir("../..")
show("cwd", (os.getcwd(), os.path.exists("mnt/comp.txt"), os.path.exists("outside.txt")))
