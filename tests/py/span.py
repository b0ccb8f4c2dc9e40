#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""sluice.span and sluice.watch tell the recorder what they should, however a block or a pass ends; else nothing."""
import os
import subprocess
import sys

from pypack import check, main, raises, sluice

KINDS = ["other", "compute", "wait", "io", "decode", "checkpoint", "epoch"]

# Each runs by itself, under a recorder; "W", "S": wait and step, "(", ")": an epoch, "[", "]": any other.
CASES = {
    "span": ("with sluice.span('a'): pass", ["B 1 -1 a", "E"]),
    "kinds": ("for k in %r:\n    with sluice.span('n', k, 5): pass" % KINDS,
              sum([["B %d 5 n" % k, "E"] for k in range(7)], [])),
    "keywords": ("with sluice.span(name='\u00fc', index=3, kind='io'): pass", ["B 3 3 \u00fc", "E"]),
    "nested, and one object often": ("s = sluice.span('a')\nwith s:\n    with s: pass",
                                     ["B 1 -1 a", "B 1 -1 a", "E", "E"]),
    "an exception": ("try:\n    with sluice.span('a'): 1 / 0\nexcept ZeroDivisionError: pass\nelse: assert 0",
                     ["B 1 -1 a", "E"]),
    "a decorator": ("@sluice.span('f', 'decode')\ndef f(x, *, y):\n    'doc'\n    return x + y\n"
                    "assert f(1, y=2) == 3 and f.__name__ == 'f' and f.__doc__ == 'doc'\n"
                    "try: f()\nexcept TypeError: pass", ["B 4 -1 f", "E"] * 2),
    "a pass": ("assert [x for x in sluice.watch([1, 2])] == [1, 2]", "W S W S W"),
    "an epoch": ("w = sluice.watch([1, 2], epoch=4)\nassert len(w) == 2 and list(w) == [1, 2]", "( W S W S W )"),
    "nothing in it": ("assert not list(sluice.watch([], epoch=4))", "( W )"),
    "twice": ("w = sluice.watch([1])\nlist(w), list(w)", "W S W W S W"),
    "break": ("for x in sluice.watch([1, 2, 3], epoch=4):\n    break\nwith sluice.span('n'): pass", "( W S ) ["),
    "an exception in the loop": ("try:\n    for x in sluice.watch([1], epoch=4): 1 / 0\nexcept ZeroDivisionError: pass\n"
                                 "with sluice.span('n'): pass", "( W S ) ["),
    "an exception in next": ("def g():\n    yield 1\n    1 / 0\ntry: list(sluice.watch(g(), epoch=4))\n"
                             "except ZeroDivisionError: pass\nelse: assert 0", "( W S W )"),
    "an exception in iter": ("try: list(sluice.watch(3, epoch=4))\nexcept TypeError: pass\nelse: assert 0", "( W )"),
    "return": ("def f():\n    for x in sluice.watch([1], epoch=4): return\nf()", "( W S )"),
    "dropped in another thread": ("import threading\nit = [iter(sluice.watch([1]))]\nnext(it[0])\n"
                                  "t = threading.Thread(target=it.clear)\nt.start(); t.join()", "W S+"),
    "spans inside": ("for x in sluice.watch([1]):\n    with sluice.span('n'): pass", "W S+ [ ] E W"),
    "names": ("list(sluice.watch([1], wait='w', step='s'))", ["B 2 -1 w", "E", "B 1 -1 s", "E", "B 2 -1 w", "E"]),
    "tracing": ("assert sluice.tracing() is True", []),
}


def lines_of(short):
    """What the short form of a case stands for."""
    if isinstance(short, list):
        return short
    out = []
    words = short.split()
    for i, w in enumerate(words):
        last = i + 1 == len(words)
        out += {"W": ["B 2 -1 data-wait", "E"], "S": ["B 1 -1 train-step", "E"], "S+": ["B 1 -1 train-step"],
                "(": ["B 6 4 epoch"], ")": ["E"], "[": ["B 1 -1 n"] + ["E"] * last, "]": ["E"], "E": ["E"]}[w]
    return out


def run(tmp, code, env):
    code = "import sluice\n" + code
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **env})


def test(tmp):
    fake = os.environ["FAKE_RECORDER_SO"]
    log = os.path.join(tmp, "log")
    for name, (code, want) in CASES.items():
        run(tmp, code, {"LD_PRELOAD": fake, "FAKE_RECORDER": log})
        got = []
        if os.path.exists(log):
            with open(log) as f:
                got = f.read().splitlines()
            os.remove(log)
        check(len({line.split()[1] for line in got}) <= 1, "%s: more than one thread", name)
        got = [" ".join([line.split()[0]] + line.split()[2:]) for line in got]
        check(got == lines_of(want), "%s:\n%s\nand not\n%s", name, got, lines_of(want))
        if name != "tracing":
            run(tmp, code, {})                          # not traced: the same program works
            run(tmp, code, {"LD_PRELOAD": fake})        # a shim that does not trace
    check(not os.path.exists(log), "something was recorded")

    e = str(raises(ValueError, sluice.span, "x", "compte"))
    check(all(k in e for k in KINDS) and "compte" in e, e)
    raises(ValueError, sluice.span, "a\0b")
    raises(TypeError, sluice.span)
    raises(TypeError, sluice.span, b"x")

    async def later():
        pass

    def many():
        yield 1
    for f in (later, many):
        check("`with` inside" in str(raises(TypeError, sluice.span("x"), f)), "no reason")
    check(sluice.tracing() is False, "this is not traced")
    data = [1, 2]
    check(type(iter(sluice.watch(data, epoch=1))) is type(iter(data)), "watch costs something")
    raises(TypeError, len, sluice.watch(iter(data)))


main(test)
