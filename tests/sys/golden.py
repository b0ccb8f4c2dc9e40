#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Packs of every released version of the format still read as they did when they were frozen.

    golden.py DIR           tests: DIR/NAME.slu against DIR/NAME.list
    golden.py --freeze DIR  writes NAME.list for each pack that has none
Frozen files are never changed; a new version adds new ones.
"""
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import check, main, same_files, succeed  # noqa: E402
import second_reader as sr  # noqa: E402


def packs(top):
    return sorted(os.path.join(top, n) for n in os.listdir(top) if n.endswith(".slu"))


def listing(pack):
    return "".join(json.dumps(n) + "\n" for n in sr.Pack(pack).nodes())


def freeze(top):
    for pack in packs(top):
        name = pack[:-4] + ".list"
        if not os.path.exists(name):
            with open(name, "w", encoding="ascii") as f:
                f.write(listing(pack))


def test(tmp):
    top = sys.argv[1]
    check(packs(top), "there is no golden pack in %s", top)
    for pack in packs(top):
        with open(pack[:-4] + ".list", encoding="ascii") as f:
            want = f.read()
        check(listing(pack) == want, "%s: the second reader reads it otherwise", pack)
        succeed("verify", "-q", pack)
        nodes = {n["path"]: n for n in map(json.loads, want.splitlines())}
        for e in succeed("ls", "-R", "--json", pack).json()["entries"]:
            n = nodes[e["path"]]
            for key in ("size", "mtime_ns", "mode", "uid", "gid", "ino"):
                check(e[key] == n[key], "%s: %s of %r is %r", pack, key, e["path"], e[key])
            if n["kind"] == "sample":
                data = succeed("cat", pack, os.fsencode(e["path"])).out
                check("%016x" % sr.xxh3(data) == n["xxh3"], "%s: %r has other bytes", pack, e["path"])
        copy = os.path.join(tmp, "copy.slu")
        shutil.copytree(pack, copy)
        os.unlink(os.path.join(copy, "index"))
        succeed("verify", "--rebuild-index", "-q", copy)
        check(same_files(pack, copy), "%s: its index is rebuilt otherwise", pack)
        shutil.rmtree(copy)


if sys.argv[1] == "--freeze":
    freeze(sys.argv[2])
else:
    main(test)
