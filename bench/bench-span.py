#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a span costs in Python, not traced and traced:  bench-span.py BUILDDIR [ROUNDS]

Nanoseconds for each, the best of the rounds: what else the machine does only adds.
"""
import os
import subprocess
import sys
import tempfile

CODE = '''
import contextlib, sys, timeit
sys.path.insert(0, sys.argv[1])
import sluice
rounds, n = int(sys.argv[2]), 50000
made, null, batches = sluice.span("step"), contextlib.nullcontext(), [None] * n
f = sluice.span("f")(lambda: None)
def best(code):
    return min(timeit.repeat(code, globals=globals(), number=1 if "batches" in code else n, repeat=rounds)) / n * 1e9
for what, code in (("nullcontext", "with null: pass"), ("span-reused", "with made: pass"),
                   ("span", 'with sluice.span("step"): pass'),
                   ("span-all-arguments", 'with sluice.span("step", kind="wait", index=3): pass'),
                   ("decorated-function", "f()"),
                   ("watch-per-batch", "for b in sluice.watch(batches): pass")):
    print(what, "%.0f" % (best(code) - best("for b in batches: pass" if "batches" in code else "pass")))
'''


def costs(build, rounds, before=()):
    command = [*before, sys.executable, "-c", CODE, os.path.join(build, "python"), str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True)
    return dict(line.split() for line in done.stdout.splitlines()) if done.returncode == 0 else None


def main():
    build, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 11
    if not os.path.isdir(os.path.join(build, "python/sluice")):
        print("span: the Python package was not built")
        return
    off = costs(build, rounds)
    with tempfile.TemporaryDirectory() as tmp:
        on = costs(build, rounds, [os.path.join(build, "sluice"), "trace", "-o", os.path.join(tmp, "t"), "--"])
    print("\nspans in Python, ns each (best of %d rounds)" % rounds)
    print("%-22s %12s %12s" % ("", "not traced", "traced"))
    for what, ns in off.items():
        print("%-22s %12s %12s" % (what, ns, on[what] if on else "-"))


if __name__ == "__main__":
    main()
