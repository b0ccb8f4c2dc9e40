#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Ctrl-C, break and exceptions end a pass at once, and the program ends when it is done."""
import io
import os
import signal
import subprocess
import sys
import time

from pypack import blobs, check, main, pack_of, sluice

PROGRAMS = {
    "break": "for batch in loader: break",
    "keeps an iterator": "it = iter(loader); next(it)",
    "exception": "for batch in loader: raise SystemExit(0)",
    "in a thread": "import threading; t = threading.Thread(target=lambda: [b for b in loader]); t.start(); t.join()",
    "two loaders": "other = sluice.Loader(loader.pack, 4); [next(iter(l)) for l in (other, loader)]",
    "exits at once": "iter(loader); import os; os._exit(0)",
}
BUSY = """
try:
    print("ready", flush=True)
    while True:
        for batch in loader: batch.data
except KeyboardInterrupt:
    print("interrupted", loader.epoch >= 0, len(loader.state_dict()), flush=True)
    print(len(list(loader)) > 0, flush=True)
"""
# The first batch takes seconds, and the wait for it is in C.
WAITING = """
loader = sluice.Loader(sys.argv[2], 6, threads=1, decode=sluice.Jpeg(size=8, exact=True))
try:
    print("ready", flush=True)
    list(loader)
    print("too late", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def start(code, *paths):
    # The alarm ends one that hangs: then a line is missing here.
    head = "import signal, sys, sluice\nsignal.alarm(60)\nloader = sluice.Loader(sys.argv[1], 4, shuffle=True, threads=2)\n"
    return subprocess.Popen([sys.executable, "-c", head + code, *paths], stdout=subprocess.PIPE, text=True)


def interrupt(code, wait, *paths):
    """What the program prints when it is interrupted, and after that."""
    p = start(code, *paths)
    assert p.stdout.readline() == "ready\n"
    time.sleep(wait)
    sent = time.monotonic()
    os.kill(p.pid, signal.SIGINT)
    line = p.stdout.readline()
    took = time.monotonic() - sent
    check(line.startswith("interrupted"), "%r", line)
    check(took < 10, "%.1f s until KeyboardInterrupt", took)
    rest = p.stdout.read()
    check(p.wait(20) == 0, "exit %s", p.returncode)
    return rest


def large_images(tmp):
    """Small files that take long to decode."""
    try:
        from PIL import Image
    except ImportError:
        return None
    whole = io.BytesIO()
    Image.linear_gradient("L").resize((5000, 5000)).convert("RGB").save(whole, "JPEG", quality=95)
    path = pack_of(tmp, "images", {"%02d.jpg" % i: whole.getvalue() for i in range(6)})
    try:
        sluice.Loader(path, 1, decode=sluice.Jpeg(size=8))
    except OSError:
        return None     # built without libjpeg
    return path


def test(tmp):
    path, _ = blobs(tmp)
    running = {name: start(code, path) for name, code in PROGRAMS.items()}
    for name, p in running.items():
        check(p.wait(30) == 0, "%s: exit %s", name, p.returncode)
    for wait in (0, 0.05, 0.3):
        assert interrupt(BUSY, wait, path) == "True\n"
    images = large_images(tmp)
    if images:
        assert interrupt(WAITING, 0.5, path, images) == ""


main(test)
