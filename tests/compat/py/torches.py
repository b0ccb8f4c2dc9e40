# SPDX-License-Identifier: MIT
"""torch.load, torchvision's folders, DataLoader with worker processes by fork."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np  # noqa: E402
import torch  # noqa: E402
import torchvision  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402
from torchvision import transforms  # noqa: E402

from common import P, attempt, md5, p, show  # noqa: E402


class Raw(Dataset):
    """Reads with what scripts use: open, numpy, mmap."""

    def __init__(self):
        self.names = sorted(os.listdir(p("class-a")))

    def __len__(self):
        return len(self.names) * 3

    def __getitem__(self, i):
        with open(p("class-a", self.names[i % len(self.names)]), "rb") as f:
            n = sum(f.read())
        m = np.load(p("arrays/matrix.npy"), mmap_mode="r")
        return n, float(m[i].sum()), torch.from_numpy(np.array(m[i][:3]))


def pictures(path):
    return [d for d in sorted(os.listdir(path)) if d.startswith("class-")]


class Folder(torchvision.datasets.ImageFolder):
    def find_classes(self, directory):
        names = pictures(directory)
        return names, {n: i for i, n in enumerate(names)}


def loader_cases(method, workers, brief=False):
    tf = transforms.Compose([transforms.Resize((24, 24)), transforms.ToTensor()])
    folder = Folder(P, transform=tf)
    for n in workers:
        kw = {"num_workers": n, "multiprocessing_context": method if n else None}
        batches = [(md5(x.numpy().tobytes()), y.tolist()) for x, y in DataLoader(folder, batch_size=5, **kw)]
        show("%s %d" % (method, n), batches)
        if brief:
            continue
        show("raw", [(a.tolist(), md5(c.numpy().tobytes())) for a, b, c in DataLoader(Raw(), batch_size=6, **kw)])
        if n:
            loader = DataLoader(folder, batch_size=8, persistent_workers=True, prefetch_factor=4, **kw)
            show("epochs", [md5(b"".join(x.numpy().tobytes() for x, _ in loader)) for _ in range(2)])


def main():
    m = torch.load(p("model.pt"))
    show("load", (sorted(m), md5(m["w"].numpy().tobytes()), m["step"]))
    show("old format", md5(torch.load(p("old.pt"))[0].numpy().tobytes()))
    with open(p("model.pt"), "rb") as f:
        show("file object", md5(torch.load(f)["w"].numpy().tobytes()))
    attempt("nothing", torch.load, p("no-such.pt"))
    attempt("save", lambda: torch.save(m, p("new.pt")))
    show("from_file", md5(torch.from_file(p("arrays/raw.f64"), shared=False, size=1000, dtype=torch.float64).numpy().tobytes()))
    attempt("from_file shared", lambda: torch.from_file(p("arrays/raw.f64"), shared=True, size=1000, dtype=torch.float64).shape)
    show("FloatStorage", len(torch.FloatStorage.from_file(p("raw70k.bin"), shared=False, size=1000)))
    show("fromfile", md5(torch.from_numpy(np.fromfile(p("arrays/raw.f64"))).numpy().tobytes()))
    folder = Folder(P)
    show("ImageFolder", (folder.classes, [(os.path.relpath(q, P), c) for q, c in folder.samples]))
    show("samples", [md5(folder[i][0].tobytes()) for i in range(len(folder))])
    loader_cases("fork", (0, 2, 4))


if __name__ == "__main__":
    main()
