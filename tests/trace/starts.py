# SPDX-License-Identifier: MIT
"""However processes start and end, what they did is there: fork, spawn, forkserver, pools, exec, _exit, SIGTERM, SIGKILL."""
from tracelib import *

PROGRAM = r"""
import multiprocessing as mp, os, signal, subprocess, sys, time
how, data = sys.argv[1], sys.argv[2]
names = sorted(os.listdir(data))

def read(name):
    with open(os.path.join(data, name), "rb", buffering=0) as f:
        return len(f.read())

def work(part, done, end):
    for name in part:
        read(name)
    done.release()
    if end == "sleep":
        time.sleep(100)
    elif end == "_exit":
        os._exit(0)

def processes(method, end):
    ctx = mp.get_context(method)
    done = ctx.Semaphore(0)
    ps = [ctx.Process(target=work, args=(names[i::2], done, end)) for i in range(2)]
    for p in ps:
        p.start()
    for p in ps:
        done.acquire()
    return ps

if __name__ == "__main__":
    if how.startswith("pool-"):
        with mp.get_context(how[5:]).Pool(2) as pool:      # terminates its workers
            assert sum(pool.map(read, names, chunksize=7)) == 1000 * len(names)
    elif how.startswith(("fork", "spawn", "forkserver")):
        method, end = how.split("-")
        ps = processes(method, "sleep" if end in ("term", "kill") else end)
        for p in ps:
            p.terminate() if end == "term" else p.kill() if end == "kill" else None
            p.join()
    elif how == "exec":
        read(names[0])
        fd = os.open(os.path.join(data, names[1]), os.O_RDONLY)
        os.read(fd, 400)
        os.dup2(fd, 0)       # cat reads the rest of it: what it has inherited is known by its name
        os.execv("/bin/cat", ["cat", "-"] + [os.path.join(data, n) for n in names[2:]])
    elif how == "exec-fails":
        try:
            os.execv("/nonexistent", ["x"])
        except FileNotFoundError:
            for n in names:
                read(n)
    elif how == "subprocess":
        for n in names:
            subprocess.run(["/bin/cat", os.path.join(data, n)], stdout=subprocess.DEVNULL, check=True)
    elif how == "empty-env":
        subprocess.run(["/bin/cat"] + [os.path.join(data, n) for n in names], stdout=subprocess.DEVNULL, check=True, env={})
    elif how == "itself-killed":
        for n in names:
            read(n)
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "system":
        assert os.system("cat %s/* >/dev/null" % data) == 0
    elif how == "threads":
        import threading
        ts = [threading.Thread(target=lambda k: [read(n) for n in names[k::4]], args=(k,)) for k in range(4)]
        [x.start() for x in ts]
        [x.join() for x in ts]
"""


def test(tmp):
    with open("program.py", "w") as f:
        f.write(PROGRAM)
    n = 60
    data = make_files("data", n)
    ways = ["%s-%s" % (m, e) for m in ("fork", "spawn", "forkserver") for e in ("normal", "_exit", "term", "kill")]
    ways += ["pool-fork", "pool-spawn", "exec-fails", "subprocess", "empty-env", "system", "threads", "exec", "itself-killed"]
    for way in ways:
        code = -9 if way == "itself-killed" else 0
        t = trace([PYTHON, "program.py", way, data], directory="t-" + way, code=code)
        missing = [i for i in range(n) if t.count("%s/%05d.bin" % (data, i), "reads") == 0]
        check(not missing, "%s: reads of %d files are missing: %s", way, len(missing), missing[:5])
        nbytes = t.below(data, "read_bytes")
        check(nbytes == 1000 * n, "%s: %d bytes instead of %d", way, nbytes, 1000 * n)
        opens = t.below(data, "open")
        check(opens == n, "%s: %d opens of %d", way, opens, n)
        states = {p.state for p in t.all("process")}
        readers = {f.pid for f in t.all("file") if f.name.startswith(data + "/")}
        # Python's resource tracker may go on for a moment after its parent.
        check(all(p.packed for p in t.all("process") if p.pid in readers), "%s: who has ended is packed", way)
        if way.endswith(("-kill", "-term", "killed")):
            check(RUNNING in states, "%s: a killed process did not say that it ended", way)
        if way == "exec":
            parts = {(p.pid, p.part): p.state for p in t.all("process")}
            check(sorted(k[1] for k in parts) == [0, 1], "two logs for two programs: %s", parts)
            check(EXECED in states and EXITED in states, "states %s", states)


main(test)
