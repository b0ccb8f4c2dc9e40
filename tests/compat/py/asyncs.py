# SPDX-License-Identifier: MIT
"""asyncio, selectors, signals that come while reading."""
import asyncio
import functools
import http.server
import os
import select
import selectors
import signal
import threading
import urllib.request

from common import P, attempt, md5, p, show


async def main():
    loop = asyncio.get_running_loop()

    def load(rel):
        with open(p(rel), "rb") as f:
            return md5(f.read())

    rels = ["comp.txt", "big.bin", "raw70k.bin"] * 5
    show("in threads", await asyncio.gather(*(loop.run_in_executor(None, load, r) for r in rels)))
    with open(p("comp.txt"), "rb") as f:
        q = await asyncio.create_subprocess_exec("md5sum", stdin=f, stdout=asyncio.subprocess.PIPE)
        show("subprocess", (await q.communicate())[0])
    q = await asyncio.create_subprocess_shell("cat %s" % p("text/one-line.txt"), stdout=asyncio.subprocess.PIPE)
    show("shell", (await q.communicate())[0])


asyncio.run(main())
with open(p("comp.txt"), "rb") as f:
    show("select", [len(x) for x in select.select([f], [f], [f], 0)])
    poll = select.poll()
    poll.register(f, select.POLLIN | select.POLLOUT)
    show("poll", poll.poll(0)[0][1])
    show("SelectSelector", len((lambda s: (s.register(f, selectors.EVENT_READ), s.select(0))[1])(selectors.SelectSelector())))
hits = []
signal.signal(signal.SIGALRM, lambda *a: hits.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
sums = set()
for _ in range(60):
    with open(p("big.bin"), "rb") as f:
        sums.add(md5(f.read()))
    os.listdir(p("many"))
signal.setitimer(signal.ITIMER_REAL, 0)
show("under signals", (sums, len(hits) > 3))
wrong = []


def same_object(f, lock):
    while True:
        with lock:
            d = f.read(1000)
        if not d:
            return
        wrong.extend([] if d[:1] in b"epoch 0125lasurcy.d%\n" else [d[:1]])


with open(p("comp.txt"), "rb") as f:
    lock = threading.Lock()
    ts = [threading.Thread(target=same_object, args=(f, lock)) for _ in range(4)]
    for t in ts:
        t.start()
    for t in ts:
        t.join()
    show("one file object, four threads", (f.tell(), wrong))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=P))
threading.Thread(target=server.serve_forever, daemon=True).start()
for rel in ("comp.txt", "big.bin", "class-a/img-00.jpg", "class-a/", "no-such"):
    try:
        with urllib.request.urlopen("http://127.0.0.1:%d/%s" % (server.server_port, rel)) as r:
            show("served " + rel, (r.status, r.headers["Content-Length"], r.headers["Last-Modified"], md5(r.read())))
    except urllib.error.HTTPError as e:
        show("served " + rel, e.code)
server.shutdown()
