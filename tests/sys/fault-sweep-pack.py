#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""pack, with its k-th call failing: an error with one sentence and nothing left behind, or
the right pack. Never a crash, a leak, a half pack. With --resume, what is left behind is what
the next run goes on from.

    fault-sweep-pack.py CALLS ERRNO [PACK-OPTION...]
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import LONG, check, main, mktree, remove, same_files, succeed  # noqa: E402
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
    os.mkdir("out")
    args = ["pack", "src", "-o", "out/p.slu", "-j", "1", "-q", *options]
    succeed("pack", "src", "-o", "want.slu", "-j", "1", "-q", *options)
    faults = {"CALLS": calls, "KIND": "fail", "ERRNO": error, "ALSO": "libzstd,liblz4,libasan"}
    remove("out/p.slu")
    clean = succeed(*args, faults=dict(faults, KIND="count")).report
    survived = []

    def before():
        remove("out/p.slu")
        remove("out/.p.slu.partial")

    def after(done, k):
        where = ended_well(done, k)
        check(done.report.live <= clean.live, "%s: %d blocks leaked", where, done.report.live - clean.live)
        left = set(os.listdir("out"))
        if done.code == 0:
            survived.append(done.report.name)
            check(done.report.name in HARMLESS, "%s: passed over", where)
            check(left - {".p.slu.partial"} == {"p.slu"} and same_files("out/p.slu", "want.slu"),
                  "%s: success, and not the right pack", where)
        elif "p.slu" in left:
            # So late only the sync of the directory that holds the pack, and the output, can fail.
            check(done.report.name in ("fsync", "openat64", "openat", "fflush") and same_files("out/p.slu", "want.slu"),
                  "%s: failed, and the pack is there", where)
        if "--resume" in options and done.code and "p.slu" not in left:
            succeed(*args)
            check(same_files("out/p.slu", "want.slu") and os.listdir("out") == ["p.slu"],
                  "%s: --resume after it made another pack", where)
        elif ".p.slu.partial" in left:
            # Without a lock the directory may be another process's; then it stays, empty.
            unlocked = done.report.name in ("flock", "fstat", "fstat64") and not os.listdir("out/.p.slu.partial")
            check(done.report.name in UNDO or unlocked, "%s: left behind: %s", where, left)

    step = 1 if LONG or clean.calls < 700 else clean.calls // 500
    fired, _ = sweep(args, faults, before, after, step=step)
    print("%d calls counted, %d made to fail, %d of them harmless: %s" %
          (clean.calls, fired, len(survived), ", ".join(sorted(set(survived))) or "none"))


main(test)
