#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A read or write that transfers half of what was asked is no error: all commands succeed."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import LONG, check, main, mktree, remove, same_files, succeed  # noqa: E402
import mktree as trees  # noqa: E402
from sweep import sweep  # noqa: E402

CALLS = "read,pread,pread64,write,pwrite,pwrite64,__read_chk,__pread_chk,__pread64_chk"


def test(tmp):
    os.chdir(tmp)
    mktree("src", "--bare", "--count", 20, "--size", 900, "--classes", 3)
    with open("src/class-00/big", "wb") as f:
        f.write(os.urandom(200000))
    os.mkdir("src/empty")
    t = 1_700_000_000_123_456_789
    for p in ("src/empty", "src/class-00/big", "src/class-00", "src"):
        os.utime(p, ns=(t, t))
    succeed("pack", "src", "-o", "want.slu", "-q")
    faults = {"CALLS": CALLS, "KIND": "short", "ALSO": "libasan"}
    total = 0

    def fine(done, k):
        check(done.code == 0 and not done.err, "short at call %d (%s): %s", k, done.report.name, done)

    def packed(done, k):
        fine(done, k)
        check(same_files("p.slu", "want.slu"), "short at call %d (%s): another pack", k, done.report.name)

    def unpacked(done, k):
        fine(done, k)
        d = trees.difference("src", "dst")
        check(d is None, "short at call %d (%s): %s", k, done.report.name, d)

    def rebuilt(done, k):
        fine(done, k)
        check(same_files("want.slu", "p.slu"), "short at call %d (%s): another index", k, done.report.name)

    for args, before, after in (
            (["pack", "src", "-o", "p.slu", "-j", "1", "-q"], lambda: remove("p.slu"), packed),
            (["verify", "--rebuild-index", "-q", "-j", "1", "p.slu"], lambda: None, rebuilt),
            (["verify", "-q", "-j", "1", "want.slu"], lambda: None, fine),
            (["unpack", "want.slu", "-C", "dst", "-j", "1", "-q"], lambda: remove("dst"), unpacked)):
        clean = succeed("pack", "src", "-o", "count.slu", "-q", faults={"CALLS": CALLS}).report.calls
        remove("count.slu")
        try:
            fired, _ = sweep(args, faults, before, after, step=1 if LONG or clean < 400 else 2)
            total += fired
        finally:
            print("%s: %d in all" % (args[0], total))


main(test)
