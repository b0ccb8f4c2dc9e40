# SPDX-License-Identifier: MIT
"""Sweeps: the k-th call fails, k = 1, 2, 3, ... until a run in which none did.

Two rules from the trade: an armed fault that did not fire though its call was reached
is a failing test; and a sweep that never fired proves nothing.
"""
from harness import check, sluice


def sweep(args, faults, before, after, start=1, step=1, most=20000, timeout=60):
    """Runs `sluice ARGS` with FAULT_AT = start, start + step, ...

    before()          called ahead of every run
    after(done, k)    called with every run in which the fault fired
    Returns how many faults fired, and the last run (which saw none).
    """
    fired, k = 0, start
    while True:
        check(k <= most, "no end of the sweep after %d calls", most)
        before()
        done = sluice(*args, faults=dict(faults, AT=k), timeout=timeout)
        if not done.report.fired:
            check(done.report.calls < k, "call %d was reached and its fault did not fire", k)
            check(done.code == 0, "without a fault it must succeed: %s", done)
            break
        fired += 1
        after(done, k)
        k += step
    check(fired > 0, "not one fault fired: %s", " ".join(args))
    return fired, done


def ended_well(done, k):
    """What holds for any run with a fault: no crash, a verdict, one sentence, nothing leaked."""
    where = "fault at call %d (%s)" % (k, done.report.name)
    check(done.code != 1, "%s: a sound pack is called damaged: %s %r", where, done, done.out[:300])
    check(done.code in (0, 2), "%s: %s", where, done)
    if done.code:
        check(done.one_sentence(), "%s: not one sentence: %s", where, done)
    check(done.report.fds_after <= done.report.fds_before, "%s: %d descriptors leaked", where,
          done.report.fds_after - done.report.fds_before)
    return where
