#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a Python program does with a tree, timed; for bench/bench-shim.

    bench-python.py read|walk|walk-floor|imagefolder ROOT LIST PASSES

Prints the seconds of the last pass: of one file for `read`, of the whole for the others. `walk-floor` is os.walk with an
os.scandir that has the entries in memory already: what is left is Python's own work, which no file system can save.
"""
import os
import sys
import time


def read(root, names):
    start = time.perf_counter()
    for name in names:
        with open(name, "rb") as f:
            f.read()
    return (time.perf_counter() - start) / len(names)


def walk(root, names):
    start = time.perf_counter()
    files = sum(len(f) for _, _, f in os.walk(root))
    seconds = time.perf_counter() - start
    assert files == len(names), (files, len(names))
    return seconds


class Kept(list):
    """The entries of a directory, to be given again."""

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def close(self):
        pass


def walk_floor(root, names):
    real, kept = os.scandir, {}

    def from_memory(path):
        if path not in kept:
            with real(path) as entries:
                kept[path] = Kept(entries)
            for e in kept[path]:
                e.is_dir()
        return Entries(kept[path])

    class Entries:
        def __init__(self, entries):
            self.next = iter(entries).__next__

        def __iter__(self):
            return self

        def __next__(self):
            return self.next()

        def __enter__(self):
            return self

        def __exit__(self, *exc):
            return False

        def close(self):
            pass

    os.scandir = from_memory
    os.walk.__globals__["scandir"] = from_memory
    try:
        walk(root, names)
        return walk(root, names)
    finally:
        os.scandir = os.walk.__globals__["scandir"] = real


def imagefolder(root, names):
    from torchvision.datasets import ImageFolder
    inner = os.path.join(root, "train")
    inner = inner if os.path.isdir(inner) else root
    start = time.perf_counter()
    ImageFolder(inner)
    return time.perf_counter() - start


def main():
    kind, root, listing, passes = sys.argv[1:5]
    with open(listing) as f:
        names = [os.path.join(root, line.rstrip("\n")) for line in f]
    work = {"read": read, "walk": walk, "walk-floor": walk_floor, "imagefolder": imagefolder}[kind]
    for _ in range(int(passes)):
        seconds = work(root, names)
    print("%.12f" % seconds)


main()
