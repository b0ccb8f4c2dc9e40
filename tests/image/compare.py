#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Decoded JPEGs against Pillow's:  compare.py DECODE ENCODE WHAT

DECODE and ENCODE are the programs beside this script. WHAT is
    exact    exact=1 is Pillow's byte for byte: every sampling, coding and colour; whole, cropped, resized
    fast     the default is close to Pillow: the least PSNR is printed, and must not fall below a bound
    options  flip, layouts, floats, grey, and that results depend on the key alone
Boxes are computed here anew, from what src/image/crop.h says.
"""
import math
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from PIL import Image, ImageDraw, features
except ImportError as e:
    print("skipped: %s" % e)
    sys.exit(77)

BILINEAR = getattr(Image, "Resampling", Image).BILINEAR
NONE, CENTER, RANDOM = 0, 1, 2
# Measured on what 'fast' decodes: at least 40.4 dB; 31.0 where the colours have a quarter of the columns, which
# libjpeg enlarges without a filter, and so Pillow.
LEAST, LEAST_QUARTER = 39.5, 30.0


# ---- images ------------------------------------------------------------------------------

def picture(width, height, seed):
    """Something like a photograph: gradients, shapes with edges, texture, a little noise."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    a = np.stack([128 + 90 * np.sin(x / rng.uniform(40, 90) + i) * np.cos(y / rng.uniform(40, 90)) for i in range(3)], -1)
    im = Image.fromarray(np.clip(a, 0, 255).astype(np.uint8))
    draw = ImageDraw.Draw(im)
    for _ in range(12):
        cx, cy, r = rng.uniform(0, width), rng.uniform(0, height), rng.uniform(1, 1 + min(width, height) / 4)
        box = [cx - r, cy - r, cx + r, cy + r]
        (draw.ellipse if rng.random() < 0.5 else draw.rectangle)(box, fill=tuple(int(v) for v in rng.integers(0, 256, 3)))
    a = np.asarray(im).astype(np.float32)
    a += 8 * np.sin(x / 3 + y / 5)[..., None] + rng.normal(0, 3, a.shape[:2])[..., None]
    return Image.fromarray(np.clip(a, 0, 255).astype(np.uint8))


class Encoder:
    def __init__(self, program, directory):
        self.program, self.dir, self.count = program, directory, 0

    def __call__(self, im, kind, factors, *words):
        self.count += 1
        raw, jpeg = (os.path.join(self.dir, "%d.%s" % (self.count, s)) for s in ("raw", "jpg"))
        mode = {"rgb": "RGB", "grey": "L", "cmyk": "CMYK"}[kind]
        with open(raw, "wb") as f:
            f.write(im.convert(mode).tobytes())
        subprocess.run([self.program, raw, jpeg, *map(str, im.size), kind, factors, *words], check=True)
        return jpeg


class Decoder:
    def __init__(self, program, directory):
        self.out = os.path.join(directory, "out")
        self.p = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, path, **options):
        words = " ".join("%s=%s" % i for i in options.items())
        self.p.stdin.write("%s %s %s\n" % (words, path, self.out))
        self.p.stdin.flush()
        answer = self.p.stdout.readline()
        if answer.startswith("skipped"):
            print(answer, end="")
            sys.exit(77)
        if not answer or answer.startswith("error"):
            sys.exit("%s: %s: %s" % (path, words, answer or "the decoder died"))
        w, h = map(int, answer.split())
        w, h = options.get("width") or w, options.get("height") or h
        channels = options.get("channels", 3)
        a = np.fromfile(self.out, np.float32 if options.get("dtype") else np.uint8)
        if options.get("layout"):
            return a.reshape(h, w, channels)
        return a.reshape(channels, h, w).transpose(1, 2, 0)

    def done(self):
        self.p.stdin.close()
        if self.p.wait():
            sys.exit("the decoder ended with %d" % self.p.returncode)


# ---- boxes, from the key -----------------------------------------------------------------

class Random:
    def __init__(self, key):
        self.state = key

    def uniform(self, a, b):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9e3779b97f4a7c15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & mask
        z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & mask
        z ^= z >> 31
        return a + (b - a) * ((z >> 11) / 2.0 ** 53)


def random_box(width, height, key, scale=(0.08, 1), ratio=(3 / 4, 4 / 3)):
    """torchvision's RandomResizedCrop.get_params; (flip, box)."""
    scale, ratio = ([float(np.float32(v)) for v in pair] for pair in (scale, ratio))
    r = Random(key)
    flip = r.uniform(0, 1) < 0.5
    for _ in range(10):
        area = width * height * r.uniform(*scale)
        aspect = math.exp(r.uniform(math.log(ratio[0]), math.log(ratio[1])))
        w, h = int(round(math.sqrt(area * aspect))), int(round(math.sqrt(area / aspect)))
        if 0 < w <= width and 0 < h <= height:
            top = int(r.uniform(0, height - h + 1))
            left = int(r.uniform(0, width - w + 1))
            return flip, (left, top, left + w, top + h)
    w, h = width, height
    if width / height < ratio[0]:
        h = int(round(w / ratio[0]))
    elif width / height > ratio[1]:
        w = int(round(h * ratio[1]))
    left, top = (width - w) // 2, (height - h) // 2
    return flip, (left, top, left + w, top + h)


def center_crop(im, size, short):
    """torchvision's Resize(short) and CenterCrop(size)."""
    w, h = im.size
    w, h = (short, int(short * h / w)) if w <= h else (int(short * w / h), short)
    im = im.resize((w, h), BILINEAR)
    left, top = int(round((w - size) / 2)), int(round((h - size) / 2))
    return im.crop((left, top, left + size, top + size))


# ---- comparing ---------------------------------------------------------------------------

def open_rgb(path):
    with Image.open(path) as im:
        return im.convert("RGB")


def same_libjpeg():
    ours = subprocess.run([os.environ["SLUICE"], "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return "libjpeg-turbo %s\n" % features.version("libjpeg_turbo") in ours


def check_equal(got, want, what, tolerance):
    diff = np.abs(got.astype(int) - np.asarray(want).astype(int)).max()
    if diff > tolerance:
        sys.exit("%s: differs by up to %d" % (what, diff))


def psnr(got, want):
    mse = ((got.astype(float) - np.asarray(want).astype(float)) ** 2).mean()
    return 10 * math.log10(255 ** 2 / mse) if mse else 99.0


SAMPLINGS = ["1x1", "2x1", "2x2", "1x2", "4x1", "1x4", "4x2"]


def kinds(encode, im):
    for s in SAMPLINGS:
        for words in ((), ("progressive",), ("restart",), ("quality=40", "progressive", "restart")):
            yield encode(im, "rgb", s, *words), (s,) + words
    yield encode(im, "rgb", "1x1", "as-is"), ("rgb",)
    yield encode(im, "cmyk", "1x1", "as-is"), ("cmyk",)
    yield encode(im, "cmyk", "2x2"), ("ycck",)
    for s in ("1x1", "2x2"):
        yield encode(im, "grey", s), ("grey", s)
    yield encode(im, "grey", "1x1", "progressive"), ("grey", "progressive")


def exact(decode, encode):
    tolerance = 0 if same_libjpeg() else 1
    count = 0
    for n, size in enumerate([(97, 61), (160, 96), (33, 130), (1, 1), (7, 3), (257, 255)]):
        for path, what in kinds(encode, picture(*size, n)):
            im = open_rgb(path)
            what = "%s %dx%d" % (what, *size)
            check_equal(decode(path, exact=1), im, what, tolerance)
            for key in range(6):
                box = random_box(*size, key)[1]
                w, h = 24 + 9 * key, 40
                got = decode(path, exact=1, width=w, height=h, crop=RANDOM, key=key)
                want = im.resize((w, h), BILINEAR, box=box, reducing_gap=None)
                check_equal(got, want, "%s key %d box %s" % (what, key, box), 2 * tolerance)
                count += 1
            if min(size) > 30:
                got = decode(path, exact=1, width=56, height=56, crop=CENTER)
                check_equal(got, center_crop(im, 56, 64), what + " center", 2 * tolerance)
    print("%d crops of %d JPEGs are Pillow's%s" % (count, encode.count, "" if tolerance == 0 else " within 2"))


def fast(decode, encode):
    least = {}
    for n, size in enumerate([(500, 375), (333, 500), (1200, 900), (2000, 1333), (120, 90)]):
        im0 = picture(*size, 100 + n)
        for s in ("1x1", "2x1", "2x2", "1x2", "4x1", "4x2"):
            path = encode(im0, "rgb", s, *(("progressive",) if s == "2x1" else ()))
            im = open_rgb(path)
            for key in range(8):
                box = random_box(*size, key)[1]
                scaled = min(box[2] - box[0], box[3] - box[1]) >= 448
                got = decode(path, width=224, height=224, crop=RANDOM, key=key)
                db = psnr(got, im.resize((224, 224), BILINEAR, box=box, reducing_gap=None))
                k = (s, scaled)
                least[k] = min(least.get(k, 99), db)
    for (s, scaled), db in sorted(least.items()):
        print("%s%s: PSNR at least %.1f dB" % (s, " shrunk in decoding" if scaled else "", db))
    for (s, _), db in least.items():
        bound = LEAST_QUARTER if s.startswith("4") else LEAST
        if db < bound:
            sys.exit("%s: %.1f dB is below %.1f" % (s, db, bound))


def options(decode, encode):
    im0 = picture(211, 160, 7)
    path, grey = encode(im0, "rgb", "2x2"), encode(im0, "grey", "1x1")
    im = open_rgb(path)
    for mode in (0, 1):
        common = {"exact": mode, "width": 61, "height": 50, "crop": RANDOM}
        flips = 0
        for key in range(40):
            plain = decode(path, **common, key=key)
            flip = random_box(*im.size, key)[0]
            flips += flip
            check_equal(decode(path, **common, flip=1, key=key), plain[:, ::-1] if flip else plain, "flip %d" % key, 0)
        assert 8 < flips < 32
        check_equal(decode(path, **common, layout=1, key=39), plain, "NHWC", 0)
        check_equal(decode(path, **common, fresh=1, key=39), plain, "another decoder", 0)
        mean, std = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
        words = {"%s%d" % (n, i): v[i] for n, v in (("mean", mean), ("std", std)) for i in range(3)}
        want = (plain / 255 - np.array(mean)) / np.array(std)
        for layout in (0, 1):
            got = decode(path, **common, dtype=1, layout=layout, key=39, **words)
            assert np.abs(got - want).max() < 1e-5
            got = decode(path, **common, dtype=1, layout=layout, key=39)
            assert np.abs(got - plain / 255).max() < 1e-6
            one = decode(path, **common, channels=1, layout=layout, key=39)
            got = decode(path, **common, channels=1, dtype=1, layout=layout, key=39)
            assert np.abs(got - one / 255).max() < 1e-6
        with Image.open(path) as im1:
            im1.draft("L", None)
            check_equal(decode(path, exact=mode, channels=1)[..., 0], im1.convert("L"), "grey of colour", 0)
        check_equal(decode(grey, exact=mode), open_rgb(grey), "colour of grey", 0)
        check_equal(decode(grey, exact=mode, channels=1)[..., 0], open_rgb(grey).convert("L"), "grey", 0)
        wide = encode(picture(400, 20, 1), "rgb", "2x2") # no box of the usual ratios has an area of 0.9
        box = random_box(400, 20, 3, (0.9, 1))[1]
        assert box == (186, 0, 213, 20)
        got = decode(wide, exact=1, width=40, height=30, crop=RANDOM, scale_min=0.9, scale_max=1, key=3)
        check_equal(got, open_rgb(wide).resize((40, 30), BILINEAR, box=box), "fallback", 0)


def main():
    with tempfile.TemporaryDirectory(prefix="sluice-test-") as directory:
        decode, encode = Decoder(sys.argv[1], directory), Encoder(sys.argv[2], directory)
        {"exact": exact, "fast": fast, "options": options}[sys.argv[3]](decode, encode)
        decode.done()


if __name__ == "__main__":
    main()
