#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes docs/compatibility.md from the table of cases, and checks it.

    table.py                     prints it
    table.py --write FILE        writes it
    table.py --check FILE        exit 1 if FILE is not what would be written
    table.py --results FILE...   first checks that results (of run.py --results) are what the table declares,
                                 and that no case is missing from them

The document says what is expected; run.py fails when a case does not come out so. Both together: it is true.
"""
import argparse
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import cases  # noqa: E402

HEAD = """# What works

Written by `tests/compat/table.py --write docs/compatibility.md` from the table of cases; not by hand.

Each row is a program that is run three times: on a plain directory (bound read-only at the mount point), on a pack of
it under the shim (`sluice run`) and on the FUSE mount of the pack (`sluice mount`). **ok** means: the
same output, the same error texts and errno values, the same exit code, byte for byte. `make test` runs them all but
those marked *long*, and fails when one does not come out as it is written here.

"""

BEYOND = """## What cannot work under the shim

The shim stands in for functions of libc. What does not call libc does not see it:

- statically linked programs, and programs in Go, which call the kernel themselves;
- programs that are set-user-ID, or have capabilities: the loader ignores `LD_PRELOAD` for them;
- io_uring requests that name a path: they reach the kernel through shared memory (a *descriptor* that
  `open()` gave works in io_uring);
- what the kernel itself does with a path: `mount`, `losetup`, `swapon`, `acct`.

For all of these: `sluice mount PACK DIRECTORY`, the same view through FUSE. `sluice check PROGRAM` tells beforehand,
`sluice run --why` afterwards.

"""


def cell(case, mode):
    want = case.expected[mode]
    if want == cases.OK:
        return "ok"
    why = case.why[mode]
    return "%s: %s%s" % (want, why, " → `sluice mount`" if mode == "shim" and want == cases.CANNOT else "")


def merged():
    """Rows: a case and its flavour with other names are one."""
    rows, names = [], {c.name: c for c in cases.CASES}
    for c in cases.CASES:
        if c.name.endswith("-lfs") and c.name[:-4] in names:
            continue
        twin = names.get(c.name + "-lfs")
        if twin and (twin.expected != c.expected or twin.why != c.why):
            twin = None
            rows.append((c, c.name))
            rows.append((names[c.name + "-lfs"], c.name + "-lfs"))
        else:
            rows.append((c, c.name + (" (and `-lfs`)" if twin else "")))
    return rows


def render():
    out = [HEAD]
    quick = sum(c.suite == "quick" for c in cases.CASES)
    counts = {m: {w: sum(c.expected[m] == w for c in cases.CASES) for w in (cases.OK, cases.DIFFERS, cases.CANNOT)}
              for m in ("shim", "fuse")}
    out.append("| %d cases | ok | differs | cannot |\n| --- | ---: | ---: | ---: |\n" % len(cases.CASES))
    for mode, label in (("shim", "shim"), ("fuse", "FUSE")):
        n = counts[mode]
        out.append("| %s | %d | %d | %d |\n" % (label, n[cases.OK], n[cases.DIFFERS], n[cases.CANNOT]))
    out.append("\n%d of them are run by `make test`, all by `make test-all`.\n\n" % quick)
    groups = []
    for case, _ in merged():
        if case.group not in groups:
            groups.append(case.group)
    for g in groups:
        out.append("## %s\n\n| case | what it does | plain | shim | FUSE |\n| --- | --- | --- | --- | --- |\n" % (g[0].upper() + g[1:]))
        for case, label in merged():
            if case.group == g:
                name, _, more = label.partition(" ")
                out.append("| `%s`%s%s | %s | ok | %s | %s |\n" % (
                    name, " " + more if more else "", " *long*" if case.suite == "long" else "", case.what.replace("|", "\\|"),
                    cell(case, "shim"), cell(case, "fuse")))
        out.append("\n")
    out.append(BEYOND)
    out.append("## What is not compared\n\n| what | why |\n| --- | --- |\n")
    for what, why in cases.NEVER:
        out.append("| %s | %s |\n" % (what, why))
    for case in cases.CASES:
        for _, _, why in case.mask:
            out.append("| `%s` | %s |\n" % (case.name, why))
    return "".join(out)


def contradictions(files):
    """Sentences about results that are not what the table declares."""
    seen = {}
    for name in files:
        with open(name, encoding="utf-8") as f:
            for text in f:
                r = json.loads(text)
                seen[r["case"], r["mode"]] = r
    for c in cases.CASES:
        for mode in ("plain", "shim", "fuse"):
            want = cases.OK if mode == "plain" else c.expected[mode]
            r = seen.get((c.name, mode))
            if not r:
                yield "%s %s: no result" % (c.name, mode)
            elif r["result"] == "skipped":
                yield "%s %s: skipped: %s" % (c.name, mode, r["reason"])
            elif r["result"] != want:
                yield "%s %s: %s, declared %s" % (c.name, mode, r["result"], want)


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--write")
    ap.add_argument("--check")
    ap.add_argument("--results", nargs="+")
    arg = ap.parse_args()
    names = [c.name for c in cases.CASES]
    twice = {n for n in names if names.count(n) > 1}
    if twice:
        print("cases.py: twice the same name: %s" % ", ".join(sorted(twice)), file=sys.stderr)
        return 1
    for c in cases.CASES:
        for mode in ("shim", "fuse"):
            if (c.expected[mode] != cases.OK) != bool(c.why[mode]):
                print("cases.py: %s: what differs needs a reason, what does not has none" % c.name, file=sys.stderr)
                return 1
        if cases.DIFFERS in c.expected.values() and not c.lines:
            print("cases.py: %s: which lines differ?" % c.name, file=sys.stderr)
            return 1
    if arg.results:
        wrong = list(contradictions(arg.results))
        if wrong:
            print("\n".join(wrong), file=sys.stderr)
            return 1
    text = render()
    if arg.check:
        with open(arg.check, encoding="utf-8") as f:
            if f.read() != text:
                print("%s is not what tests/compat/cases.py says: run tests/compat/table.py --write %s" % (arg.check, arg.check),
                      file=sys.stderr)
                return 1
    elif arg.write:
        with open(arg.write, "w", encoding="utf-8") as f:
            f.write(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
