#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A damaged sample ends the epoch, is left out, or goes to a callback, as on_error says. It is never in a batch."""
from pypack import damage, main, np, pack_of, raises, sluice

BAD = {7, 8, 30}


def test(tmp):
    rng = np.random.default_rng(1)
    files = {"a/%03d" % i: rng.bytes(500 + i) for i in range(50)}
    path = pack_of(tmp, "data", files, "--codec", "none")
    for i in BAD:
        damage(path, "a/%03d" % i)
    pack = sluice.open(path)

    # raise: the batches before it come; the sentence names the sample.
    loader = sluice.Loader(pack, 5)
    it = iter(loader)
    assert list(next(it).indices) == [0, 1, 2, 3, 4]
    e = raises(sluice.DamageError, next, it)
    assert "sample 7" in str(e) or "a/007" in str(e), e
    assert loader.position == loader.state_dict()["position"] == 5      # what was handed out before counts
    assert list(next(iter(loader)).indices) == [0, 1, 2, 3, 4]      # it can be used again

    # skip: counted and named.
    loader = sluice.Loader(pack, 5, shuffle="global", on_error="skip", threads=2)
    got = {int(i): bytes(s) for b in loader for i, s in zip(b.indices, b)}
    assert got == {i: files["a/%03d" % i] for i in range(50) if i not in BAD}
    assert loader.stats["bad"] == 3 and {b.index for b in loader.bad} == BAD
    assert {b.key for b in loader.bad} == {"a/%03d" % i for i in BAD}
    assert all(isinstance(b.error, sluice.DamageError) for b in loader.bad)

    # Also when the pack was closed meanwhile: then without its key.
    with sluice.open(path) as closed:
        loader = sluice.Loader(closed, 5, on_error="skip")
    assert sum(len(b) for b in loader) == 47 and {b.index for b in loader.bad} == BAD

    # A callback: what it raises comes out unchanged.
    seen = []

    def note(index, error):
        seen.append(index)
        assert isinstance(error, sluice.DamageError) and error.errno
        raises(RuntimeError, lambda: loader.stats)      # not from inside
        if index == 30:
            raise LookupError("not that one")

    loader = sluice.Loader(pack, 5, on_error=note)
    it = iter(loader)
    batches = []
    e = raises(LookupError, lambda: batches.extend(it))
    assert e.args == ("not that one",) and e.__traceback__.tb_next is not None and seen == [7, 8, 30]
    assert [len(b) for b in sluice.Loader(pack, 5, on_error="skip")][:2] == [5, 3]
    assert loader.stats["bad"] == 2

    # A batch of bad samples alone is empty or does not come; nothing else is lost.
    loader = sluice.Loader(pack, 1, on_error="skip")
    assert [i for b in loader for i in b.indices] == [i for i in range(50) if i not in BAD]


main(test)
