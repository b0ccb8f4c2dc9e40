# SPDX-License-Identifier: MIT
"""Batches: arrays over memory of the loader's, without a copy, valid as long as anything refers to them."""
from __future__ import annotations

import importlib.util
import struct
import sys
from collections.abc import Iterator
from typing import Any

from . import _core
from ._pack import Pack, Schema

OUTPUTS = ("numpy", "torch", "memoryview")
_FORMATS = {"b1": "?", "i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q",
            "f4": "f", "f8": "d"}
_ORDER = "<" if sys.byteorder == "little" else ">"


class Form:
    """What a loader's batches are made of: the kind of arrays, and what a sample is in them."""

    def __init__(self, output: str | None, schema: Schema | None) -> None:
        if output is None:
            output = "numpy" if importlib.util.find_spec("numpy") else "memoryview"
        if output not in OUTPUTS:
            raise ValueError("output=%r: must be one of %s" % (output, ", ".join(map(repr, OUTPUTS))))
        self.output = output
        self.schema = schema
        if output != "memoryview":
            import numpy

            self._frombuffer = numpy.frombuffer
            self._int64 = numpy.dtype(numpy.int64)
            self._dtype = numpy.dtype(schema.dtype if schema else numpy.uint8)
        if output == "torch":
            import torch

            self._from_numpy = torch.from_numpy
            native = self._dtype.newbyteorder("=")
            try:
                torch.from_numpy(numpy.empty(0, native))
            except TypeError:
                raise TypeError("torch has no type for %s; output=\"numpy\" has" % self._dtype) from None

    def data(self, batch: _core.Batch) -> Any:
        shape = (len(batch), *self.schema.shape) if self.schema else None
        if self.output == "memoryview":
            return self._view(memoryview(batch.data), shape)
        a = self._frombuffer(batch.data, self._dtype)
        if shape:
            a = a.reshape(shape)
        if self.output == "numpy":
            return a
        if not a.dtype.isnative: # torch has no other byte order
            a = a.astype(a.dtype.newbyteorder("="))
        return self._from_numpy(a)

    def numbers(self, buffer: _core.Buffer) -> Any:
        """An array of int64: read-only where the kind knows that."""
        if self.output == "memoryview":
            return memoryview(buffer)
        a = self._frombuffer(buffer, self._int64)
        # torch warns of read-only memory, since it cannot keep anyone from writing: it gets these few numbers as a copy.
        return a if self.output == "numpy" else self._from_numpy(a.copy())

    def _view(self, data: memoryview, shape: tuple[int, ...] | None) -> memoryview:
        """By the schema, where a memoryview has such a type; else the bytes of each sample."""
        if shape is None or not data.nbytes:
            return data
        assert self.schema
        order, kind = self.schema.dtype[0], self.schema.dtype[1:]
        if kind in _FORMATS and order in ("|", "=", _ORDER) and 0 not in shape:
            fmt = _FORMATS[kind]
            assert struct.calcsize(fmt) == int(kind[1:])
            return data.cast("B").cast(fmt, shape)
        return data.cast("B", (shape[0], data.nbytes // shape[0]))


class Batch:
    """Some samples, in the order of the epoch.

    data     ragged samples: all end to end, uint8; with a schema or decode: an array (len(batch), *shape)
    offsets  int64, len(batch) + 1: sample k is data[offsets[k]:offsets[k + 1]] (in bytes, where data is an array)
    labels   int64; None: the pack has none
    indices  int64: the samples' numbers in the pack

    The arrays are over the loader's memory, and keep it. data may be written to. batch[k], and iteration, give
    single samples.
    """

    __slots__ = ("_core", "_form", "_pack", "_data", "_offsets", "_labels", "_indices", "__weakref__")

    def __init__(self, core: _core.Batch, form: Form, pack: Pack) -> None:
        self._core = core
        self._form = form
        self._pack = pack

    def __len__(self) -> int:
        return len(self._core)

    @property
    def data(self) -> Any:
        """The samples."""
        try:
            return self._data
        except AttributeError:
            self._data = self._form.data(self._core)
            return self._data

    @property
    def offsets(self) -> Any:
        """Where each sample begins, in bytes, and the end."""
        try:
            return self._offsets
        except AttributeError:
            self._offsets = self._form.numbers(self._core.offsets)
            return self._offsets

    @property
    def labels(self) -> Any:
        """The label of each sample, or None."""
        try:
            return self._labels
        except AttributeError:
            labels = self._core.labels
            self._labels = None if labels is None else self._form.numbers(labels)
            return self._labels

    @property
    def indices(self) -> Any:
        """The number of each sample in the pack."""
        try:
            return self._indices
        except AttributeError:
            self._indices = self._form.numbers(self._core.indices)
            return self._indices

    @property
    def keys(self) -> list[str]:
        """The path of each sample, looked up now."""
        return [self._pack.key(i) for i in memoryview(self._core.indices)]

    @property
    def position(self) -> int:
        """The place in the epoch behind this batch."""
        return self._core.position

    @property
    def nbytes(self) -> int:
        """The size of data."""
        return self._core.nbytes

    def __getitem__(self, k: int) -> Any:
        n = len(self._core)
        k = k.__index__()
        if not -n <= k < n:
            raise IndexError("there is no sample %d in a batch of %d" % (k, n))
        k %= n
        if self._form.schema and self._form.output != "memoryview":
            return self.data[k]
        ends = memoryview(self._core.offsets)
        if not self._form.schema:
            return self.data[ends[k] : ends[k + 1]]
        one = memoryview(self._core.data)[ends[k] : ends[k + 1]]
        whole = self.data
        return one.cast(whole.format, whole.shape[1:]) if whole.ndim > 1 else one.cast(whole.format)

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self)))

    def __repr__(self) -> str:
        return "<sluice.Batch of %d samples, %d bytes>" % (len(self), self.nbytes)
