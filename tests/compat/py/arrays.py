# SPDX-License-Identifier: MIT
"""numpy, in the ways in which it reads."""
import numpy as np

from common import P, attempt, md5, p, show


def tell(what, a):
    show(what, (a.shape, str(a.dtype), type(a).__name__, md5(np.ascontiguousarray(a).tobytes())))


for name in ("vec", "matrix", "flat"):
    q = p("arrays/%s.npy" % name)
    tell("load " + name, np.load(q))
    for mode in ("r", "c"):
        m = np.load(q, mmap_mode=mode)
        tell("mmap_mode " + mode, m)
        tell("a slice", m[3:10])
        if mode == "c":
            m[0] = 7
            tell("changed", m)
    attempt("mmap_mode r+", np.load, q, mmap_mode="r+")
    with open(q, "rb") as f:
        tell("from a file object", np.load(f))
        show("tell", f.tell())
    with open(q, "rb") as f:
        f.seek(128)
        tell("fromfile", np.fromfile(f, dtype="f8" if name == "vec" else "i4", count=10))
        show("tell", f.tell())
        tell("the rest", np.fromfile(f, dtype="u1"))
raw = p("arrays/raw.f64")
tell("fromfile", np.fromfile(raw))
tell("offset", np.fromfile(raw, offset=80, count=5))
tell("memmap", np.memmap(raw, dtype="f8", mode="r", offset=800, shape=(100,)))
tell("memmap c", np.memmap(raw, dtype="f8", mode="c"))
attempt("memmap r+", np.memmap, raw, dtype="f8", mode="r+")
attempt("memmap w+", np.memmap, p("new"), dtype="f8", mode="w+", shape=(3,))
big = np.memmap(p("big.bin"), dtype="u1", mode="r")
tell("a large one", big)
show("its sum", int(big.sum()))
for name in ("set", "zset"):
    with np.load(p("arrays/%s.npz" % name)) as z:
        for k in sorted(z.files):
            tell(name + " " + k, z[k])
tell("loadtxt", np.loadtxt(p("text/numbers.txt")))
tell("genfromtxt", np.genfromtxt(p("text/numbers.txt"), dtype=int))
attempt("not there", np.load, p("no-such.npy"))
attempt("not an array", np.load, p("empty"))
attempt("save", np.save, p("new.npy"), np.zeros(3))
np.load(p("arrays/vec.npy")).tofile("copy")
show("copy", md5(open("copy", "rb").read()))
