#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reading commands, with the k-th call failing: an error with one sentence, or the right
output. Never a crash, a leak, wrong bytes.

    fault-sweep-read.py COMMAND CALLS ERRNO
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import LONG, check, main, mktree, remove, same_files, succeed  # noqa: E402
import mktree as trees  # noqa: E402
from sweep import ended_well, sweep  # noqa: E402

# What reading may do without.
HARMLESS = {"close", "pthread_create", "fallocate", "fallocate64", "posix_fallocate", "copy_file_range", "madvise"}
PATHS = ["class-00/item-00000.bin", "class-01/item-00001.json", "class-02/item-00005.txt"]
COMMANDS = {
    "info": ["info", "--json", "p.slu"],
    "ls": ["ls", "-R", "--json", "p.slu"],
    "cat": ["cat", "p.slu", *PATHS],
    "verify": ["verify", "p.slu", "-j", "1"],
    "rebuild": ["verify", "--rebuild-index", "-j", "1", "p.slu"],
    "unpack": ["unpack", "p.slu", "-C", "dst", "-j", "1", "-q"],
}


def without_times(out):
    return re.sub(rb"[0-9.]+ s, [0-9.]+ MB/s", b"", out)


def test(tmp):
    os.chdir(tmp)
    command, calls, error = sys.argv[1:]
    mktree("src", "--bare", "--count", 24, "--size", 900, "--classes", 3)
    os.symlink("../class-00/x", "src/class-01/link")
    os.mkdir("src/empty")
    t = 1_700_000_000_123_456_789
    for d in ("src/empty", "src/class-01", "src"):
        os.utime(d, ns=(t, t))
    succeed("pack", "src", "-o", "p.slu", "--shards", "2", "--codec", "zstd", "--labels", "dir", "-q")
    succeed("pack", "src", "-o", "q.slu", "--shards", "2", "--codec", "zstd", "--labels", "dir", "-q")
    args = COMMANDS[command]
    faults = {"CALLS": calls, "KIND": "fail", "ERRNO": error, "ALSO": "libzstd,liblz4,libasan"}
    want = without_times(succeed(*args).out)
    remove("dst")
    clean = succeed(*args, faults=dict(faults, KIND="count")).report
    survived = []

    def before():
        remove("dst")
        if command == "rebuild":
            os.path.exists("p.slu/index") and os.unlink("p.slu/index")

    def after(done, k):
        where = ended_well_many(done, k) if command == "cat" else ended_well(done, k)
        check(done.report.live <= clean.live, "%s: %d blocks leaked", where, done.report.live - clean.live)
        if done.code == 0:
            survived.append(done.report.name)
            check(done.report.name in HARMLESS or error == "EINTR", "%s: passed over", where)
            check(without_times(done.out) == want, "%s: success, and not the right output", where)
            if command == "unpack":
                check(trees.difference("src", "dst") is None, "%s: success, and not the right tree: %s", where,
                      trees.difference("src", "dst"))
        left = set(os.listdir("p.slu")) - set(os.listdir("q.slu"))
        check(not left or done.report.name.startswith("unlink"), "%s: left in the pack: %s", where, left)
        for f in left:
            os.unlink("p.slu/" + f)
        if command == "rebuild" and (done.code == 0 or os.path.exists("p.slu/index")):
            check(same_files("p.slu", "q.slu"), "%s: not the right index", where)

    def ended_well_many(done, k):
        """cat goes on after a file that fails: a sentence each."""
        check(done.code in (0, 2) and done.err.count(b"\n") <= len(PATHS), "fault at call %d: %s", k, done)
        check(done.code == 0 or done.err, "fault at call %d: not a word: %s", k, done)
        check(done.report.fds_after <= done.report.fds_before, "fault at call %d: descriptors leaked", k)
        return "fault at call %d (%s)" % (k, done.report.name)

    step = 1 if LONG or clean.calls < 700 else clean.calls // 500
    fired, _ = sweep(args, faults, before, after, step=step)
    print("%s: %d calls counted, %d made to fail, %d of them harmless: %s" %
          (command, clean.calls, fired, len(survived), ", ".join(sorted(set(survived))) or "none"))


main(test)
