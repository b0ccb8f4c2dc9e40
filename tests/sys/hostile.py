#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Packs that lie, with every checksum right: always an error, never a crash, a hang, a write
outside the destination, or more memory than 512 MiB.

    hostile.py [--newer] [NAME...]

Each case says what `verify` must answer (always "damaged", unless it says otherwise)
and whether `unpack` may succeed; info, ls and cat may, as long as they end well. With
--newer the same packs claim a newer minor version, of which verify cannot judge all.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import Failed, SANITIZED, check, main, remove, sluice  # noqa: E402
import forge  # noqa: E402
import second_reader as sr  # noqa: E402
from smallpack import small, text  # noqa: E402

LIMIT = 512 << 20
CASES = {}


def case(fn):
    CASES[fn.__name__] = fn
    return fn


def entry(*path, data=b"payload", **kw):
    return {"path": path, "kind": "file", "data": data, **kw}


def link(target, *path):
    return {"path": path, "kind": "link", "target": target}


def put(section, fmt, at, *values):
    """A case: the small pack with a few bytes of one section overwritten."""
    def make():
        f = small(tiny=True)
        struct.pack_into(fmt, f.sections[section], at, *values)
        return f
    return make


def header(fmt, at, *values):
    def make():
        f = small(tiny=True)
        f.on_header = lambda h: struct.pack_into(fmt, h, at, *values)
        return f
    return make


def rows(change):
    def make():
        f = small(tiny=True)
        f.on_rows = change
        return f
    return make


def chunk(tag, change, k=0):
    """A case: a chunk of shard k's catalog changed, which verify and rebuild must both see."""
    def make():
        f = small(tiny=True)
        change(f.shards[k]["chunks"], tag)
        return f
    return make


# ---- names and paths ---------------------------------------------------------------------

for n, (name, bad) in enumerate({
        "name_dotdot": b"..", "name_dot": b".", "name_slash": b"a/b", "name_absolute": b"/abs", "name_nul": b"a\0b",
        "name_climbs": b"../../escaped", "name_empty": b""}.items()):
    CASES[name] = lambda bad=bad: forge.build([entry(b"ok"), entry(bad)])
    CASES[name + "_of_directory"] = lambda bad=bad: forge.build([entry(b"ok"), entry(bad, b"x")])
    CASES[name + "_of_link"] = lambda bad=bad: forge.build([entry(b"ok"), link(b"ok", bad)])


@case
def names_not_sorted():
    f = forge.build([entry(b"a"), entry(b"b"), entry(b"c")])
    f.sections[sr.S_GROUPS], f.sections[sr.S_NAMES] = map(bytearray, forge.names([b"", b"b", b"a", b"c"]))
    f.sections[sr.S_LOOKUP] = bytearray(forge.lookup([(0, b""), (0, b"b"), (0, b"a"), (0, b"c")]))
    f.shards[0]["chunks"][9] = bytearray(forge.strings([b"b", b"a", b"c"]))
    return f


@case
def two_of_one_name():
    """A link and a file of one name: unpacking the file would write through the link."""
    return forge.build([entry(b"x"), link(b"/tmp/elsewhere", b"x")])


@case
def a_file_and_a_directory_of_one_name():
    return forge.build([entry(b"x", b"inside"), entry(b"x")])


@case
def too_deep():
    return forge.build([entry(*[b"d"] * 300, b"x")])


@case
def path_too_long():
    return forge.build([entry(*[b"n" * 250] * 20, b"x")])


CASES["target_with_nul"] = lambda: forge.build([entry(b"x"), link(b"a\0b", b"l")])
CASES["target_empty"] = lambda: forge.build([entry(b"x"), link(b"", b"l")])
CASES["target_too_long"] = lambda: forge.build([entry(b"x"), link(b"t" * 5000, b"l")])

# ---- the tree of directories ------------------------------------------------------------------

CASES["root_has_a_parent"] = put(sr.S_DIRS, "<I", 0, 2)
CASES["parent_is_itself"] = put(sr.S_DIRS, "<I", 32 * 2, 2)
CASES["parent_is_a_descendant"] = put(sr.S_DIRS, "<I", 32 * 1, 5)
CASES["parent_out_of_range"] = put(sr.S_DIRS, "<I", 32 * 3, 0xFFFFFFFF)
CASES["children_are_the_parents"] = put(sr.S_DIRS, "<I", 32 * 4 + 4, 1)
CASES["children_run_backwards"] = put(sr.S_DIRS, "<I", 32 * 2 + 8, 1)
CASES["first_child_huge"] = put(sr.S_DIRS, "<I", 32 * 1 + 4, 0xFFFFFFFF)
CASES["first_sample_huge"] = put(sr.S_DIRS, "<I", 32 * 1 + 8, 0xFFFFFFF0)
CASES["first_link_huge"] = put(sr.S_DIRS, "<I", 32 * 1 + 12, 0xFFFFFFF0)
CASES["attribute_out_of_range"] = put(sr.S_DIRS, "<I", 32 * 1 + 16, 77)
CASES["last_record_lies"] = put(sr.S_DIRS, "<I", 32 * 6 + 8, 3)
CASES["directory_with_a_file's_mode"] = put(sr.S_ATTRS, "<I", 0, 0o100644)
CASES["file_with_a_device's_mode"] = put(sr.S_ATTRS, "<I", 32, 0o060644)
CASES["equal_attributes"] = put(sr.S_ATTRS, "<I", 16, 0o040755)

# ---- records --------------------------------------------------------------------------------------

CASES["size_2^40-1"] = put(sr.S_RECORDS, "<5B", 19 * 2 + 13, 255, 255, 255, 255, 255)
CASES["end_2^40-1"] = put(sr.S_RECORDS, "<5B", 19 * 2 + 8, 255, 255, 255, 255, 255)
CASES["end_before_start"] = put(sr.S_RECORDS, "<5B", 19 * 2 + 8, 1, 0, 0, 0, 0)
CASES["end_zero"] = put(sr.S_RECORDS, "<5B", 19 * 2 + 8, 0, 0, 0, 0, 0)
CASES["codec_unknown"] = put(sr.S_RECORDS, "<B", 19 * 2 + 18, 5)
CASES["codec_extents"] = put(sr.S_RECORDS, "<B", 19 * 2 + 18, 7)
CASES["dictionary_missing"] = put(sr.S_RECORDS, "<B", 19 * 2 + 18, 2 | 31 << 3)
CASES["raw_with_dictionary"] = put(sr.S_RECORDS, "<B", 18, 1 << 3)


def lying(body, code, size):
    return forge.build([entry(b"x", data=b"", stored=body, code=code, size=size)])


CASES["zstd_bomb_small_promise"] = lambda: lying(forge.zstd_bomb(1 << 30, 17), 2, 100)
CASES["zstd_bomb_large_promise"] = lambda: lying(forge.zstd_bomb(1 << 30, 17), 2, 2 ** 40 - 1)
CASES["zstd_size_over_256M"] = lambda: lying(forge.zstd_bomb((256 << 20) + 5, 17), 2, (256 << 20) + 5)
CASES["zstd_window_huge"] = lambda: lying(b"\x28\xb5\x2f\xfd\x00\xf8" + b"\x03\x00\x00" + b"A", 2, 0x0)
CASES["zstd_two_frames"] = lambda: lying(forge.zstd_encode(text(1)) + forge.zstd_encode(text(2)), 2, len(text(1) + text(2)))
CASES["zstd_short"] = lambda: lying(forge.zstd_encode(text(1)), 2, len(text(1)) + 1)
CASES["zstd_long"] = lambda: lying(forge.zstd_encode(text(1)), 2, len(text(1)) - 1)
CASES["zstd_empty"] = lambda: lying(b"", 2, 10)
CASES["zstd_skippable_frame"] = lambda: lying(b"\x50\x2a\x4d\x18\x04\0\0\0abcd" + forge.zstd_encode(text(1)), 2, len(text(1)))
CASES["zstd_not_shorter"] = lambda: lying(forge.zstd_encode(b"0123456789"), 2, 10)
CASES["lz4_size_2^40-1"] = lambda: lying(forge.lz4_encode(text(1)), 1, 2 ** 40 - 1)
CASES["lz4_not_shorter"] = lambda: lying(forge.lz4_encode(b"0123456789"), 1, 10)
CASES["lz4_short"] = lambda: lying(forge.lz4_encode(text(1)), 1, len(text(1)) + 1)
CASES["lz4_long"] = lambda: lying(forge.lz4_encode(text(1)), 1, len(text(1)) - 1)
CASES["lz4_empty"] = lambda: lying(b"", 1, 1)
CASES["lz4_noise"] = lambda: lying(bytes(range(256)) * 4, 1, 5000)
CASES["lz4_before_the_start"] = lambda: lying(b"\x04\xff\xff\x50AAAAA", 1, 13)

# ---- names, lookup, columns, dictionaries ---------------------------------------------------------------

CASES["name_group_backwards"] = put(sr.S_GROUPS, "<5B", 5, 0, 0, 0, 0, 0)
CASES["name_group_huge"] = put(sr.S_GROUPS, "<5B", 5, 255, 255, 255, 255, 255)
CASES["name_suffix_too_long"] = put(sr.S_NAMES, "<B", 0, 255)
CASES["name_part_too_long"] = put(sr.S_NAMES, "<B", 1 + 16 + 1, 255)
CASES["name_prefix_too_long"] = put(sr.S_NAMES, "<B", 1 + 1, 200)
CASES["name_prefix_of_the_first"] = put(sr.S_NAMES, "<B", 1, 1)
CASES["lookup_slot_out_of_range"] = put(sr.S_LOOKUP, "<I", 4, 0xFFFFFFFF)


@case
def lookup_full():
    """Not one empty slot: a search for what is not there must end all the same."""
    f = small(tiny=True)
    s = f.sections[sr.S_LOOKUP]
    for at in range(0, len(s), 4):
        if s[at:at + 4] == bytes(4):
            s[at:at + 4] = b"\xe0\xff\xff\xff"
    return f


@case
def lookup_empty():
    f = small(tiny=True)
    f.sections[sr.S_LOOKUP][:] = bytes(len(f.sections[sr.S_LOOKUP]))
    return f


@case
def lookup_empty_section():
    f = small(tiny=True)
    f.sections[sr.S_LOOKUP] = bytearray()
    return f


CASES["column_bits_huge"] = put(sr.S_COLUMNS, "<I", 36, 0xFFFFFFFF)
CASES["column_bits_65"] = put(sr.S_COLUMNS, "<I", 36, 65)
CASES["column_offset_huge"] = put(sr.S_COLUMNS, "<Q", 48, 2 ** 64 - 8)
CASES["column_length_huge"] = put(sr.S_COLUMNS, "<Q", 56, 2 ** 64 - 1)
CASES["column_length_0"] = put(sr.S_COLUMNS, "<Q", 56, 0)
CASES["column_name_open"] = put(sr.S_COLUMNS, "<32s", 0, b"a" * 32)
CASES["column_attr_gone"] = put(sr.S_COLUMNS, "<4s", 0, b"aatr")
CASES["column_attr_out_of_range"] = put(sr.S_COLUMNS, "<q", 40, 1 << 40)
CASES["column_unsorted"] = put(sr.S_COLUMNS, "<4s", 0, b"zttr")
CASES["dictionary_count_huge"] = put(sr.S_DICTS, "<I", 0, 0xFFFFFFFF)
CASES["dictionary_count_0"] = put(sr.S_DICTS, "<I", 0, 0)
CASES["dictionary_offset_huge"] = put(sr.S_DICTS, "<Q", 16, 2 ** 63)
CASES["dictionary_offset_backwards"] = put(sr.S_DICTS, "<Q", 16, 8)
CASES["dictionary_not_zdict"] = put(sr.S_DICTS, "<I", 32, 0x12345678)


@case
def label_names_open():
    f = small(tiny=True)
    f.sections[sr.S_LABELS] = bytearray(b"zero\0one")
    for s in f.shards:
        s["chunks"][4] = bytearray(b"zero\0one")
    return f


def schema_case(body):
    def make():
        f = small(tiny=True)
        f.sections[sr.S_SCHEMA] = bytearray(body)
        for s in f.shards:
            s["chunks"][5] = bytearray(body)
        return f
    return make


CASES["schema_short"] = schema_case(b"<f4")
CASES["schema_dims_huge"] = schema_case(b"<f4".ljust(16, b"\0") + struct.pack("<II8Q", 0, 0xFFFFFFFF, *[1] * 8))
CASES["schema_product_wraps"] = schema_case(b"<f4".ljust(16, b"\0") + struct.pack("<II8Q", 0, 4, *[2 ** 32] * 4, *[0] * 4))
CASES["schema_of_other_samples"] = schema_case(b"<f4".ljust(16, b"\0") + struct.pack("<II8Q", 0, 1, 4, *[0] * 7))

# ---- header, section table, shards ---------------------------------------------------------------------

CASES["header_dirs_huge"] = header("<Q", 72, 2 ** 63)
CASES["header_dirs_0"] = header("<Q", 72, 0)
CASES["header_samples_huge"] = header("<Q", 80, 2 ** 32 - 3)
CASES["header_samples_2^64"] = header("<Q", 80, 2 ** 64 - 1)
CASES["header_links_huge"] = header("<Q", 88, 2 ** 64 - 20)
CASES["header_shards_huge"] = header("<I", 112, 0xFFFFFFFF)
CASES["header_shards_0"] = header("<I", 112, 0)
CASES["header_sections_huge"] = header("<I", 116, 0xFFFFFFFF)
CASES["header_sections_0"] = header("<I", 116, 0)
CASES["header_blocks_huge"] = header("<Q", 56, 2 ** 52)
CASES["header_blocks_0"] = header("<Q", 56, 0)
CASES["header_size_lies"] = header("<Q", 48, 4096)
CASES["header_sum_lies"] = header("<Q", 96, 1)
CASES["header_stored_lies"] = header("<Q", 104, 1)
CASES["header_reserved"] = header("<Q", 128, 1)
CASES["header_version_2"] = header("<H", 8, 2)
CASES["header_feature"] = header("<Q", 16, 1)
CASES["header_feature_63"] = header("<Q", 16, 1 << 63)
CASES["header_block_size"] = header("<I", 12, 8192)


def set_row(i, column, value):
    def change(r):
        r[i][column] = value
    return rows(change)


def swap_rows(r):
    r[2], r[3] = r[3], r[2]


CASES["section_overlaps"] = set_row(3, 1, 4096)
CASES["section_in_the_header"] = set_row(0, 1, 0)
CASES["section_after_the_end"] = set_row(3, 1, 1 << 40)
CASES["section_wraps"] = set_row(3, 2, 2 ** 64 - 4096)
CASES["section_in_the_tree"] = set_row(-1, 2, 8000)
CASES["section_misaligned"] = set_row(3, 1, 4097 + 64)
CASES["section_twice"] = set_row(3, 0, 3)
CASES["section_missing"] = set_row(6, 0, 8)
CASES["section_order"] = rows(swap_rows)
CASES["section_cut"] = set_row(3, 2, 19)


@case
def gap_not_zero():
    f = small(tiny=True)

    def change(data):
        data[-1] = 1
    f.on_data = change
    return f


@case
def shard_table_lies():
    f = small(tiny=True)
    f.save("probe.slu")
    f.keep_shard_table = True
    struct.pack_into("<Q", f.sections[sr.S_SHARDS], 32, 2 ** 40)
    return f


@case
def shard_table_backwards():
    f = small(tiny=True)
    f.save("probe.slu")
    f.keep_shard_table = True
    struct.pack_into("<Q", f.sections[sr.S_SHARDS], 0, 5)
    return f


def shard_header(fmt, at, *values):
    def make():
        f = small(tiny=True)
        f.on_shard_header = lambda k, h: k or struct.pack_into(fmt, h, at, *values)
        return f
    return make


for name, at in (("size", 48), ("first", 64), ("count", 72), ("data_end", 80), ("catalog_at", 88),
                 ("catalog_length", 96), ("catalog_decoded", 104), ("catalog_checksum", 112), ("reserved", 120)):
    CASES["shard_header_" + name] = shard_header("<Q", at, 2 ** 63)
CASES["shard_header_number"] = shard_header("<I", 56, 1)
CASES["shard_header_shards"] = shard_header("<I", 60, 0xFFFFFFFF)
CASES["shard_header_identity"] = shard_header("<Q", 32, 1)

# ---- catalogs --------------------------------------------------------------------------------------------


@case
def catalog_bomb():
    f = small(tiny=True)
    f.shards[0]["catalog"] = forge.zstd_bomb(8 << 30, 17)
    f.shards[0]["decoded"] = 8 << 30
    return f


@case
def catalog_bomb_small_promise():
    f = small(tiny=True)
    f.shards[0]["catalog"] = forge.zstd_bomb(8 << 30, 17)
    f.shards[0]["decoded"] = 1000
    return f


@case
def catalog_empty():
    f = small(tiny=True)
    f.shards[0]["catalog"], f.shards[0]["decoded"] = b"", 0
    return f


def flip(chunks, tag):
    chunks[tag][0] ^= 1


def cut(chunks, tag):
    del chunks[tag][-1:]


def gone(chunks, tag):
    del chunks[tag]


def grown(chunks, tag):
    chunks[tag] += bytes(8)


for tag in (1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14):
    CASES["catalog_%d_flipped" % tag] = chunk(tag, flip)
    CASES["catalog_%d_cut" % tag] = chunk(tag, cut)
    CASES["catalog_%d_gone" % tag] = chunk(tag, gone)
    CASES["catalog_%d_grown" % tag] = chunk(tag, grown)


@case
def catalog_chunk_length_huge():
    f = small(tiny=True)
    plain = bytearray(forge.join_chunks(f.shards[0]["chunks"]))
    struct.pack_into("<Q", plain, 8, 2 ** 64 - 8)
    f.shards[0]["catalog"], f.shards[0]["decoded"] = forge.zstd_encode(bytes(plain)), len(plain)
    return f


@case
def catalog_counts_huge():
    f = small(tiny=True)
    struct.pack_into("<Q", f.shards[0]["chunks"][1], 8, 2 ** 32 - 9)
    struct.pack_into("<I", f.shards[0]["chunks"][1], 28, 0xFFFFFFFF)
    return f


# ---- what is done to each ------------------------------------------------------------------------------------

# Not damaged, but of a version that this one cannot look at.
NEWER = {"header_version_2", "header_feature", "header_feature_63"}

# A link with this target is refused by unpack alone: the pack is sound.
OUTSIDE = [b"/etc/passwd", b"../outside", b"a/../../outside", b"..", b"/", b"d/../../x"]


CLAIM_NEWER = "--newer" in sys.argv


def claim_newer(f):
    """Minor version 7, in all headers, on top of whatever else is done to them."""
    index_hook, shard_hook = f.on_header, f.on_shard_header

    def index(h):
        struct.pack_into("<H", h, 10, 7)
        if index_hook:
            index_hook(h)

    def shard(k, h):
        struct.pack_into("<H", h, 10, 7)
        if shard_hook:
            shard_hook(k, h)

    f.on_header, f.on_shard_header = index, shard


def run(name, *args):
    done = sluice(*args, limit=LIMIT, timeout=60)
    check(done.code in (0, 1, 2), "%s: %s", name, done)
    check(done.code == 0 or done.err or done.out, "%s: not a word: %s", name, done)
    check(b"Sanitizer" not in done.err and b"runtime error" not in done.err, "%s: %s", name, done)
    return done


def contents(top):
    return sorted(os.path.join(b, n) for b, d, f in os.walk(top) for n in d + f)


def try_pack(name):
    """Runs every command on bad.slu; none may crash, verify and unpack must refuse."""
    run(name, "info", "--json", "bad.slu")
    run(name, "ls", "-R", "--json", "bad.slu")
    run(name, "ls", "-lR", "bad.slu")
    run(name, "cat", "bad.slu", "c0/item-0000.json", "c1/item-0001.json", "c2/nothing", "x", "c1", "nothing")
    done = run(name, "verify", "bad.slu")
    if not CLAIM_NEWER:
        check(done.code != 0, "%s: verify finds nothing wrong", name)
        check(done.code == (2 if name in NEWER else 1), "%s: verify cannot tell: %s", name, done)
    os.makedirs("box/in", exist_ok=True)
    before = contents(".")
    run(name, "unpack", "bad.slu", "-C", "box/in/dst", "-j", "1")
    after = [p for p in contents(".") if not p.startswith("./box/in/dst")]
    check(before == after, "%s: unpack wrote outside: %r", name, set(after) - set(before))
    remove("box")
    rebuilt = run(name, "verify", "--rebuild-index", "bad.slu")
    return done.code, rebuilt.code


def outside_links():
    for target in OUTSIDE:
        remove("bad.slu")
        forge.build([entry(b"d", b"x"), link(target, b"l")]).save("bad.slu")
        remove("dst")
        check(sluice("verify", "-q", "bad.slu").code == 0, "a pack with a link to %r is sound", target)
        done = run(repr(target), "unpack", "bad.slu", "-C", "dst")
        check(done.code == 2 and done.one_sentence(), "a link to %r: %s", target, done)
        check(not os.path.lexists("dst/l"), "a link to %r was made", target)
        done = run(repr(target), "unpack", "bad.slu", "-C", "dst2", "--outside-links")
        check(done.code == 0 and os.readlink("dst2/l") == target.decode(), "--outside-links: %s", done)
        remove("dst2")
    remove("dst")


def odd_and_sound():
    """What other writers may do within the document: found sound, and read."""
    data = text(1) * 3
    for stored in (forge.zstd_encode(data, content_size=True), forge.zstd_encode(data, checksum=True),
                   forge.zstd_encode(data, level=19)):
        remove("odd.slu")
        forge.build([entry(b"x", data=data, stored=stored, code=2)]).save("odd.slu")
        done = run("odd", "verify", "odd.slu")
        check(done.code == 0, "an odd frame: %s %r", done, done.out)
        check(run("odd", "cat", "odd.slu", "x").out == data, "an odd frame reads otherwise")
    remove("odd.slu")


def planted_links():
    """Links that somebody put into the destination are not followed, even with --force."""
    forge.build([entry(b"d", b"x"), entry(b"f")]).save("good.slu")
    for force in ([], ["--force"]):
        for where, target in (("dst/d", "../secret"), ("dst/f", "../secret/f"), ("dst/d/x", "../../secret/x")):
            remove("dst")
            remove("secret")
            os.makedirs("secret")
            with open("secret/f", "w", encoding="ascii") as f:
                f.write("mine")
            os.makedirs(os.path.dirname(where), exist_ok=True)
            os.symlink(target, where)
            done = run(where, "unpack", "good.slu", "-C", "dst", *force)
            with open("secret/f", encoding="ascii") as f:
                check(os.listdir("secret") == ["f"] and f.read() == "mine", "%s was followed (%s)", where, done)
            if not force:
                check(done.code == 2 and done.one_sentence(), "a planted link at %s: %s", where, done)
    remove("dst")
    remove("secret")


def test(tmp):
    os.chdir(tmp)
    names = [n for n in sys.argv[1:] if n != "--newer"] or list(CASES)
    failed = 0
    for name in names:
        remove("bad.slu")
        remove("probe.slu")
        f = CASES[name]()
        if CLAIM_NEWER:
            claim_newer(f)
        f.save("bad.slu")
        remove("probe.slu")
        try:
            try_pack(name)
        except Failed as e:
            print(e, file=sys.stderr)
            failed += 1
    check(not failed, "%d of %d cases failed", failed, len(names))
    remove("bad.slu")
    if not sys.argv[1:]:
        odd_and_sound()
        outside_links()
        planted_links()
    print("%d hostile packs, and links %s" % (len(names), "with a limit of memory" if not SANITIZED else ""))


main(test)
