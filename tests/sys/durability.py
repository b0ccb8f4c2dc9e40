#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What must be on disk before what, for a power cut at any moment: read from a system call trace.

  (1) when a pack gets its name, every byte of its files has been synced, and its directory too
  (2) when a journal record is written, the samples it speaks of have been synced
  (3) after the name, the directory that holds it is synced; before that nothing old is removed
  (4) a rebuilt index likewise: synced, renamed, its directory synced
"""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import SLUICE, check, main, mktree, skip, succeed  # noqa: E402

CALLS = ("write,pwrite64,writev,pwritev,pwritev2,ftruncate,fallocate,copy_file_range,sendfile,fsync,fdatasync,syncfs,sync,"
         "rename,renameat,renameat2,unlink,unlinkat,rmdir,openat,openat2,creat,mkdir,mkdirat,link,linkat")
LINE = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(\w+)\((.*)\) += (-?\d+)")
WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate", "fallocate", "copy_file_range", "sendfile"}


def trace(args):
    """(call, arguments, result) of each call that succeeded."""
    subprocess.run(["strace", "-f", "-y", "-s", "256", "-o", "trace", "-e", "trace=" + CALLS, SLUICE, *args], check=True,
                   stdout=subprocess.DEVNULL, env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
    with open("trace", encoding="utf-8", errors="replace") as f:
        for line in f:
            m = LINE.match(line)
            check(m or "resumed" in line or "unfinished" in line or "+++" in line or "---" in line,
                  "a line of the trace is not understood: %r", line)
            if m and int(m[3]) >= 0:
                yield m[1], m[2], m[3]


def paths(text):
    """Files of descriptors in the arguments: 3</a/b>."""
    return re.findall(r"\d+<([^>]*)>", text)


def strings(text):
    return re.findall(r'"((?:[^"\\]|\\.)*)"', text)


class Disk:
    """Which files have bytes, and which directories names, that a power cut could take."""

    def __init__(self):
        self.files, self.dirs = set(), set()

    def see(self, call, text):
        if call in WRITES and paths(text):
            self.files.add(paths(text)[0])
        elif call in ("fsync", "fdatasync"):
            self.files.discard(paths(text)[0])
            self.dirs.discard(paths(text)[0])
        elif call in ("openat", "openat2") and "O_CREAT" in text:
            self.dirs.add(paths(text)[0])
        elif call in ("unlinkat", "mkdirat"):
            self.dirs.add(paths(text)[0])


def check_pack(options, old):
    """Packs with a trace of it; checks (1) to (3)."""
    disk, named, journal_writes, parent = Disk(), False, 0, os.getcwd()
    partial = os.path.join(parent, ".p.slu.partial")
    for call, text, _ in trace(["pack", "src", "-o", "p.slu", "-j", "1", "-q", *options]):
        if call in WRITES and paths(text)[0].endswith("/journal"):
            journal_writes += 1
            dirty = {f for f in disk.files if "/shard-" in f}
            check(not dirty or disk_is_new(disk), "the journal is written while %s are not synced", dirty)
        if call.startswith("rename") and strings(text)[0] == ".p.slu.partial":
            left = {f for f in disk.files if f.startswith(partial) and not f.endswith("/journal")}
            check(not left, "the pack gets its name while %s are not synced", left)
            check(partial not in disk.dirs, "the pack gets its name while its directory is not synced")
            named = True
            disk.dirs.add(parent)
        elif call == "unlinkat" and named and old:
            check(parent not in disk.dirs, "the old pack is removed before the new name is synced: %s", text)
        disk.see(call, text)
    check(named, "the pack never got its name")
    check(parent not in disk.dirs or old, "the name is not synced")
    return journal_writes


def disk_is_new(disk):
    """Before the first sample the journal has a head of its own."""
    return not any("/shard-" in f for f in disk.files)


def check_rebuild():
    disk, renamed = Disk(), False
    pack = os.path.join(os.getcwd(), "p.slu")
    for call, text, _ in trace(["verify", "--rebuild-index", "-q", "-j", "1", "p.slu"]):
        if call.startswith("rename"):
            check(not {f for f in disk.files if f.startswith(pack)}, "the index gets its name before it is synced")
            disk.dirs.add(pack)
            renamed = True
        disk.see(call, text)
    check(renamed and pack not in disk.dirs, "the rebuilt index's name is not synced")


def test(tmp):
    os.chdir(os.path.realpath(tmp))
    if not shutil.which("strace") or subprocess.run(["strace", "-o", "/dev/null", "true"], check=False,
                                                    stderr=subprocess.DEVNULL).returncode:
        skip("strace does not work here")
    mktree("src", "--bare", "--count", 1500, "--size", 200)
    writes = check_pack(["--resume", "--checkpoint", "1K", "--shards", "2"], old=False)
    check(writes > 3, "the journal was written %d times only", writes)
    check_pack(["--force"], old=True)
    check_pack(["--force", "--resume"], old=True)
    check_rebuild()
    succeed("verify", "-q", "p.slu")


main(test)
