# SPDX-License-Identifier: MIT
"""The loader: whole batches, in any order, ready before they are asked for."""
from __future__ import annotations

import os
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Union

from . import _core
from ._batch import Batch, Form
from ._jpeg import Jpeg
from ._pack import Pack, Schema, choice, natural, open

_VERIFY = {"once": 0, "always": 1}
_IO = {"auto": 0, "mmap": 1, "uring": 2, "pread": 3}
_KEPT = 1000    # bad samples that are remembered
VERSION = 1     # of state_dict()

OnError = Union[str, Callable[[int, Exception], Any]]


class BadSample(NamedTuple):
    """A sample that was left out."""

    index: int
    key: str
    error: Exception


class Loader:
    """Batches of a pack, epoch after epoch.

    >>> loader = sluice.Loader(pack, batch_size=256, shuffle="global", seed=7)
    >>> for epoch in range(90):
    ...     loader.set_epoch(epoch)
    ...     for batch in loader:
    ...         train(batch.data, batch.labels)

    pack        a Pack, or its path
    batch_size  samples in a batch; the last one may have fewer, unless drop_last
    shuffle     "global" (or True), "block:K", "local", "opportunistic", "replacement", "grouped:FIELD",
                "sequential" (or False); docs/python.md has them all
    seed        the same seed and epoch give the same order, on any number of ranks
    rank, world this process's turn among all; rank="env" takes RANK and WORLD_SIZE of the environment
    threads     that read, check and decode; None: one for each CPU
    drop_last   leave out what does not fill a batch on every rank, rather than filling up from the beginning
    decode      Jpeg(...): samples are images, data is their pixels
    output      what arrays are: "numpy", "torch" or "memoryview"; None: NumPy where it is installed
    on_error    "raise"; "skip": leave bad samples out, counted in stats and named in bad; or a function of
                (index, exception), called in the thread that iterates: it returns, and the sample is left out, or raises
    verify      "once": each sample at its first use; "always"
    io          "auto", "mmap", "uring" or "pread"
    ahead_bytes how much may be read ahead; None: 128 MiB
    verbose     a progress line on stderr

    Epochs count by themselves: a pass that was completed is followed by the next epoch, one that was broken off is
    begun anew. set_epoch() and load_state_dict() say otherwise.
    """

    def __init__(
        self,
        pack: Pack | str | os.PathLike[str],
        batch_size: int = 1,
        *,
        shuffle: str | bool | None = False,
        seed: int = 0,
        rank: int | str = 0,
        world: int | None = None,
        threads: int | None = None,
        drop_last: bool = False,
        decode: Jpeg | None = None,
        output: str | None = None,
        on_error: OnError = "raise",
        verify: str = "once",
        io: str = "auto",
        ahead_bytes: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.pack: Pack = pack if isinstance(pack, Pack) else open(pack)
        self.batch_size = batch_size
        self.rank, self.world = _turn(rank, world)
        self.verbose = verbose
        self.bad: deque[BadSample] = deque(maxlen=_KEPT)
        """The samples that were left out, the latest thousand of them."""
        if decode is not None and not isinstance(decode, Jpeg):
            raise TypeError("decode=%r: must be a sluice.Jpeg" % (decode,))
        self._core = _core.Loader(
            self.pack,
            natural("batch_size", batch_size, 1, 32),
            _order(shuffle),
            natural("seed", seed, 0, 64),
            self.rank,
            self.world,
            0 if threads is None else natural("threads", threads, 1, 32),
            bool(drop_last),
            choice("verify", verify, _VERIFY),
            choice("io", io, _IO),
            0 if ahead_bytes is None else natural("ahead_bytes", ahead_bytes, 1, 64),
            None if decode is None else decode._options(),
            _on_bad(on_error, self.pack, self.bad),
        )
        self._batches, self._samples, self._randomness, s = self._core.about()
        schema = None if s is None else Schema(s[0], s[2], s[1])
        self._form = Form(output, schema)
        self._epoch = 0                             # of the pass that is under way, or else of the next one
        self._under_way = False                     # a pass was begun and not completed
        self._placed = False                        # load_state_dict() has put the core inside self._epoch
        self._chosen: int | None = None             # set_epoch() during a pass
        self._pass: Callable[[], _Pass | None] = _nothing

    # ---- an epoch ----

    def __len__(self) -> int:
        """How many batches a whole epoch has for this rank."""
        return self._batches

    def __iter__(self) -> Iterator[Any]:
        if self._chosen is not None:
            self._epoch, self._chosen = self._chosen, None
        if self._placed:
            self._placed = False
        else:
            self._core.start(self._epoch, 0)
        self._under_way = True
        it = _ShownPass(self) if self.verbose else _Pass(self)
        self._pass = weakref.ref(it)
        return it

    def _completed(self) -> None:
        self._under_way = False
        self._epoch = self._epoch + 1 if self._chosen is None else self._chosen
        self._chosen = None

    def _wrap(self, batch: _core.Batch) -> Any:
        return Batch(batch, self._form, self.pack)

    def set_epoch(self, epoch: int) -> None:
        """Which epoch the next pass is of.

        After load_state_dict() the epoch that was restored goes on from where it was; any other begins at its beginning.
        """
        epoch = natural("epoch", epoch, 0, 64)
        if self._under_way and self._pass() is not None:
            self._chosen = epoch    # for the pass after the one that somebody is in
            return
        if self._placed and epoch == self._epoch:
            return
        self._epoch, self._placed, self._under_way, self._chosen = epoch, False, False, None

    @property
    def epoch(self) -> int:
        """The epoch of the pass that is under way, or else of the next one."""
        return self._epoch

    @property
    def position(self) -> int:
        """How many samples of the epoch, of all ranks, lie behind the last batch."""
        return self._core.position()[1] if self._under_way or self._placed else 0

    # ---- where it is, kept and found again ----

    def state_dict(self) -> dict[str, Any]:
        """Where the loader is: plain values, for torch.save() or json. O(1), also in the middle of an epoch."""
        return {"version": VERSION, "epoch": self.epoch, "position": self.position, "state": self._core.save().hex()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on where state_dict() was taken, in O(1).

        Pack, order and seed must be the same; ranks, threads and batch sizes may be others (but for the orders "local"
        and "opportunistic", which belong to one number of ranks). ValueError: they are not, or this is no state.
        """
        try:
            version, epoch, position = state["version"], state["epoch"], state["position"]
            saved = bytes.fromhex(state["state"])
        except (KeyError, TypeError, ValueError) as e:
            raise ValueError("not the state of a loader: %s" % e) from None
        if version != VERSION:
            raise ValueError("the state of another version of the loader: %r" % (version,))
        try:
            epoch = natural("epoch", epoch, 0, 64)
        except TypeError as e:
            raise ValueError("not the state of a loader: %s" % e) from None
        self._core.restore(saved)   # refused, it changes nothing
        self._pass = _nothing
        self._epoch, self._placed, self._under_way, self._chosen = epoch, False, False, None
        if position == 0:
            return      # a beginning: nothing needs to be placed
        if self._core.position() != (epoch, position):
            raise ValueError("not the state of a loader: its parts do not belong together")
        self._placed = True

    # ---- what it tells about itself ----

    @property
    def samples(self) -> int:
        """How many samples an epoch has, for all ranks."""
        return self._samples

    @property
    def schema(self) -> Schema | None:
        """What a sample is in batch.data, if all are arrays of one type and shape; else None."""
        return self._form.schema

    @property
    def randomness(self) -> float:
        """How random the order is: its entropy over that of a full shuffle. 0: always the same; 1: a full shuffle."""
        return self._randomness

    @property
    def stats(self) -> dict[str, Any]:
        """Counters since the loader was made: what was handed out, and where the time went.

        batches, samples, bytes    handed out
        bad                        samples left out
        reads, read_bytes          from storage; the rest was in memory
        verified                   samples whose checksum was compared
        waited_io_ns               the program waited for storage
        waited_work_ns             the program waited for checking, decompressing, decoding
        waited_consumer_ns         the threads waited for the program
        work_ns                    the threads worked, all together
        elapsed_ns                 since the first pass began
        wait_share                 of elapsed_ns, what the program waited
        """
        s: dict[str, Any] = self._core.stats()
        s["wait_share"] = (s["waited_io_ns"] + s["waited_work_ns"]) / max(1, s["elapsed_ns"])
        return s

    # ---- the end ----

    def close(self) -> None:
        """Ends the threads and frees what was read ahead. Batches that are held stay valid."""
        self._core.close()

    def __enter__(self) -> Loader:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<sluice.Loader of %s, %d batches, rank %d of %d>" % (
            self.pack.path, self._batches, self.rank, self.world)


class _Pass:
    """One pass over an epoch; void as soon as another one begins."""

    __slots__ = ("_loader", "_next", "_wrap", "__weakref__")

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self._next = loader._core.next
        self._wrap = loader._wrap

    def __iter__(self) -> _Pass:
        return self

    def __next__(self) -> Any:
        if self._loader._pass() is not self:
            raise RuntimeError("another pass over this loader has begun; a loader is in one epoch at a time")
        if not self._loader._under_way:
            raise StopIteration
        batch = self._next()
        if batch is None:
            if self._loader._under_way and self._loader._pass() is self:     # another thread may have seen the end too
                self._loader._completed()
            raise StopIteration
        return self._wrap(batch)


class _ShownPass(_Pass):
    """One with a progress line. It has a __del__, in which a KeyboardInterrupt would be lost: so only where it is asked for."""

    __slots__ = ("_progress",)

    def __init__(self, loader: Loader) -> None:
        from ._progress import Progress

        super().__init__(loader)
        self._progress: Progress | None = Progress(
            loader._epoch, -(-loader._samples // loader.world), loader._core.stats)

    def __next__(self) -> Any:
        try:
            batch = super().__next__()
        except StopIteration:
            self._end()
            raise
        if self._progress:
            self._progress.tick()
        return batch

    def _end(self) -> None:
        progress, self._progress = self._progress, None
        if not progress:
            return
        try:
            progress.end()
        except (ValueError, OSError):
            pass    # stderr is closed: no reason to fail

    def __del__(self) -> None:
        try:
            self._end()
        except (AttributeError, TypeError):
            pass    # half made, or the interpreter is ending


def _nothing() -> None:
    return None


def _turn(rank: int | str, world: int | None) -> tuple[int, int]:
    if isinstance(rank, str) and rank == "env":
        try:
            rank = int(os.environ["RANK"])
            world = int(os.environ["WORLD_SIZE"]) if world is None else world
        except (KeyError, ValueError):
            raise ValueError('rank="env": RANK and WORLD_SIZE are not set to numbers') from None
    world = natural("world", 1 if world is None else world, 1, 32)
    rank = natural("rank", rank, 0, 32)
    if rank >= world:
        raise ValueError("rank=%d, world=%d: ranks count from 0 to world - 1" % (rank, world))
    return rank, world


def _order(shuffle: str | bool | None) -> str:
    if shuffle is None or isinstance(shuffle, bool):
        return "global" if shuffle else "sequential"
    if not isinstance(shuffle, str):
        raise TypeError("shuffle=%r: must be the name of an order" % (shuffle,))
    return shuffle


def _on_bad(on_error: OnError, pack: Pack, bad: deque[BadSample]) -> Callable[[int, Exception], None] | None:
    """What the core calls. It refers to no loader, so that a loader that is dropped is freed at once."""
    if on_error == "raise":
        return None
    if on_error != "skip" and not callable(on_error):
        raise ValueError('on_error=%r: must be "raise", "skip" or a function' % (on_error,))

    def left_out(index: int, error: Exception) -> None:
        if callable(on_error):
            on_error(index, error)
        try:
            key = pack.key(index)
        except (ValueError, OSError):   # the pack is closed, or the name is damaged too
            key = ""
        bad.append(BadSample(index, key, error))

    return left_out
