#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The loader against what else brings samples to Python:  bench-load.py BUILD WORKDIR ROUNDS [SECTION...]

Sections: blobs, cifar, torch, jpeg, cold (all that there is data for, if none is named). WORKDIR holds blobs/ and,
where the real data is at hand, cifar/. Competitors take turns, once a round, after one that does not count; the figures
are medians, with the spread. Every run checks the number of samples and of bytes that it delivered.
"""
import contextlib
import os
import pathlib
import random
import shutil
import statistics
import struct
import subprocess
import sys
import time
import zipfile

import numpy

BUILD, WORK, ROUNDS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), int(sys.argv[3])
sys.path.insert(0, str(BUILD / "python"))
import sluice  # noqa: E402

SLUICE = str(BUILD / "sluice")


def table(title, rivals, limit=None, unit="samples/s", fmt="%.0f"):
    """Runs all of them in turns. rivals: {name: function giving (units, seconds)}. Ratios are to the first one."""
    times = {name: [] for name in rivals}
    for turn in range(-1, ROUNDS):
        for name, run in rivals.items():
            units, seconds = run(turn)
            if turn >= 0:
                times[name].append(units / seconds)
    first = statistics.median(next(iter(times.values())))
    print("\n%s (%d rounds in turns)\n  %-44s %14s  %-26s %s" % (title, ROUNDS, "", unit, "least .. most", "of the first"))
    for name, t in times.items():
        m = statistics.median(t)
        print("  %-44s %14s  %-26s %.2f" % (name, fmt % m, (fmt + " .. " + fmt) % (min(t), max(t)), m / first))
    sys.stdout.flush()
    return {name: statistics.median(t) for name, t in times.items()}


def timed(epoch, want):
    """An epoch as a competitor: epoch(turn) gives (samples, bytes), which must be what they are."""
    def run(turn):
        start = time.perf_counter()
        got = epoch(turn)
        seconds = time.perf_counter() - start
        assert got == want, (got, want)
        return got[0], seconds
    return run


# ---- rivals; each gives whole batches: contiguous bytes, and where each sample begins --------------------------------

class Rivals:
    def __init__(self, tree, batch):
        self.batch = batch
        self.files = sorted(str(p) for p in tree.rglob("*") if p.is_file())
        sizes = [os.path.getsize(f) for f in self.files]
        self.n, self.bytes = len(sizes), sum(sizes)
        self.offsets = numpy.concatenate([[0], numpy.cumsum(sizes)])
        self.dir = WORK / ("rivals-" + tree.name)
        shutil.rmtree(self.dir, ignore_errors=True)
        self.dir.mkdir()
        self.exits = contextlib.ExitStack()
        self.exits.callback(shutil.rmtree, self.dir, ignore_errors=True)
        with open(self.dir / "flat", "wb") as out:
            for f in self.files:
                out.write(pathlib.Path(f).read_bytes())
        self.map = numpy.memmap(self.dir / "flat", numpy.uint8, "r")
        self.view = memoryview(self.map)

    def batches(self, turn):
        order = list(range(self.n))
        random.Random(turn).shuffle(order)
        for k in range(0, self.n, self.batch):
            yield order[k:k + self.batch]

    def joined(self, read):
        def epoch(turn):
            samples = total = 0
            for batch in self.batches(turn):
                parts = read(batch)
                offsets = numpy.zeros(len(parts) + 1, numpy.int64)
                numpy.cumsum([len(p) for p in parts], out=offsets[1:])
                data = numpy.frombuffer(b"".join(parts), numpy.uint8)
                samples += len(parts)
                total += data.size
            return samples, total
        return timed(epoch, (self.n, self.bytes))

    def plain(self, files):
        def read(batch):
            parts = []
            for i in batch:
                with open(files[i], "rb") as f:
                    parts.append(f.read())
            return parts
        return self.joined(read)

    def mmap_join(self):
        view, offsets = self.view, self.offsets.tolist()
        return self.joined(lambda batch: [view[offsets[i]:offsets[i + 1]] for i in batch])

    def mmap_concatenate(self):
        data, at = self.map.view(numpy.ndarray), self.offsets.tolist()

        def epoch(turn):
            samples = total = 0
            for batch in self.batches(turn):
                parts = [data[at[i]:at[i + 1]] for i in batch]
                offsets = numpy.zeros(len(parts) + 1, numpy.int64)
                numpy.cumsum([p.size for p in parts], out=offsets[1:])
                samples += len(parts)
                total += numpy.concatenate(parts).size
            return samples, total
        return timed(epoch, (self.n, self.bytes))

    def lmdb(self):
        import lmdb
        env = lmdb.open(str(self.dir / "lmdb"), map_size=1 << 34, subdir=False, readahead=False)
        with env.begin(write=True) as txn:
            for i in range(self.n):
                txn.put(struct.pack(">Q", i), bytes(self.view[self.offsets[i]:self.offsets[i + 1]]))
        self.exits.callback(env.close)
        txn = self.exits.enter_context(env.begin(buffers=True))
        keys = [struct.pack(">Q", i) for i in range(self.n)]
        return self.joined(lambda batch: [txn.get(keys[i]) for i in batch])

    def hdf5(self):
        import h5py
        f = h5py.File(self.dir / "h5", "w")
        data = f.create_dataset("data", data=self.map)
        self.exits.callback(f.close)
        at = self.offsets.tolist()
        return self.joined(lambda batch: [memoryview(data[at[i]:at[i + 1]]) for i in batch])

    def zip(self):
        with zipfile.ZipFile(self.dir / "zip", "w") as z:
            for i in range(self.n):
                z.writestr(str(i), bytes(self.view[self.offsets[i]:self.offsets[i + 1]]))
        z = self.exits.enter_context(zipfile.ZipFile(self.dir / "zip"))
        return self.joined(lambda batch: [z.read(str(i)) for i in batch])

    def erofs(self, tree):
        """None where it cannot be mounted."""
        image, point = self.dir / "erofs.img", self.dir / "erofs"
        point.mkdir()
        if not shutil.which("mkfs.erofs") or subprocess.run(["mkfs.erofs", "--quiet", image, tree]).returncode or \
                subprocess.run(["mount", "-t", "erofs", "-o", "loop,ro", image, point], stderr=subprocess.DEVNULL).returncode:
            return None
        self.exits.callback(subprocess.run, ["umount", point])
        return self.plain([str(point / os.path.relpath(f, tree)) for f in self.files])


class Limit:
    """memcpy-loop, asked for one epoch a turn."""

    def __init__(self, pack, batch, n):
        self.n = n
        self.child = subprocess.Popen([BUILD / "bench/memcpy-loop", pack, str(batch)], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)

    def run(self, turn):
        self.child.stdin.write("\n")
        self.child.stdin.flush()
        return self.n, float(self.child.stdout.readline())

    def close(self):
        self.child.stdin.close()
        self.child.wait()


def ours(pack, batch, threads, n, total, fresh=False):
    kept = sluice.Loader(pack, batch, shuffle="global", threads=threads)

    def epoch(turn):
        loader = sluice.Loader(pack, batch, shuffle="global", threads=threads) if fresh else kept
        samples = size = 0
        for b in loader:
            samples += len(b)
            size += b.data.size
        return samples, size
    return timed(epoch, (n, total))


def bytes_section(tree, batch, title):
    r = Rivals(tree, batch)
    pack = str(r.dir / "ours.slu")
    subprocess.run([SLUICE, "pack", "-q", str(tree), "-o", pack, "--codec", "none"], check=True)
    with r.exits:
        p = sluice.open(pack)
        limit = Limit(pack, batch, r.n)
        r.exits.callback(limit.close)
        rows = {
            "a bare memcpy loop in C (the limit)": limit.run,
            "sluice, 1 thread, verified before": ours(p, batch, 1, r.n, r.bytes),
            "sluice, 1 thread, while verifying": ours(p, batch, 1, r.n, r.bytes, fresh=True),
            "sluice, 2 threads, verified before": ours(p, batch, 2, r.n, r.bytes),
            "numpy mmap, join": r.mmap_join(),
            "numpy mmap, concatenate": r.mmap_concatenate(),
            "LMDB": r.lmdb(),
            "HDF5, one array": r.hdf5(),
            "zip (checks CRC32)": r.zip(),
            "plain files": r.plain(r.files),
            "erofs, kernel mount": r.erofs(tree),
        }
        if rows["erofs, kernel mount"] is None:
            del rows["erofs, kernel mount"]
            print("(erofs is left out: it cannot be mounted here)")
        m = table("%s, shuffled, in contiguous batches of %d, to Python" % (title, batch), rows)
    best = max((v, k) for k, v in m.items() if "sluice" not in k and "limit" not in k)
    print("  best rival: %s; sluice with 1 thread %.2f times, with 2 threads %.2f times that" % (
        best[1], m["sluice, 1 thread, verified before"] / best[0], m["sluice, 2 threads, verified before"] / best[0]))


# ---- through torch ----------------------------------------------------------------------------------------------------

def torch_section(tree, title):
    import torch
    from sluice.torch import Loader, collate

    class Files(torch.utils.data.Dataset):
        def __init__(self, files):
            self.files = files

        def __len__(self):
            return len(self.files)

        def __getitem__(self, i):
            with open(self.files[i], "rb") as f:
                return torch.frombuffer(bytearray(f.read()), dtype=torch.uint8)

    files = sorted(str(p) for p in tree.rglob("*") if p.is_file())
    total = sum(os.path.getsize(f) for f in files)
    pack = str(WORK / "torch.slu")
    subprocess.run([SLUICE, "pack", "-q", str(tree), "-o", pack, "--codec", "none", "--force"], check=True)
    dl = torch.utils.data.DataLoader(Files(files), 256, shuffle=True, num_workers=2, collate_fn=collate,
                                     persistent_workers=True)
    loader = Loader(pack, 256, shuffle="global", threads=2)

    def count(batches):
        def epoch(turn):
            samples = size = 0
            for data, offsets, _ in batches:
                samples += offsets.numel() - 1
                size += data.numel()
            return samples, size
        return timed(epoch, (len(files), total))

    table(title + ", raw bytes as tensors", {"DataLoader over plain files, 2 workers": count(dl),
                                             "sluice.torch.Loader, 2 threads": count(loader)})
    shutil.rmtree(pack)


# ---- images -------------------------------------------------------------------------------------------------------------

def make_photos(cifar, to, n=2000):
    """500x375, quality 90: collages of real CIFAR-10 images, each twice its size, so that there is detail as in photographs."""
    from PIL import Image
    files = sorted(str(p) for p in cifar.rglob("*.jpg"))
    pick = random.Random(1)
    to.mkdir()
    for k in range(n):
        photo = Image.new("RGB", (512, 384))
        for y in range(0, 384, 64):
            for x in range(0, 512, 64):
                photo.paste(Image.open(pick.choice(files)).resize((64, 64), Image.BICUBIC), (x, y))
        photo.crop((6, 4, 506, 379)).save(to / ("%04d.jpg" % k), quality=90)


def jpeg_section(cifar):
    import torch
    import torchvision.transforms as T
    from PIL import Image
    from sluice.torch import Loader
    torch.set_num_threads(1)
    tree, pack = WORK / "photos", str(WORK / "photos.slu")
    if not tree.exists():
        make_photos(cifar, WORK / "photos.partial")
        os.rename(WORK / "photos.partial", tree)
    subprocess.run([SLUICE, "pack", "-q", str(tree), "-o", pack, "--codec", "none", "--force"], check=True)
    files = sorted(str(p) for p in tree.iterdir())
    transform = T.Compose([T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.PILToTensor()])
    part = 300      # of the files, each turn

    def pillow(turn):
        start = time.process_time()
        mine = random.Random(turn).sample(files, part)
        for k in range(0, part, 50):
            images = []
            for f in mine[k:k + 50]:
                with open(f, "rb") as file:
                    images.append(transform(Image.open(file).convert("RGB")))
            assert torch.stack(images).shape[1:] == (3, 224, 224)
        return part, time.process_time() - start

    def native(exact):
        decode = sluice.Jpeg(size=224, crop="random-resized", flip=True, dtype="uint8", layout="NCHW", exact=exact)
        loader = Loader(pack, 50, shuffle="global", threads=1, decode=decode)

        def run(turn):
            start, n = time.process_time(), 0
            loader.set_epoch(turn + 1)
            for images, _ in loader:
                assert images.shape[1:] == (3, 224, 224)
                n += len(images)
            return n, time.process_time() - start
        return run

    size = sum(os.path.getsize(f) for f in files) / len(files) / 1024
    table("JPEG decoding, random-resized crop to 224, flip: 2,000 collages of CIFAR-10 images, 500x375, %.0f KiB; by CPU "
          "time, one thread" % size, {"PIL + torchvision transforms": pillow, "sluice.Jpeg": native(False),
                                      "sluice.Jpeg, exact (Pillow's bytes)": native(True)}, unit="images/CPU s")
    shutil.rmtree(pack)


# ---- from storage -------------------------------------------------------------------------------------------------------

def cold_child(pack, shuffle, rank, world):
    """One epoch of one rank, and nothing else, so that no page is mapped before."""
    loader = sluice.Loader(pack, 32, shuffle=shuffle, rank=rank, world=world, threads=2)
    start, n = time.perf_counter(), 0
    most = len(loader) if world > 1 else len(loader) // 4
    for k, b in enumerate(loader):
        n += len(b)
        if k + 1 == most:
            break
    print(n, time.perf_counter() - start, loader.stats["read_bytes"])


def cold_section():
    tree, pack = WORK / "cold", WORK / "cold.slu"
    if not pack.exists():
        subprocess.run([BUILD / "bench/make-blobs", tree, "4000", "112640", "112640"], check=True)
        subprocess.run([SLUICE, "pack", "-q", str(tree), "-o", str(pack), "--codec", "none"], check=True)
        shutil.rmtree(tree)

    def run(shuffle, world):
        def turn(k):
            for f in pack.iterdir():
                with open(f, "rb") as file:
                    os.fsync(file.fileno())
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            out = subprocess.run([sys.executable, __file__, str(BUILD), str(WORK), "1", "cold-child", str(pack), shuffle,
                                  str(k % world), str(world)], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
            assert int(out[2]) >= 0.5 * int(out[0]) * 112640, "the page cache was not empty: %s" % out
            return int(out[0]), float(out[1])
        return turn

    m = table("Cold cache: a quarter of 4,000 samples of 110 KiB, one rank of four, 2 threads",
              {"local shuffle": run("local", 4), "global shuffle": run("global", 4), "block:64": run("block:64", 4),
               "sequential (one rank, the first quarter)": run("sequential", 1)})
    print("  global takes %.2f times as long as local" % (m["local shuffle"] / m["global shuffle"]))


def main():
    sections = sys.argv[4:]
    if sections and sections[0] == "cold-child":
        return cold_child(sections[1], sections[2], int(sections[3]), int(sections[4]))
    blobs, cifar = WORK / "blobs", WORK / "cifar"

    def wanted(name, data):
        return (not sections or name in sections) and (data is None or data.is_dir())

    if wanted("blobs", blobs):
        bytes_section(blobs, 64, "20,000 blobs of 2-30 KiB")
    if wanted("cifar", cifar):
        bytes_section(cifar, 256, "60,000 JPEGs of 0.9 KB (CIFAR-10)")
    if wanted("torch", blobs):
        torch_section(blobs, "20,000 blobs of 2-30 KiB")
    if wanted("torch", cifar):
        torch_section(cifar, "60,000 JPEGs of 0.9 KB (CIFAR-10)")
    if wanted("jpeg", cifar):
        jpeg_section(cifar)
    if wanted("cold", None):
        cold_section()


if __name__ == "__main__":
    main()
