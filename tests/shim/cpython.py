#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""CPython's own regression tests with the shim loaded: the same tests pass, fail and are skipped as without it.

    cpython.py MODULE[:PATTERN,...]...

Each module is run twice by `python3 -m test`, without and with the shim (a pack is mounted, too), and
the results are compared test by test. A test that does not come out the same is run again, both ways: some
depend on chance.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
from harness import check, skip  # noqa: E402

SHIM = os.environ.get("SHIM", "")
SECONDS = 600


def run(tmp, module, env, only=()):
    """{test: result} of one module, and how it ended."""
    work = tempfile.mkdtemp(dir=tmp)
    module, _, patterns = module.partition(":")
    argv = ["/usr/bin/python3", "-u", "-m", "test", "-v", "--timeout", str(SECONDS // 2), "--tempdir", work]
    for name in only or filter(None, patterns.split(",")):
        argv += ["-m", name]
    argv.append(module)
    try:
        p = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, env=env,
                           check=False, cwd=work)
    except subprocess.TimeoutExpired as e:
        return {}, "no end after %d s: %r" % (SECONDS, (e.stdout or b"")[-300:])
    text = p.stdout.decode("utf-8", "replace")
    results = {}
    for m in re.finditer(r"(?m)^(test\w*) \(([\w.]+)\)(?:[^\n]*\n)??[^\n]*?\.\.\. ([^\n]*)", text):
        word = m.group(3).strip()
        for known in ("ok", "skipped", "FAIL", "ERROR", "expected failure", "unexpected success"):
            if word.endswith(known) or word.startswith(known):
                results[m.group(2)] = known
                break
        else:
            results[m.group(2)] = "?"       # other output came between; the verdict is below
    for m in re.finditer(r"(?m)^(FAIL|ERROR): (\w+) \(([\w.]+)\)", text):
        results[m.group(3)] = m.group(1)
    ran = re.search(r"Ran (\d+) tests?", text)
    return results, (p.returncode, int(ran.group(1)) if ran else text[-300:])


def test(tmp):
    if not os.path.exists(SHIM):
        skip("SHIM is not the path of libsluice-shim.so")
    if harness.SANITIZED:
        skip("a sanitized shim cannot be preloaded into programs that are not")
    if subprocess.run(["/usr/bin/python3", "-c", "import test.test_io"], stderr=subprocess.DEVNULL, check=False).returncode:
        skip("CPython's tests are not installed (libpython3.*-testsuite)")
    os.mkdir(os.path.join(tmp, "tree"))
    with open(os.path.join(tmp, "tree", "hello"), "w", encoding="ascii") as f:
        f.write("hello\n")
    pack = os.path.join(tmp, "p.slu")
    harness.succeed("pack", "-q", os.path.join(tmp, "tree"), "-o", pack)
    plain = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "TMPDIR")}
    plain.update(LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1", TMPDIR=tmp)
    shim = dict(plain, LD_PRELOAD=SHIM, SLUICE_MOUNTS="%s:/sluice-data" % pack)
    seen = subprocess.run(["/usr/bin/python3", "-c", "print(open('/sluice-data/hello').read())"], env=shim, stdout=subprocess.PIPE,
                          check=False).stdout
    check(seen == b"hello\n\n", "the shim is not at work: %r", seen)
    def there(module):
        name = module.partition(":")[0]
        return subprocess.run(["/usr/bin/python3", "-c", "import test." + name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode == 0

    bad, total = [], 0
    for module in sys.argv[1:]:
        if not there(module):
            print("%s: this Python does not have it" % module)
            continue
        a, how_a = run(tmp, module, plain)
        b, how_b = run(tmp, module, shim)
        differ = sorted(k for k in set(a) | set(b) if a.get(k) != b.get(k) and "?" not in (a.get(k), b.get(k)))
        if differ:
            only = [d.rsplit(".", 1)[-1] for d in differ]
            a2, _ = run(tmp, module, plain, only)
            b2, _ = run(tmp, module, shim, only)
            chance = [k for k in differ if k in a2 and k in b2 and a2[k] == b2[k]]
            if chance:
                print("%s: differed once and not again: %s" % (module, " ".join(chance)))
            differ = [k for k in differ if k not in chance]
        ended = how_a == how_b or (isinstance(how_a[1], int) and isinstance(how_b[1], int) and how_a[1] == how_b[1] and not differ)
        total += len(b)
        if differ or not ended:
            bad.append(module)
            print("%s: without the shim %s, with it %s" % (module, how_a, how_b))
            for k in differ[:20]:
                print("    %s: %s without, %s with" % (k, a.get(k), b.get(k)))
        else:
            print("%s: %d tests as without the shim" % (module, len(b)))
        sys.stdout.flush()
    check(not bad, "not as without the shim: %s", " ".join(bad))
    check(total > 0, "not one test was recognised in the output")


harness.main(test, fast=False)
