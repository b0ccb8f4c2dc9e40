# SPDX-License-Identifier: MIT
"""Sluice for PyTorch.

>>> from sluice.torch import Dataset, Loader
>>> for images, labels in Loader("train.slu", 256, shuffle="global", decode=sluice.Jpeg(size=224, crop="center")):
...     ...
>>> for images, labels in DataLoader(Dataset("train.slu", decode="pil", transform=t), batch_size=32, num_workers=2):
...     ...
"""
from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import torch
import torch.utils.data

from . import _core
from ._jpeg import Jpeg
from ._loader import Loader as _Loader
from ._pack import Column, Pack, open

__all__ = ["Dataset", "Loader", "collate"]


class Dataset(torch.utils.data.Dataset[Any]):
    """A map-style dataset over a pack, for torch's DataLoader: (sample, label), or samples alone without labels.

    pack       a Pack, or its path
    decode     None: a sample is a tensor, by the pack's schema or of its bytes
               "pil": it is an RGB image of Pillow's, as torchvision's ImageFolder has it
               a function of the bytes
    transform, target_transform   as torchvision's datasets have them

    Workers may be forked or spawned: what is pickled is the pack's path.
    """

    def __init__(
        self,
        pack: Pack | str | os.PathLike[str],
        transform: Callable[[Any], Any] | None = None,
        decode: str | Callable[[bytes], Any] | None = None,
        target_transform: Callable[[int], Any] | None = None,
    ) -> None:
        if isinstance(decode, Jpeg):
            raise TypeError("a Jpeg decodes whole batches: use sluice.torch.Loader, or decode=\"pil\" here")
        if decode not in (None, "pil") and not callable(decode):
            raise ValueError("decode=%r: must be None, \"pil\" or a function" % (decode,))
        self.pack: Pack = pack if isinstance(pack, Pack) else open(pack)
        self.transform = transform
        self.target_transform = target_transform
        self.decode = decode
        self._schema = self.pack.schema
        if decode is None and self._schema is not None:
            _dtype_of(self._schema.dtype)

    @property
    def classes(self) -> list[str]:
        """The names of the labels, as ImageFolder has them."""
        return list(self.pack.label_names)

    @property
    def class_to_idx(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.pack.label_names)}

    @property
    def targets(self) -> Column | None:
        """The labels, looked up when asked for; numpy.asarray() gives all."""
        return self.pack.labels

    def __len__(self) -> int:
        return len(self.pack)

    def __getitem__(self, i: int) -> Any:
        if self.decode is None:
            sample = _tensor(self.pack.array(i))
        else:
            sample = _image(self.pack[i]) if self.decode == "pil" else self.decode(self.pack[i])
        return self._finish(i, sample, self.pack.labels)

    def __getitems__(self, indices: Sequence[int]) -> list[Any]:
        """Many at once, which newer DataLoaders ask for: one call for all bytes."""
        if self.decode is not None:
            return [self[i] for i in indices]
        data, ends = self.pack.read_batch(indices)
        s, labels = self._schema, self.pack.labels
        result = []
        for k, i in enumerate(indices):
            one = data[ends[k] : ends[k + 1]].copy() # a sample that is kept must not keep all others
            result.append(self._finish(i, _tensor(one[s.skip :].view(s.dtype).reshape(s.shape) if s else one), labels))
        return result

    def _finish(self, i: int, sample: Any, labels: Column | None) -> Any:
        if self.transform is not None:
            sample = self.transform(sample)
        if labels is None:
            return sample
        label = labels[i]
        return sample, label if self.target_transform is None else self.target_transform(label)


class Loader(_Loader):
    """sluice.Loader, whose batches are tuples of tensors; it takes the place of torch's DataLoader.

    (data, labels)           for decoded images, and packs with a schema
    (data, offsets, labels)  for ragged samples

    labels is None if the pack has none. Tensors are over the loader's memory (the numbers are small copies) and keep it.
    """

    def __init__(self, pack: Pack | str | os.PathLike[str], batch_size: int = 1, **options: Any) -> None:
        if options.setdefault("output", "torch") != "torch":
            raise ValueError("sluice.torch.Loader gives tensors; sluice.Loader has other outputs")
        super().__init__(pack, batch_size, **options)

    def _wrap(self, batch: _core.Batch) -> Any:
        form = self._form
        labels = None if batch.labels is None else form.numbers(batch.labels)
        if form.schema is None:
            return form.data(batch), form.numbers(batch.offsets), labels
        return form.data(batch), labels


def collate(samples: Sequence[Any]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """For DataLoader(collate_fn=...): ragged samples as (data, offsets, labels), which torch cannot stack."""
    labels = None
    if isinstance(samples[0], tuple):
        labels = torch.tensor([label for _, label in samples])
        samples = [sample for sample, _ in samples]
    offsets = torch.zeros(len(samples) + 1, dtype=torch.int64)
    offsets[1:] = torch.cumsum(torch.tensor([s.numel() for s in samples]), 0)
    return torch.cat(list(samples)), offsets, labels


def _dtype_of(dtype: str) -> numpy.dtype[Any]:
    native = numpy.dtype(dtype).newbyteorder("=")
    try:
        torch.from_numpy(numpy.empty(0, native))
    except TypeError:
        raise TypeError("torch has no type for %s; use decode= with a function of the bytes" % dtype) from None
    return native


def _tensor(a: numpy.ndarray) -> torch.Tensor:
    return torch.from_numpy(a if a.dtype.isnative else a.astype(a.dtype.newbyteorder("=")))


def _image(data: bytes) -> Any:
    import io

    from PIL import Image

    return Image.open(io.BytesIO(data)).convert("RGB")
