#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A pack goes to other processes, by fork and by pickle, and is shared by threads."""
import multiprocessing
import os
import pickle
import shutil
import threading

from pypack import blobs, main, raises, sluice


def digest(pack, part):
    return [(i, pack[i]) for i in range(part, len(pack), 2)]


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
