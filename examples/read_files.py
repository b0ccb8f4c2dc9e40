#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads every file below a folder, in a new random order each epoch, and does something with each batch.

    sluice trace -o before -- read_files.py data/train                              on files
    sluice pack data/train -o train.slu
    sluice trace -o after -- sluice run train.slu:data/train -- read_files.py data/train     the same, from a pack
    sluice report before after

What is done is a checksum: it takes time, and its sum over all files tells whether both have read the same. Nothing in
here knows of packs. With the Python package at hand, epochs, waits and steps are marked in the trace.
"""
import argparse
import os
import random
import time
import zlib

try:
    from sluice import watch    # marks epochs, waits and steps for `sluice trace`
except ImportError:
    def watch(batches, epoch=None, step=None):
        return batches


def paths_below(folder):
    for where, _, names in os.walk(folder):
        for name in names:
            yield os.path.join(where, name)


def batches(paths, size):
    for i in range(0, len(paths), size):
        batch = []
        for path in paths[i:i + size]:
            with open(path, "rb") as f:
                batch.append(f.read())
        yield batch


def main():
    ap = argparse.ArgumentParser(description="Reads every file below a folder, in a new random order each epoch.")
    ap.add_argument("folder")
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--batch", type=int, default=256, help="files in a batch (256)")
    arg = ap.parse_args()

    paths = sorted(paths_below(arg.folder))
    for epoch in range(arg.epochs):
        start, total, check = time.perf_counter(), 0, 0
        random.Random(epoch).shuffle(paths)
        for batch in watch(batches(paths, arg.batch), epoch):
            for data in batch:
                total += len(data)
                check = (check + zlib.adler32(data) + zlib.crc32(data)) & 0xffffffff
        seconds = time.perf_counter() - start
        print("epoch %d: %d files, %.1f MB, sum %08x, %.0f files/s" % (
            epoch, len(paths), total / 1e6, check, len(paths) / seconds))


if __name__ == "__main__":
    main()
