# SPDX-License-Identifier: MIT
"""Containers of the standard library, read from the mount."""
import csv
import gzip
import json
import os
import sqlite3
import tarfile
import zipfile

from common import P, attempt, md5, p, show

with zipfile.ZipFile(p("archive.zip")) as z:
    show("zip", [(i.filename, i.file_size, i.compress_type, md5(z.read(i))) for i in z.infolist()])
    show("test", z.testzip())
    with z.open("item-3.txt") as f:
        show("member", (f.readline(), f.seek(5), f.read(6)))
    z.extractall("zip")
show("is zip", (zipfile.is_zipfile(p("archive.zip")), zipfile.is_zipfile(p("comp.txt")), zipfile.is_zipfile(p("empty"))))
attempt("append", zipfile.ZipFile, p("archive.zip"), "a")
attempt("not a zip", zipfile.ZipFile, p("comp.txt"))
show("zipfile.Path", sorted(x.name for x in zipfile.Path(p("archive.zip")).iterdir())[:3])
with zipfile.ZipFile("new.zip", "w") as z:
    z.write(p("comp.txt"), "c")
    z.write(p("class-a/img-00.jpg"), "i")
    show("from the mount", [(i.filename, i.date_time, i.file_size, i.CRC) for i in z.infolist()])
with tarfile.open(p("archive.tar")) as t:
    show("tar", [(m.name, m.size, m.mtime) for m in t])
    show("member", md5(t.extractfile("raw70k.bin").read()))
    t.extractall("tar")
with tarfile.open("new.tgz", "w:gz") as t:
    t.add(P, "root")
with tarfile.open("new.tgz") as t:
    show("of the whole tree", sorted((m.name, m.mode, m.type, m.linkname, m.size if m.isfile() else 0, int(m.mtime)) for m in t))
show("is tar", (tarfile.is_tarfile(p("archive.tar")), tarfile.is_tarfile(p("comp.txt"))))
with gzip.open("x.gz", "wb") as g, open(p("comp.txt"), "rb") as f:
    g.write(f.read())
show("gzip", md5(gzip.open("x.gz").read()))
for uri in ("file:%s?mode=ro", "file:%s?immutable=1", "file:%s?mode=ro&nolock=1"):
    db = sqlite3.connect(uri % p("base.sqlite"), uri=True)
    show("rows", db.execute("select label, count(*), min(name) from sample group by label").fetchall())
    attempt("insert", db.execute, "insert into sample values (-1, '', 0)")
    show("pages", db.execute("pragma page_count").fetchall())
    db.execute("pragma mmap_size=10000000")
    show("mapped", db.execute("select sum(id) from sample").fetchall())
    db.close()
attempt("read-write", lambda: sqlite3.connect(p("base.sqlite")).execute("delete from sample"))
attempt("new", lambda: sqlite3.connect(p("new.sqlite")).execute("create table x (y)"))
a = sqlite3.connect("file:%s?mode=ro" % p("base.sqlite"), uri=True)
b = sqlite3.connect("file:%s?mode=ro" % p("base.sqlite"), uri=True)
show("two readers", (a.execute("begin").fetchall(), a.execute("select count(*) from sample").fetchall(),
                     b.execute("select count(*) from sample").fetchall()))
with open(p("text/numbers.txt"), newline="") as f:
    show("csv", list(csv.reader(f, delimiter=" "))[:4])
attempt("json", lambda: json.load(open(p("text/numbers.txt"))))
show("left", sorted(os.listdir("zip"))[:3] + sorted(os.listdir("tar")))
