# SPDX-License-Identifier: MIT
"""Every write through os, io, tempfile: the same exception as on a read-only mount."""
import os
import tempfile

from common import P, attempt, p

for rel in ("text/lines.txt", "class-a", "no-such", "links/rel", "links/dangling", "links/loop1", "no/such", "empty/x", "empty-dir", "new/"):
    q = p(rel)
    print("---", rel)
    attempt("open", os.open, q, os.O_WRONLY)
    attempt("open rdwr", os.open, q, os.O_RDWR | os.O_CREAT)
    attempt("remove", os.remove, q)
    attempt("rmdir", os.rmdir, q)
    attempt("mkdir", os.mkdir, q)
    attempt("makedirs", os.makedirs, q, exist_ok=True)
    attempt("removedirs", os.removedirs, q)
    attempt("rename", os.rename, q, p("elsewhere"))
    attempt("rename out", os.rename, q, "here")
    attempt("replace", os.replace, p("small.bin"), q)
    attempt("link", os.link, q, p("elsewhere"))
    attempt("symlink", os.symlink, "x", q)
    attempt("truncate", os.truncate, q, 1)
    attempt("chmod", os.chmod, q, 0o600)
    attempt("chown", os.chown, q, 1, 1)
    attempt("lchown", os.lchown, q, 1, 1)
    attempt("utime", os.utime, q)
    attempt("utime ns", os.utime, q, ns=(1, 2), follow_symlinks=False)
    attempt("mkfifo", os.mkfifo, q)
    attempt("mknod", os.mknod, q)
    attempt("setxattr", os.setxattr, q, "user.x", b"1")
    attempt("removexattr", os.removexattr, q, "user.x")
fd = os.open(p("comp.txt"), os.O_RDONLY)
attempt("write", os.write, fd, b"x")
attempt("pwrite", os.pwrite, fd, b"x", 0)
attempt("writev", os.writev, fd, [b"x"])
attempt("ftruncate", os.ftruncate, fd, 0)
attempt("fchmod", os.fchmod, fd, 0o600)
attempt("fchown", os.fchown, fd, 1, 1)
attempt("futimens", os.utime, fd)
attempt("fsync", os.fsync, fd)
attempt("fdatasync", os.fdatasync, fd)
attempt("posix_fallocate", os.posix_fallocate, fd, 0, 10)
attempt("lockf", os.lockf, fd, os.F_TLOCK, 10)
for f in (tempfile.mkstemp, tempfile.mkdtemp, tempfile.TemporaryFile, tempfile.NamedTemporaryFile):
    try:
        f(dir=P)
        print(f.__name__, "made it")
    except OSError as e:
        print(f.__name__, type(e).__name__, e.errno)    # the name is random
os.environ["TMPDIR"] = P
tempfile.tempdir = None
print("a directory for temporary files is found elsewhere:", tempfile.gettempdir() != P)
