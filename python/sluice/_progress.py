# SPDX-License-Identifier: MIT
"""The progress line of verbose loaders: on a terminal one line, four times a second; else one line an epoch."""
from __future__ import annotations

import sys
import time
from collections.abc import Callable

INTERVAL = 0.25


class Progress:
    """One pass over an epoch. @stats gives the loader's counters."""

    def __init__(self, epoch: int, samples: int, stats: Callable[[], dict[str, int]]) -> None:
        self._epoch = epoch
        self._samples = samples
        self._stats = stats
        self._before = stats()
        self._began = time.monotonic()
        self._next = self._began + INTERVAL
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._width = 0
        self._ended = False

    def line(self) -> str:
        now = self._stats()
        took = max(time.monotonic() - self._began, 1e-9)
        d = {k: now[k] - v for k, v in self._before.items()}
        waited = (d["waited_io_ns"] + d["waited_work_ns"]) / 1e9
        return "epoch %d: %d of %d samples, %.0f samples/s, %.1f MB/s, waited %.0f %%, %d bad" % (
            self._epoch, d["samples"], self._samples, d["samples"] / took, d["bytes"] / took / 1e6,
            100 * min(1.0, waited / took), d["bad"])

    def tick(self) -> None:
        """After each batch."""
        if self._terminal and time.monotonic() >= self._next:
            self._next = time.monotonic() + INTERVAL
            self._write("\r", "")

    def end(self) -> None:
        """Once, however the pass ended."""
        if not self._ended and sys.stderr is not None:
            self._ended = True
            self._write("\r" if self._terminal else "", "\n")

    def _write(self, before: str, after: str) -> None:
        line = self.line()
        print(before + line.ljust(self._width if self._terminal else 0), end=after, file=sys.stderr, flush=True)
        self._width = len(line)
