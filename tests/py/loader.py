#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every sample once an epoch, with the bytes of its file, for every order; the same batches for any threads."""
from pypack import ONCE, SHUFFLES, blobs, main, np, raises, sluice


def once(pack, want, shuffle):
    loader = sluice.Loader(pack, batch_size=16, shuffle=shuffle, seed=7, threads=2)
    assert len(loader) == 7 and loader.samples == 100
    seen, batches = [], 0
    for batch in loader:
        batches += 1
        assert len(batch) == len(batch.indices) == len(batch.labels) == len(batch.offsets) - 1
        assert batch.data.dtype == np.uint8 and batch.data.ndim == 1 and batch.data.flags.writeable
        for a in (batch.indices, batch.labels, batch.offsets):
            assert a.dtype == np.int64 and not a.flags.writeable
        assert batch.offsets[0] == 0 and batch.offsets[-1] == len(batch.data) == batch.nbytes
        assert batch.data.tobytes() == b"".join(want[i] for i in batch.indices)
        assert [s.tobytes() for s in batch] == [want[i] for i in batch.indices]
        assert batch[-1].tobytes() == want[batch.indices[-1]]
        raises(IndexError, batch.__getitem__, len(batch))
        assert batch.keys == [pack.keys[i] for i in batch.indices]
        assert list(batch.labels) == [pack.labels[i] for i in batch.indices]
        seen += list(batch.indices)
    assert batches == 7 and len(seen) == 100
    if shuffle in ONCE:
        assert sorted(seen) == list(range(100)), shuffle
    return seen


def orders(pack, want):
    seen = {s: once(pack, want, s) for s in SHUFFLES}
    assert seen["sequential"] == list(range(100)) == once(pack, want, False) == once(pack, want, None)
    assert seen["global"] == once(pack, want, True) == once(pack, want, "global") != list(range(100))
    randomness = {s: sluice.Loader(pack, 16, shuffle=s).randomness for s in SHUFFLES}
    assert randomness["sequential"] == 0 and abs(randomness["global"] - 1) < 1e-9, randomness
    assert 0 < randomness["block:8"] <= 1


def epochs(pack):
    loader = sluice.Loader(pack, 30, shuffle="global", seed=1)

    def once_through():
        return [i for b in loader for i in b.indices]

    def peek():
        return list(next(iter(loader)).indices)

    assert loader.epoch == 0
    peek()                                      # one that is not completed does not count
    zero, one = once_through(), once_through()  # the next one by itself
    assert zero != one and loader.epoch == 2
    loader.set_epoch(0)
    assert once_through() == zero and loader.epoch == 1
    loader.set_epoch(1)
    assert peek() == one[:30] and once_through() == one
    for batch in loader:                        # epoch 2, in the middle of which the next one is chosen
        loader.set_epoch(0)
    assert loader.epoch == 0 and once_through() == zero
    a, b = iter(loader), iter(loader)
    next(b)
    assert "another pass" in str(raises(RuntimeError, next, a))
    assert len(list(b)) == 3
    raises(StopIteration, next, b)
    raises(ValueError, loader.set_epoch, -1)


def ranks(pack):
    for world, drop in ((1, False), (3, False), (7, True), (3, True)):
        parts = [[i for b in sluice.Loader(pack, 8, shuffle="global", seed=3, rank=r, world=world, drop_last=drop)
                  for i in b.indices] for r in range(world)]
        each = 100 // (8 * world) * 8 if drop else -(-100 // world)
        assert [len(p) for p in parts] == [each] * world, (world, drop)
        together = [i for turn in zip(*parts) for i in turn]
        whole = [i for b in sluice.Loader(pack, 8, shuffle="global", seed=3) for i in b.indices]
        assert together == (whole + whole)[:each * world]     # one order, taken in turns; filled up from the beginning


def threads(pack):
    for shuffle in SHUFFLES:
        if shuffle.startswith("opportunistic"):
            continue
        first = None
        for n in range(1, 9):
            got = [(b.indices.tobytes(), b.data.tobytes(), b.offsets.tobytes(), b.labels.tobytes())
                   for b in sluice.Loader(pack, 7, shuffle=shuffle, seed=5, threads=n)]
            first = first or got
            assert got == first, (shuffle, n)


def ways(pack, want):
    for how in ({"io": "mmap"}, {"io": "pread"}, {"verify": "always"}, {"ahead_bytes": 1}, {"batch_size": 1000}):
        loader = sluice.Loader(pack, **{"batch_size": 9, "shuffle": True, **how})
        for _ in range(2):
            assert sorted((i, s.tobytes()) for b in loader for i, s in zip(b.indices, b)) == list(enumerate(want)), how
    s = loader.stats
    assert (s["samples"], s["batches"], s["bytes"], s["bad"]) == (200, 2, 2 * sum(map(len, want)), 0)
    assert s["verified"] == 100 and 0 <= s["wait_share"] <= 1, s


def wrong(pack, path):
    for how in ({"batch_size": 0}, {"batch_size": 1 << 32}, {"shuffle": "sideways"}, {"shuffle": "block:0"}, {"rank": 1},
                {"world": 0}, {"verify": "never"}, {"io": "tape"}, {"on_error": "ignore"}, {"output": "list"},
                {"rank": "env"}, {"seed": -1}, {"threads": 0}):
        assert str(raises(ValueError, sluice.Loader, pack, **how)), how
    for how in ({"batch_size": "8"}, {"shuffle": 3}, {"decode": "jpeg"}, {"nothing": 1}):
        raises(TypeError, sluice.Loader, pack, **how)
    raises(FileNotFoundError, sluice.Loader, path + "x")
    raises((KeyError, OSError), sluice.Loader, pack, 8, shuffle="grouped:nothing")
    loader = sluice.Loader(pack, 8)
    loader.close()
    loader.close()
    for f in (lambda: list(loader), loader.state_dict, lambda: loader.stats):
        assert "closed" in str(raises(ValueError, f))


def views(pack, want):
    got = {}
    for b in sluice.Loader(pack, 16, shuffle=True, output="memoryview"):
        assert type(b.data) is memoryview and b.data.format == "B" and not b.data.readonly
        assert b.indices.format == b.offsets.format == "q" and b.indices.readonly
        got.update(zip(b.indices, map(bytes, b)))
    assert got == dict(enumerate(want))


def test(tmp):
    path, files = blobs(tmp)
    want = [files[k] for k in sorted(files)]
    pack = sluice.open(path)
    orders(pack, want)
    epochs(pack)
    ranks(pack)
    threads(pack)
    ways(pack, want)
    wrong(pack, path)
    views(pack, want)
    assert len(list(sluice.Loader(path, 50))) == 2       # a path will do


main(test)
