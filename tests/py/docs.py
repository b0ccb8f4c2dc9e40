#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What docs/python.md shows runs, as it stands, one example after the other."""
import os
import re
import subprocess
import sys

from pypack import main, np, skip, sluice, succeed, torch_or_skip

try:
    from PIL import Image
except ImportError:
    skip("there is no Pillow")

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def test(tmp):
    torch_or_skip()
    os.chdir(tmp)
    rng = np.random.default_rng(1)
    for i in range(40):
        path = "train/%s/%04d.jpg" % (("cat", "dog")[i % 2], i // 2)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (48 + i, 64, 3), np.uint8)).save(path)
    succeed("pack", "train", "-o", "train.slu", "-q", "--labels", "dir")
    with open(os.path.join(ROOT, "docs/python.md")) as f:
        blocks = re.findall(r"^```python\n(.*?)^```", f.read(), re.M | re.S)
    assert len(blocks) >= 8
    try:
        sluice.Loader("train.slu", 5, decode=sluice.Jpeg(size=8))
    except OSError as e:
        skip(str(e))    # built without libjpeg
    with open("example.py", "w") as f:
        f.write("\n".join(blocks))
    subprocess.run([sys.executable, "-W", "error", "example.py"], check=True, stdout=subprocess.DEVNULL)


main(test)
