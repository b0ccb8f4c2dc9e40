# SPDX-License-Identifier: MIT
"""multiprocessing in its three ways, and descriptors sent between processes."""
import concurrent.futures
import multiprocessing
import multiprocessing.connection
import multiprocessing.reduction
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import P, md5, p, show  # noqa: E402

NAMES = ["class-%s/img-%02d.jpg" % (c, i) for c in "abc" for i in range(8)] + ["comp.txt", "big.bin", "raw70k.bin", "empty"]


def load(rel):
    with open(p(rel), "rb") as f:
        return md5(f.read())


def listing(rel):
    return sorted(os.listdir(p(rel)))


def from_fd(conn):
    fd = multiprocessing.reduction.recv_handle(conn)
    data = os.read(fd, 10 ** 7)
    conn.send((len(data), md5(data), os.lseek(fd, 0, 1)))


def inherited(fd, conn):
    conn.send(len(os.read(fd, 100)))


def main():
    want = [load(n) for n in NAMES]
    show("here", want)
    for method in ("fork", "spawn", "forkserver"):
        ctx = multiprocessing.get_context(method)
        with ctx.Pool(3) as pool:
            show(method, pool.map(load, NAMES) == want)
            show("listing", pool.map(listing, ["class-a", "links", "text"]))
        a, b = ctx.Pipe()
        q = ctx.Process(target=from_fd, args=(b,))
        q.start()
        for rel in ("comp.txt",):
            fd = os.open(p(rel), os.O_RDONLY)
            os.lseek(fd, 7, 0)
            multiprocessing.reduction.send_handle(a, fd, q.pid)
            show("sent", a.recv())
            show("offset", os.lseek(fd, 0, 1))
        q.join()
        show("exit", q.exitcode)
    fd = os.open(p("comp.txt"), os.O_RDONLY)
    a, b = multiprocessing.Pipe()
    q = multiprocessing.get_context("fork").Process(target=inherited, args=(fd, b))
    q.start()
    show("inherited", (a.recv(), q.join(), os.lseek(fd, 0, 1)))
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        show("futures", list(pool.map(load, NAMES)) == want)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        show("threads", list(pool.map(load, NAMES * 20)) == want * 20)
    # a worker that is killed takes nothing with it
    ctx = multiprocessing.get_context("fork")
    for _ in range(3):
        q = ctx.Process(target=listing_forever)
        q.start()
        os.kill(q.pid, signal.SIGKILL)
        q.join()
    show("after killed workers", [load(n) for n in NAMES] == want)


def listing_forever():
    while True:
        listing("class-a")
        load("comp.txt")


if __name__ == "__main__":
    main()
