#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes a small tree of real JPEG files in class folders, as image datasets have them.

    jpegtree.py [--count N] [--classes N] [--size PIXELS] [--seed N] [--learnable] DIR

--learnable: what an image shows depends on its class, so that a network can be trained.

Needs Pillow: exit 77 without. The same arguments give the same pixels; the bytes
depend on the JPEG library.
"""
import argparse
import os
import random
import sys

try:
    from PIL import Image, ImageDraw, ImageFilter
except ImportError:
    print("skipped: there is no Pillow")
    sys.exit(77)

NAMES = ("airplane", "bird", "boat", "car", "cat", "deer", "dog", "frog", "horse", "truck")


def picture(rng, size):
    """Shapes on a gradient with grain: about as compressible as a photograph."""
    base = Image.linear_gradient("L").resize((size, size)).rotate(rng.randrange(360))
    img = Image.merge("RGB", [base.point(lambda v, k=rng.uniform(0.4, 1): int(v * k)) for _ in range(3)])
    draw = ImageDraw.Draw(img)
    for _ in range(rng.randrange(6, 14)):
        x, y = rng.randrange(size), rng.randrange(size)
        r = rng.randrange(size // 16, size // 3)
        color = tuple(rng.randrange(256) for _ in range(3))
        rng.choice((draw.ellipse, draw.rectangle))((x - r, y - r, x + r, y + r), fill=color)
    img = img.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 2)))
    grain = Image.frombytes("L", (size, size), rng.randbytes(size * size)).convert("RGB")
    return Image.blend(img, grain, 0.08)


def learnable(rng, size, c):
    """Stripes under grain and a spot; slope and width tell the class, but neighbours overlap: nobody is right always."""
    wide = size * 3 // 2
    light, dark = (tuple(rng.randrange(low, low + 96) for _ in range(3)) for low in (160, 0))
    img = Image.new("RGB", (wide, wide), light)
    draw = ImageDraw.Draw(img)
    step = size // (8 if c % 2 else 4)
    for x in range(rng.randrange(step), wide, step):
        draw.rectangle((x, 0, x + step // 2 - 1, wide), fill=dark)
    img = img.rotate(c // 2 * 22.5 + rng.uniform(-14, 14), Image.BICUBIC)
    at = (wide - size) // 2
    img = img.crop((at, at, at + size, at + size))
    x, y, r = rng.randrange(size), rng.randrange(size), size // 4
    ImageDraw.Draw(img).ellipse((x - r, y - r, x + r, y + r), fill=tuple(rng.randrange(256) for _ in range(3)))
    grain = Image.frombytes("RGB", (size, size), rng.randbytes(3 * size * size))
    return Image.blend(img, grain, 0.4)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--count", type=int, default=200)
    ap.add_argument("--classes", type=int, default=10)
    ap.add_argument("--size", type=int, default=256)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--learnable", action="store_true")
    ap.add_argument("dir")
    arg = ap.parse_args()
    rng = random.Random(arg.seed)
    for i in range(arg.count):
        c = i % arg.classes
        name = NAMES[c] if c < len(NAMES) else "class-%03d" % c
        folder = os.path.join(arg.dir, name)
        os.makedirs(folder, exist_ok=True)
        img = learnable(rng, arg.size, c) if arg.learnable else picture(rng, arg.size)
        img.save(os.path.join(folder, "%s-%05d.jpg" % (name, i)), quality=rng.randrange(70, 95))
    return 0


if __name__ == "__main__":
    sys.exit(main())
