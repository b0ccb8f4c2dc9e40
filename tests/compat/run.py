#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs the conformance matrix, or a part of it.

    run.py --bin DIR [--set main|programs|python|torch] [--long] [--modes shim,fuse] [--results FILE] [--keep] [CASE...]

Makes a tree and a pack of it; then runs each case of cases.py on

    plain   the tree, bound read-only at the mount point in a mount namespace of its own
    shim    the pack, by `sluice run` (or by hand: --by-hand sets LD_PRELOAD and SLUICE_MOUNTS)
    fuse    the pack, by `sluice mount`, in another mount namespace

so that every path in every output is the same, and compares stdout, stderr and the exit code.
Where no namespace can be made, a plain copy stands in at a path of the same length, and cases of
the write side are left out. Exit 0: all is as declared; 77: nothing could be run; else not.
"""
import argparse
import collections
import concurrent.futures
import ctypes
import difflib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import cases  # noqa: E402

SLUICE = os.environ.get("SLUICE", "sluice")
PYTHON = "/usr/bin/python3"


def die_with_us():
    """In a child: whatever kills us, no holder of a mount stays behind."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


class Space:
    """A process that keeps a mount namespace; commands enter it."""

    def __init__(self, script, ready, *args):
        unshare = ["unshare", "-m", "--propagation", "private"] if os.geteuid() == 0 else ["unshare", "-rm"]
        self.proc = subprocess.Popen([*unshare, "sh", "-c", script, "sh", *args], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=die_with_us)
        self.error = ""
        for _ in range(200):
            if self.proc.poll() is not None:
                self.error = self.proc.stderr.read().decode(errors="replace").strip() or "it ended"
                return
            if subprocess.run(self.enter() + ready, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
                return
            time.sleep(0.05)
        self.error = "no mount after ten seconds"

    def enter(self):
        nsenter = ["nsenter", "-t", str(self.proc.pid), "-m", "-W/"]     # the directory is filled in: see Runner.once()
        if os.geteuid() == 0:
            return nsenter + ["--"]
        # Who mounts must be root in a namespace of users; who runs must have his number back.
        return nsenter + ["-U", "--preserve-credentials", "--", "unshare", "--map-user=%d" % os.geteuid(),
                          "--map-group=%d" % os.getegid(), "--"]

    def close(self):
        self.proc.terminate()
        try:
            self.proc.wait(5)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            self.proc.wait()
        self.proc.stderr.close()


class Runner:
    def __init__(self, tmp, arg, torch):
        self.tmp, self.arg = tmp, arg
        self.point = os.path.join(tmp, "mnt")
        self.tree = os.path.join(tmp, "src")
        self.pack = os.path.join(tmp, "tree.slu")
        self.ways, self.missing, self.spaces = {}, {}, []
        self.substitute = False
        os.mkdir(self.point)
        subprocess.run([PYTHON, os.path.join(HERE, "maketree.py"), *(["--torch"] if torch else []), "--programs", arg.bin,
                        self.point, self.tree], check=True)
        subprocess.run([SLUICE, "pack", "-q", self.tree, "-o", self.pack], check=True, stdout=subprocess.DEVNULL)

    def start(self, modes):
        # PYTHONHASHSEED and threads of BLAS: what is printed must not depend on chance or on cores.
        plain = Space('mount --bind "$1" "$2" && mount -o remount,bind,ro "$2" && exec sleep 100000',
                      ["test", "-e", os.path.join(self.point, "big.bin")], self.tree, self.point)
        if plain.error:
            print("no mount namespace here (%s): a copy at another path stands in" % plain.error)
            plain.close()
            self.substitute = True
            self.ways["plain"] = []
        else:
            self.spaces.append(plain)
            self.ways["plain"] = plain.enter()
            # For some it makes a difference whether the mount or the file system is read-only: packs are the latter.
            ro = Space('mount -t tmpfs -o mode=755 none "$2" && cp -a "$1/." "$2/" && mount -o remount,ro "$2" && '
                       'exec sleep 100000', ["sh", "-c", 'test -e "$0" && ! test -w "$0"', os.path.join(self.point, "big.bin")], self.tree, self.point)
            self.spaces.append(ro)
            self.ways["plain-ro"] = [] if ro.error else ro.enter()
            if ro.error:
                print("no read-only file system here: %s" % ro.error)
        if "shim" in modes:
            inside = []
            if os.geteuid() != 0 and not self.substitute:   # who we are is another there: it must be the same for all
                same = Space("exec sleep 100000", ["true"])
                self.spaces.append(same)
                inside = same.enter()
            self.ways["shim"] = inside + ([] if self.arg.by_hand else [SLUICE, "run", "-q", "%s:%s" % (self.pack, self.point), "--"])
        if "fuse" in modes:
            other = "--allow-other" if os.geteuid() == 0 else ""
            fuse = Space('exec "$1" mount -f %s "$2" "$3"' % other, ["test", "-e", os.path.join(self.point, "big.bin")], SLUICE,
                         self.pack, self.point)
            self.spaces.append(fuse)
            if fuse.error:
                self.missing["fuse"] = "no FUSE mount here: " + fuse.error
            else:
                self.ways["fuse"] = fuse.enter()

    def close(self):
        for s in self.spaces:
            s.close()

    def environment(self, mode, scratch):
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": scratch, "LC_ALL": "C.UTF-8", "TZ": "UTC",
               "COMPAT_CHILD": os.path.join(self.arg.bin, "compat-child"), "PYTHONDONTWRITEBYTECODE": "1",
               "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "GIT_CONFIG_NOSYSTEM": "1",
               "TMPDIR": scratch, "PYTHONWARNINGS": "ignore"}
        if mode == "shim" and self.arg.by_hand:
            env["LD_PRELOAD"], env["SLUICE_MOUNTS"] = self.arg.by_hand, "%s:%s" % (self.pack, self.point)
        return env

    def command(self, case, point):
        words = {"p": point, "bin": self.arg.bin, "py": os.path.join(HERE, "py"), "python": PYTHON}
        if isinstance(case.command, str):
            return ["/bin/sh", "-c", case.command.format(**words)]
        return [w.format(**words) for w in case.command]

    def once(self, case, mode):
        """(exit code or "timeout", stdout, stderr), masked."""
        scratch = os.path.join(self.tmp, "scratch", case.name)
        shutil.rmtree(scratch, ignore_errors=True)
        os.makedirs(scratch)
        point = self.tree if mode == "plain" and self.substitute else self.point
        way = self.ways["plain-ro" if mode == "plain" and case.ro else mode]
        argv = way + self.command(case, point)
        if case.user == "nobody":
            as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
            argv = as_nobody + argv if mode == "shim" else way + as_nobody + self.command(case, point)
            os.chown(scratch, 65534, 65534)
        argv = [("-W" + scratch if a == "-W/" else a) for a in argv]
        p = subprocess.Popen(argv, cwd=scratch, env=self.environment(mode, scratch), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = p.communicate(timeout=case.timeout)
            code = p.returncode
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            out, err = p.communicate()
            code = "timeout"
        out, err = out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape")
        if point != self.point:
            out, err = out.replace(point, self.point), err.replace(point, self.point)
        for pattern, by, _ in case.mask:
            out, err = re.sub(pattern, by, out), re.sub(pattern, by, err)
        if case.unordered:
            err = "\n".join(sorted(err.split("\n")))
        shutil.rmtree(scratch, ignore_errors=True)
        return code, out, err

    def lacks(self, case):
        for need in case.needs:
            if need.startswith("py:"):
                if subprocess.run([PYTHON, "-c", "import importlib.util,sys; sys.exit(not importlib.util.find_spec('%s'))" % need[3:]]).returncode:
                    return "no Python module " + need[3:]
            elif not shutil.which(need):
                return "no command " + need
        if case.user and os.geteuid() != 0:
            return "only root can become somebody else"
        if case.ro and not self.ways.get("plain-ro"):
            return "no read-only file system to compare with"
        first = case.command[0] if not isinstance(case.command, str) else ""
        if first.startswith("{bin}") and not os.path.exists(first.format(bin=self.arg.bin)):
            return "its program was not built here"
        return ""


def difference(a, b, label):
    out = []
    for name, x, y in (("exit code", str(a[0]), str(b[0])), ("stdout", a[1], b[1]), ("stderr", a[2], b[2])):
        if x == y:
            continue
        lines = list(difflib.unified_diff(x.split("\n"), y.split("\n"), "plain " + name, label + " " + name, lineterm="", n=1))
        out += ["    " + k[:200].encode("unicode_escape").decode() for k in lines[:40]] + (["    ..."] if len(lines) > 40 else [])
    return "\n".join(out)


ALONE = {k.alone: threading.Lock() for k in cases.CASES}


def judge(runner, case, modes, say):
    """One case in all modes: rows of results; True if all is as declared."""
    if case.alone:
        with ALONE[case.alone]:
            return judge_now(runner, case, modes, say)
    return judge_now(runner, case, modes, say)


def strange(case, plain, got):
    """A declared difference is of the declared kind: it does not hang or crash, and is in no other lines. A sentence, or None."""
    if got[0] == "timeout" or (isinstance(got[0], int) and (got[0] < 0 or got[0] >= 128) and not case.crash):
        return "it ends with %s" % got[0]
    for x, y in ((plain[1], got[1]), (plain[2], got[2])):
        x, y = collections.Counter(x.split("\n")), collections.Counter(y.split("\n"))
        for k in (x - y) + (y - x) if case.lines else ():
            if k and not re.search(case.lines, k):
                return "another line than was declared: %s" % k[:200]
    return None


def judge_now(runner, case, modes, say):
    rows, fine = [], True

    def row(mode, result, reason=""):
        rows.append({"case": case.name, "group": case.group, "mode": mode, "result": result, "reason": reason})

    lack = runner.lacks(case)
    if lack:
        for m in ("plain", *modes):
            row(m, "skipped", lack)
        say("skip  %s: %s" % (case.name, lack))
        return rows, True
    if runner.substitute and (case.group == "the write side" or "write" in case.name):
        for m in ("plain", *modes):
            row(m, "skipped", "a plain copy is not read-only")
        return rows, True
    start = time.time()
    plain = runner.once(case, "plain")
    row("plain", "ok")
    if case.code is not None and plain[0] != case.code:
        say("FAIL  %s plain: exit %s instead of %s\n%s" % (case.name, plain[0], case.code, (plain[1][-600:] + plain[2])[-1500:]))
        rows[-1]["result"] = "failed"
        fine = False
    for mode in modes:
        if mode not in runner.ways:
            row(mode, "skipped", runner.missing[mode])
            continue
        got = runner.once(case, mode)
        same, want = got == plain, case.expected[mode]
        if same and want == cases.OK:
            row(mode, "ok")
        elif not same and want != cases.OK:
            odd = strange(case, plain, got)
            row(mode, "failed" if odd else want, odd or case.why[mode])
            if odd:
                say("FAIL  %s %s: %s" % (case.name, mode, odd))
                fine = False
        elif same:
            row(mode, "failed", "it was declared that it " + want)
            say("FAIL  %s %s: declared as '%s', and it works: change cases.py" % (case.name, mode, want))
            fine = False
        else:
            row(mode, "failed", "differs from the plain directory")
            say("FAIL  %s %s\n%s" % (case.name, mode, difference(plain, got, mode)))
            fine = False
    if fine:
        say("ok    %s (%.1f s)" % (case.name, time.time() - start))
    return rows, fine


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--bin", required=True)
    ap.add_argument("--set", action="append", dest="sets")
    ap.add_argument("--long", action="store_true")
    ap.add_argument("--modes", default="shim,fuse")
    ap.add_argument("--by-hand", help="the shim's path: LD_PRELOAD instead of sluice run")
    ap.add_argument("--results")
    ap.add_argument("--keep", action="store_true")
    ap.add_argument("-j", type=int, default=2)
    ap.add_argument("case", nargs="*")
    arg = ap.parse_args()
    modes = [m for m in arg.modes.split(",") if m]
    todo = cases.selected(arg.sets, ("quick", "long") if arg.long else ("quick",), arg.case)
    if os.environ.get("TEST_SANITIZED") == "1":
        # The shim is sanitized, the programs are not: its runtime and its options are loaded before it, by hand.
        first = os.environ.get("SANITIZER", "")
        if not first:
            print("skipped: this sanitizer's shim cannot be preloaded into programs that are not sanitized")
            return 77
        arg.by_hand = "%s %s" % (first, os.environ["SHIM"])
        modes, arg.results = ["shim"], None
        for k in todo:
            if k.asan:
                print("left out: %s: %s" % (k.name, k.asan))
        todo = [k for k in todo if not k.asan]
    if not todo:
        print("no such case", file=sys.stderr)
        return 2
    # not below /tmp/sluice*: and short, as sockets are made in it
    tmp = tempfile.mkdtemp(prefix="compat-", dir=os.environ.get("TMPDIR"))
    os.chmod(tmp, 0o755)
    lock = threading.Lock()
    rows, bad = [], 0

    def say(s):
        with lock:
            print(s, flush=True)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))     # what was made is removed
    runner = None
    try:
        runner = Runner(tmp, arg, any(k.tree == "torch" for k in todo))
        runner.start(modes)
        for mode, why in runner.missing.items():
            say("%s is left out: %s" % (mode, why))
        with concurrent.futures.ThreadPoolExecutor(arg.j) as pool:
            for r, fine in pool.map(lambda k: judge(runner, k, modes, say), todo):
                rows += r
                bad += not fine
    finally:
        if runner:
            runner.close()
        if arg.keep:
            print("kept: %s" % tmp)
        else:
            shutil.rmtree(tmp, ignore_errors=True)
    if arg.results:
        with open(arg.results, "w", encoding="utf-8") as f:
            for r in rows:
                f.write(json.dumps(r) + "\n")
    count = {}
    for r in rows:
        count[r["mode"], r["result"]] = count.get((r["mode"], r["result"]), 0) + 1
    print("%d cases, %d not as declared; %s" % (len(todo), bad, ", ".join("%s %s %d" % (m, k, n) for (m, k), n in sorted(count.items()))))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
