#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes a small pack with a bit of everything, by forge.py: raw, LZ4 and Zstandard samples with
dictionaries and without, links, labels, empty directories and files, two shards, notes,
and, unless --tiny, an aligned sample with padding around it.

    smallpack.py [--tiny] [--samples DIR] PACK

--samples writes the decoded samples to DIR/0, DIR/1, ... by number.
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import forge  # noqa: E402
import second_reader  # noqa: E402


def text(i):
    return b'{"id": %d, "class": "c%d", "box": [%d, %d], "score": 0.%03d}\n' % (i, i % 3, i * 7, i * 11, i * 37 % 1000) * 3


def small(tiny=False, firsts=(0, 9)):
    zdict = forge.train_zstd([text(i) for i in range(300)], 1024)
    ldict = text(1) + text(2)
    entries = []
    for i in range(16):
        codec, number = (("raw", 0), ("lz4", 0), ("zstd", 0), ("lz4", 2), ("zstd", 1))[i % 5]
        entries.append({"path": (b"c%d" % (i % 3), b"item-%04d.json" % i), "kind": "file", "data": text(i),
                        "codec": codec, "dict": number, "label": i % 3 - 1, "mtime": 1_700_000_000_000_000_000 + i ** 9,
                        "mode": 0o600 if i == 7 else 0o644})
    entries.append({"path": (b"c1", b"none"), "kind": "file", "data": b"", "label": 0})
    if not tiny:
        big = bytes((i * 31 + i // 256) % 251 for i in range(65536))
        entries.append({"path": (b"c1", b"jtem"), "kind": "file", "data": big, "label": 0})
    entries.append({"path": (b"c1", b"link"), "kind": "link", "target": b"../c0/item-0000.json", "mtime": 5})
    entries.append({"path": (b"up",), "kind": "link", "target": b"c2"})
    entries.append({"path": (b"void", b"\xff"), "kind": "dir", "mtime": -7, "mode": 0o700})
    return forge.build(entries, firsts=firsts, dicts=[zdict, ldict], labels=[b"zero", b"one"], notes=b"made=by hand\n")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--tiny", action="store_true")
    ap.add_argument("--samples")
    ap.add_argument("pack")
    arg = ap.parse_args()
    small(arg.tiny).save(arg.pack)
    pack = second_reader.Pack(arg.pack)     # it must be sound, or tests would prove nothing
    if arg.samples:
        os.makedirs(arg.samples)
        for i, data in enumerate(pack.data):
            forge.write(os.path.join(arg.samples, str(i)), data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
