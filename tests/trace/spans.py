# SPDX-License-Identifier: MIT
"""Spans, from C and from Python: recorded as told, also of a process that is killed in one; and few are kept of many."""
from tracelib import *

C = r"""
#include <sluice/trace.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	slu_span_begin("epoch", SLU_SPAN_EPOCH, 3);
	for (long i = 0; i < n; i++) {
		slu_span_begin("wait", SLU_SPAN_WAIT, -1);
		slu_span_end();
		slu_span_begin("step", SLU_SPAN_COMPUTE, -1);
		slu_span_end();
	}
	if (argc > 2)
		kill(getpid(), SIGKILL);
	slu_span_end();
	slu_span_end(); /* one too many does nothing */
	return slu_tracing() ? 0 : 9;
}
"""

PYTHON_PROGRAM = r"""
import sluice, time
assert sluice.tracing()
with sluice.span("load", kind="io", index=5):
    time.sleep(0.05)
for x in sluice.watch([1, 2, 3], epoch=7):
    time.sleep(0.02)
"""


def test(tmp):
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    libs = os.path.dirname(os.path.dirname(os.environ["SHIM"]))
    program = compile_c("spans", C, "-I" + os.path.join(root, "include"), "-L" + libs, "-lsluice", "-Wl,-rpath," + libs)
    check(subprocess.run([program, "10"], check=False).returncode == 9, "without a trace they do nothing")

    t = trace([program, "10"], directory="few")
    check(len(t.all("span", "wait")) == 10 and len(t.all("span", "step")) == 10, "each is there")
    epoch, = t.all("span", "epoch")
    check(epoch["kind"] == "epoch" and epoch.index == 3 and epoch.depth == 0, "%s", epoch)
    check(all(s.depth == 1 and s["kind"] == "compute" for s in t.all("span", "step")), "inside the epoch")

    t = trace([program, "100000"], directory="many")
    steps = t.all("span", "step")
    check(len(steps) < 16384 and sum(s.count for s in steps) == 100000, "%d records of %d", len(steps),
          sum(s.count for s in steps))

    t = trace([program, "10", "killed"], directory="killed", code=-9)
    check([s.name for s in t.all("open-span")] == ["epoch"], "what it was in is known: %s", t.all("open-span"))
    check(sum(s.count for s in t.all("span", "step")) == 10, "and what it had ended")

    t = trace([PYTHON, "-c", PYTHON_PROGRAM], directory="python")
    load, = t.all("span", "load")
    check(load["kind"] == "io" and load.index == 5 and load.ns > 45e6, "%s", load)
    kinds = {s["kind"]: s for s in t.all("span")}
    check(kinds["epoch"].index == 7 and sum(s.count for s in t.all("span") if s["kind"] == "compute") == 3, "%s", kinds)
    check(sum(s.ns for s in t.all("span") if s["kind"] == "compute") > 55e6, "steps of 20 ms each")


main(test)
