#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""sluice check reads ELF files that were cut off or changed: an answer or one sentence, never a crash or a hang."""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

SLUICE = os.environ.get("SLUICE", "sluice")
LONG = os.environ.get("TEST_LONG") == "1"


def original():
    """A small program that is linked dynamically, with symbols and libraries."""
    for name in ("/bin/true", "/usr/bin/true"):
        if os.path.exists(name) and pathlib.Path(name).read_bytes()[:4] == b"\x7fELF":
            return bytearray(pathlib.Path(name).read_bytes())
    print("skipped: there is no /bin/true to take apart")
    sys.exit(77)


def variants(data):
    """(what was done, the file)"""
    rng = random.Random(20)
    n = len(data)
    for size in list(range(0, 1200, 7 if not LONG else 1)) + [n * k // 40 for k in range(40)]:
        yield "cut at %d" % size, data[:size]
    # Headers, program headers and the dynamic section are where the numbers are.
    dynamic = find_dynamic(data)
    places = list(range(4, 64 + 56 * 13)) + list(range(dynamic, dynamic + 16 * 30))
    for at in places if LONG else rng.sample(places, 250):
        for value in (0, 0xFF, 0x7F, data[at] ^ 0x80) if LONG else (rng.choice((0, 0xFF, data[at] ^ 0x80)),):
            changed = bytearray(data)
            changed[at] = value
            yield "byte %d is %d" % (at, value), changed
    for round in range(400 if LONG else 60):
        changed = bytearray(data)
        for _ in range(rng.randrange(1, 200)):
            changed[rng.randrange(n)] = rng.randrange(256)
        changed[:4] = b"\x7fELF"
        yield "noise %d" % round, changed
    for at in range(dynamic, dynamic + 16 * 25, 16):  # each value as large as it can be, and just beyond the file
        for value in (2**64 - 1, 2**63, n, n - 1):
            changed = bytearray(data)
            changed[at + 8:at + 16] = value.to_bytes(8, sys.byteorder)
            yield "dynamic entry at %d is %x" % (at, value), changed


def find_dynamic(data):
    for k in range(int.from_bytes(data[56:58], sys.byteorder)):
        at = 64 + 56 * k
        if int.from_bytes(data[at:at + 4], sys.byteorder) == 2:
            return int.from_bytes(data[at + 8:at + 16], sys.byteorder)
    raise SystemExit("no dynamic section")


def main():
    data = original()
    tmp = pathlib.Path(tempfile.mkdtemp(prefix="sluice-test-"))
    count = 0
    try:
        batch = []
        for what, changed in variants(data):
            path = tmp / ("%d" % count)
            path.write_bytes(changed)
            batch.append((what, path))
            count += 1
            if len(batch) == 64:  # many in one process: most of the time is its start
                check(batch)
                batch = []
        check(batch)
    finally:
        shutil.rmtree(tmp)
    print("%d damaged files" % count)
    return 0


def check(batch):
    done = subprocess.run([SLUICE, "check"] + [str(p) for _, p in batch], capture_output=True, timeout=60)
    if done.returncode not in (0, 1, 2) and len(batch) > 1:
        for one in batch:
            check([one])
    if done.returncode not in (0, 1, 2):
        sys.exit("%s: exit %d\n%s" % (batch[0][0], done.returncode, done.stderr.decode(errors="replace")))
    for line in done.stderr.decode().splitlines():
        if not line.startswith("sluice check: "):
            sys.exit("not a sentence of ours: " + line)
    for _, path in batch:
        path.unlink()


if __name__ == "__main__":
    sys.exit(main())
