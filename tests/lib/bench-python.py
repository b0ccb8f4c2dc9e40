#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a Python program does with a tree, timed; for bench/bench-shim.

    bench-python.py read|walk|imagefolder ROOT LIST PASSES

Prints the seconds of the last pass: of one file for `read`, of the whole for the others.
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
    work = {"read": read, "walk": walk, "imagefolder": imagefolder}[kind]
    for _ in range(int(passes)):
        seconds = work(root, names)
    print("%.12f" % seconds)


main()
