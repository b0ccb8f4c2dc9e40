#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A pack of a newer minor version, with an optional feature and a section that we do not know,
reads as if they were not there; one of a newer major version, or with a required feature, is
refused as such and not as damaged."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import check, main, sluice, succeed  # noqa: E402
import second_reader as sr  # noqa: E402
from smallpack import small  # noqa: E402


def forge_newer(path, fmt, at, value):
    f = small(tiny=True)
    f.sections[99] = bytearray(b"from the future")

    def change(header):
        struct.pack_into("<H", header, 10, 3)
        struct.pack_into("<Q", header, 24, 1 << 5)
        struct.pack_into(fmt, header, at, value)

    f.on_header = change
    f.on_shard_header = lambda k, header: change(header)
    f.save(path)


def test(tmp):
    os.chdir(tmp)
    small(tiny=True).save("now.slu")
    forge_newer("minor.slu", "<Q", 24, 1 << 7)
    pack = sr.Pack("minor.slu")
    now, newer = (succeed("ls", "-R", "--json", p).json()["entries"] for p in ("now.slu", "minor.slu"))
    check(now == newer, "a newer minor version lists otherwise")
    for i, data in enumerate(pack.data):
        path = pack.index.paths[pack.index.ndirs + i]
        check(succeed("cat", "minor.slu", path).out == data, "%r reads otherwise", path)
    succeed("verify", "-q", "minor.slu")
    succeed("unpack", "minor.slu", "-C", "dst", "-q")
    check(succeed("info", "--json", "minor.slu").json()["version_minor"] == 3, "info tells another version")
    for fmt, at, value in (("<H", 8, 2), ("<Q", 16, 1), ("<Q", 16, 1 << 40)):
        forge_newer("major.slu", fmt, at, value)
        for command in (["info"], ["ls"], ["verify"], ["cat", "x"]):
            done = sluice(command[0], "major.slu", *command[1:])
            check(done.code == 2 and done.one_sentence(), "%s", done)


main(test)
