# SPDX-License-Identifier: MIT
"""What the tests of the recorder share: a program is traced, and what the logs hold is looked at with `dump`."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import *  # noqa: E402,F401,F403  (check, Failed, main, skip, SLUICE, PYTHON ...)
import harness  # noqa: E402

DUMP = os.environ.get("DUMP", "")
CC = os.environ.get("CC", "cc")
RUNNING, EXITED, EXECED = 1, 2, 3
VALID, MANY, NOT_A_FILE, IS_DIR, SERVED, CREATED, HDF5 = 1, 2, 4, 8, 16, 32, 64
LOG_EVENTS, LOG_FULL, LOG_EVENTS_LOST, LOG_NO_SPACE = 1, 2, 4, 8


def main(test):
    """As harness.main(), in the test's own directory, which is on a disk: logs are mapped files."""

    def there(tmp):
        os.chdir(tmp)
        test(os.path.realpath(tmp))

    harness.main(there, fast=False)


class Record(dict):
    """One line of dump: .kind, .pid, .name, and its fields by name."""

    def __init__(self, line):
        self.kind, pid, self.name, *fields = line.split("\t")
        self.pid = int(pid)
        for field in fields:
            key, eq, value = field.partition("=")
            self[key] = int(value) if value.lstrip("-").isdigit() else value

    __getattr__ = dict.__getitem__


class Trace:
    def __init__(self, directory):
        out = subprocess.run([DUMP, directory], capture_output=True, text=True, errors="surrogateescape", check=False)
        check(out.returncode in (0, 1), "dump ended with %d", out.returncode)
        self.records = [Record(line) for line in out.stdout.splitlines()]
        bad = [r.name for r in self.records if r.kind == "bad"]
        check(not bad, "logs that cannot be read: %s", bad)

    def all(self, kind, name=None):
        return [r for r in self.records if r.kind == kind and name in (None, r.name)]

    def file(self, path):
        """The records of a file of all processes, added up; zeros if there is none."""
        total = {}
        for r in self.all("file", str(path)):
            for key, value in r.items():
                total[key] = total.get(key, 0) | value if key == "flags" else total.get(key, 0) + value
        return total

    def count(self, path, key):
        return self.file(path).get(key, 0)

    def calls(self, name, key="count"):
        return sum(r[key] for r in self.all("call", name))

    def below(self, directory, key):
        return sum(r[key] for r in self.all("file") if r.name.startswith(str(directory) + "/"))


def trace(command, *options, directory="trace", code=0, env=None, stdin=subprocess.DEVNULL):
    """Runs `sluice trace` and gives the Trace; the program's exit code must be @code."""
    full = [SLUICE, "trace", "-q", "-o", directory, *options, "--", *command]
    p = subprocess.run(full, env=env, stdin=stdin, capture_output=True, text=True, timeout=harness.TIMEOUT, check=False)
    check(p.returncode == code, "%s ended with %d: %s", " ".join(map(str, command)), p.returncode, p.stderr[-2000:])
    t = Trace(directory)
    t.stdout, t.stderr = p.stdout, p.stderr
    return t


def compile_c(name, source, *flags):
    with open(name + ".c", "w") as f:
        f.write(source)
    subprocess.run([CC, "-O1", "-w", "-D_GNU_SOURCE", "-pthread", "-o", name, name + ".c", *flags], check=True)
    return os.path.abspath(name)


def make_files(directory, n, size=1000):
    os.makedirs(directory, exist_ok=True)
    for i in range(n):
        with open("%s/%05d.bin" % (directory, i), "wb") as f:
            f.write(bytes([i % 256]) * size)
    return os.path.realpath(directory)
