#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""state_dict() in the middle of an epoch: what comes after is what would have come, on any number of ranks."""
import json
import signal
import time

from pypack import ONCE, SHUFFLES, blobs, main, raises, sluice


def take(it, n):
    return [i for _, b in zip(range(n), it) for i in b.indices]


def same_rank(pack):
    for shuffle in SHUFFLES:
        for stop in (0, 1, 3, 6, 7):
            loader = sluice.Loader(pack, 16, shuffle=shuffle, seed=4)
            loader.set_epoch(2)
            it = iter(loader)
            before = take(it, stop)
            state = json.loads(json.dumps(loader.state_dict()))
            assert state["epoch"] == 2 and state["position"] == min(16 * stop, 100) == loader.position
            after = take(it, 100)
            again = sluice.Loader(pack, 16, shuffle=shuffle, seed=4, threads=1)
            again.load_state_dict(state)
            assert again.epoch == 2 and again.position == state["position"] and again.state_dict() == state
            again.set_epoch(2)      # as training loops do; the restored epoch goes on
            got = [i for b in again for i in b.indices]
            if shuffle.startswith("opportunistic"):
                assert sorted(before + got) == list(range(100)), stop
            else:
                assert got == after, (shuffle, stop)
            assert again.epoch == 3 and len(again) == 7
            assert len([i for b in again for i in b.indices]) == 100     # and the next one is whole


def elastic(pack):
    for shuffle in ("sequential", "global", "block:8", "grouped:label:20"):
        loaders = [sluice.Loader(pack, 2, shuffle=shuffle, seed=9, rank=r, world=8) for r in range(8)]
        parts = [take(iter(l), 3) for l in loaders]
        states = [l.state_dict() for l in loaders]
        assert [s["position"] for s in states] == [48] * 8
        rest = []
        for r in range(6):
            l = sluice.Loader(pack, 3, shuffle=shuffle, seed=9, rank=r, world=6)
            l.load_state_dict(states[(r + 3) % 8])      # any rank's will do
            rest.append([i for b in l for i in b.indices])
        assert len({len(r) for r in rest}) == 1
        done = sorted(sum(parts, []))
        assert len(set(done)) == 48
        then = [i for turn in zip(*rest) for i in turn][:52]    # the last turn is filled up
        assert sorted(done + then) == list(range(100)), shuffle


def whole_epochs(pack):
    loader = sluice.Loader(pack, 16, shuffle="global")
    assert loader.state_dict()["epoch"] == 0
    zero = take(iter(loader), 100)
    state = loader.state_dict()     # behind the end is the beginning of the next one
    assert (state["epoch"], state["position"]) == (1, 0)
    one = take(iter(loader), 100)
    loader.load_state_dict(state)
    assert take(iter(loader), 100) == one != zero
    loader.set_epoch(7)
    assert (loader.state_dict()["epoch"], loader.position) == (7, 0)
    # Another epoch than the restored one begins at its beginning.
    it = iter(loader)
    take(it, 2)
    state = loader.state_dict()
    loader.load_state_dict(state)
    raises(RuntimeError, next, it)
    loader.set_epoch(1)
    assert take(iter(loader), 100) == one


def refused(pack):
    loader = sluice.Loader(pack, 16, shuffle="global", seed=1)
    take(iter(loader), 2)
    state = loader.state_dict()
    for wrong in ({}, {**state, "version": 2}, {**state, "state": "zz"}, {**state, "state": "00"}, {**state, "epoch": -1},
                  {**state, "position": 3}, [], {**state, "state": state["state"][:-2]}):
        raises(ValueError, loader.load_state_dict, wrong)
    for how in ({"seed": 2}, {"shuffle": "sequential"}):
        raises(ValueError, sluice.Loader(pack, 16, **{"shuffle": "global", "seed": 1, **how}).load_state_dict, state)
    # What is refused changes nothing: the pass that is under way goes on.
    other = sluice.Loader(pack, 16, shuffle="global", seed=2)
    it = iter(other)
    first = list(next(it).indices)
    raises(ValueError, other.load_state_dict, {**state, "epoch": 77})
    assert other.epoch == 0 and len(next(it)) == 16
    assert list(next(iter(other)).indices) == first


def signalled(pack):
    """A signal handler may save the state while the program waits for a batch."""
    loader = sluice.Loader(pack, 1, shuffle="global")
    states = []
    before = signal.signal(signal.SIGALRM, lambda *_: states.append(loader.state_dict()))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        until = time.monotonic() + 30
        while len(states) < 20 and time.monotonic() < until:
            assert len(take(iter(loader), 1000)) == 100
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(states) >= 20 and all(s["version"] == 1 for s in states)


def test(tmp):
    path, _ = blobs(tmp)
    pack = sluice.open(path)
    assert set(ONCE) < set(SHUFFLES)
    same_rank(pack)
    elastic(pack)
    whole_epochs(pack)
    refused(pack)
    signalled(pack)
    loader = sluice.Loader(pack, 16, shuffle="global")
    began = time.perf_counter()
    for _ in range(100):
        loader.state_dict()
    assert time.perf_counter() - began < 5     # O(1): nothing goes through samples


main(test)
