#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""SIGKILL at every write, sync, rename, ... of `pack --force` over another pack, before and
after the call: under the name is the old pack or the new one, whole; and the same
command with --resume then gives exactly the bytes of a run that nobody disturbed.

    kill-sweep.py before|after [PACK-OPTION...]
"""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import LONG, check, main, mktree, remove, same_files, sluice, succeed  # noqa: E402

CALLS = ("write,pwrite,pwrite64,fsync,fdatasync,syncfs,sync_file_range,ftruncate,ftruncate64,fallocate,"
         "posix_fallocate,rename,renameat,renameat2,linkat,mkdir,mkdirat,unlink,unlinkat,rmdir,copy_file_range")


def identity(pack):
    return succeed("info", "--json", pack).json()["identity"]


def test(tmp):
    os.chdir(tmp)
    when, *options = sys.argv[1:]
    mktree("old", "--bare", "--count", 12, "--size", 500, "--seed", 2)
    mktree("new", "--bare", "--count", 2600, "--size", 150, "--classes", 3)
    os.symlink("class-00", "new/link")
    os.mkdir("new/empty")
    pack = ["pack", "new", "--force", "-j", "1", *options]
    succeed("pack", "old", "-o", "old.slu", "-q", "--codec", "lz4")
    succeed(*pack, "-o", "new.slu", "-q")
    ids = {identity("old.slu"): "old.slu", identity("new.slu"): "new.slu"}
    os.mkdir("out")
    seen = {"old.slu": 0, "new.slu": 0}
    resumed, k, runs = 0, 1, 0
    clean = None
    while True:
        remove("out")
        os.mkdir("out")
        shutil.copytree("old.slu", "out/p.slu")
        faults = {"CALLS": CALLS, "KIND": "kill" if clean else "count", "AT": k, "WHEN": when, "ALSO": "libasan"}
        done = sluice(*pack, "-o", "out/p.slu", "-q", faults=faults)
        if clean is None:
            check(done.code == 0 and done.report.calls > 0, "the undisturbed run: %s", done)
            clean = done.report.calls
            continue
        if not done.report.fired:
            check(done.code == 0 and done.report.calls < k, "not killed at %d: %s", k, done)
            break
        check(done.code == -9, "killed at %d (%s): %s", k, done.report.name, done)
        where = "killed %s call %d (%s)" % (when, k, done.report.name)
        runs += 1
        succeed("verify", "-q", "out/p.slu")
        there = ids.get(identity("out/p.slu"))
        check(there and same_files("out/p.slu", there), "%s: neither the old pack nor the new one", where)
        seen[there] += 1
        again = succeed(*pack, "--resume", "--json", "-o", "out/p.slu").json()
        resumed += again["resumed_files"] > 0
        check(same_files("out/p.slu", "new.slu"), "%s: --resume made another pack", where)
        check(os.listdir("out") == ["p.slu"], "%s: left behind after --resume: %s", where, os.listdir("out"))
        k += 1 if LONG or clean < 250 else 1 + clean // 200
    print("%d kills of %d calls: %d times the old pack, %d times the new one; %d runs took over files" %
          (runs, clean, seen["old.slu"], seen["new.slu"], resumed))
    check(seen["old.slu"] > 0 and runs > 0, "no run left the old pack")
    check(when == "before" or seen["new.slu"] > 0, "no run left the new pack")
    if "--resume" in options:
        check(resumed > 0, "not one run took over files from the killed one")


main(test)
