# SPDX-License-Identifier: MIT
"""Spans: what a program spends its time on, for `sluice trace`. Elsewhere they cost next to nothing and do nothing."""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from threading import get_ident
from typing import Any, Generic, TypeVar

from . import _core
from ._core import tracing

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

NOT_PLAIN = 0x20 | 0x80 | 0x200     # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR


class span(_core.Span):
    """A named stretch of this thread's time: `with sluice.span("train-step"):`, or a decorator of functions.

    kind is "compute" (the work that I/O should hide behind), "wait" (for data), "io" (that is not made of file calls),
    "decode" (the loader's own work), "checkpoint", "epoch" (contains others; index is its number) or "other".
    Spans of a thread nest. Use few different names; index is a number, or -1. A span may be made once and used often.
    """
    __slots__ = ()

    def __call__(self, function: F) -> F:
        code = getattr(function, "__code__", None)
        if code is not None and code.co_flags & NOT_PLAIN:
            raise TypeError("a span cannot decorate %s, which is a generator or a coroutine: its time is spent "
                            "elsewhere; use `with` inside" % getattr(function, "__qualname__", function))

        @functools.wraps(function)
        def wrapper(*args: Any, **kw: Any) -> Any:
            with self:
                return function(*args, **kw)
        return wrapper  # type: ignore[return-value]


class watch(Generic[T]):
    """Goes through @iterable, a DataLoader or whatever gives batches, and tells `sluice trace` who waits for whom.

    The time inside of next(), and of iter(), is a "wait" span; the loop's body, until the next batch is asked for, a
    "compute" span. With @epoch the whole pass is an "epoch" span of that number. Names are as given. A pass that is
    left (break, an exception) ends its spans there. len() is the iterable's. Where nothing is traced, iter() gives the
    iterable's own iterator.
    """
    __slots__ = ("_iterable", "_epoch", "_wait", "_step")

    def __init__(self, iterable: Iterable[T], epoch: int | None = None, *, wait: str = "data-wait",
                 step: str = "train-step") -> None:
        self._iterable = iterable
        self._epoch = None if epoch is None else span("epoch", "epoch", epoch)
        self._wait = span(wait, "wait")
        self._step = span(step, "compute")

    def __len__(self) -> int:
        return len(self._iterable)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[T]:
        return self._pass() if tracing() else iter(self._iterable)

    def _pass(self) -> Iterator[T]:
        thread = get_ident()
        depth = 0       # spans of this pass that are open; no `with`: a pass may be dropped in another thread
        if self._epoch is not None:
            self._epoch.begin()
            depth += 1
        try:
            self._wait.begin()
            depth += 1
            it = iter(self._iterable)
            for item in it:
                self._wait.end()
                self._step.begin()
                yield item
                item = None     # type: ignore[assignment]  # the loop's batch is not kept while the next one comes
                self._step.end()
                self._wait.begin()
        finally:
            if get_ident() == thread:
                for _ in range(depth):
                    self._wait.end()
