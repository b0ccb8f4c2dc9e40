# SPDX-License-Identifier: MIT
"""h5py: it locks, stats and preads with names of its own."""
import h5py
import numpy as np

from common import P, attempt, md5, p, show

Q = p("data.h5")
with h5py.File(Q, "r") as f:
    show("keys", sorted(f.keys()))
    f.visititems(lambda n, o: show(n, (type(o).__name__, getattr(o, "shape", None))))
    show("images", md5(f["images"][()].tobytes()))
    show("a slice", md5(f["images"][3:7, ::2].tobytes()))
    show("chunks", float(f["packed"][100:300].sum()))
    show("attribute", f["g/sub"].attrs["name"])
    out = np.empty((5,), "f8")
    f["g/sub/v"].read_direct(out)
    show("read_direct", out.tolist())
    attempt("write", lambda: f.create_dataset("x", data=1))
a, b = h5py.File(Q, "r"), h5py.File(Q, "r")
show("twice", (a["images"][1].sum() == b["images"][1].sum()))
a.close()
b.close()
for kw in ({"driver": "core"}, {"driver": "sec2"}, {"driver": "stdio"}, {"swmr": True}, {"libver": "latest"}, {"rdcc_nbytes": 0}):
    attempt(str(kw), lambda: md5(h5py.File(Q, "r", **kw)["images"][()].tobytes()))
with open(Q, "rb") as g, h5py.File(g, "r") as f:
    show("file object", md5(f["images"][()].tobytes()))
show("is_hdf5", (h5py.is_hdf5(Q), h5py.is_hdf5(p("comp.txt"))))


def opened(path, mode):
    try:
        h5py.File(path, mode).close()
        return "open"
    except OSError as e:
        return type(e).__name__     # its text holds times and threads


for mode in ("r+", "a", "w", "x"):
    show(mode, opened(Q, mode))
    show("new " + mode, opened(p("new.h5"), mode))
show("nothing", opened(p("no-such.h5"), "r"))
show("no file of it", opened(p("comp.txt"), "r"))
