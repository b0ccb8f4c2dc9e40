# SPDX-License-Identifier: MIT
"""Packs: sluice.open() and what it returns.

Nothing here is O(samples) in memory unless it is asked for as a whole: keys and columns are
sequences that look into the mapped index.
"""
from __future__ import annotations

import array
import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Union, overload

from . import _core

if TYPE_CHECKING:
    import numpy

Key = Union[int, str, bytes]

_IO = {"mmap": 0, "pread": 1}
_VERIFY = {"always": 0, "once": 1}


def natural(what: str, value: Any, least: int, bits: int) -> int:
    try:
        number = value.__index__()
    except AttributeError:
        raise TypeError("%s=%r: must be a whole number" % (what, value)) from None
    if not least <= number < 1 << bits:
        raise ValueError("%s=%r: must be at least %d, and fit into %d bits" % (what, value, least, bits))
    return number


def choice(what: str, value: Any, table: dict[Any, int]) -> int:
    """The number of an option's word; ValueError names what is allowed."""
    try:
        return table[value]
    except (KeyError, TypeError):
        raise ValueError("%s=%r: must be one of %s" % (what, value, ", ".join(map(repr, table)))) from None


class Schema(NamedTuple):
    """What every sample is, if all are arrays of one type and shape."""

    dtype: str
    """NumPy's notation, such as "<f4"."""
    shape: tuple[int, ...]
    skip: int
    """Bytes before the array in each sample (a .npy header)."""


class Keys(Sequence[str]):
    """The paths of all samples, in order; looked up when asked for.

    >>> pack.keys[0], pack.keys.index("cat/0001.jpg"), "cat/0001.jpg" in pack.keys
    """

    __slots__ = ("_pack",)

    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    def __len__(self) -> int:
        return len(self._pack)

    @overload
    def __getitem__(self, i: int) -> str: ...
    @overload
    def __getitem__(self, i: slice) -> list[str]: ...
    def __getitem__(self, i: int | slice) -> str | list[str]:
        if isinstance(i, slice):
            return [self._pack.key(k) for k in range(*i.indices(len(self._pack)))]
        return self._pack.key(i)

    def __iter__(self) -> Iterator[str]:
        return map(self._pack.key, range(len(self._pack)))

    def __contains__(self, key: object) -> bool:
        return isinstance(key, (str, bytes)) and key in self._pack

    def index(self, key: Any, start: int = 0, stop: int | None = None) -> int:
        """The number of the sample at this path. ValueError: there is none."""
        n = len(self._pack)
        try:
            i = self._pack.find(key) if isinstance(key, (str, bytes)) else -1
        except KeyError:
            i = -1
        if i < 0 or i not in range(*slice(start, stop).indices(n)):
            raise ValueError("%r is not the path of a sample" % (key,))
        return i

    def __repr__(self) -> str:
        return "<%d keys of %s>" % (len(self), self._pack.path)


class Column(Sequence[int]):
    """A value for each sample, such as its label; looked up when asked for.

    A number gives an int; a slice gives a NumPy array of that part. numpy.asarray(column) is the whole
    column, 8 bytes a sample.
    """

    __slots__ = ("_pack", "name")

    def __init__(self, pack: Pack, name: str) -> None:
        self._pack = pack
        self.name = name

    def __len__(self) -> int:
        return len(self._pack)

    @overload
    def __getitem__(self, i: int) -> int: ...
    @overload
    def __getitem__(self, i: slice) -> numpy.ndarray: ...
    def __getitem__(self, i: int | slice) -> int | numpy.ndarray:
        if isinstance(i, slice):
            import numpy

            part = range(*i.indices(len(self._pack)))
            out = numpy.empty(len(part), numpy.int64)
            self._pack._values(self.name, part.start, part.step, out)
            return out
        n = len(self._pack)
        i = i.__index__()
        if not -n <= i < n:
            raise IndexError("there is no sample %d: the pack has %d" % (i, n))
        one = array.array("q", [0])
        self._pack._values(self.name, i % n, 1, one)
        return one[0]

    def __iter__(self) -> Iterator[int]:
        n = len(self._pack)
        for start in range(0, n, 4096):
            part = array.array("q", bytes(8 * min(4096, n - start)))
            self._pack._values(self.name, start, 1, part)
            yield from part

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray:
        whole = self[:]
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return "<column %s, %d values, of %s>" % (self.name, len(self), self._pack.path)


class Pack(_core.Pack):
    """A pack, open for reading: a sequence of samples, also by path.

    >>> pack = sluice.open("train.slu")
    >>> len(pack), pack[0], pack["cat/0001.jpg"], pack.labels[0]

    Any number of threads may share it, and so may forked processes. Pickled, it is opened again at the same path on
    the other side. What is read is verified; DamageError otherwise.
    """

    path: str
    """Where it was opened, from the root."""

    def __new__(cls, path: str | os.PathLike[str], *, verify: str = "always", io: str = "mmap") -> Pack:
        self = super().__new__(cls, path, choice("io", io, _IO), choice("verify", verify, _VERIFY))
        self.path = os.path.abspath(os.fsdecode(path))
        self._how = (verify, io)
        self._names: tuple[str, ...] | None = None
        return self

    @property
    def keys(self) -> Keys:
        """The paths of all samples."""
        return Keys(self)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._columns()

    def column(self, name: str) -> Column:
        """A column by its name. KeyError: there is none."""
        if name not in self._columns():
            raise KeyError(name)
        return Column(self, name)

    @property
    def labels(self) -> Column | None:
        """The label of each sample; None: the pack has none."""
        return Column(self, "label") if "label" in self._columns() else None

    @property
    def label_names(self) -> tuple[str, ...]:
        """The names of labels 0, 1, ...; empty if they have none."""
        if self._names is None:
            self._names = tuple(self._label_names())
        return self._names

    @property
    def schema(self) -> Schema | None:
        """What every sample is, if all are arrays of one type and shape; else None."""
        s = self._schema()
        return None if s is None else Schema(s[0], s[2], s[1])

    @property
    def notes(self) -> dict[str, str]:
        """What the writer left for people."""
        return dict(line.split("=", 1) for line in self._notes().splitlines() if "=" in line)

    def array(self, i: Key) -> numpy.ndarray:
        """A sample as a NumPy array: by the schema, or, without one, its bytes."""
        import numpy

        data = numpy.empty(self.size(i), numpy.uint8)
        self.read_into(i, data)
        s = self.schema
        return data if s is None else data[s.skip :].view(s.dtype).reshape(s.shape)

    def read_batch(self, indices: Iterable[int]) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Many samples end to end: (data, offsets).

        Sample indices[k] is data[offsets[k]:offsets[k + 1]]. Faster than one by one.
        """
        import numpy

        if not isinstance(indices, numpy.ndarray):
            indices = list(indices)
        numbers = numpy.asarray(indices)
        if numbers.size and numbers.dtype.kind not in "iu":
            raise TypeError("samples are asked for by their numbers, and these are %s" % numbers.dtype)
        data, offsets = self._read_list(numpy.ascontiguousarray(numbers, numpy.int64))
        return numpy.frombuffer(data, numpy.uint8), numpy.frombuffer(offsets, numpy.int64)

    def __enter__(self) -> Pack:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, (self.path, *self._how, self.info()["identity"])

    def __repr__(self) -> str:
        return "<sluice.Pack %s, %s>" % (self.path, "closed" if self.closed else "%d samples" % len(self))


def _reopen(path: str, verify: str, io: str, identity: bytes) -> Pack:
    pack = Pack(path, verify=verify, io=io)
    if pack.info()["identity"] != identity:
        raise OSError(errno.ESTALE, "the pack was replaced by another since it was pickled", path)
    return pack


def open(path: str | os.PathLike[str], *, verify: str = "always", io: str = "mmap") -> Pack:
    """Opens a pack: the same cost for a thousand samples as for ten million.

    verify  "always" checks a sample at every read; "once" at its first one by this process
    io      "mmap", or "pread" for programs that cannot have a handler for SIGBUS

    FileNotFoundError: there is none | DamageError: it is damaged | OSError
    """
    return Pack(path, verify=verify, io=io)
