#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A batch stays as long as anything refers to it; nothing stays longer. Memory is bounded and does not grow."""
import gc
import os
import sys
import weakref

from pypack import blobs, main, np, pack_of, rss, sluice

MIB = 1 << 20


def kept(path, want):
    pack = sluice.open(path)
    loader = sluice.Loader(pack, 16, shuffle=True, threads=2)
    arrays, views, slices = [], [], []
    for batch in loader:
        arrays.append((list(batch.indices), batch.data))
        views.append((list(batch.indices), memoryview(batch.data)))
        slices.append((int(batch.indices[0]), batch[0]))
    numbers = batch.indices
    it = iter(loader)
    next(it)
    ends = next(it).offsets
    want_ends = ends.copy()
    pack.close()
    del pack, loader, batch, it
    gc.collect()
    with sluice.Loader(path, 16, shuffle=True) as other:    # memory that was given back would be used again here
        for _ in range(5):
            for batch in other:
                batch.data[:] = 0
    for indices, a in arrays + views:
        assert bytes(a) == b"".join(want[i] for i in indices)
    assert all(bytes(s) == want[i] for i, s in slices)
    assert (ends == want_ends).all() and sorted(numbers) == sorted(arrays[-1][0])


def freed_at_once(path):
    """Without the garbage collector's help, whatever the loader was given."""
    gc.disable()
    for how in ({}, {"on_error": "skip"}, {"on_error": lambda i, e: None}, {"verbose": False, "output": "memoryview"}):
        loader = sluice.Loader(path, 16, **how)
        next(iter(loader))
        batch = next(iter(loader))
        gone = [weakref.ref(loader), weakref.ref(loader.pack), weakref.ref(batch)]
        del loader, batch
        assert [g() for g in gone] == [None] * 3, how
    gc.enable()
    loaders = []
    loader = sluice.Loader(path, 16, on_error=lambda i, e: loaders)
    loaders.append(loader)      # a cycle through the callback: for the collector
    gone = weakref.ref(loader)
    del loader, loaders
    gc.collect()
    assert gone() is None


def no_leak(tmp):
    path, _ = blobs(tmp, n=20, biggest=200, name="small")
    fds = len(os.listdir("/proc/self/fd"))
    pack = sluice.open(path)
    loader = sluice.Loader(pack, 4, shuffle=True, threads=2)

    def some(n):
        for _ in range(n):
            for batch in loader:
                batch.data, batch.labels, batch.indices, batch.offsets
            loader.load_state_dict(loader.state_dict())

    def more(n):
        for _ in range(n):
            with sluice.open(path) as p, sluice.Loader(p, 4, shuffle=True, threads=2) as other:
                next(iter(other)).data
            pack[3], pack.labels[3], pack.keys[3], pack.read_batch([1, 2]), pack.schema, pack.label_names, pack.info()

    some(100)
    more(20)
    before, blocks = rss(), sys.getallocatedblocks()
    some(1000)
    more(100)
    gc.collect()
    grown = rss() - before
    assert grown < 2 * MIB, "%d KiB more after 1000 epochs" % (grown // 1024)
    assert sys.getallocatedblocks() - blocks < 500
    loader.close()
    del loader, pack
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == fds


def bounded(tmp):
    """A pack of 200 MiB, read with a window of 8 MiB."""
    rng = np.random.default_rng(5)
    path = pack_of(tmp, "large", {"%03d" % i: rng.bytes(2 * MIB) for i in range(100)}, "--codec", "none")
    for io in ("auto", "mmap", "pread"):
        before = rss()
        most = 0
        with sluice.Loader(path, 2, shuffle=True, ahead_bytes=8 * MIB, threads=2, io=io) as loader:
            for batch in loader:
                most = max(most, rss() - before)
        assert most < 60 * MIB, "%s: %d MiB" % (io, most // MIB)


def bounded_though_sizes_differ(tmp):
    """A few large samples among many small ones: buffers do not all grow to the largest."""
    files = {"%04d" % i: os.urandom(8 * MIB if i % 50 == 0 else 200) for i in range(400)}
    path = pack_of(tmp, "skewed", files, "--codec", "none")
    with sluice.Loader(path, 1, shuffle=True, threads=2, io="pread", ahead_bytes=16 * MIB) as loader:
        before = rss()
        for _ in range(12):
            for batch in loader:
                pass
            assert rss() - before < 150 * MIB, "%d MiB" % ((rss() - before) // MIB)
        batch = next(iter(loader))
    assert rss() - before < 40 * MIB, "%d MiB after close()" % ((rss() - before) // MIB)
    assert len(batch) == 1


def test(tmp):
    path, files = blobs(tmp)
    kept(path, [files[k] for k in sorted(files)])
    freed_at_once(path)
    no_leak(tmp)
    bounded(tmp)
    bounded_though_sizes_differ(tmp)


main(test)
