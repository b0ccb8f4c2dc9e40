#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What is wrong is an exception of the fitting class, with a sentence; a damaged sample is never handed out."""
import errno
import os

from pypack import blobs, damage, main, np, pack_of, raises, sluice


def closed(path):
    pack = sluice.open(path)
    keys = pack.keys
    pack.close()
    pack.close()
    for f in (lambda: len(pack), lambda: pack[0], lambda: pack.view(0), lambda: keys[0], lambda: "x" in pack, pack.info,
              lambda: list(pack), lambda: pack.labels, lambda: pack.read_batch([0])):
        assert "closed" in str(raises(ValueError, f))
    assert "closed" in repr(pack)


def damaged(tmp):
    rng = np.random.default_rng(1)
    files = {"a/%d" % i: rng.bytes(1000 + i) for i in range(10)}
    path = pack_of(tmp, "damaged", files, "--codec", "none")
    damage(path, "a/5")
    assert issubclass(sluice.DamageError, OSError)
    for how in ({}, {"io": "pread"}, {"verify": "once"}):
        pack = sluice.open(path, **how)
        for f in (lambda: pack[5], lambda: pack["a/5"], lambda: pack.read_into(5, bytearray(2000)), lambda: pack.array(5),
                  lambda: pack.read_batch([1, 5]), lambda: list(pack)):
            e = raises(sluice.DamageError, f)
            assert e.errno in (errno.EILSEQ, errno.EBADMSG) and "sample 5" in str(e), e
        assert [pack[i] for i in range(10) if i != 5] == [files["a/%d" % i] for i in range(10) if i != 5]
    raises(sluice.DamageError, sluice.open(path).view, 5)
    with open(os.path.join(path, "index"), "r+b") as f:
        f.write(b"x")
    raises(sluice.DamageError, sluice.open, path)


def test(tmp):
    path, files = blobs(tmp)
    e = raises(FileNotFoundError, sluice.open, os.path.join(tmp, "nothing.slu"))
    assert e.errno == errno.ENOENT and "nothing.slu" in str(e)
    raises(FileNotFoundError, sluice.open, tmp)
    raises(TypeError, sluice.open, 3)
    raises(ValueError, sluice.open, "a\0b")
    assert "'once'" in str(raises(ValueError, sluice.open, path, verify="never"))
    raises(ValueError, sluice.open, path, io="tape")
    raises(TypeError, sluice.open, path, nothing=1)
    pack = sluice.open(path)
    for i in (100, -101, 1 << 62, 1 << 80):
        raises(IndexError, pack.__getitem__, i)
        raises(IndexError, pack.view, i)
        raises(IndexError, pack.keys.__getitem__, i)
    for key in ("nothing", "c0", "c0/00000.bin/x", "", "c0/00000.bin\0", "\udc80", "x" * 10000):
        assert raises(KeyError, pack.__getitem__, key).args == (key,)
        raises(ValueError, pack.keys.index, key)
        assert key not in pack
    for key in (1.5, None, slice(2), [1]):
        raises(TypeError, pack.__getitem__, key)
    raises(IndexError, pack.read_batch, [0, 100])
    raises(TypeError, pack.read_batch, [0.5])
    raises(ValueError, pack.read_into, 1, bytearray(3))
    raises(TypeError, pack.read_into, 1, b"read-only" * 1000)
    closed(path)
    damaged(tmp)


main(test)
