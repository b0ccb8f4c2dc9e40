# SPDX-License-Identifier: MIT
"""PIL, from paths, file objects and bytes."""
import io
import os

from PIL import Image, ImageFile

from common import P, attempt, md5, p, show

for c in "abc":
    for i in range(8):
        q = p("class-%s/img-%02d.jpg" % (c, i))
        with Image.open(q) as im:
            show(os.path.basename(q), (im.size, im.mode, im.format, md5(im.convert("RGB").tobytes())))
for name in ("noise.png", "grey.png"):
    im = Image.open(p("pictures", name))
    im.load()
    show(name, (im.size, im.mode, md5(im.tobytes())))
    Image.open(p("pictures", name)).verify()
with open(p("class-a/img-00.jpg"), "rb") as f:
    im = Image.open(f)
    im.draft("L", (10, 10))
    show("draft", (im.size, im.mode, md5(im.tobytes())))
    show("tell", f.tell())
with os.fdopen(os.open(p("class-a/img-01.jpg"), os.O_RDONLY), "rb") as f:
    show("descriptor", md5(Image.open(f).tobytes()))
show("bytes", md5(Image.open(io.BytesIO(open(p("class-a/img-02.jpg"), "rb").read())).tobytes()))
parser = ImageFile.Parser()
with open(p("class-b/img-03.jpg"), "rb") as f:
    while d := f.read(100):
        parser.feed(d)
show("parser", md5(parser.close().tobytes()))
lazy = [Image.open(p("class-c/img-%02d.jpg" % i)) for i in range(8)]
show("lazy", [md5(im.resize((5, 5)).tobytes()) for im in lazy])
attempt("no picture", Image.open, p("comp.txt"))
attempt("nothing", Image.open, p("no-such"))
attempt("save", lambda: lazy[0].save(p("new.jpg")))
