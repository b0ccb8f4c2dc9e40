#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""sluice.torch: a dataset for DataLoader, with forked and spawned workers, and a loader of tensors."""
import pickle
import warnings

from pypack import arrays, blobs, main, np, raises, sluice, torch_or_skip

torch = torch_or_skip()
from torch.utils.data import DataLoader  # noqa: E402

from sluice.torch import Dataset, Loader, collate  # noqa: E402


def data_loader(dataset, want, labels):
    for workers, context in ((0, None), (2, "fork"), (2, "spawn")):
        got = {}
        loader = DataLoader(dataset, batch_size=None, shuffle=True, num_workers=workers, multiprocessing_context=context)
        n = 0
        for sample, label in loader:
            assert sample.dtype == torch.uint8
            got[bytes(sample.numpy())] = int(label)
            n += 1
        assert n == len(want) and set(got) == set(want), (workers, context)
        assert all(got[w] == label for w, label in zip(want, labels) if want.count(w) == 1)
    loader = DataLoader(dataset, batch_size=16, num_workers=2, collate_fn=collate)
    samples = []
    for data, offsets, lab in loader:
        assert offsets.dtype == lab.dtype == torch.int64
        samples += [bytes(data[offsets[k]:offsets[k + 1]].numpy()) for k in range(len(lab))]
    assert samples == want
    many = dataset.__getitems__([3, 1, 99])
    assert [(bytes(s.numpy()), label) for s, label in many] == [(want[i], labels[i]) for i in (3, 1, 99)]


def tensors(path, want, labels):
    seen = {}
    loader = Loader(path, 16, shuffle="global", seed=2)
    assert len(loader) == 7
    for data, offsets, lab in loader:
        assert (data.dtype, offsets.dtype, lab.dtype) == (torch.uint8, torch.int64, torch.int64)
        for k in range(len(lab)):
            seen.setdefault(bytes(data[offsets[k]:offsets[k + 1]].numpy()), int(lab[k]))
    assert set(seen) == set(want)
    batch = next(iter(sluice.Loader(path, 16, output="torch")))
    assert batch.data.data_ptr() % 64 == 0 and list(batch.labels) == labels[:16] and batch.indices.tolist() == list(range(16))
    assert bytes(batch[3].numpy()) == want[3]
    data = batch.data
    del batch
    assert bytes(data.numpy()) == b"".join(want[:16])       # no copy, and still there
    state = loader.state_dict()
    assert torch.equal(torch.tensor(state["position"]), torch.tensor(0))
    raises(ValueError, Loader, path, 16, output="numpy")


def typed(tmp):
    path, want = arrays(tmp)
    got = [(a, b) for a, b in Loader(path, 6)]
    assert torch.equal(torch.cat([a for a, _ in got]), torch.from_numpy(np.stack(want))) and got[0][0].shape == (6, 3, 4)
    for images, labels in DataLoader(Dataset(path), batch_size=5):
        assert images.shape == (5, 3, 4) and images.dtype == torch.float32 and labels.shape == (5,)
    path, want = arrays(tmp, dtype=">f4", name="big")
    assert torch.equal(next(iter(Loader(path, 20)))[0], torch.from_numpy(np.stack(want).astype("<f4")))
    assert torch.equal(Dataset(path)[3][0], torch.from_numpy(want[3].astype("<f4")))
    path, _ = arrays(tmp, dtype="<u4", name="odd")
    assert "torch has no type" in str(raises(TypeError, Loader, path, 6))
    assert "torch has no type" in str(raises(TypeError, Dataset, path))


def test(tmp):
    warnings.simplefilter("error")      # torch warns of read-only memory
    path, files = blobs(tmp)
    keys = sorted(files)
    want, labels = [files[k] for k in keys], [int(k[1]) for k in keys]
    dataset = Dataset(path)
    assert len(dataset) == 100 and dataset.classes == ["c0", "c1", "c2", "c3", "c4"] and dataset.class_to_idx["c3"] == 3
    assert list(dataset.targets) == labels
    assert pickle.loads(pickle.dumps(dataset))[5][1] == labels[5]
    data_loader(dataset, want, labels)
    assert Dataset(path, transform=len, decode=bytes, target_transform=str)[7] == (len(want[7]), str(labels[7]))
    plain, _ = blobs(tmp, n=10, options=(), name="plain")
    assert isinstance(Dataset(plain)[0], torch.Tensor) and next(iter(Loader(plain, 5)))[2] is None
    raises(TypeError, Dataset, path, decode=sluice.Jpeg())
    raises(ValueError, Dataset, path, decode="jpeg")
    tensors(path, want, labels)
    typed(tmp)


if __name__ == "__main__":
    main(test)
