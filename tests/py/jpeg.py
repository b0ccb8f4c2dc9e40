#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""decode=Jpeg(...) through the loader: Pillow's pixels, in the shape, type and layout asked for, whatever the threads."""
import io
import os
import subprocess
import sys

from pypack import check, main, np, raises, skip, sluice, succeed

try:
    from PIL import Image
except ImportError:
    skip("there is no Pillow")

N = 12
JPEGTREE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib", "jpegtree.py")


def pixels(pack, batch_size=5, how=None, **jpeg):
    """All images of one epoch, by sample."""
    result = {}
    for batch in sluice.Loader(pack, batch_size, decode=sluice.Jpeg(**jpeg), **(how or {})):
        result.update(zip(batch.indices.tolist(), batch.data.copy()))
    return np.stack([result[i] for i in range(N)])


def psnr(a, b):
    return 10 * np.log10(255**2 / max(1e-9, np.mean((a.astype(float) - b.astype(float)) ** 2)))


def pillow(pack, size=None, box=None):
    images = (Image.open(io.BytesIO(data)).convert("RGB") for data in pack)
    if size:
        images = (i.resize((size, size), Image.BILINEAR, box=box) for i in images)
    return np.stack([np.asarray(i).transpose(2, 0, 1) for i in images])


def plain(pack):
    whole, small = pillow(pack), pillow(pack, 32)
    got = pixels(pack)
    assert got.dtype == np.uint8 and got.shape == (N, 3, 96, 96)
    assert (pixels(pack, exact=True) == whole).all()
    assert (pixels(pack, size=32, exact=True) == small).all()
    check(psnr(got, whole) > 35, "full size: %.1f dB", psnr(got, whole))
    check(psnr(pixels(pack, size=32), small) > 30, "resized: %.1f dB", psnr(pixels(pack, size=32), small))
    assert (pixels(pack, size=32, layout="NHWC").transpose(0, 3, 1, 2) == pixels(pack, size=32)).all()
    assert pixels(pack, size=(16, 48)).shape == (N, 3, 16, 48)
    assert pixels(pack, size=32, channels=1).shape == (N, 1, 32, 32)
    mean, std = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    f = pixels(pack, size=32, exact=True, dtype="float32", mean=mean, std=std)
    want = (small / 255 - np.reshape(mean, (3, 1, 1))) / np.reshape(std, (3, 1, 1))
    assert f.dtype == np.float32 and np.abs(f - want).max() < 1e-4


def random(pack):
    jpeg = {"size": 32, "crop": "random-resized", "flip": True}
    first = pixels(pack, how={"seed": 1, "threads": 1}, **jpeg)
    for how in ({"threads": 4}, {"shuffle": "global"}, {"batch_size": 12}):
        size = how.pop("batch_size", 5)
        assert (pixels(pack, size, how={"seed": 1, **how}, **jpeg) == first).all(), how
    assert not (pixels(pack, how={"seed": 2}, **jpeg) == first).all()
    loader = sluice.Loader(pack, N, seed=1, decode=sluice.Jpeg(**jpeg))
    zero, one = next(iter(loader)).data.copy(), None
    loader.set_epoch(1)
    one = next(iter(loader)).data.copy()
    assert (zero == first).all() and not (one == zero).all()
    assert loader.schema.shape == (3, 32, 32) and loader.schema.dtype == "|u1"
    flipped = pixels(pack, flip=True, exact=True)
    whole = pillow(pack)
    mirrored = [bool((f == w[:, :, ::-1]).all()) for f, w in zip(flipped, whole)]
    assert all(m or (f == w).all() for m, f, w in zip(mirrored, flipped, whole)) and 0 < sum(mirrored) < N


def test(tmp):
    tree = os.path.join(tmp, "tree")
    subprocess.run([sys.executable, JPEGTREE, "--count", str(N), "--classes", "3", "--size", "96", tree], check=True)
    succeed("pack", tree, "-o", tree + ".slu", "-q", "--labels", "dir")
    pack = sluice.open(tree + ".slu")
    assert len(pack) == N
    try:
        sluice.Loader(pack, 5, decode=sluice.Jpeg())
    except OSError as e:
        skip(str(e))    # built without libjpeg
    plain(pack)
    center = pixels(pack, size=32, crop="center", cover=1.0, exact=True)
    assert (center == pillow(pack, 32)).all()       # square images: the whole
    random(pack)
    for wrong in ({"crop": "corner"}, {"dtype": "int8"}, {"layout": "HWCN"}):
        raises(ValueError, sluice.Jpeg, **wrong)
    for wrong in ({"crop": "center"}, {"size": 1 << 20}, {"size": 8, "channels": 2}):
        raises(ValueError, sluice.Loader, pack, 5, decode=sluice.Jpeg(**wrong))
    # Images that come out as they are must be of one size, also if the number of pixels is the same.
    one = os.path.join(tree, sorted(os.listdir(tree))[0], "0.jpg")
    Image.new("RGB", (48, 192)).save(one)
    succeed("pack", tree, "-o", tree + "1.slu", "-q")
    e = raises(ValueError, list, sluice.Loader(tree + "1.slu", 5, decode=sluice.Jpeg()))
    assert "give a size" in str(e) and "48x192" in str(e), e
    assert sum(len(b) for b in sluice.Loader(tree + "1.slu", 5, decode=sluice.Jpeg(size=8))) == N + 1
    # What is no image is a bad sample.
    with open(os.path.join(tree, sorted(os.listdir(tree))[0], "0.jpg"), "wb") as f:
        f.write(b"no image")
    succeed("pack", tree, "-o", tree + "2.slu", "-q")
    e = raises(OSError, list, sluice.Loader(tree + "2.slu", 5, decode=sluice.Jpeg(size=32)))
    assert "0.jpg" in str(e) and "sample" in str(e), e      # which one it was
    loader = sluice.Loader(tree + "2.slu", 5, decode=sluice.Jpeg(size=32), on_error="skip")
    assert sum(len(b) for b in loader) == N and loader.stats["bad"] == 1
    try:
        import torch
        from sluice.torch import Dataset, Loader
    except ImportError:
        return
    images, labels = next(iter(Loader(pack, N, decode=sluice.Jpeg(exact=True))))
    assert isinstance(images, torch.Tensor) and (images.numpy() == pillow(pack)).all() and labels.shape == (N,)
    image, label = Dataset(pack, decode="pil")[0]
    assert image.mode == "RGB" and image.size == (96, 96) and label == 0


main(test)
