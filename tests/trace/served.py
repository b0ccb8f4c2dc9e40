# SPDX-License-Identifier: MIT
"""A served run is traced like any other, with the same counts as on the files themselves; and our own writes are nowhere."""
from tracelib import *

PROGRAM = r"""
import os, sys
for d, _, names in sorted(os.walk(sys.argv[1])):
    for n in names:
        with open(os.path.join(d, n), "rb") as f:
            f.read()
"""


def test(tmp):
    with open("walk.py", "w") as f:
        f.write(PROGRAM)
    data = make_files("data", 50)
    subprocess.run([SLUICE, "pack", "data", "-o", "d.slu", "-q"], check=True)
    plain = trace([PYTHON, "walk.py", data], directory="plain")
    packed = trace([SLUICE, "run", "d.slu:/served", "--", PYTHON, "walk.py", "/served"], directory="inside")
    p = subprocess.run([SLUICE, "run", "d.slu:/served", "--", SLUICE, "trace", "-q", "-o", "around", "--", PYTHON, "walk.py",
                        "/served"], check=True)
    around = Trace("around")
    for i in range(50):
        a = plain.file("%s/%05d.bin" % (data, i))
        for t in (packed, around):
            b = t.file("/served/%05d.bin" % i)
            for key in ("open", "close", "stat", "reads", "read_bytes", "seek", "errors"):
                check(a[key] == b[key], "%05d.bin: %s is %d plain and %d served", i, key, a[key], b[key])
            check(b["flags"] & SERVED and not a["flags"] & SERVED, "who served it is known")
    for t, name in ((plain, "plain"), (packed, "inside"), (around, "around")):
        own = [f.name for f in t.all("file") if f.name.startswith(os.path.join(tmp, name))]
        check(not own, "our own files show up: %s", own)


main(test)
