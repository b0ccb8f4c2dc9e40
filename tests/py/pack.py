#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A pack in Python has what the files have: by number, by path, as a copy, as a view, many at once."""
from pypack import arrays, blobs, check, main, np, raises, sluice


def sequence(pack, files):
    paths = sorted(files)
    assert len(pack) == len(files)
    assert list(pack.keys) == paths and len(pack.keys) == len(files)
    for i, path in enumerate(paths):
        assert pack[i] == pack[path] == pack[path.encode()] == files[path]
        assert type(pack[i]) is bytes and pack[i - len(files)] == files[path]
        assert pack.keys[i] == path and pack.keys.index(path) == pack.find(path) == i
        assert pack.size(i) == pack.size(path) == len(files[path])
    assert list(pack) == [files[p] for p in paths]
    assert pack[np.int32(3)] == pack[3]
    assert pack.keys[2:7] == paths[2:7] and pack.keys[-1] == paths[-1]
    assert paths[0] in pack and paths[0] in pack.keys and "nothing" not in pack and 3 not in pack.keys


def copies_and_views(pack, files):
    paths = sorted(files)
    large = bytearray(5000)
    for i, path in enumerate(paths):
        n = pack.read_into(i, large)
        assert large[:n] == files[path]
        a = pack.array(i)
        assert a.dtype == np.uint8 and a.tobytes() == files[path] and a.flags.writeable
    indices = [5, 1, 1, -1, 0, 50]
    for asked in (indices, np.array(indices), np.array(indices, np.int16), iter(indices)):
        data, offsets = pack.read_batch(asked)
        assert data.dtype == np.uint8 and offsets.dtype == np.int64 and len(offsets) == 7
        assert data.tobytes() == b"".join(files[paths[i]] for i in indices)
        assert [data[offsets[k]:offsets[k + 1]].tobytes() for k in range(6)] == [files[paths[i]] for i in indices]
    data, offsets = pack.read_batch([])
    assert data.size == 0 and list(offsets) == [0]


def labels(pack, files):
    want = [int(p[1]) for p in sorted(files)]
    assert "label" in pack.columns and pack.label_names == ("c0", "c1", "c2", "c3", "c4")
    assert list(pack.labels) == want and len(pack.labels) == len(want)
    assert pack.labels[3] == want[3] and pack.labels[-1] == want[-1] and type(pack.labels[3]) is int
    assert (np.asarray(pack.labels) == want).all() and np.asarray(pack.labels).dtype == np.int64
    assert list(pack.labels[10:50:7]) == want[10:50:7] and list(pack.labels[::-1]) == want[::-1]
    assert list(np.bincount(pack.labels)) == [20] * 5
    assert pack.column("label")[1] == want[1]
    raises(KeyError, pack.column, "nothing")
    for i in (100, -101):
        raises(IndexError, pack.labels.__getitem__, i)


def views(tmp):
    path, files = blobs(tmp, options=("--codec", "none"), name="raw")
    pack = sluice.open(path)
    kept = [(pack.view(i), files[k]) for i, k in enumerate(sorted(files))]
    assert all(type(v) is memoryview and v.readonly and v.format == "B" for v, _ in kept)
    pack.close()
    del pack
    assert all(bytes(v) == data for v, data in kept)    # the views hold the file
    pack = sluice.open(path, io="pread", verify="once")
    assert [pack[k] for k in sorted(files)] == [files[k] for k in sorted(files)]
    assert raises(OSError, pack.view, 0).args[1]        # nothing is mapped
    assert pack.labels is None and pack.label_names == ()


def schemas(tmp):
    path, want = arrays(tmp)
    pack = sluice.open(path)
    assert pack.schema == ("<f4", (3, 4), pack.schema.skip) and pack.schema.skip % 16 == 0
    for i, a in enumerate(want):
        assert (pack.array(i) == a).all() and pack.array(i).dtype == a.dtype and pack.array(i).shape == (3, 4)


def test(tmp):
    path, files = blobs(tmp)
    pack = sluice.open(path)
    assert pack.path == path and pack.schema is None and not pack.closed
    sequence(pack, files)
    copies_and_views(pack, files)
    labels(pack, files)
    info = pack.info()
    assert info["samples"] == 100 and info["raw_bytes"] == sum(map(len, files.values())) and len(info["identity"]) == 16
    assert isinstance(pack.notes, dict) and "100 samples" in repr(pack)
    with sluice.open(path) as again:
        assert again.info() == info
    check(again.closed, "the end of with closes")
    views(tmp)
    schemas(tmp)


main(test)
