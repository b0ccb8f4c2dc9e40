#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The second reader, `sluice ls --json`, `sluice cat` and the source tree all tell the same.

    agree.py CODEC [OPTION...]
"""
import os
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import check, main, mktree, succeed  # noqa: E402
import forge  # noqa: E402
import second_reader as sr  # noqa: E402

KIND = {"directory": "dir", "file": "sample", "link": "link"}


def of_source(root):
    """Nodes by path, as the source has them."""
    out = {}
    root = os.fsencode(root)
    for base, dirs, files in os.walk(root):
        for name in [b"."] * (base == root) + dirs + files:
            path = os.path.join(base, name)
            st = os.lstat(path)
            rel = os.fsdecode(os.path.relpath(path, root))
            n = {"path": "" if rel == "." else rel, "mode": st.st_mode, "uid": st.st_uid, "gid": st.st_gid,
                 "mtime_ns": st.st_mtime_ns}
            if stat.S_ISLNK(st.st_mode):
                n["target"] = os.fsdecode(os.readlink(path))
            elif stat.S_ISREG(st.st_mode):
                with open(path, "rb") as f:
                    data = f.read()
                n["size"], n["xxh3"] = len(data), "%016x" % sr.xxh3(data)
            out[n["path"]] = n
    return out


def compare(want, have, what):
    check(set(want) == set(have), "%s: names differ: %r", what, sorted(set(want) ^ set(have))[:5])
    for path, w in want.items():
        for key, value in w.items():
            if key in have[path]:
                check(have[path][key] == value, "%s: %r: %s is %r, not %r", what, path, key, have[path][key], value)


def test(tmp):
    os.chdir(tmp)
    mktree("src", "--count", 80)
    succeed("pack", "src", "-o", "p.slu", "--codec", *sys.argv[1:], "-q")
    try:
        pack = sr.Pack("p.slu")
    except sr.Bad as e:
        check(False, "the second reader finds fault: %s", e)
    ours = {n["path"]: n for n in pack.nodes()}
    source = of_source("src")
    compare(source, ours, "the source and the second reader")

    entries = succeed("ls", "-R", "--json", "p.slu").json()["entries"]
    listed = {e["path"]: e for e in entries}
    check(len(listed) == len(entries), "ls lists something twice")
    root = ours.pop("")
    for path, e in listed.items():
        check(KIND[e["type"]] == ours[path]["kind"], "%r is a %s", path, e["type"])
    compare(ours, listed, "the second reader and ls")

    for i, data in enumerate(pack.data):
        path = pack.index.paths[pack.index.ndirs + i]
        check(succeed("cat", "p.slu", path).out == data, "cat gives other bytes of %r", path)
    info = succeed("info", "--json", "p.slu").json()
    check(info["identity"] == pack.index.identity.hex(), "info tells another identity")
    check((info["samples"], info["directories"], info["links"], info["shards"]) ==
          (pack.index.nsamples, pack.index.ndirs, pack.index.nlinks, pack.index.nshards), "info counts otherwise")
    check(root["mode"] == os.stat("src").st_mode, "the root's mode is lost")

    trouble = forge.rebuild_matches("p.slu")
    check(trouble is None, "%s", trouble)


main(test)
