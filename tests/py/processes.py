#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A pack goes to other processes, by fork and by pickle, and is shared by threads; a loader begins anew in a child."""
import multiprocessing
import os
import pickle
import shutil
import threading

from pypack import blobs, main, raises, sluice


def digest(pack, part):
    return [(i, pack[i]) for i in range(part, len(pack), 2)]


def forked_loader(pack, want):
    """The threads stay behind: the pass under way is an error in the child, a new one works; the parent goes on."""
    loader = sluice.Loader(pack, 10, shuffle=True, threads=2)
    it = iter(loader)
    seen = list(next(it).indices)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            raises(ChildProcessError, next, it)
            got = {int(i): bytes(s) for b in loader for i, s in zip(b.indices, b)}
            code = 0 if got == dict(enumerate(want)) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert sorted(seen + [i for b in it for i in b.indices]) == list(range(len(want)))


def test(tmp):
    path, files = blobs(tmp)
    want = [files[k] for k in sorted(files)]
    os.chdir(tmp)
    pack = sluice.open("blobs.slu", verify="once", io="pread")
    os.chdir("/")
    again = pickle.loads(pickle.dumps(pack))
    assert list(again) == want and again.path == path and again._how == ("once", "pread")
    pack = sluice.open(path)
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            got = dict(sum(pool.starmap(digest, [(pack, 0), (pack, 1)]), []))
            assert [got[i] for i in range(len(want))] == want, method

    forked_loader(pack, want)
    wrong = []

    def read():
        for _ in range(20):
            wrong.extend(i for i, data in enumerate(pack) if data != want[i])

    threads = [threading.Thread(target=read) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong

    # What was pickled is that pack, not another one under its name.
    kept = pickle.dumps(pack)
    shutil.rmtree(path)
    raises(FileNotFoundError, pickle.loads, kept)
    shutil.rmtree(os.path.join(tmp, "blobs"))
    blobs(tmp, seed=2)
    assert "replaced" in str(raises(OSError, pickle.loads, kept))


if __name__ == "__main__":  # spawned processes import this file
    main(test)
