#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""pack, with its k-th call failing: an error with one sentence and nothing left behind, or
the right pack. Never a crash, a leak, a half pack. With --resume, what is left behind is what
the next run goes on from; with --force, the old pack stays whole until the new one is.
--labels labels.csv: the file is made.

    fault-sweep-pack.py CALLS ERRNO [PACK-OPTION...]
"""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import LONG, check, main, mktree, remove, same_files, succeed  # noqa: E402
import mktree as trees  # noqa: E402
from sweep import ended_well, sweep  # noqa: E402

# If one of these fails, cleaning up may be impossible.
UNDO = {"unlinkat", "unlink", "rmdir", "openat", "openat64", "open", "open64", "fdopendir", "opendir", "readdir",
        "readdir64", "fstatat", "fstatat64", "openat2"}
# What pack may do without: hints, threads, and a close after the sync. Not syncs, for instance.
HARMLESS = {"close", "sync_file_range", "pthread_create", "fallocate", "fallocate64", "posix_fallocate",
            "posix_fallocate64", "copy_file_range", "getrandom"}


def test(tmp):
    os.chdir(tmp)
    calls, error, *options = sys.argv[1:]
    mktree("src", "--bare", "--count", 24, "--size", 900, "--classes", 3)
    with open("src/class-00/big", "wb") as f:
        f.write(os.urandom(70000))
    os.mkdir("src/empty")
    os.symlink("../class-00/big", "src/class-01/link")
    with open("labels.csv", "w", encoding="ascii") as f:
        for i, path in enumerate(sorted(p for p in trees.walk("src").values() if os.path.isfile(p) and not os.path.islink(p))):
            f.write("%s,%d\n" % (os.fsdecode(path)[4:], i))
    mktree("old", "--bare", "--count", 5)
    succeed("pack", "old", "-o", "old.slu", "-q")
    os.mkdir("out")
    args = ["pack", "src", "-o", "out/p.slu", "-j", "1", "-q", *options]
    succeed("pack", "src", "-o", "want.slu", "-j", "1", "-q", *options)
    faults = {"CALLS": calls, "KIND": "fail", "ERRNO": error, "ALSO": "libzstd,liblz4,libasan"}
    force = "--force" in options
    clean = succeed(*args, faults=dict(faults, KIND="count")).report
    survived = []

    def before():
        remove("out/p.slu")
        remove("out/.p.slu.partial")
        if force:
            shutil.copytree("old.slu", "out/p.slu")

    def after(done, k):
        where = ended_well(done, k)
        check(done.report.live <= clean.live, "%s: %d blocks leaked", where, done.report.live - clean.live)
        left = set(os.listdir("out"))
        if done.code == 0:
            survived.append(done.report.name)
            check(done.report.name in HARMLESS or error == "EINTR", "%s: passed over", where)
            check(left - {".p.slu.partial"} == {"p.slu"} and same_files("out/p.slu", "want.slu"),
                  "%s: success, and not the right pack", where)
        elif force and same_files("out/p.slu", "old.slu"):
            pass
        elif "p.slu" in left:
            # So late only the sync of the directory that holds the pack, the output, and the removal of
            # the old pack can fail.
            check(done.report.name in UNDO | {"fsync", "fflush"} and same_files("out/p.slu", "want.slu"),
                  "%s: failed, and the pack is there", where)
        if force:
            check("p.slu" in left, "%s: the old pack is gone", where)
        if "--resume" in options and done.code and "p.slu" not in left:
            succeed(*args)
            check(same_files("out/p.slu", "want.slu") and os.listdir("out") == ["p.slu"],
                  "%s: --resume after it made another pack", where)
        elif ".p.slu.partial" in left:
            # Without a lock the directory may be another process's; then it stays, empty.
            unlocked = done.report.name in ("flock", "fstat", "fstat64") and not os.listdir("out/.p.slu.partial")
            # Until the exchange is known to be on disk, the old pack is kept.
            aside = force and done.report.name == "fsync" and same_files("out/.p.slu.partial", "old.slu")
            check(done.report.name in UNDO or unlocked or aside, "%s: left behind: %s", where, left)

    step = 1 if LONG or clean.calls < 700 else clean.calls // 500
    fired, _ = sweep(args, faults, before, after, step=step)
    print("%d calls counted, %d made to fail, %d of them harmless: %s" %
          (clean.calls, fired, len(survived), ", ".join(sorted(set(survived))) or "none"))


main(test)
