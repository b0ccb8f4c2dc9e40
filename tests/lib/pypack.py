# SPDX-License-Identifier: MIT
"""What tests of the Python package share: small packs whose bytes are known.

Import it first: it finds the harness, and skips where NumPy is missing.
"""
import os
import random

from harness import check, main, skip, succeed  # noqa: F401 (for the tests)

try:
    import numpy as np
except ImportError:
    skip("there is no numpy")

import sluice

SHUFFLES = ("sequential", "global", "block:8", "local", "opportunistic:32", "replacement", "grouped:label")
ONCE = tuple(s for s in SHUFFLES if s != "replacement")     # each sample once an epoch


def torch_or_skip():
    try:
        import torch
    except ImportError:
        skip("there is no torch")
    torch.set_num_threads(1)
    return torch


def blobs(tmp, n=100, biggest=3000, classes=5, options=("--labels", "dir"), seed=1, name="blobs"):
    """(path of the pack, {path of a sample: its bytes}). Compressible and not, also empty."""
    rng = random.Random(seed)
    files = {}
    for i in range(n):
        size = rng.randrange(biggest)
        data = rng.randbytes(size) if i % 3 else (b"%d " % i) * (size // 4)
        files["c%d/%05d.bin" % (i % classes, i)] = data
    return pack_of(tmp, name, files, *options), files


def pack_of(tmp, name, files, *options):
    """Packs {path: bytes}."""
    top = os.path.join(tmp, name)
    for path, data in files.items():
        os.makedirs(os.path.dirname(os.path.join(top, path)), exist_ok=True)
        with open(os.path.join(top, path), "wb") as f:
            f.write(data)
    succeed("pack", top, "-o", top + ".slu", "-q", *options)
    return top + ".slu"


def arrays(tmp, n=20, shape=(3, 4), dtype="<f4", name="arrays"):
    """(path of a pack of .npy files, the arrays in pack order)."""
    top = os.path.join(tmp, name)
    rng = np.random.default_rng(3)
    all_of = [(rng.random(shape) * 100).astype(dtype) for _ in range(n)]
    for i, a in enumerate(all_of):
        os.makedirs(os.path.join(top, "c%d" % (i * 2 // n)), exist_ok=True)
        np.save(os.path.join(top, "c%d" % (i * 2 // n), "%04d.npy" % i), a)
    succeed("pack", top, "-o", top + ".slu", "-q", "--labels", "dir")
    return top + ".slu", all_of


def damage(pack, key):
    """Flips a byte in the middle of a sample that is stored raw."""
    with sluice.open(pack) as p:
        data = p[key]
    check(len(data) > 16, "too small to be found")
    for name in sorted(os.listdir(pack)):
        path = os.path.join(pack, name)
        with open(path, "rb") as f:
            at = f.read().find(data)
        if name.startswith("shard") and at >= 0:
            with open(path, "r+b") as f:
                f.seek(at + len(data) // 2)
                f.write(bytes([data[len(data) // 2] ^ 1]))
            return
    raise AssertionError("no shard holds the sample's bytes")


def raises(kind, function, *args, **kw):
    """The exception, which must be of this class."""
    try:
        result = function(*args, **kw)
    except kind as e:
        return e
    raise AssertionError("no %s, but %r" % (kind.__name__, result))


def rss():
    """Resident memory that is not of files, mapped or in /dev/shm, in bytes."""
    with open("/proc/self/status") as f:
        return 1024 * sum(int(line.split()[1]) for line in f if line.startswith("RssAnon"))
