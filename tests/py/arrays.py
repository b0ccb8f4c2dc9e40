#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A pack of .npy files of one type and shape gives batches that are arrays."""
import io

from pypack import arrays, main, np, pack_of, sluice


def test(tmp):
    for k, (dtype, shape) in enumerate((("<f4", (3, 4)), (">f4", (2,)), ("<i8", ()), ("|u1", (5, 1, 2)), ("<c8", (2,)),
                                        ("|b1", (3,)), ("<u2", (4, 4)), ("<f2", (1,)))):
        path, want = arrays(tmp, dtype=dtype, shape=shape, name="a%d" % k)
        loader = sluice.Loader(path, 6, shuffle="global", threads=2)
        assert (loader.schema.dtype, loader.schema.shape, loader.schema.skip) == (dtype, shape, 0), loader.schema
        seen = []
        for batch in loader:
            assert batch.data.dtype == np.dtype(dtype) and batch.data.shape == (len(batch), *shape)
            assert (batch.data == np.stack([want[i] for i in batch.indices])).all()
            assert (batch[0] == want[batch.indices[0]]).all()
            assert list(batch.labels) == [i * 2 // 20 for i in batch.indices]
            assert batch.offsets[-1] == batch.data.nbytes and batch.data.flags.aligned and batch.data.flags.writeable
            seen += list(batch.indices)
        assert sorted(seen) == list(range(20))
        batch = next(iter(sluice.Loader(path, 6, output="memoryview")))
        assert batch.data.tobytes() == b"".join(a.tobytes() for a in want[:6])
        assert batch[1].tobytes() == want[1].tobytes(), (dtype, batch[1].shape, batch[1].format)
        if dtype == "<f4":
            assert batch.data.shape == (6, 3, 4) and batch.data.format == "f" and batch.data[2, 1, 3] == want[2][1, 3]
            assert batch[5].shape == (3, 4)

    small_and_many(tmp)


def small_and_many(tmp):
    """Arrays smaller than the header of their files, in batches that several threads share."""
    head = io.BytesIO()
    np.save(head, np.full(16, 0, "<f4"))
    head = head.getvalue()[:-64]
    path = pack_of(tmp, "small", {"a/%05d.npy" % i: head + np.full(16, i, "<f4").tobytes() for i in range(9000)})
    loader = sluice.Loader(path, 9000, shuffle="global", threads=4)
    for _ in range(8):
        for batch in loader:
            assert (batch.data == batch.indices[:, None]).all()


main(test)
