# SPDX-License-Identifier: MIT
"""Calls that a program makes directly are counted as strace counts them, in all, and for each file."""
import collections
import re
from tracelib import *

SOURCE = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#define MUST(x) do { if (!(x)) { perror(#x); exit(1); } } while (0)
int main(int argc, char **argv)
{
	char path[4096], other[4096], buf[5000];
	struct iovec v[2] = { { buf, 100 }, { buf + 100, 200 } };
	struct stat st;
	memset(buf, 'x', sizeof(buf));
	MUST(chdir(argv[1]) == 0);
	for (int i = 0; i < 50; i++) {
		snprintf(path, sizeof(path), "%s/f%d", argv[1], i);
		int fd = open(i % 2 ? path : strrchr(path, '/') + 1, O_RDWR | O_CREAT, 0600);
		MUST(fd >= 0);
		MUST(write(fd, buf, 4000) == 4000);
		MUST(pwrite(fd, buf, 100, 4000) == 100);
		MUST(writev(fd, v, 2) == 300);
		MUST(lseek(fd, 0, SEEK_SET) == 0);
		for (int k = 0; k < i % 5; k++)
			MUST(read(fd, buf, 700) == 700);
		MUST(pread(fd, buf, 50, 10) == 50);
		MUST(fstat(fd, &st) == 0);
		MUST(fsync(fd) == 0);
		MUST(ftruncate(fd, 4096) == 0);
		MUST(close(fd) == 0);
		MUST(stat(path, &st) == 0);
		MUST(lstat(path, &st) == 0);
		MUST(access(path, R_OK) == 0);
		MUST(open("/nonexistent/x", O_RDONLY) < 0);
		snprintf(other, sizeof(other), "%s/g%d", argv[1], i);
		MUST(rename(path, other) == 0);
		if (i % 3 == 0)
			MUST(unlink(other) == 0);
	}
	return 0;
}
"""

# What strace calls it, by the name that we have for it.
NAMES = {"openat": "open", "open": "open", "close": "close", "read": "read", "pread64": "pread", "write": "write",
         "pwrite64": "pwrite", "writev": "writev", "lseek": "lseek", "fsync": "fsync", "ftruncate": "truncate",
         "rename": "rename", "unlink": "unlink", "access": "access", "faccessat": "access"}


def strace(program, directory):
    """Counts of calls, and of calls by file, from the program's first chdir on."""
    subprocess.run(["strace", "-y", "-o", "strace.out", program, directory], check=True)
    calls, files = collections.Counter(), collections.Counter()
    begun = False
    for line in open("strace.out", errors="replace"):
        m = re.match(r"(\w+)\((.*)", line)
        begun = begun or (m and m[1] == "chdir")
        if not m or not begun:
            continue
        name, rest = m.groups()
        if name in ("newfstatat", "stat", "lstat", "fstat"):
            # fstat() is newfstatat with AT_EMPTY_PATH on some versions of libc
            fd_only = name == "fstat" or '""' in rest
            name = "fstat" if fd_only else "lstat" if name == "lstat" or "AT_SYMLINK_NOFOLLOW" in rest else "stat"
        else:
            name = NAMES.get(name)
        if name:
            calls[name] += 1
            m = re.match(r"\d+<([^>]*)>", rest)
            if m:
                files[name, m[1]] += 1
    return calls, files


def test(tmp):
    program = compile_c("direct", SOURCE)
    a, b = os.path.realpath(tmp) + "/a", os.path.realpath(tmp) + "/b"
    os.mkdir(a)
    os.mkdir(b)
    calls, files = strace(program, a)
    t = trace([program, b])
    check(calls["read"] == 100 and calls["open"] == 100, "strace saw something else: %s", calls)
    for name, n in calls.items():
        check(t.calls(name) == n, "%s: %d calls, strace has %d", name, t.calls(name), n)
    check(t.calls("open", "errors") == 50, "errors of open: %d", t.calls("open", "errors"))
    for i in range(50):
        f = t.file("%s/f%d" % (b, i))
        for name, key in (("write", "writes"), ("read", "reads")):
            there = "%s/f%d" % (a, i)
            n = sum(files[k, there] for k in ((name, "p" + name, "writev") if name == "write" else (name, "p" + name)))
            check(f[key] == n, "f%d: %d %s, strace has %d", i, f[key], key, n)
        check(f["read_bytes"] == 700 * (i % 5) + 50 and f["written"] == 4400, "f%d: %s", i, f)
        # write at 0 and at 4000 through pwrite, then writev where the first write ended: one step back
        check(f["open"] == 1 and f["close"] == 1 and f["sync"] == 1 and f["stat"] == 4 and f["seek"] == 1, "f%d: %s", i, f)
        check(f["flags"] & CREATED, "f%d was created", i)
        check(t.count("%s/g%d" % (b, i), "change") == (2 if i % 3 == 0 else 1), "g%d: rename is counted there", i)
    check(t.count("/nonexistent/x", "errors") == 50, "failed opens are counted for their path")


main(test)
