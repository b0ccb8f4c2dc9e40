#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""verbose=True: on a terminal one line that is written again, elsewhere one line an epoch; else nothing."""
import os
import pty
import re
import subprocess
import sys

from pypack import blobs, main

CODE = """
import sys, time, sluice
loader = sluice.Loader(sys.argv[1], 10, verbose=sys.argv[2] == "1", threads=1)
for epoch in range(2):
    for batch in loader: time.sleep(0.04)
for batch in loader: break
"""
LINE = r"epoch %s: %s of 100 samples, [0-9]+ samples/s, [0-9.]+ MB/s, waited [0-9]+ %%, 0 bad *"


def test(tmp):
    path, _ = blobs(tmp)
    run = [sys.executable, "-c", CODE, path]
    quiet = subprocess.run([*run, "0"], capture_output=True, text=True, check=True)
    assert quiet.stdout == quiet.stderr == ""
    lines = subprocess.run([*run, "1"], capture_output=True, text=True, check=True).stderr.splitlines()
    assert len(lines) == 3, lines
    for line, (epoch, n) in zip(lines, ((0, 100), (1, 100), (2, 10))):
        assert re.fullmatch(LINE % (epoch, n), line), line

    ours, theirs = pty.openpty()
    p = subprocess.Popen([*run, "1"], stderr=theirs)
    os.close(theirs)
    text = b""
    try:
        while part := os.read(ours, 4096):
            text += part
    except OSError:
        pass    # the terminal's other side is closed
    assert p.wait(20) == 0
    parts = [t for t in re.split(r"[\r\n]+", text.decode()) if t]
    assert 3 <= len(parts) <= 3 + 8 and text.count(b"\n") == 3, parts
    assert all(re.fullmatch(LINE % ("[0-9]", "[0-9]+"), t) for t in parts), parts


main(test)
