#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A second reader of Sluice packs, written from docs/format.md alone.

It shares nothing with the C library but the document, and so proves that the
document suffices. It checks every rule of it, decodes every sample, and prints
one JSON line a node, in node order:

    second_reader.py PACK        exit 0: sound; 1: not, with one sentence on stderr
    second_reader.py -q PACK     checks only
    second_reader.py --cat PATH PACK    the bytes of one sample

Paths that are not UTF-8 appear with surrogate escapes, as Python's fsdecode()
makes them. Everything is held in memory: for tests, not for large packs.
"""
import argparse
import ctypes
import json
import math
import os
import re
import stat
import struct
import sys

BLOCK = 4096
INDEX_MAGIC = bytes.fromhex("89534C550D0A1A0A")
SHARD_MAGIC = bytes.fromhex("89534C530D0A1A0A")
RAW, LZ4, ZSTD = 0, 1, 2

(S_SHARDS, S_ATTRS, S_DIRS, S_RECORDS, S_GROUPS, S_NAMES, S_LOOKUP, S_LINKS, S_TARGETS,
 S_COLUMNS, S_COLDATA, S_DICTS, S_LABELS, S_SCHEMA, S_NOTES) = range(1, 16)

ALIGNED_FROM = 65536     # raw samples of this size or more start on a block
RAW_FROM = 256 << 20     # samples over this are always raw


class Bad(Exception):
    """The pack breaks a rule of the document."""


def need(ok, sentence, *args):
    if not ok:
        raise Bad(sentence % args if args else sentence)


# ---- the three libraries -----------------------------------------------------

class _Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


_xx = ctypes.CDLL("libxxhash.so.0")
_xx.XXH3_64bits.restype = ctypes.c_uint64
_xx.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
_xx.XXH3_64bits_withSeed.restype = ctypes.c_uint64
_xx.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
_xx.XXH3_128bits.restype = _Hash128
_xx.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

_lz4 = ctypes.CDLL("liblz4.so.1")
_lz4.LZ4_decompress_safe_usingDict.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int,
                                               ctypes.c_char_p, ctypes.c_int]
_lz4.LZ4_decompress_safe.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int]

_zstd = ctypes.CDLL("libzstd.so.1")
_zstd.ZSTD_createDCtx.restype = ctypes.c_void_p
_zstd.ZSTD_freeDCtx.argtypes = [ctypes.c_void_p]
_zstd.ZSTD_isError.argtypes = [ctypes.c_size_t]
_zstd.ZSTD_findFrameCompressedSize.restype = ctypes.c_size_t
_zstd.ZSTD_findFrameCompressedSize.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
_zstd.ZSTD_decompress_usingDict.restype = ctypes.c_size_t
_zstd.ZSTD_decompress_usingDict.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p,
                                            ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]


def xxh3(data, seed=0):
    data = bytes(data)
    return _xx.XXH3_64bits_withSeed(data, len(data), seed)


def xxh128(data):
    """The 16 bytes of XXH128 in canonical (big-endian) form."""
    data = bytes(data)
    h = _xx.XXH3_128bits(data, len(data))
    return struct.pack(">QQ", h.high, h.low)


def lz4_decode(stored, size, dictionary=b""):
    out = ctypes.create_string_buffer(max(size, 1))
    if dictionary:
        tail = dictionary[-65536:]
        n = _lz4.LZ4_decompress_safe_usingDict(stored, out, len(stored), size, tail, len(tail))
    else:
        n = _lz4.LZ4_decompress_safe(stored, out, len(stored), size)
    need(n == size, "an LZ4 block decodes to %d bytes, not to %d", n, size)
    return out.raw[:size]


def zstd_decode(stored, size, dictionary=b""):
    frame = _zstd.ZSTD_findFrameCompressedSize(stored, len(stored))
    need(not _zstd.ZSTD_isError(frame) and frame == len(stored), "not exactly one Zstandard frame")
    out = ctypes.create_string_buffer(max(size, 1))
    ctx = _zstd.ZSTD_createDCtx()
    try:
        n = _zstd.ZSTD_decompress_usingDict(ctx, out, size, stored, len(stored), dictionary or None,
                                            len(dictionary))
    finally:
        _zstd.ZSTD_freeDCtx(ctx)
    need(not _zstd.ZSTD_isError(n) and n == size, "a Zstandard frame does not decode to %d bytes", size)
    return out.raw[:size]


# ---- small readers -------------------------------------------------------------

def up(x, a):
    return (x + a - 1) // a * a


def u16(b, at):
    return int.from_bytes(b[at:at + 2], "little")


def u32(b, at):
    return int.from_bytes(b[at:at + 4], "little")


def u40(b, at):
    return int.from_bytes(b[at:at + 5], "little")


def u64(b, at):
    return int.from_bytes(b[at:at + 8], "little")


def i64(b, at):
    return int.from_bytes(b[at:at + 8], "little", signed=True)


def is_zero(b):
    return not any(b)


def read_file(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError as e:
        raise Bad("cannot read %s: %s" % (path, e.strerror)) from e


def good_name(n):
    return 1 <= len(n) <= 255 and b"/" not in n and b"\0" not in n and n not in (b".", b"..")


class Cursor:
    """Takes fields one after another from bytes, never past the end."""

    def __init__(self, data, what):
        self.data, self.at, self.what = data, 0, what

    def take(self, n):
        need(n <= len(self.data) - self.at, "%s ends too early", self.what)
        self.at += n
        return self.data[self.at - n:self.at]

    def string(self):
        end = self.data.find(b"\0", self.at)
        need(end >= 0, "%s holds a string without its NUL", self.what)
        s = self.data[self.at:end]
        self.at = end + 1
        return s

    def planes(self, n, width, signed=False):
        """n integers, stored as all their first bytes, then all their second ones, ..."""
        raw = self.take(n * width)
        return [int.from_bytes(raw[i::n], "little", signed=signed) for i in range(n)]

    def done(self):
        need(self.at == len(self.data), "%s is longer than what it holds", self.what)


# ---- the index -------------------------------------------------------------------

class Index:
    """Everything the index file tells, checked."""

    def __init__(self, path):
        self.file = read_file(os.path.join(path, "index"))
        self._header()
        self._sections()
        self._tree()
        self._identity()
        self._shards()
        self._attributes()
        self._directories()
        self._links()
        self._names()
        self._lookup()
        self._columns()
        self._dictionaries()
        self._records()
        self._labels()
        self._schema()
        self._notes()
        self._attribute_numbers()

    def _header(self):
        f = self.file
        need(len(f) >= BLOCK, "the index is shorter than its header")
        h = f[:BLOCK]
        need(h[:8] == INDEX_MAGIC, "the index has no magic number")
        need(u64(h, 4088) == xxh3(h[:4088]), "the index header's checksum is wrong")
        need(u16(h, 8) == 1, "the format's major version is %d", u16(h, 8))
        need(u32(h, 12) == BLOCK, "the block size is %d", u32(h, 12))
        need(u64(h, 16) == 0, "the pack needs features that this reader does not know")
        self.features = u64(h, 16), u64(h, 24)
        self.version = u16(h, 8), u16(h, 10)
        self.identity = h[32:48]
        need(u64(h, 48) == len(f), "the header tells another file size")
        self.blocks = u64(h, 56)
        self.top = u64(h, 64)
        self.ndirs, self.nsamples, self.nlinks = u64(h, 72), u64(h, 80), u64(h, 88)
        self.raw_bytes, self.stored_bytes = u64(h, 96), u64(h, 104)
        self.nshards, self.nsections = u32(h, 112), u32(h, 116)
        need(is_zero(h[120:256]), "the header's reserved bytes are not zero")
        need(self.ndirs >= 1, "there is no root")
        self.nnodes = self.ndirs + self.nsamples + self.nlinks
        need(self.nnodes <= 2 ** 32 - 2, "there are too many nodes")
        need(self.blocks >= 2 and self.blocks * BLOCK <= len(f), "D does not fit the file")
        need(256 + 24 * self.nsections <= 4088, "the section table is too long")
        need(is_zero(h[256 + 24 * self.nsections:4088]), "the header is not zero after the section table")

    def _sections(self):
        f, end, last = self.file, BLOCK, 0
        self.sec, self.place = {}, {}
        for i in range(self.nsections):
            row = f[256 + 24 * i:280 + 24 * i]
            kind, offset, length = u32(row, 0), u64(row, 8), u64(row, 16)
            need(u32(row, 4) == 0, "section row %d has a reserved field that is not zero", i)
            need(kind > last, "section rows are not ordered by type")
            need(offset % 64 == 0, "section %d does not begin on a multiple of 64", kind)
            need(offset >= end, "section %d overlaps what is before it", kind)
            need(offset - end < 64, "the gap before section %d is too large", kind)
            need(is_zero(f[end:offset]), "the gap before section %d is not zero", kind)
            need(length <= self.blocks * BLOCK - offset, "section %d ends after the data", kind)
            self.sec[kind] = f[offset:offset + length]
            self.place[kind] = offset, length
            end, last = offset + length, kind
        need(self.blocks * BLOCK - end < BLOCK, "the gap after the last section is too large")
        need(is_zero(f[end:self.blocks * BLOCK]), "the gap after the last section is not zero")
        for kind in (S_SHARDS, S_ATTRS, S_DIRS, S_GROUPS, S_NAMES, S_LOOKUP):
            need(kind in self.sec, "section %d is missing", kind)
        for kind in (S_RECORDS, S_COLUMNS, S_COLDATA):
            need((kind in self.sec) == (self.nsamples > 0), "section %d is there or not against the rule", kind)
        for kind in (S_LINKS, S_TARGETS):
            need((kind in self.sec) == (self.nlinks > 0), "section %d is there or not against the rule", kind)

    def _tree(self):
        f, at = self.file, self.blocks
        below = [f[i * BLOCK:(i + 1) * BLOCK] for i in range(1, self.blocks)]
        while True:
            nblocks = -(-len(below) // 512)
            need((at + nblocks) * BLOCK <= len(f), "the checksum tree is cut off")
            level = f[at * BLOCK:(at + nblocks) * BLOCK]
            sums = b"".join(struct.pack("<Q", xxh3(b)) for b in below)
            need(level == sums.ljust(nblocks * BLOCK, b"\0"), "the checksum tree does not fit the data")
            at += nblocks
            below = [level[i * BLOCK:(i + 1) * BLOCK] for i in range(nblocks)]
            if nblocks == 1:
                break
        need(xxh3(below[0]) == self.top, "the checksum of the tree's top block is wrong")
        need(at * BLOCK == len(f), "the file does not end with the tree")

    def _identity(self):
        need(xxh128(self.file[BLOCK:self.blocks * BLOCK]) == self.identity, "the identity is wrong")

    def _shards(self):
        s = self.sec[S_SHARDS]
        need(self.nshards >= 1, "there is no shard")
        need(len(s) == 32 * self.nshards, "the shard table's length is wrong")
        self.shards = []
        for k in range(self.nshards):
            first, data_end, size, checksum = struct.unpack_from("<4Q", s, 32 * k)
            need(first >= (self.shards[-1]["first"] if k else 0), "shards are not in order")
            need(k or first == 0, "the first shard does not begin with sample 0")
            need(first <= self.nsamples, "shard %d begins after the last sample", k)
            need(BLOCK <= data_end < 2 ** 40 and size < 2 ** 40, "shard %d is too large", k)
            self.shards.append({"first": first, "data_end": data_end, "size": size, "checksum": checksum})
        for k, sh in enumerate(self.shards):
            sh["last"] = self.shards[k + 1]["first"] if k + 1 < self.nshards else self.nsamples

    def _attributes(self):
        s = self.sec[S_ATTRS]
        need(s and len(s) % 16 == 0, "the attribute table's length is wrong")
        rows = [s[i:i + 16] for i in range(0, len(s), 16)]
        need(len(set(rows)) == len(rows), "two attributes are equal")
        need(all(is_zero(r[12:]) for r in rows), "an attribute's reserved field is not zero")
        self.attrs = [struct.unpack("<III", r[:12]) for r in rows]

    def _directories(self):
        s = self.sec[S_DIRS]
        need(len(s) == 32 * (self.ndirs + 1), "the directory table's length is wrong")
        self.dirs = []
        for d in range(self.ndirs + 1):
            parent, first_dir, first_sample, first_link, attr, zero, mtime = struct.unpack_from("<6Iq", s, 32 * d)
            need(zero == 0, "directory %d has a reserved field that is not zero", d)
            self.dirs.append({"parent": parent, "dir": first_dir, "sample": first_sample, "link": first_link,
                              "attr": attr, "mtime": mtime})
        root, end = self.dirs[0], self.dirs[-1]
        need(root["parent"] == 0, "the root's parent is not 0")
        need((root["dir"], root["sample"], root["link"]) == (1, 0, 0), "the root's children begin wrong")
        need(end == {"parent": 0, "dir": self.ndirs, "sample": self.nsamples, "link": self.nlinks, "attr": 0,
                     "mtime": 0}, "the directory table's last record is wrong")
        self.depth = [0] * self.ndirs
        self.sample_dir, self.link_dir = [], []
        for d, (a, b) in enumerate(zip(self.dirs, self.dirs[1:])):
            need(a["dir"] <= b["dir"] and a["sample"] <= b["sample"] and a["link"] <= b["link"],
                 "the children of directory %d begin after they end", d)
        for d, (a, b) in enumerate(zip(self.dirs, self.dirs[1:])):
            need(a["dir"] > d, "directory %d is not in breadth-first order", d)
            for c in range(a["dir"], b["dir"]):
                need(self.dirs[c]["parent"] == d, "directory %d has another parent than %d", c, d)
                self.depth[c] = self.depth[d] + 1
                need(self.depth[c] <= 255, "directory %d is too deep", c)
            self.sample_dir += [d] * (b["sample"] - a["sample"])
            self.link_dir += [d] * (b["link"] - a["link"])

    def _links(self):
        self.links = []
        if not self.nlinks:
            return
        s, targets = self.sec[S_LINKS], self.sec[S_TARGETS]
        need(len(s) == 24 * (self.nlinks + 1), "the link table's length is wrong")
        rows = [struct.unpack_from("<QIIq", s, 24 * i) for i in range(self.nlinks + 1)]
        need(rows[0][0] == 0, "the first link's target does not begin at 0")
        need(rows[-1] == (len(targets), 0, 0, 0), "the link table's last record is wrong")
        for (at, attr, zero, mtime), (end, *_) in zip(rows, rows[1:]):
            need(zero == 0, "a link's reserved field is not zero")
            need(at <= end <= len(targets), "link targets are not in order")
            target = targets[at:end]
            need(1 <= len(target) <= 4095 and b"\0" not in target, "a link's target is not one")
            self.links.append({"target": target, "attr": attr, "mtime": mtime})

    def _names(self):
        groups, names = self.sec[S_GROUPS], self.sec[S_NAMES]
        ngroups = -(-self.nnodes // 16)
        need(len(groups) == 5 * (ngroups + 1), "the table of name groups has the wrong length")
        ends = [u40(groups, 5 * g) for g in range(ngroups + 1)]
        need(ends[0] == 0 and ends[-1] == len(names), "name groups do not fill the names")
        self.names = []
        for g in range(ngroups):
            need(ends[g] < ends[g + 1], "name groups are not in order")
            self._name_group(g, Cursor(names[ends[g]:ends[g + 1]], "name group %d" % g))
        for v, n in enumerate(self.names):
            need(n == b"" if v == 0 else good_name(n), "node %d has no good name", v)
        for d, (a, b) in enumerate(zip(self.dirs, self.dirs[1:])):
            seen = []
            for kind, base in (("dir", 0), ("sample", self.ndirs), ("link", self.ndirs + self.nsamples)):
                run = self.names[base + a[kind]:base + b[kind]]
                need(all(x < y for x, y in zip(run, run[1:])), "names in directory %d are not in order", d)
                seen += run
            need(len(set(seen)) == len(seen), "directory %d has two children of one name", d)
        self._paths()

    def _name_group(self, g, c):
        nodes = range(16 * g, min(16 * g + 16, self.nnodes))
        s = c.take(1)[0]
        prefixes, own = c.take(len(nodes)), c.take(len(nodes))
        suffix = c.take(s)
        need(g or not suffix, "the first name group has a suffix")
        first = None
        for v, p, m in zip(nodes, prefixes, own):
            need(p <= (len(first) if first is not None else 0), "node %d's name shares more than there is", v)
            stem = (first or b"")[:p] + c.take(m)
            first = stem if first is None else first
            self.names.append(stem + suffix)
        c.done()

    def _paths(self):
        def join(d, name):
            return self.paths[d] + b"/" + name if d else name
        self.paths = [b""]
        for d in range(1, self.ndirs):
            self.paths.append(join(self.dirs[d]["parent"], self.names[d]))
        for i, d in enumerate(self.sample_dir + self.link_dir):
            self.paths.append(join(d, self.names[self.ndirs + i]))
        need(all(len(p) <= 4095 for p in self.paths), "a path is too long")

    def parent(self, v):
        if v < self.ndirs:
            return self.dirs[v]["parent"]
        return (self.sample_dir + self.link_dir)[v - self.ndirs]

    def _lookup(self):
        s = self.sec[S_LOOKUP]
        buckets = max(1, -(-(self.nnodes - 1) // 14))
        need(len(s) == 64 * buckets, "the lookup table's length is wrong")
        w = self.nnodes.bit_length()
        table = [[] for _ in range(buckets)]
        parents = [r["parent"] for r in self.dirs[:-1]] + self.sample_dir + self.link_dir
        for v in range(1, self.nnodes):
            h = xxh3(self.names[v], parents[v])
            b = h * buckets >> 64
            while len(table[b]) == 16:
                b = (b + 1) % buckets
            table[b].append((h & (1 << 32 - w) - 1) << w | v + 1)
        want = b"".join(struct.pack("<16I", *(row + [0] * (16 - len(row)))) for row in table)
        need(s == want, "the lookup table is not what the rule makes of the names")

    def _columns(self):
        self.columns = {}
        if not self.nsamples:
            return
        s, data, n = self.sec[S_COLUMNS], self.sec[S_COLDATA], self.nsamples
        need(len(s) % 64 == 0, "the column table's length is wrong")
        last, end = b"", 0
        for at in range(0, len(s), 64):
            raw = s[at:at + 32]
            name = raw.rstrip(b"\0")
            kind, bits, base, offset, length = struct.unpack_from("<IIqQQ", s, at + 32)
            need(1 <= len(name) <= 31 and b"\0" not in name, "a column has no good name")
            need(name > last, "columns are not ordered by name")
            last = name
            need(offset % 8 == 0 and offset == end, "column %r does not follow the one before it", name)
            need(length <= len(data) - offset, "column %r ends after the data", name)
            end = offset + length
            if kind != 1:
                continue
            need(bits <= 64, "column %r is too wide", name)
            need(length == (up(-(-n * bits // 8), 8) + 8 if bits else 0), "column %r has the wrong length", name)
            self.columns[name] = self._column(name, data[offset:end], bits, base)
        need(end == len(data), "the column data is longer than the columns")
        need(b"attr" in self.columns and b"mtime" in self.columns, "a column that must be there is not")

    def _column(self, name, data, bits, base):
        whole, n = int.from_bytes(data, "little"), self.nsamples
        mask = (1 << bits) - 1
        raw = [0] * n
        if bits:
            # In steps, as shifting one huge number n times would be quadratic.
            step = 1024
            for first in range(0, n, step):
                count = min(step, n - first)
                part = int.from_bytes(data[first * bits // 8:-(-(first + count) * bits // 8)], "little")
                part >>= first * bits % 8
                for i in range(count):
                    raw[first + i] = part >> i * bits & mask
            need(whole >> n * bits == 0, "column %r is not zero after its values", name)
        values = [(base + r + 2 ** 63) % 2 ** 64 - 2 ** 63 for r in raw]
        need(min(values) == base, "the base of column %r is not its least value", name)
        need((max(values) - base).bit_length() == bits, "column %r is wider than it need be", name)
        return values

    def _dictionaries(self):
        self.dicts = []
        s = self.sec.get(S_DICTS)
        if s is None:
            return
        self.dicts = parse_dictionaries(s)

    def _records(self):
        self.records = []
        s = self.sec.get(S_RECORDS, b"")
        need(len(s) == 19 * self.nsamples, "the record table's length is wrong")
        for sh in self.shards:
            end, was_aligned = BLOCK, False
            for i in range(sh["first"], sh["last"]):
                r = s[19 * i:19 * i + 19]
                size, code = u40(r, 13), r[18]
                codec, number = code & 7, code >> 3
                need(codec in (RAW, LZ4, ZSTD), "sample %d has an unknown codec", i)
                need(codec != RAW or number == 0, "sample %d is raw, with a dictionary", i)
                need(number <= len(self.dicts), "sample %d has a dictionary that is not there", i)
                need(codec == RAW or size <= RAW_FROM, "sample %d is compressed and too large for it", i)
                aligned = codec == RAW and size >= ALIGNED_FROM
                start = up(end, BLOCK) if aligned or was_aligned else end
                gap_from, end, was_aligned = end, u40(r, 8), aligned
                need(start <= end <= sh["data_end"], "sample %d does not lie in its shard", i)
                need(codec != RAW or end - start == size, "sample %d is raw with two lengths", i)
                need(codec == RAW or end - start < size, "sample %d is compressed and not shorter", i)
                self.records.append({"checksum": u64(r, 0), "start": start, "end": end, "size": size,
                                     "codec": codec, "dict": number, "gap_from": gap_from})
            need(sh["data_end"] == end, "a shard's data end is not its last sample's end")
        need(sum(r["size"] for r in self.records) == self.raw_bytes, "the header's sum of sizes is wrong")
        need(sum(r["end"] - r["start"] for r in self.records) == self.stored_bytes,
             "the header's sum of stored lengths is wrong")

    def _labels(self):
        s = self.sec.get(S_LABELS)
        self.label_names = None if s is None else parse_labels(s)

    def _schema(self):
        s = self.sec.get(S_SCHEMA)
        self.schema = None
        if s is None:
            return
        need(len(s) == 88, "the schema's length is wrong")
        dtype = s[:16].rstrip(b"\0")
        skip, ndim = u32(s, 16), u32(s, 20)
        shape = struct.unpack_from("<8Q", s, 24)
        need(dtype and b"\0" not in dtype and dtype.isascii(), "the schema has no good dtype")
        need(ndim <= 8 and not any(shape[ndim:]), "the schema's shape is not one")
        parts = re.fullmatch(rb"[<>|=]?([a-zA-Z?])(\d*)(\[\w+\])?", dtype)
        need(parts, "the schema has no good dtype")
        item = int(parts[2] or 1) * (4 if parts[1] == b"U" else 1)
        length = skip + item * math.prod(shape[:ndim])
        need(all(r["size"] == length for r in self.records), "a sample is not as long as the schema tells")
        self.schema = {"dtype": dtype.decode(), "skip": skip, "shape": list(shape[:ndim])}

    def _notes(self):
        s = self.sec.get(S_NOTES)
        self.notes = s
        if s is None:
            return
        need(s.endswith(b"\n") and all(b"=" in line for line in s.splitlines()), "the notes are not lines key=value")

    def _attribute_numbers(self):
        """Attributes are numbered by first use, and belong to the right kind of node."""
        used = [(r["attr"], stat.S_IFDIR) for r in self.dirs[:-1]]
        used += [(a, stat.S_IFREG) for a in self.columns.get(b"attr", [])]
        used += [(r["attr"], stat.S_IFLNK) for r in self.links]
        highest = -1
        for v, (a, kind) in enumerate(used):
            need(0 <= a < len(self.attrs), "node %d has an attribute that is not there", v)
            need(a <= highest + 1, "attributes are not numbered by first use")
            highest = max(highest, a)
            need(stat.S_IFMT(self.attrs[a][0]) == kind, "node %d's mode is of another kind", v)
            need(self.attrs[a][0] >> 16 == 0, "node %d's mode is too large", v)
        need(highest + 1 == len(self.attrs), "an attribute is not used")


def parse_dictionaries(s):
    need(len(s) >= 16, "the dictionaries are cut off")
    count = u32(s, 0)
    need(1 <= count <= 31 and u32(s, 4) == 0, "the number of dictionaries is wrong")
    need(len(s) >= 8 + 8 * (count + 1), "the dictionaries are cut off")
    ends = [u64(s, 8 + 8 * i) for i in range(count + 1)]
    need(ends[0] == 8 + 8 * (count + 1) and ends[-1] == len(s), "dictionaries do not fill their section")
    for a, b in zip(ends, ends[1:]):
        need(a <= b and 8 <= b - a <= 1 << 20, "a dictionary has a wrong length")
    return [s[a:b] for a, b in zip(ends, ends[1:])]


def parse_labels(s):
    need(s.endswith(b"\0"), "the label names are cut off")
    names = s[:-1].split(b"\0")
    for n in names:
        try:
            n.decode("utf-8")
        except UnicodeDecodeError:
            raise Bad("a label's name is not UTF-8") from None
    return names


# ---- a shard, and its catalog ----------------------------------------------------

class Shard:
    """One shard file: header, samples, catalog, checked against the index."""

    def __init__(self, path, index, k):
        self.index, self.k = index, k
        self.row = index.shards[k]
        self.file = read_file(os.path.join(path, "shard-%05d" % k))
        self._header()
        self._samples()
        self._chunks()
        self._catalog()

    def say(self, ok, sentence, *args):
        need(ok, "shard %d: " % self.k + (sentence % args if args else sentence))

    def _header(self):
        f, ix, row = self.file, self.index, self.row
        self.say(len(f) >= BLOCK, "it is shorter than its header")
        h = f[:BLOCK]
        self.say(h[:8] == SHARD_MAGIC, "there is no magic number")
        self.say(u64(h, 4088) == xxh3(h[:4088]), "the header's checksum is wrong")
        self.say((u16(h, 8), u16(h, 10)) == ix.version, "the version is not the index's")
        self.say(u32(h, 12) == BLOCK, "the block size is wrong")
        self.say((u64(h, 16), u64(h, 24)) == ix.features, "the features are not the index's")
        self.say(h[32:48] == ix.identity, "the identity is not the index's")
        self.say(u64(h, 48) == len(f) == row["size"], "the file's size is wrong")
        self.say(u32(h, 56) == self.k and u32(h, 60) == ix.nshards, "the shard's number is wrong")
        self.say(u64(h, 64) == row["first"] and u64(h, 72) == row["last"] - row["first"],
                 "the range of samples is wrong")
        self.say(u64(h, 80) == row["data_end"], "the data end is wrong")
        self.at, self.stored, self.decoded = u64(h, 88), u64(h, 96), u64(h, 104)
        self.say(self.at == up(row["data_end"], BLOCK), "the catalog's offset is wrong")
        self.say(self.at + self.stored == len(f), "the catalog does not end the file")
        self.say(u64(h, 112) == row["checksum"], "the catalog's checksum is not the index's")
        self.say(is_zero(h[120:4088]), "the header's reserved bytes are not zero")

    def _samples(self):
        f, row, ix = self.file, self.row, self.index
        for i in range(row["first"], row["last"]):
            r = ix.records[i]
            self.say(is_zero(f[r["gap_from"]:r["start"]]), "the padding before sample %d is not zero", i)
            stored = f[r["start"]:r["end"]]
            self.say(xxh3(stored) == r["checksum"], "sample %d's checksum is wrong", i)
        self.say(is_zero(f[row["data_end"]:self.at]), "the padding before the catalog is not zero")

    def decode(self, i):
        """The bytes of sample i, whose checksum has been checked."""
        r, ix = self.index.records[i], self.index
        stored = self.file[r["start"]:r["end"]]
        dictionary = ix.dicts[r["dict"] - 1] if r["dict"] else b""
        if r["codec"] == RAW:
            return stored
        if r["codec"] == LZ4:
            return lz4_decode(stored, r["size"], dictionary)
        self.say(len(stored) > 4 and stored[:4] == b"\x28\xb5\x2f\xfd", "sample %d is no Zstandard frame", i)
        return zstd_decode(stored, r["size"], dictionary)

    def _chunks(self):
        stored = self.file[self.at:]
        self.say(xxh3(stored) == self.row["checksum"], "the catalog's checksum is wrong")
        self.say(self.decoded <= (16 << 20) + 512 * self.stored, "the catalog's decoded length is absurd")
        c = Cursor(zstd_decode(stored, self.decoded), "shard %d's catalog" % self.k)
        self.chunks = {}
        last = 0
        while c.at < len(c.data):
            tag, zero, length = struct.unpack("<IIQ", c.take(16))
            self.say(zero == 0, "a chunk's reserved field is not zero")
            self.say(tag > last, "chunks are not ordered by tag")
            self.chunks[tag] = c.take(length)
            self.say(is_zero(c.take(-length % 8)), "a chunk's padding is not zero")
            last = tag
        for tag in (1, 2, 7, 8, 9, 10, 11, 12, 13, 14):
            self.say(tag in self.chunks, "chunk %d is missing", tag)
        for tag, section in ((2, S_ATTRS), (3, S_DICTS), (4, S_LABELS), (5, S_SCHEMA), (6, S_NOTES)):
            self.say(self.chunks.get(tag) == self.index.sec.get(section), "chunk %d is not section %d", tag, section)

    def listed(self):
        """The range of directories that this shard lists, by the rule of section 5."""
        ix, row = self.index, self.row
        empty = row["first"] == row["last"]
        if empty and self.k:
            return 0, 0
        first = 0 if self.k == 0 else ix.sample_dir[row["first"]]
        later = [s for s in ix.shards[self.k + 1:] if s["first"] < s["last"]]
        last = ix.sample_dir[later[0]["first"]] if later else ix.ndirs - 1
        return first, last + 1

    def _cursor(self, tag):
        return Cursor(self.chunks[tag], "shard %d's chunk %d" % (self.k, tag))

    def _catalog(self):
        ix = self.index
        c = self._cursor(1)
        totals = struct.unpack("<QQQII", c.take(32))
        c.done()
        self.first_dir, self.end_dir = self.listed()
        self.say(totals[:3] == (ix.ndirs, ix.nsamples, ix.nlinks), "the catalog's totals are not the index's")
        self.say(totals[4] == self.end_dir - self.first_dir, "the catalog lists a wrong number of directories")
        self.say(totals[3] == self.first_dir, "the catalog lists directories from a wrong one on")
        self._listed_directories()
        self._listed_samples()
        self._listed_links()

    def _strings(self, tag, want, what):
        c = self._cursor(tag)
        for w in want:
            self.say(c.string() == w, "the catalog's %s are not the index's", what)
        c.done()

    def _listed_directories(self):
        ix, row = self.index, self.row
        listed = range(self.first_dir, self.end_dir)
        self._strings(7, [ix.paths[d] for d in listed], "directories")
        c = self._cursor(8)
        n = len(listed)
        attr, mtime = c.planes(n, 4), c.planes(n, 8, signed=True)
        samples, links = c.planes(n, 4), c.planes(n, 4)
        c.done()
        self.links = []
        for j, d in enumerate(listed):
            a, b = ix.dirs[d], ix.dirs[d + 1]
            self.say((attr[j], mtime[j]) == (a["attr"], a["mtime"]), "directory %d is not as in the index", d)
            here = max(0, min(b["sample"], row["last"]) - max(a["sample"], row["first"]))
            self.say(samples[j] == here, "directory %d has another number of samples here", d)
            # All but shard 0 begin with a directory that an earlier shard has listed, with its links.
            mine = [] if self.k and j == 0 else list(range(a["link"], b["link"]))
            self.say(links[j] == len(mine), "directory %d has another number of links here", d)
            self.links += mine

    def _listed_samples(self):
        ix, row = self.index, self.row
        mine = range(row["first"], row["last"])
        n = len(mine)
        self._strings(9, [ix.names[ix.ndirs + i] for i in mine], "sample names")
        c = self._cursor(10)
        checksum, stored, size, code = c.planes(n, 8), c.planes(n, 5), c.planes(n, 5), c.planes(n, 1)
        c.done()
        for j, i in enumerate(mine):
            r = ix.records[i]
            self.say((checksum[j], stored[j], size[j], code[j]) ==
                     (r["checksum"], r["end"] - r["start"], r["size"], r["codec"] | r["dict"] << 3),
                     "sample %d's record is not as in the index", i)
        c = self._cursor(11)
        columns = ix.columns if ix.nsamples else {b"attr": [], b"mtime": []}
        for name, values in columns.items():
            self.say(c.take(32) == name.ljust(32, b"\0"), "the catalog's columns are not the index's")
            self.say(c.planes(n, 8, signed=True) == values[row["first"]:row["last"]],
                     "column %r is not as in the index", name)
        c.done()

    def _listed_links(self):
        ix = self.index
        base = ix.ndirs + ix.nsamples
        self._strings(12, [ix.names[base + i] for i in self.links], "link names")
        self._strings(13, [ix.links[i]["target"] for i in self.links], "link targets")
        c = self._cursor(14)
        n = len(self.links)
        attr, mtime = c.planes(n, 4), c.planes(n, 8, signed=True)
        c.done()
        for j, i in enumerate(self.links):
            self.say((attr[j], mtime[j]) == (ix.links[i]["attr"], ix.links[i]["mtime"]),
                     "link %d is not as in the index", i)


# ---- the whole pack -----------------------------------------------------------------

class Pack:
    """A pack, checked whole: everything of it is known to be sound, samples decoded too."""

    def __init__(self, path):
        self.index = Index(path)
        self.shards = [Shard(path, self.index, k) for k in range(self.index.nshards)]
        self.data = []
        for sh in self.shards:
            for i in range(sh.row["first"], sh.row["last"]):
                self.data.append(sh.decode(i))

    def nodes(self):
        """One dictionary a node, in node order."""
        ix = self.index
        samples, links = ix.columns.get(b"attr", []), ix.links
        for v, path in enumerate(ix.paths):
            i = v - ix.ndirs
            if v < ix.ndirs:
                kind, attr, mtime, size = "dir", ix.dirs[v]["attr"], ix.dirs[v]["mtime"], 0
            elif i < ix.nsamples:
                kind, attr, mtime, size = "sample", samples[i], ix.columns[b"mtime"][i], ix.records[i]["size"]
            else:
                link = links[i - ix.nsamples]
                kind, attr, mtime, size = "link", link["attr"], link["mtime"], len(link["target"])
            mode, uid, gid = ix.attrs[attr]
            node = {"kind": kind, "path": os.fsdecode(path), "mode": mode, "uid": uid, "gid": gid, "size": size,
                    "mtime_ns": mtime, "ino": v + 1}
            if kind == "link":
                node["target"] = os.fsdecode(link["target"])
            if kind == "sample":
                node["xxh3"] = "%016x" % xxh3(self.data[i])
                node["codec"], node["dict"] = ix.records[i]["codec"], ix.records[i]["dict"]
                if b"label" in ix.columns:
                    label = node["label"] = ix.columns[b"label"][i]
                    if ix.label_names and 0 <= label < len(ix.label_names):
                        node["label_name"] = ix.label_names[label].decode()
            yield node


def main():
    ap = argparse.ArgumentParser(description="check a pack, and list it as JSON lines")
    ap.add_argument("-q", "--quiet", action="store_true", help="check only")
    ap.add_argument("--cat", metavar="PATH", help="write the bytes of the sample at PATH instead of a list")
    ap.add_argument("pack")
    arg = ap.parse_args()
    try:
        pack = Pack(arg.pack)
    except Bad as e:
        print("second_reader: %s: %s" % (arg.pack, e), file=sys.stderr)
        return 1
    if arg.cat is not None:
        want = os.fsencode(arg.cat)
        i = pack.index.paths.index(want, pack.index.ndirs) - pack.index.ndirs
        sys.stdout.buffer.write(pack.data[i])
    elif not arg.quiet:
        for node in pack.nodes():
            print(json.dumps(node))
    return 0


if __name__ == "__main__":
    sys.exit(main())
