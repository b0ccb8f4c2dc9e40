# SPDX-License-Identifier: MIT
"""Children: subprocess in its ways, os.posix_spawn, fork, system, popen."""
import os
import subprocess
import sys
import threading

from common import P, attempt, md5, p, show

CAT = [sys.executable, "-S", "-c", "import sys; d = sys.stdin.buffer.read(); print(len(d), sum(d) % 65521)"]


def run(what, argv, **kw):
    try:
        r = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **kw)
        out = r.stdout if isinstance(r.stdout, str) or len(r.stdout) < 300 else md5(r.stdout)
        show(what, (r.returncode, out))
    except OSError as e:
        show(what, (type(e).__name__, e.errno, e.filename))


for rel in ("text/lines.txt", "comp.txt", "raw70k.bin", "big.bin", "empty"):
    with open(p(rel), "rb") as f:
        run("stdin " + rel, ["md5sum"], stdin=f)
        show("then here", (f.tell(), os.lseek(f.fileno(), 0, 1)))
        f.seek(0)
        f.read(10)
        os.lseek(f.fileno(), 10, 0)
        run("from 10", CAT, stdin=f)
        os.lseek(f.fileno(), 0, 0)
        run("empty environment", ["/usr/bin/md5sum"], stdin=f, env={})
        os.lseek(f.fileno(), 0, 0)
        run("fds kept", ["/usr/bin/md5sum"], stdin=f, close_fds=False)
        os.lseek(f.fileno(), 0, 0)
        run("preexec", ["/usr/bin/md5sum"], stdin=f, preexec_fn=lambda: None)
        os.lseek(f.fileno(), 0, 0)
        run("passed on", ["sh", "-c", "md5sum <&%d" % f.fileno()], pass_fds=[f.fileno()])
        os.lseek(f.fileno(), 0, 0)
        run("as stdin of a pipe", ["sh", "-c", "cat | md5sum"], stdin=f)
run("cwd", ["sh", "-c", "pwd; ls; md5sum img-00.jpg"], cwd=p("class-a"))
run("cwd, empty environment", ["/bin/sh", "-c", "pwd; ls ../text; cat ../text/one-line.txt"], cwd=p("class-a"), env={})
run("cwd through a link", ["/bin/pwd", "-P"], cwd=p("links/dir"))
run("cwd is none", ["pwd"], cwd=p("no-such"))
run("cwd is a file", ["pwd"], cwd=p("empty"))
run("by path", ["cat", p("text/one-line.txt")])
run("by path, empty environment", ["/bin/cat", p("text/one-line.txt")], env={})
run("by path, other environment", ["/bin/cat", p("text/one-line.txt")], env={"A": "b", "LD_PRELOAD": ""})
run("grandchildren", ["/bin/sh", "-c", "env -i sh -c 'exec /bin/cat %s'" % p("text/one-line.txt")], env={})
run("a shell", "cat < %s/text/one-line.txt; for f in %s/class-a/*; do echo $f; done | md5sum" % (P, P), shell=True)
run("a script there", [p("script.sh"), "x"])
run("a program there", [p("bin/hello"), "x"])
run("nothing there", [p("no-such")])
run("not executable", [p("text/lines.txt")])
run("a module there", [sys.executable, p("py/local_module.py")])
run("isolated", [sys.executable, "-I", "-c", "import sys; print(open(sys.argv[1]).read())", p("text/one-line.txt")], env={})
run("new session", ["cat", p("text/one-line.txt")], start_new_session=True)
run("output there", ["sh", "-c", "echo x >%s/new" % P])
attempt("stdout there", lambda: open(p("new"), "w"))

procs = [subprocess.Popen(["md5sum"], stdin=open(p("big.bin"), "rb"), stdout=subprocess.PIPE) for _ in range(8)]
show("eight at once", {q.communicate()[0] for q in procs})
# while other threads open and close
stop, wrong = threading.Event(), []


def busy():
    while not stop.is_set():
        with open(p("text/lines.txt"), "rb") as g:
            if len(g.read()) != 2000:
                wrong.append(1)


threads = [threading.Thread(target=busy) for _ in range(3)]
for t in threads:
    t.start()
with open(p("comp.txt"), "rb") as f:
    for _ in range(15):
        os.lseek(f.fileno(), 0, 0)
        r = subprocess.run(["cksum"], stdin=f, stdout=subprocess.PIPE).stdout
        wrong += [] if r.split()[1] == b"307200" else [r]
stop.set()
for t in threads:
    t.join()
show("wrong", wrong)

sys.stdout.flush()
f = os.open(p("text/one-line.txt"), os.O_RDONLY)
pid = os.posix_spawn("/bin/cat", ["cat"], {}, file_actions=[(os.POSIX_SPAWN_DUP2, f, 0)])
show("posix_spawn dup2", os.waitpid(pid, 0)[1])
pid = os.posix_spawn("/bin/cat", ["cat"], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 0, p("text/one-line.txt"), os.O_RDONLY, 0)])
show("posix_spawn open", os.waitpid(pid, 0)[1])
pid = os.posix_spawnp("cat", ["cat", p("text/one-line.txt")], os.environ)
show("posix_spawnp", os.waitpid(pid, 0)[1])
show("spawnl", os.spawnl(os.P_WAIT, "/bin/cat", "cat", p("text/one-line.txt")))
show("spawnve", os.spawnve(os.P_WAIT, "/bin/cat", ["cat", p("text/one-line.txt")], {}))
show("system", os.system("cat %s | wc -c" % p("comp.txt")))
show("popen", os.popen("head -n 1 %s" % p("text/lines.txt")).read())
f = os.open(p("comp.txt"), os.O_RDONLY)
pid = os.fork()
if pid == 0:
    os._exit(len(os.read(f, 100)))
show("fork", (os.waitpid(pid, 0)[1], os.lseek(f, 0, 1)))
pid = os.fork()
if pid == 0:
    os.set_inheritable(f, True)
    os.execve(sys.executable, [sys.executable, "-c", "import os; print(os.read(%d, 10), flush=True)" % f], {})
show("execve", (os.waitpid(pid, 0)[1], os.lseek(f, 0, 1)))
