# SPDX-License-Identifier: MIT
"""sluice report --merge: a real torch.profiler trace is laid on the job's clock by a span of the same name, and tells what computing
is; traces in the forms of Kineto and TensorFlow by their own clocks; what cannot be laid anywhere is refused with what to do."""
import importlib.util
import time
from proflib import *

TORCH = r"""
import sys, time, torch, sluice
from torch.profiler import profile, ProfilerActivity, record_function
x = torch.randn(300, 300)
time.sleep(0.1)
with profile(activities=[ProfilerActivity.CPU]) as p:
    for i in range(4):
        with open(sys.argv[1], "rb") as f:
            f.read()
        with record_function("my-step"), sluice.span("my-step", kind="other"):
            for k in range(5):
                x = x @ x
        time.sleep(0.05)
p.export_chrome_trace("torch.json")
"""
PLAIN = "import sys, time\nfor i in range(3):\n    open(sys.argv[1], 'rb').read()\n    time.sleep(0.1)\n"


def write(name, value):
    with open(name, "w") as f:
        json.dump(value, f)


def drawn(directory, *options):
    run_report(directory, "--chrome", "both.json", *options)
    with open("both.json", encoding="utf-8") as f:
        return load(f.read())


def test_forms(data):
    """Files as others write them, made by hand around a real trace."""
    record([PYTHON, "-c", PLAIN, data], "plain")
    r = report("plain")
    pid = r["processes"][0]["pid"]
    check(r["answer"]["stall"] == "bound", "nothing is known of computing")
    at = r["job"]["began_unix_s"]
    ops = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": pid, "tid": pid, "ts": (at + 0.05 + 0.1 * i) * 1e6, "dur": 40000.0,
            "args": {"deep": {"er": [1, "]}", "\\"]}}} for i in range(2)]
    wait = {"ph": "X", "cat": "user_annotation", "name": "enumerate(DataLoader)#_X.__next__", "pid": pid, "tid": pid,
            "ts": (at + 0.06) * 1e6, "dur": 10000}
    head = {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": "python"}}
    write("kineto.json", {"schemaVersion": 1, "deviceProperties": [{"id": 0}], "traceEvents": [head, wait] + ops, "traceName": "x"})
    k = report("plain", "--merge", "kineto.json")
    m, = k["merged"]
    check(m["clock"] == "unix" and m["rank"] == 0 and (m["compute_spans"], m["wait_spans"]) == (2, 1), "%s", m)
    rank, = k["ranks"]
    check(abs(rank["compute_s"] - 0.07) < 1e-4 and abs(rank["wait_s"] - 0.01) < 1e-4, "operators but for the wait: %s", rank)
    check(k["answer"]["stall"] == "measured" and any(n["id"] == "merged" for n in k["notes"]), "%s", k["answer"])
    events = drawn("plain", "--merge", "kineto.json")["traceEvents"]
    mm = [e for e in events if e["name"] == "aten::mm"]
    check(len(mm) == 2 and abs(mm[0]["ts"] - 50000) < 10 and mm[0]["args"] == ops[0]["args"], "%s", mm)
    check(any(e["name"] == "process_name" and e["args"]["name"] == "kineto.json: python" for e in events), "processes are named")
    # newer: times from a base on
    write("base.json", {"baseTimeNanoseconds": int(at) * 1000000000, "traceEvents": [dict(o, ts=o["ts"] - int(at) * 1e6) for o in ops]})
    check(abs(report("plain", "--merge", "base.json")["merged"][0]["begin"] - 0.05) < 1e-4, "an offset is added")
    # TensorFlow: names for processes, category Op; this one lost its end, which the format allows in arrays
    text = json.dumps([head] + [dict(o, cat="Op", pid="/gpu:0", name="MatMul") for o in ops])
    with open("tf.json", "w") as f:
        f.write(text[:-1])
    check(report("plain", "--merge", "tf.json")["merged"][0]["compute_spans"] == 2, "TensorFlow's operators")
    check(all(isinstance(e["pid"], int) for e in drawn("plain", "--merge", "tf.json")["traceEvents"]), "viewers want numbers")
    # the machine's own clock
    mono = time.clock_gettime(time.CLOCK_MONOTONIC) - time.time()
    write("mono.json", [dict(o, ts=o["ts"] + mono * 1e6) for o in ops])
    m, = report("plain", "--merge", "mono.json")["merged"]
    check(m["clock"] == "monotonic" and abs(m["begin"] - 0.05) < 0.05, "%s", m)
    # relative
    write("relative.json", [dict(o, ts=o["ts"] - at * 1e6 - 50000) for o in ops])
    p = run_report("plain", "--merge", "relative.json", code=2)
    check("relative.json" in p.stderr and "@SECONDS" in p.stderr, "%s", p.stderr)
    for where in ("0.05", str(at + 0.05)):
        m, = report("plain", "--merge", "relative.json@" + where)["merged"]
        check(m["clock"] == "given" and abs(m["begin"] - 0.05) < 1e-3, "%s: %s", where, m)
    for name, bytes_, words in (("cut.json", text[:60].encode(), "ends"), ("no.json", b"hello", "neither"), ("gz.json", b"\x1f\x8b\x08", "gunzip"),
                                ("empty.json", b"[]", "no event"), ("bad.json", b'[{"ph": nope}]', "parsed"), ("none.json", None, "none.json")):
        if bytes_ is not None:
            with open(name, "wb") as f:
                f.write(bytes_)
        p = run_report("plain", "--merge", name, code=2)
        check(words in p.stderr and p.stderr.count("\n") == 1, "%s: %s", name, p.stderr)


def test(tmp):
    data = make_files("data", 1, 100000) + "/00000.bin"
    if sys.argv[1] == "forms":
        test_forms(data)
        return
    if not importlib.util.find_spec("torch"):
        skip("python3-torch is not there")
    record([PYTHON, "-c", TORCH, data], "torch")
    r = report("torch", "--merge", "torch.json")
    m, = r["merged"]
    check(m["compute_spans"] >= 20 and m["rank"] == 0, "%s", m)
    steps = {True: [], False: []}       # theirs, ours
    for e in drawn("torch", "--merge", "torch.json")["traceEvents"]:
        if e["name"] == "my-step" and e["ph"] == "X":
            steps[e["pid"] >= 1 << 30].append(e)
    check(len(steps[True]) == len(steps[False]) == 4, "four steps in both: %s", steps)
    for ours, theirs in zip(*(sorted(steps[k], key=lambda e: e["ts"]) for k in (False, True))):
        # ours is inside of theirs, so this is no matter of the machine's speed: but for what a call of each costs
        check(abs(ours["ts"] - theirs["ts"]) < 20000, "one clock: %s and %s", ours, theirs)
    compute = r["ranks"][0]["compute_s"]
    inside = sum(e["dur"] for e in steps[False]) / 1e6
    check(0 < compute <= inside + 0.02, "operators are inside of the steps: %.4f s of %.4f s", compute, inside)
    check(report("torch")["ranks"][0]["compute_s"] == 0, "without it nothing is known")


main(test)
