#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every sample once, in a random order, from files and from a pack of them:  load.py DIR PACK

Needs nothing but Python; where NumPy is, batches are its arrays.
"""
import os
import random
import sys
import time

import sluice


def from_files(paths):
    random.shuffle(paths)
    for path in paths:
        with open(path, "rb") as f:
            yield 1, len(f.read())


def from_pack(loader):
    for batch in loader:    # batch.data, batch.offsets, batch.labels, batch.indices
        yield len(batch), batch.nbytes


def measure(what, batches):
    samples = nbytes = 0
    start = time.perf_counter()
    for n, size in batches:
        samples += n
        nbytes += size
    seconds = time.perf_counter() - start
    print("%-42s %8d samples, %9d bytes, %9.0f samples/s" % (what, samples, nbytes, samples / seconds))
    return samples, nbytes


def main(top, pack):
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names]
    loader = sluice.Loader(pack, batch_size=256, shuffle="global", seed=1, threads=1)
    totals = {
        measure("files: open, read", from_files(paths)),
        measure("sluice.Loader, comparing every checksum", from_pack(loader)),
        measure("sluice.Loader, the next epoch", from_pack(loader)),
    }
    return 0 if len(totals) == 1 else "the files and the pack do not have the same samples"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
