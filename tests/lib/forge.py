#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes packs by hand, sound ones and hostile ones, from docs/format.md alone.

Two levels:

    Model   what a pack tells: directories, samples, links, columns. build() makes one of
            entries, from_shards() of the catalogs of an existing pack. Its sections() and
            chunks() follow the rules of the document.
    Forged  the bytes: sections, shard bodies, catalogs. Change what you like; save()
            lays it out and makes every checksum right again, so that a reader gets to
            see the lie instead of a wrong checksum.

    forge.py rebuild PACK    builds the index from the shards alone, and compares:
                             exit 0 the same bytes, 1 not
"""
import ctypes
import math
import os
import stat
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import second_reader as sr  # noqa: E402  hashes, section numbers, constants
from second_reader import BLOCK, LZ4, RAW, ZSTD, u16, u32, u64, up, xxh3, xxh128  # noqa: E402,F401

_lz4, _zstd = sr._lz4, sr._zstd
_vp, _sz = ctypes.c_void_p, ctypes.c_size_t
_lz4.LZ4_createStream.restype = _vp
_lz4.LZ4_freeStream.argtypes = [_vp]
_lz4.LZ4_loadDict.argtypes = [_vp, ctypes.c_char_p, ctypes.c_int]
_lz4.LZ4_compress_fast_continue.argtypes = [_vp, ctypes.c_char_p, _vp, ctypes.c_int, ctypes.c_int, ctypes.c_int]
_zstd.ZSTD_createCCtx.restype = _vp
_zstd.ZSTD_freeCCtx.argtypes = [_vp]
_zstd.ZSTD_CCtx_setParameter.restype = _sz
_zstd.ZSTD_CCtx_setParameter.argtypes = [_vp, ctypes.c_int, ctypes.c_int]
_zstd.ZSTD_CCtx_loadDictionary.restype = _sz
_zstd.ZSTD_CCtx_loadDictionary.argtypes = [_vp, ctypes.c_char_p, _sz]
_zstd.ZSTD_compress2.restype = _sz
_zstd.ZSTD_compress2.argtypes = [_vp, _vp, _sz, ctypes.c_char_p, _sz]
_zstd.ZSTD_compressBound.restype = _sz
_zstd.ZSTD_compressBound.argtypes = [_sz]
_zstd.ZDICT_trainFromBuffer.restype = _sz
_zstd.ZDICT_trainFromBuffer.argtypes = [_vp, _sz, ctypes.c_char_p, ctypes.POINTER(_sz), ctypes.c_uint]


def lz4_encode(data, dictionary=b""):
    room = len(data) + len(data) // 255 + 64
    out = ctypes.create_string_buffer(room)
    stream = _lz4.LZ4_createStream()
    try:
        if dictionary:
            _lz4.LZ4_loadDict(stream, dictionary[-65536:], min(len(dictionary), 65536))
        n = _lz4.LZ4_compress_fast_continue(stream, data, out, len(data), room, 1)
    finally:
        _lz4.LZ4_freeStream(stream)
    return out.raw[:n]


def zstd_encode(data, dictionary=b"", level=3, content_size=False, checksum=False):
    room = _zstd.ZSTD_compressBound(len(data))
    out = ctypes.create_string_buffer(room)
    ctx = _zstd.ZSTD_createCCtx()
    try:
        for parameter, value in ((100, level), (200, int(content_size)), (201, int(checksum)), (202, 0)):
            assert not _zstd.ZSTD_isError(_zstd.ZSTD_CCtx_setParameter(ctx, parameter, value))
        if dictionary:
            assert not _zstd.ZSTD_isError(_zstd.ZSTD_CCtx_loadDictionary(ctx, dictionary, len(dictionary)))
        n = _zstd.ZSTD_compress2(ctx, out, room, data, len(data))
        assert not _zstd.ZSTD_isError(n)
    finally:
        _zstd.ZSTD_freeCCtx(ctx)
    return out.raw[:n]


def zstd_bomb(length, window_log=10):
    """A frame of a few hundred bytes whose blocks repeat one byte: length bytes decoded."""
    head = b"\x28\xb5\x2f\xfd" + bytes([0x00, (window_log - 10) << 3])
    biggest = min(1 << window_log, 128 << 10)
    blocks = []
    while True:
        n = min(length, biggest)
        length -= n
        blocks.append(struct.pack("<I", n << 3 | 1 << 1 | (length == 0))[:3] + b"\0")
        if not length:
            return head + b"".join(blocks)


def train_zstd(samples, size=4096):
    """A dictionary in ZDICT format; samples: a list of bytes, dozens at least."""
    out = ctypes.create_string_buffer(size)
    sizes = (_sz * len(samples))(*map(len, samples))
    n = _zstd.ZDICT_trainFromBuffer(out, size, b"".join(samples), sizes, len(samples))
    assert not _zstd.ZSTD_isError(n), "no dictionary could be trained"
    return out.raw[:n]


def planes(values, width):
    raw = b"".join((v % (1 << 8 * width)).to_bytes(width, "little") for v in values)
    return b"".join(raw[i::width] for i in range(width))


def strings(values):
    return b"".join(v + b"\0" for v in values)


# ---- what a pack tells ---------------------------------------------------------------

class Model:
    def __init__(self):
        self.attrs = []          # (mode, uid, gid)
        self.dirs = []           # dict parent name attr mtime
        self.samples = []        # dict dir name checksum stored size code
        self.links = []          # dict dir name target attr mtime
        self.columns = {}        # name: values
        self.dicts = self.labels = self.schema = self.notes = None   # sections
        self.firsts = [0]        # each shard's first sample
        self.shard_rows = []     # (first, data end, file size, checksum)

    def nodes(self):
        """(parent, name) of each node."""
        return [(d["parent"], d["name"]) for d in self.dirs] + \
               [(s["dir"], s["name"]) for s in self.samples + self.links]

    def bounds(self, k):
        return self.firsts[k], self.firsts[k + 1] if k + 1 < len(self.firsts) else len(self.samples)

    def path(self, d):
        return b"" if d == 0 else b"/".join(filter(None, [self.path(self.dirs[d]["parent"]), self.dirs[d]["name"]]))

    def sections(self):
        s = {sr.S_SHARDS: b"".join(struct.pack("<4Q", *r) for r in self.shard_rows),
             sr.S_ATTRS: attributes(self.attrs), sr.S_DIRS: self._directories(), sr.S_LOOKUP: lookup(self.nodes())}
        s[sr.S_GROUPS], s[sr.S_NAMES] = names([n for _, n in self.nodes()])
        if self.samples:
            s[sr.S_RECORDS] = self._records()
            s[sr.S_COLUMNS], s[sr.S_COLDATA] = columns(self.columns)
        if self.links:
            s[sr.S_LINKS], s[sr.S_TARGETS] = self._links()
        for kind, data in ((sr.S_DICTS, self.dicts), (sr.S_LABELS, self.labels), (sr.S_SCHEMA, self.schema),
                           (sr.S_NOTES, self.notes)):
            if data is not None:
                s[kind] = data
        return {k: bytearray(v) for k, v in s.items()}

    def _directories(self):
        out = bytearray()
        count = {"dir": [0] * len(self.dirs), "sample": [0] * len(self.dirs), "link": [0] * len(self.dirs)}
        for d in self.dirs[1:]:
            count["dir"][d["parent"]] += 1
        for s in self.samples:
            count["sample"][s["dir"]] += 1
        for s in self.links:
            count["link"][s["dir"]] += 1
        at = [1, 0, 0]
        for d, r in enumerate(self.dirs):
            out += struct.pack("<6Iq", r["parent"], *at, r["attr"], 0, r["mtime"])
            at = [a + count[k][d] for a, k in zip(at, ("dir", "sample", "link"))]
        return out + struct.pack("<6Iq", 0, *at, 0, 0, 0)

    def _records(self):
        out = bytearray()
        for k in range(len(self.firsts)):
            for s, _, end in self.layout(k):
                out += struct.pack("<Q", s["checksum"]) + end.to_bytes(5, "little") + s["size"].to_bytes(5, "little")
                out.append(s["code"])
        return out

    def layout(self, k):
        """(sample, start, end) of each sample of shard k, by the rule of section 3.3."""
        end, was = BLOCK, False
        for i in range(*self.bounds(k)):
            s = self.samples[i]
            aligned = s["code"] & 7 == RAW and s["size"] >= sr.ALIGNED_FROM
            start = up(end, BLOCK) if aligned or was else end
            end, was = start + s["stored"], aligned
            yield s, start, end

    def _links(self):
        out, targets = bytearray(), bytearray()
        for r in self.links:
            out += struct.pack("<QIIq", len(targets), r["attr"], 0, r["mtime"])
            targets += r["target"]
        return out + struct.pack("<QIIq", len(targets), 0, 0, 0), targets

    def listed(self, k):
        first, last = self.bounds(k)
        if first == last and k:
            return range(0)
        later = [self.bounds(j)[0] for j in range(k + 1, len(self.firsts)) if self.bounds(j)[0] < self.bounds(j)[1]]
        end = self.samples[later[0]]["dir"] if later else len(self.dirs) - 1
        return range(self.samples[first]["dir"] if k else 0, end + 1)

    def chunks(self, k):
        """The catalog of shard k, by tag."""
        mine, listed = self.samples[slice(*self.bounds(k))], self.listed(k)
        fresh = set(listed) if k == 0 else set(listed[1:])
        links = [r for r in self.links if r["dir"] in fresh]
        dirs = [self.dirs[d] for d in listed]
        out = {1: struct.pack("<QQQII", len(self.dirs), len(self.samples), len(self.links),
                              listed.start if listed else 0, len(listed)),
               2: attributes(self.attrs),
               7: strings(self.path(d) for d in listed),
               8: planes([d["attr"] for d in dirs], 4) + planes([d["mtime"] for d in dirs], 8) +
               planes([sum(s["dir"] == d for s in mine) for d in listed], 4) +
               planes([sum(s["dir"] == d for s in links) for d in listed], 4),
               9: strings(s["name"] for s in mine),
               10: planes([s["checksum"] for s in mine], 8) + planes([s["stored"] for s in mine], 5) +
               planes([s["size"] for s in mine], 5) + planes([s["code"] for s in mine], 1),
               11: b"".join(n.ljust(32, b"\0") + planes(v[slice(*self.bounds(k))], 8)
                            for n, v in sorted(self.columns.items())),
               12: strings(r["name"] for r in links),
               13: strings(r["target"] for r in links),
               14: planes([r["attr"] for r in links], 4) + planes([r["mtime"] for r in links], 8)}
        for tag, data in ((3, self.dicts), (4, self.labels), (5, self.schema), (6, self.notes)):
            if data is not None:
                out[tag] = data
        return {tag: bytearray(out[tag]) for tag in sorted(out)}


def attributes(attrs):
    return b"".join(struct.pack("<4I", *a, 0) for a in attrs)


def names(all_names):
    """Sections name groups and names."""
    groups, out = bytearray(), bytearray()
    for g in range(0, len(all_names), 16):
        groups += len(out).to_bytes(5, "little")
        group = all_names[g:g + 16]
        suffix = os.path.commonprefix([n[::-1] for n in group])[:255][::-1]
        stems = [n[:len(n) - len(suffix)] for n in group]
        shared = [0] + [len(os.path.commonprefix([stems[0], s])) for s in stems[1:]]
        out += bytes([len(suffix)]) + bytes(shared) + bytes(len(s) - p for s, p in zip(stems, shared)) + suffix
        for s, p in zip(stems, shared):
            out += s[p:]
    return groups + len(out).to_bytes(5, "little"), out


def lookup(nodes):
    n = len(nodes)
    buckets = max(1, math.ceil((n - 1) / 14))
    w = n.bit_length()
    table = [[] for _ in range(buckets)]
    for v, (parent, name) in enumerate(nodes):
        if v:
            h = xxh3(name, parent)
            b = (h * buckets) >> 64
            while len(table[b]) == 16:
                b = (b + 1) % buckets
            table[b].append(((h % 2 ** (32 - w)) * 2 ** w) + v + 1)
    return b"".join(struct.pack("<16I", *(t + [0] * 16)[:16]) for t in table)


def columns(cols):
    """Sections columns and column data."""
    table, data = bytearray(), bytearray()
    for name, values in sorted(cols.items()):
        base, bits = min(values), (max(values) - min(values)).bit_length()
        whole = sum((v - base) << i * bits for i, v in enumerate(values)) if bits else 0
        length = up(-(-len(values) * bits // 8), 8) + 8 if bits else 0
        table += name.ljust(32, b"\0") + struct.pack("<IIqQQ", 1, bits, base, len(data), length)
        data += whole.to_bytes(length, "little")
    return table, data


def dictionaries(dicts):
    out, at = struct.pack("<II", len(dicts), 0), 8 + 8 * (len(dicts) + 1)
    for d in [*dicts, b""]:
        out += struct.pack("<Q", at)
        at += len(d)
    return out + b"".join(dicts)


# ---- the bytes -------------------------------------------------------------------------

class Forged:
    """Sections and shards as bytes, to be changed at will and saved with right checksums."""

    def __init__(self):
        self.header = {}         # dirs samples links raw stored, as numbers
        self.sections = {}       # type: bytearray
        self.shards = []         # dict first count body chunks catalog decoded
        self.keep_shard_table = False    # do not write section 1 anew
        self.on_rows = None      # called with the section rows [type, offset, length]
        self.on_header = None    # called with the index header (bytearray) before its checksum
        self.on_shard_header = None      # called with (k, bytearray) likewise
        self.on_data = None      # called with the bytes of blocks 1 .. D-1 before the tree

    @classmethod
    def of(cls, model, bodies):
        f = cls()
        for k, body in enumerate(bodies):
            first, last = model.bounds(k)
            f.shards.append({"first": first, "count": last - first, "body": bytearray(body),
                             "chunks": model.chunks(k), "catalog": None, "decoded": None})
        f.sections = model.sections()
        f.header = {"dirs": len(model.dirs), "samples": len(model.samples), "links": len(model.links),
                    "raw": sum(s["size"] for s in model.samples), "stored": sum(s["stored"] for s in model.samples)}
        return f

    @classmethod
    def load(cls, path):
        """Takes a sound pack apart."""
        f = cls()
        index = sr.read_file(os.path.join(path, "index"))
        f.header = dict(zip(("dirs", "samples", "links", "raw", "stored"), struct.unpack_from("<5Q", index, 72)))
        for i in range(u32(index, 116)):
            kind, _, offset, length = struct.unpack_from("<IIQQ", index, 256 + 24 * i)
            f.sections[kind] = bytearray(index[offset:offset + length])
        for k in range(u32(index, 112)):
            s = sr.read_file(os.path.join(path, "shard-%05d" % k))
            first, count, end, at, _, decoded = struct.unpack_from("<6Q", s, 64)
            f.shards.append({"first": first, "count": count, "body": bytearray(s[BLOCK:end]),
                             "chunks": parse_chunks(sr.zstd_decode(s[at:], decoded)), "catalog": None,
                             "decoded": None})
        return f

    def save(self, path):
        os.makedirs(path, exist_ok=True)
        rows, files = [], []
        for s in self.shards:
            plain = join_chunks(s["chunks"])
            stored = s["catalog"] if s["catalog"] is not None else zstd_encode(plain)
            decoded = s["decoded"] if s["decoded"] is not None else len(plain)
            end = BLOCK + len(s["body"])
            at = up(end, BLOCK)
            files.append((s, end, at, stored, decoded))
            rows.append((s["first"], end, at + len(stored), xxh3(stored)))
        if not self.keep_shard_table:
            self.sections[sr.S_SHARDS] = bytearray(b"".join(struct.pack("<4Q", *r) for r in rows))
        index, identity = self._index()
        write(os.path.join(path, "index"), index)
        for k, part in enumerate(files):
            write(os.path.join(path, "shard-%05d" % k), self._shard(k, *part, identity))

    def _index(self):
        rows, data = [], bytearray()
        for kind in sorted(self.sections):
            data += bytes(-len(data) % 64)
            rows.append([kind, BLOCK + len(data), len(self.sections[kind])])
            data += self.sections[kind]
        data += bytes(-len(data) % BLOCK)
        if self.on_data:
            self.on_data(data)
        if self.on_rows:
            self.on_rows(rows)
        tree, top = checksum_tree(data)
        identity = xxh128(data)
        h = bytearray(BLOCK)
        h[:8] = sr.INDEX_MAGIC
        struct.pack_into("<HHIQQ", h, 8, 1, 0, BLOCK, 0, 0)
        h[32:48] = identity
        nblocks = 1 + len(data) // BLOCK
        struct.pack_into("<8QII", h, 48, BLOCK + len(data) + len(tree), nblocks, top,
                         *(self.header[k] for k in ("dirs", "samples", "links", "raw", "stored")),
                         len(self.shards), len(rows))
        for i, (kind, offset, length) in enumerate(rows):
            struct.pack_into("<IIQQ", h, 256 + 24 * i, kind, 0, offset, length)
        if self.on_header:
            self.on_header(h)
        struct.pack_into("<Q", h, 4088, xxh3(h[:4088]))
        return h + data + tree, bytes(h[32:48])

    def _shard(self, k, s, end, at, stored, decoded, identity):
        h = bytearray(BLOCK)
        h[:8] = sr.SHARD_MAGIC
        struct.pack_into("<HHIQQ", h, 8, 1, 0, BLOCK, 0, 0)
        h[32:48] = identity
        struct.pack_into("<QII7Q", h, 48, at + len(stored), k, len(self.shards), s["first"], s["count"], end, at,
                         len(stored), decoded, xxh3(stored))
        if self.on_shard_header:
            self.on_shard_header(k, h)
        struct.pack_into("<Q", h, 4088, xxh3(h[:4088]))
        return h + s["body"] + bytes(at - end) + stored


def checksum_tree(data):
    tree, level = b"", data
    while True:
        level = b"".join(struct.pack("<Q", xxh3(level[i:i + BLOCK])) for i in range(0, len(level), BLOCK))
        level = level.ljust(up(len(level), BLOCK), b"\0")
        tree += level
        if len(level) == BLOCK:
            return tree, xxh3(level)


def join_chunks(chunks):
    return b"".join(struct.pack("<IIQ", tag, 0, len(c)) + bytes(c) + bytes(-len(c) % 8)
                    for tag, c in sorted(chunks.items()))


def parse_chunks(data):
    c, out = sr.Cursor(data, "a catalog"), {}
    while c.at < len(data):
        tag, _, length = struct.unpack("<IIQ", c.take(16))
        out[tag] = bytearray(c.take(length))
        c.take(-length % 8)
    return out


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


# ---- a pack from entries ------------------------------------------------------------------

def build(entries, codec="raw", firsts=(0,), dicts=(), labels=None, schema=None, notes=None):
    """A Forged pack of entries: dicts with
        path   components, as bytes: (b"dir", b"name"); nothing about them is checked
        kind   "dir", "file" or "link"; directories on the way are made
        data / target, mode, uid, gid, mtime, codec ("raw" "lz4" "zstd"), dict, label
    """
    m = Model()
    m.firsts = list(firsts)
    m.dicts = dictionaries(dicts) if dicts else None
    m.labels = strings(labels) if labels else None
    m.schema, m.notes = schema, notes
    dir_of = _place_directories(m, entries)
    number = {}

    def attr(e, kind, mode):
        a = (kind | e.get("mode", mode), e.get("uid", 0), e.get("gid", 0))
        if a not in number:
            number[a] = len(m.attrs)
            m.attrs.append(a)
        return number[a]

    for d in m.dirs:
        d["attr"] = attr(d["entry"], stat.S_IFDIR, 0o755)

    def of_kind(kind):
        return sorted((e for e in entries if e["kind"] == kind), key=lambda e: (dir_of[e["path"][:-1]], e["path"][-1]))

    stored, label = [], []
    m.columns = {b"attr": [], b"mtime": []}
    for e in of_kind("file"):
        body, code = _encode(e, e.get("codec", codec), dicts)
        stored.append(body)
        m.samples.append({"dir": dir_of[e["path"][:-1]], "name": e["path"][-1], "checksum": xxh3(body),
                          "stored": len(body), "size": e.get("size", len(e["data"])), "code": code})
        m.columns[b"attr"].append(attr(e, stat.S_IFREG, 0o644))
        m.columns[b"mtime"].append(e.get("mtime", 0))
        label.append(e.get("label"))
    if label and None not in label:
        m.columns[b"label"] = label
    for e in of_kind("link"):
        m.links.append({"dir": dir_of[e["path"][:-1]], "name": e["path"][-1], "target": e["target"],
                        "attr": attr(e, stat.S_IFLNK, 0o777), "mtime": e.get("mtime", 0)})
    bodies = []
    at = 0
    for k in range(len(m.firsts)):
        body = bytearray()
        for _, start, _ in m.layout(k):
            body += bytes(start - BLOCK - len(body)) + stored[at]
            at += 1
        bodies.append(body)
    return Forged.of(m, bodies)


def _place_directories(m, entries):
    """Fills m.dirs in breadth-first order; returns the number of each by its components."""
    known = {(): {"path": (), "kind": "dir"}}
    for e in entries:
        for n in range(1, len(e["path"])):
            known.setdefault(e["path"][:n], {"path": e["path"][:n], "kind": "dir"})
        if e["kind"] == "dir":
            known[e["path"]] = e
    order, at = [()], 0
    while at < len(order):
        order += sorted(p for p in known if p and p[:-1] == order[at])
        at += 1
    number = {p: d for d, p in enumerate(order)}
    for p in order:
        m.dirs.append({"parent": number[p[:-1]], "name": p[-1] if p else b"", "mtime": known[p].get("mtime", 0),
                       "entry": known[p]})
    return number


def _encode(e, codec, dicts):
    number = e.get("dict", 0)
    dictionary = dicts[number - 1] if number else b""
    if "stored" in e:
        return e["stored"], e["code"]
    if codec == "lz4":
        return lz4_encode(e["data"], dictionary), LZ4 | number << 3
    if codec == "zstd":
        return zstd_encode(e["data"], dictionary), ZSTD | number << 3
    return e["data"], RAW


# ---- the index again, from shards alone ------------------------------------------------------

def from_shards(path):
    """The Forged pack whose sections follow from the catalogs of the pack at path."""
    files = [f for f in os.listdir(path) if f.startswith("shard-")]
    m, bodies, dirs = Model(), [], {}
    m.firsts = []
    for k in range(len(files)):
        s = sr.read_file(os.path.join(path, "shard-%05d" % k))
        first, count, end, at, length, decoded = struct.unpack_from("<6Q", s, 64)
        m.firsts.append(first)
        m.shard_rows.append((first, end, len(s), xxh3(s[at:at + length])))
        bodies.append(s[BLOCK:end])
        _take_catalog(m, k, count, parse_chunks(sr.zstd_decode(s[at:at + length], decoded)), dirs)
    number = {p: d for d, p in enumerate(dirs)}
    for p, (attr, mtime) in dirs.items():
        parent, _, name = p.rpartition(b"/")
        m.dirs.append({"parent": number[parent], "name": name, "attr": attr, "mtime": mtime})
    f = Forged.of(m, bodies)
    f.keep_shard_table = True
    return f


def _take_catalog(m, k, count, chunks, dirs):
    def cursor(tag):
        return sr.Cursor(bytes(chunks[tag]), "chunk %d" % tag)

    first, ndirs = struct.unpack_from("<II", chunks[1], 24)
    m.attrs = [struct.unpack_from("<3I", chunks[2], i) for i in range(0, len(chunks[2]), 16)]
    m.dicts, m.labels, m.schema, m.notes = (chunks.get(t) for t in (3, 4, 5, 6))
    c, paths = cursor(8), cursor(7)
    attr, mtime = c.planes(ndirs, 4), c.planes(ndirs, 8, signed=True)
    nsamples, nlinks = c.planes(ndirs, 4), c.planes(ndirs, 4)
    sample_dirs, link_dirs = [], []
    for j in range(ndirs):
        dirs[paths.string()] = attr[j], mtime[j]
        sample_dirs += [first + j] * nsamples[j]
        link_dirs += [first + j] * nlinks[j]
    c, n = cursor(10), cursor(9)
    rows = zip(sample_dirs, c.planes(count, 8), c.planes(count, 5), c.planes(count, 5), c.planes(count, 1))
    for d, checksum, stored, size, code in rows:
        m.samples.append({"dir": d, "name": n.string(), "checksum": checksum, "stored": stored, "size": size,
                          "code": code})
    c = cursor(11)
    while c.at < len(c.data):
        m.columns.setdefault(c.take(32).rstrip(b"\0"), []).extend(c.planes(count, 8, signed=True))
    c, n, t = cursor(14), cursor(12), cursor(13)
    for d, attr, mtime in zip(link_dirs, c.planes(len(link_dirs), 4), c.planes(len(link_dirs), 8, signed=True)):
        m.links.append({"dir": d, "name": n.string(), "target": t.string(), "attr": attr, "mtime": mtime})


def rebuild_matches(path):
    """None if the index from the shards alone is the index's bytes, else a sentence."""
    f = from_shards(path)
    built, _ = f._index()
    index = sr.read_file(os.path.join(path, "index"))
    if built == index:
        return None
    given = Forged.load(path)
    for kind in sorted(set(f.sections) | set(given.sections)):
        if f.sections.get(kind) != given.sections.get(kind):
            return "section %d of the index does not follow from the shards" % kind
    return "the index does not follow from the shards"


def main():
    if len(sys.argv) != 3 or sys.argv[1] != "rebuild":
        print("usage: forge.py rebuild PACK", file=sys.stderr)
        return 2
    trouble = rebuild_matches(sys.argv[2])
    if trouble:
        print("forge: %s: %s" % (sys.argv[2], trouble), file=sys.stderr)
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
