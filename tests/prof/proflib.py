# SPDX-License-Identifier: MIT
"""What the tests of sluice report share: C programs with spans are traced, and the report is read back as JSON."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "trace"))
from tracelib import *  # noqa: E402,F401,F403
import harness  # noqa: E402
import tracelib  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LIBS = os.path.dirname(os.path.dirname(os.environ["SHIM"]))

# What the C programs begin with. A "sleep" stands for work whose length is known.
HEAD = r"""
#include <fcntl.h>
#include <pthread.h>
#include <sluice/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void nap(double ms)
{
	struct timespec t = { (time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000 };
	nanosleep(&t, NULL);
}
static void span(const char *name, int kind, double ms)
{
	slu_span_begin(name, kind, -1);
	nap(ms);
	slu_span_end();
}
/* Reads a file by pieces of @size; the bytes. */
static long read_file(const char *path, size_t size)
{
	static __thread char buf[1 << 20];
	int fd = open(path, O_RDONLY);
	long sum = 0, n;
	if (fd < 0)
		abort();
	while ((n = read(fd, buf, size)) > 0)
		sum += n;
	close(fd);
	return sum;
}
static const char *path_of(const char *dir, int i)
{
	static __thread char path[4096];
	snprintf(path, sizeof(path), "%s/%05d.bin", dir, i);
	return path;
}
"""


def build(name, body, *flags):
    return compile_c(name, HEAD + body, "-I" + os.path.join(ROOT, "include"), "-L" + LIBS, "-lsluice",
                     "-Wl,-rpath," + LIBS, *flags)


def record(command, directory, *options, env=None, code=0):
    """Traces; nothing is looked at."""
    full = [SLUICE, "trace", "-q", "-o", directory, *options, "--", *command]
    p = subprocess.run(full, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=harness.TIMEOUT,
                       check=False)
    check(p.returncode == code, "%s ended with %d: %s", " ".join(map(str, command)), p.returncode, p.stderr[-2000:])
    return p.stdout


def no_constant(name):
    raise Failed("%s is not JSON" % name)


def load(text):
    """Strict JSON."""
    return json.loads(text, parse_constant=no_constant)


def run_report(*args, code=0, env=None):
    p = subprocess.run([SLUICE, "report", *args], capture_output=True, text=True, errors="surrogateescape", check=False,
                       timeout=harness.TIMEOUT, env=dict(env or os.environ, LC_ALL="C.UTF-8"))
    check(p.returncode == code, "sluice report %s ended with %d: %s", " ".join(args), p.returncode, p.stderr[-2000:])
    return p


def report(directory, *args):
    return load(run_report(directory, "--json", *args).stdout)


def advice(directory):
    return {a["id"]: a for a in report(directory)["advice"]}
