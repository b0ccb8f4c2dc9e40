# SPDX-License-Identifier: MIT
"""torchvision.io: it maps the file and never reads it."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import torch  # noqa: E402
import torchvision  # noqa: E402

from common import attempt, md5, p, show  # noqa: E402


def main():
    try:
        torchvision.io.read_file(p("small.bin"))
    except (RuntimeError, AttributeError) as e:
        if "torchvision::" in str(e) or "image" in str(e):
            print("this torchvision was built without image input")
            sys.exit(77)
        raise
    for rel in ("small.bin", "raw70k.bin", "comp.txt", "big.bin"):
        show("read_file " + rel, md5(torchvision.io.read_file(p(rel)).numpy().tobytes()))
    for i in range(8):
        show("read_image", md5(torchvision.io.read_image(p("class-a/img-%02d.jpg" % i)).numpy().tobytes()))
    show("read_image", md5(torchvision.io.read_image(p("pictures/noise.png")).numpy().tobytes()))
    attempt("nothing", torchvision.io.read_file, p("no-such"))


if __name__ == "__main__":
    main()
