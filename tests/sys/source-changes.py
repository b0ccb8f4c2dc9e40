#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Files that vanish, grow, shrink, or are replaced while they are packed: at whichever call it
happens, pack fails with a sentence and leaves nothing, or makes a sound pack of what was
there before or after, never a mixture.

    source-changes.py vanish|grow|shrink|rewrite|replace|new-name
"""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import LONG, check, main, mktree, remove, second_reader, succeed  # noqa: E402
import mktree as trees  # noqa: E402
from sweep import sweep  # noqa: E402

VICTIM = "class-01/item-00004.json"
CHANGES = {
    "vanish": "rm src/%s",
    "grow": "echo more >> src/%s",
    "shrink": "truncate -s 10 src/%s",
    "rewrite": "printf 'Other bytes of the same length' | dd conv=notrunc of=src/%s",
    "replace": "rm src/%s; mkdir src/%s",
    "new-name": "mv src/%s src/class-01/renamed",
}


def test(tmp):
    os.chdir(tmp)
    kind = sys.argv[1]
    mktree("before", "--bare", "--count", 9, "--size", 3000, "--classes", 3)
    command = CHANGES[kind].replace("%s", VICTIM)
    shutil.copytree("before", "src", symlinks=True)
    check(os.path.exists("src/" + VICTIM) and os.system("(%s) 2>/dev/null" % command) == 0, "the change cannot be made")
    shutil.move("src", "after")
    outcomes = {"before": 0, "after": 0, "error": 0}

    def restore():
        remove("src")
        remove("p.slu")
        os.system("cp -a before src")

    def after(done, k):
        where = "%s at call %d (%s)" % (kind, k, done.report.name)
        check(done.code in (0, 1, 2), "%s: %s", where, done)
        check(not os.path.lexists(".p.slu.partial"), "%s: left behind", where)
        if done.code:
            check(done.one_sentence() and not os.path.exists("p.slu"), "%s: %s", where, done)
            check(b"class-01" in done.err, "%s: the sentence does not name the file: %s", where, done)
            outcomes["error"] += 1
            return
        trouble = second_reader("p.slu")
        check(trouble is None, "%s: %s", where, trouble)
        remove("dst")
        succeed("unpack", "p.slu", "-C", "dst", "-q")
        same = [t for t in ("before", "after") if bytes_of(t) == bytes_of("dst")]
        check(same, "%s: the pack is neither of before nor of after", where)
        outcomes[same[0]] += 1

    def bytes_of(top):
        return {rel: open(p, "rb").read() if os.path.isfile(p) else None for rel, p in trees.walk(top).items()}

    faults = {"CALLS": "io", "KIND": "run", "ALSO": "libasan", "RUN": "cd %s && (%s) >/dev/null 2>&1" % (tmp, command)}
    restore()
    calls = succeed("pack", "src", "-o", "p.slu", "-j", "1", "-q", faults={"CALLS": "io"}).report.calls
    step = 1 if LONG else 1 + calls // 60
    fired, _ = sweep(["pack", "src", "-o", "p.slu", "-j", "1", "-q"], faults, restore, after, step=step)
    print("%s: %d runs: %s" % (kind, fired, outcomes))
    check(outcomes["error"] > 0, "it was never noticed")


main(test)
