#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Many readers of one mount at once, processes and threads, small and large files, lists and names that are not there: all
see the truth. The pack is mounted with all of the kernel's caches empty again and again."""
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

SLUICE = os.environ["SLUICE"]
ROUNDS, PROCESSES, THREADS, READS = 3, 3, 3, 150


def sluice(*args):
    return subprocess.run([SLUICE, *args], stderr=subprocess.PIPE, text=True)


def make(src):
    r = random.Random(11)
    files = {}
    for d in range(6):
        os.makedirs("%s/d%d" % (src, d))
        for i in range(60):
            files["d%d/%03d" % (d, i)] = r.randbytes(r.randrange(6000))
    files["big.bin"] = r.randbytes(4 << 20)
    files["big.txt"] = b"".join(b"%d lines, and more to come\n" % i for i in range(150000))
    for name, data in files.items():
        with open(os.path.join(src, name), "wb") as f:
            f.write(data)
    return files


def read_some(point, files, seed, wrong):
    r = random.Random(seed)
    names = sorted(files)
    for _ in range(READS):
        name = r.choice(names + ["big.bin", "big.txt"] * 20)
        at = r.randrange(len(files[name]) + 1)
        n = r.randrange(400000)
        with open(os.path.join(point, name), "rb", buffering=0) as f:
            got = os.pread(f.fileno(), n, at)
        if got != files[name][at:at + n]:
            wrong.append("%s: %d bytes at %d" % (name, n, at))
        if r.randrange(10) == 0 and len(os.listdir(os.path.join(point, "d%d" % r.randrange(6)))) != 60:
            wrong.append("a list")
        if r.randrange(10) == 0 and os.path.exists(os.path.join(point, "d0", "none%d" % r.randrange(50))):
            wrong.append("a name")


def process(point, files, seed):
    wrong = []
    threads = [threading.Thread(target=read_some, args=(point, files, seed * 100 + t, wrong)) for t in range(THREADS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for w in wrong:
        print("wrong:", w, file=sys.stderr)
    return 1 if wrong else 0


def readers(point, files, seed):
    pids = []
    for k in range(PROCESSES):
        pid = os.fork()
        if pid == 0:
            code = 9
            try:
                code = process(point, files, seed * 10 + k)
            finally:
                os._exit(code)
        pids.append(pid)
    return all([os.waitpid(pid, 0)[1] == 0 for pid in pids])


def main():
    if "\nfuse" not in subprocess.run([SLUICE, "--version"], stdout=subprocess.PIPE, text=True).stdout:
        print("skipped: this build has no FUSE")
        return 77
    with tempfile.TemporaryDirectory(prefix="sluice-test-") as tmp:
        src, point = os.path.join(tmp, "src"), os.path.join(tmp, "m")
        os.mkdir(point)
        files = make(src)
        for codec in ("none", "zstd"):
            pack = os.path.join(tmp, codec + ".slu")
            assert sluice("pack", src, "-o", pack, "--codec", codec, "-q").returncode == 0
            for n in range(ROUNDS):
                server = subprocess.Popen([SLUICE, "mount", "-f", pack, point], stderr=subprocess.PIPE, text=True)
                try:
                    for _ in range(200):
                        if os.path.exists(os.path.join(point, "big.txt")) or server.poll() is not None:
                            break
                        time.sleep(0.05)
                    if server.poll() is not None:
                        print("skipped: cannot mount here:", server.stderr.read().strip())
                        return 77
                    good = readers(point, files, n)
                finally:
                    ended = sluice("umount", point)
                    if ended.returncode != 0:
                        sluice("umount", "--lazy", point)
                        server.kill()
                    said = server.communicate(timeout=20)[1]
                if ended.returncode != 0 or server.returncode != 0 or not good or said:
                    print(ended.stderr, "server: exit", server.returncode, said, file=sys.stderr)
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
