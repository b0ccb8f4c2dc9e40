# SPDX-License-Identifier: MIT
"""What Python tests share: running the built binary, with faults or without, and checks.

A test is a script: exit 0 pass, 77 skip, else fail. Import this first, then call
main(function): it gives the function a private directory, removed afterwards.
"""
import filecmp
import json
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

SLUICE = os.environ.get("SLUICE", "sluice")
FAULTS = os.environ.get("FAULTS", "")      # what LD_PRELOAD must be
LONG = os.environ.get("TEST_LONG") == "1"
SANITIZED = os.environ.get("TEST_SANITIZED") == "1"
PYTHON = sys.executable
TIMEOUT = 120


class Failed(Exception):
    pass


def check(ok, sentence, *args):
    if not ok:
        raise Failed(sentence % args if args else sentence)


def skip(why):
    print("skipped: %s" % why)
    sys.exit(77)


class Report:
    """What the faults library wrote: see struct report in faults.c."""

    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        check(data[:8] == b"faults1\0", "the faults library wrote no report")
        self.calls, self.fired, self.fds_before, self.fds_after, self.live = struct.unpack_from("<5Q", data, 8)
        self.name = data[48:].rstrip(b"\0").decode()


class Done:
    """How a run ended. code is negative for a signal, as subprocess has it."""

    def __init__(self, args, code, out, err, report):
        self.args, self.code, self.out, self.err, self.report = args, code, out, err, report

    def __str__(self):
        return "%s: exit %d, stderr %r" % (" ".join(map(str, self.args)), self.code, self.err[:300])

    def json(self):
        return json.loads(self.out.decode("utf-8", "surrogateescape"))

    def one_sentence(self):
        lines = self.err.split(b"\n")
        return len(lines) == 2 and lines[1] == b"" and lines[0].startswith(b"sluice")


def sluice(*args, faults=None, limit=None, cwd=None, stdin=None, timeout=TIMEOUT):
    """Runs the binary. faults: variables for the faults library, without FAULT_ in front.
    limit: bytes of address space."""
    env = dict(os.environ, LC_ALL="C.UTF-8")
    report = None
    if faults is not None:
        if not FAULTS:
            skip("faults cannot be injected into this build")
        if SANITIZED and faults["CALLS"] == "alloc":
            skip("the memory is the sanitizer's")
        report = os.path.join(_tmp, "faults-report")
        env["LD_PRELOAD"] = FAULTS
        env["FAULT_REPORT"] = report
        env.update(("FAULT_" + k, str(v)) for k, v in faults.items())

    def prepare():
        if limit and not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    try:
        p = subprocess.run([SLUICE, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=cwd,
                           stdin=stdin or subprocess.DEVNULL, timeout=timeout, preexec_fn=prepare, check=False)
    except subprocess.TimeoutExpired:
        raise Failed("no end after %d s: %s" % (timeout, " ".join(map(str, args)))) from None
    return Done(args, p.returncode, p.stdout, p.stderr, Report(report) if report else None)


def succeed(*args, **kw):
    d = sluice(*args, **kw)
    check(d.code == 0, "must succeed: %s", d)
    return d


def mktree(path, *options):
    subprocess.run([PYTHON, os.path.join(HERE, "mktree.py"), *map(str, options), path], check=True)


def second_reader(path):
    """None if the second reader finds the pack sound, else its sentence."""
    p = subprocess.run([PYTHON, os.path.join(HERE, "second_reader.py"), "-q", path], stderr=subprocess.PIPE, check=False)
    return None if p.returncode == 0 else p.stderr.decode(errors="replace").strip()


def same_files(a, b):
    """Two packs (directories of files) have the same names and bytes."""
    names = sorted(os.listdir(a))
    return names == sorted(os.listdir(b)) and not any(
        filecmp.cmp(os.path.join(a, n), os.path.join(b, n), shallow=False) is False for n in names)


def remove(path):
    if os.path.islink(path) or os.path.isfile(path):
        os.unlink(path)
    elif os.path.isdir(path):
        shutil.rmtree(path)


_tmp = ""


def fast_tmp():
    """Where a test that syncs a thousand times is not slow."""
    base = os.environ.get("TMPDIR")
    return base or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


def main(test, fast=True):
    """Runs test(tmp) and exits accordingly."""
    global _tmp
    _tmp = tempfile.mkdtemp(prefix="sluice-test-", dir=fast_tmp() if fast else None)
    code = 1
    try:
        test(_tmp)
        code = 0
    except Failed as e:
        where = [f for f in traceback.extract_tb(e.__traceback__) if f.filename != __file__]
        print("%s:%d: %s" % (os.path.basename(where[-1].filename), where[-1].lineno, e), file=sys.stderr)
    except SystemExit as e:
        code = e.code
    except BaseException:   # also KeyboardInterrupt: the directory must go
        traceback.print_exc()
    finally:
        shutil.rmtree(_tmp, ignore_errors=True)
    sys.stdout.flush()
    os._exit(code if isinstance(code, int) else 1)
