#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the fuzzers' seeds and fixed files from small packs:  seed.py [DIR]

    DIR/fixed/          what a target holds fast: shard-00000, index-parts
    DIR/corpus-index/   640 bytes of header and the data blocks of an index
    DIR/corpus-shard/   128 bytes of header, u32 length of body, body, decoded catalog of a shard
    DIR/corpus-decode/  u8 code, u24 size, u16 length of dictionaries, dictionaries, stored bytes
    DIR/corpus-jpeg/    u8 options, u8 key, a JPEG
    (DIR/corpus-trace/ is made by seed-trace.c)
DIR is where this script lies unless told. Inputs that once made a target crash are added by
hand, as crash-NAME, and stay.
"""
import io
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
sys.dont_write_bytecode = True
import forge  # noqa: E402
import smallpack  # noqa: E402


def entry(*path, **kw):
    return {"path": path, "kind": "file", **kw}


def packs():
    """Small packs, each for something that the others have not."""
    text = smallpack.text
    yield "all", smallpack.small(tiny=True, firsts=(0,))
    yield "empty", forge.build([])
    yield "one", forge.build([entry(b"x", data=b"1")])
    yield "names", forge.build([entry(b"d%d" % (i % 4), b"p%d" % i * (i % 3 + 1), b"n%03d.jpg" % i, data=b"") for i in range(70)])
    yield "links", forge.build([{"path": (b"l%d" % i,), "kind": "link", "target": b"../" * i + b"x"} for i in range(20)])
    schema = b"<f4".ljust(16, b"\0") + struct.pack("<II8Q", 8, 2, 2, 3, *[0] * 6)
    yield "array", forge.build([entry(b"%d.npy" % i, data=bytes(range(i, i + 32)), label=i) for i in range(3)], schema=schema)
    yield "lz4", forge.build([entry(b"%d" % i, data=text(i), codec="lz4", mtime=i << 55) for i in range(5)])


def write(directory, name, data):
    os.makedirs(directory, exist_ok=True)
    forge.write(os.path.join(directory, name), data)


def index_parts(index):
    assert not any(index[640:4088])
    return (index[:640] + index[4096:4096 * forge.u64(index, 56)]).rstrip(b"\0")


def shard_parts(shard):
    end, at, _, decoded = struct.unpack_from("<4Q", shard, 80)
    catalog = forge.sr.zstd_decode(shard[at:], decoded)
    return shard[:128] + struct.pack("<I", end - 4096) + shard[4096:end] + catalog


def decode_seeds(pack):
    section = bytes(pack.sections[forge.sr.S_DICTS])
    records, at = pack.sections[forge.sr.S_RECORDS], 4096
    for i in range(len(records) // 19):
        r = records[19 * i:19 * i + 19]
        end, size, code = forge.sr.u40(r, 8), forge.sr.u40(r, 13), r[18]
        dicts = section if code >> 3 else b""
        stored = bytes(pack.shards[0]["body"][at - 4096:end - 4096])
        at = end
        yield "%02d" % i, struct.pack("<I", code | size << 8) + struct.pack("<H", len(dicts)) + dicts + stored


def jpeg_seeds():
    """One small image in several forms, each for another set of options."""
    from PIL import Image
    pixels = bytes((x * 7 + y * 3 + c * 40 + x * y % 23) % 256 for y in range(21) for x in range(37) for c in range(3))
    im = Image.frombytes("RGB", (37, 21), pixels)
    forms = {"444": {"subsampling": 0}, "422": {"subsampling": 1}, "420": {"subsampling": 2}, "progressive": {"progressive": True},
             "grey": {}, "cmyk": {}}
    for n, (name, options) in enumerate(forms.items()):
        out = io.BytesIO()
        im.convert({"grey": "L", "cmyk": "CMYK"}.get(name, "RGB")).save(out, "JPEG", quality=60, **options)
        for bits in (0, 4, 2 + 37 * n, 0x8a):
            yield "%s-%02x" % (name, bits), bytes((bits, n)) + out.getvalue()


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else HERE
    for name, data in jpeg_seeds():
        write(os.path.join(top, "corpus-jpeg"), name, data)
    for name, pack in packs():
        folder = os.path.join(top, "tmp.slu")
        pack.save(folder)
        index = forge.sr.read_file(os.path.join(folder, "index"))
        shard = forge.sr.read_file(os.path.join(folder, "shard-00000"))
        forge.sr.Pack(folder)       # sound, or the seeds are worth little
        write(os.path.join(top, "corpus-index"), name, index_parts(index))
        write(os.path.join(top, "corpus-shard"), name, shard_parts(shard))
        if name == "all":
            write(os.path.join(top, "fixed"), "index-parts", index_parts(index))
            write(os.path.join(top, "fixed"), "shard-00000", shard)
            for number, data in decode_seeds(pack):
                if int(number) < 8:
                    write(os.path.join(top, "corpus-decode"), number, data)
        for f in os.listdir(folder):
            os.unlink(os.path.join(folder, f))
        os.rmdir(folder)


if __name__ == "__main__":
    main()
