#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""SIGINT and SIGTERM during pack: it ends by that signal, with one sentence, keeps what
--resume needs and nothing under the name; --resume then makes the same pack."""
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import FAULTS, SLUICE, check, main, mktree, same_files, skip, succeed  # noqa: E402


def test(tmp):
    if not FAULTS:
        skip("faults cannot be injected into this build")
    os.chdir(tmp)
    mktree("src", "--bare", "--count", 60, "--size", 20000, "--classes", 3)
    options = ["--codec", "zstd", "-j", "1", "--checkpoint", "64K"]
    succeed("pack", "src", "-o", "want.slu", "-q", *options)
    for sig in (signal.SIGINT, signal.SIGTERM):
        # The signal comes from inside, at a call in the middle of the writing.
        env = dict(os.environ, LD_PRELOAD=FAULTS, FAULT_KIND="run", FAULT_CALLS="read,pread,pread64", FAULT_AT="80",
                   FAULT_RUN="kill -%d $PPID" % sig, FAULT_REPORT="report",
                   FAULT_ALSO="libasan")
        p = subprocess.run([SLUICE, "pack", "src", "-o", "p.slu", "-q", "--resume", *options], env=env,
                           stderr=subprocess.PIPE, check=False)
        check(p.returncode == -sig, "%s: exit %d: %r", sig, p.returncode, p.stderr)
        check(p.stderr.count(b"\n") == 1 and b"--resume" in p.stderr, "%s: %r", sig, p.stderr)
        check(not os.path.exists("p.slu"), "%s: there is a pack", sig)
        done = succeed("pack", "src", "-o", "p.slu", "--json", "--resume", *options).json()
        check(done["resumed_files"] > 0, "%s: nothing was taken over", sig)
        check(same_files("p.slu", "want.slu"), "%s: another pack", sig)
        check(sorted(n for n in os.listdir(".") if "partial" in n) == [], "%s: left behind", sig)
        subprocess.run(["rm", "-r", "p.slu"], check=True)


main(test)
