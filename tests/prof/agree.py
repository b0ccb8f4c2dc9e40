# SPDX-License-Identifier: MIT
"""Text, JSON and CSV are of one model: the same numbers, from a job with epochs, ranks, odd names and a second trace."""
import csv
import re
from proflib import *

PROGRAM = r"""
import os, sys, time, sluice
d = sys.argv[1]
names = sorted(os.listdir(os.fsencode(d)))
for e in range(3):
    with sluice.span("epoch", kind="epoch", index=e):
        for n in names:
            with sluice.span("load", kind="wait"):
                open(os.path.join(os.fsencode(d), n), "rb").read()
        with sluice.span("step"):
            time.sleep(0.02)
with open(os.path.join(d, "out, with \"quotes\"\n"), "wb") as f:
    f.write(bytes(5000))
"""


def ranks_of(n, directory, program, data):
    """@n ranks, as torchrun would start them."""
    processes = [subprocess.Popen([SLUICE, "trace", "-q", "-o", directory, "--", PYTHON, program, data], stdout=subprocess.DEVNULL,
                 env=dict(os.environ, RANK=str(r), WORLD_SIZE=str(n), LOCAL_RANK=str(r), TORCHELASTIC_RUN_ID="agree"))
                 for r in range(n)]
    for p in processes:
        check(p.wait() == 0, "a rank ended with %d", p.returncode)


def number(text):
    return float(text.replace(",", ""))


def flat(row, into=None, before=""):
    """An object as CSV has it."""
    into = {} if into is None else into
    for key, value in row.items():
        if isinstance(value, dict):
            flat(value, into, key + "_")
        elif isinstance(value, list):
            into.update((before + "%s_%d" % (key, i), v) for i, v in enumerate(value))
        else:
            into[before + key] = value
    return into


def same_field(text, value):
    if value is None:
        return text == ""
    if isinstance(value, bool):
        return text == ("true" if value else "false")
    if isinstance(value, (int, float)):
        return float(text) == value
    return text == value


def test_csv(r, directory):
    run_report(directory, "--csv", "tables")
    for name in ("files", "calls", "ranks", "epochs", "spans", "processes"):
        with open("tables/%s.csv" % name, newline="", encoding="utf-8", errors="surrogateescape") as f:
            raw = f.read()
            rows = list(csv.DictReader(raw.splitlines(keepends=True), strict=True))
        check(raw.endswith("\r\n"), "%s.csv: RFC 4180 ends lines with CR LF", name)
        check(len(rows) == len(r[name]) and rows, "%s.csv has %d rows, JSON %d", name, len(rows), len(r[name]))
        for row, one in zip(rows, r[name]):
            for key, value in flat(one).items():
                check(same_field(row[key], value), "%s.csv: %s is %r, in JSON %r", name, key, row[key], value)
            check(set(row) == set(flat(one)), "%s.csv: other fields than JSON: %s", name, set(row) ^ set(flat(one)))
    with open("tables/timeline.csv", newline="") as f:
        rows = list(csv.DictReader(f, strict=True))
    t = r["timeline"]
    check(len(rows) == t["n_bins"] * len(t["ranks"]), "%d rows of the timeline", len(rows))
    for key in ("compute", "exposed", "hidden", "wait", "read_bytes", "written_bytes", "calls"):
        check([float(row[key]) for row in rows] == [v for rank in t["ranks"] for v in rank[key]], "timeline: %s", key)
    p = run_report(directory, "--csv", "tables", code=2)
    check("not empty" in p.stderr, "an old directory is not written into: %s", p.stderr)
    before = {n: open("tables/" + n, "rb").read() for n in os.listdir("tables")}
    with open("tables/mine.txt", "w") as f:
        f.write("mine")
    run_report(directory, "--csv", "tables", "--force")
    check({n: open("tables/" + n, "rb").read() for n in os.listdir("tables") if n != "mine.txt"} == before, "--force writes the same")
    check(os.path.exists("tables/mine.txt") and len(os.listdir("tables")) == 8, "and leaves other files: %s", os.listdir("tables"))


def test_text(r, directory):
    text = run_report(directory).stdout
    words = " ".join(text.split())
    check(words.startswith(r["answer"]["sentence"]), "the answer comes first: %s", text[:200])
    for label, value in (("files", r["access"]["files"]), ("opens", r["access"]["opens"])):
        told = number(re.search(r"\b%s +([\d,]+)" % label, text).group(1))
        check(told == value, "%s: %d in the text, %d in JSON", label, told, value)
    for label, share in (("compute", "compute_share"), ("exposed I/O", "exposed_share"), ("other", "other_share")):
        told = float(re.search(r"%s ([\d.]+) %%" % re.escape(label), text).group(1))
        value = 100 * (r["answer"][share] - (r["answer"]["hidden_share"] if label == "compute" else 0))
        check(abs(told - value) < 0.051, "%s: %.1f %% in the text, %.3f in JSON", label, told, value)
    rows = [line.split() for line in text.splitlines() if re.match(r" +(\d+|mean) +[\d.]+ +[\d.]+ +\d+%", line)]
    means = [e for e in r["epochs"] if e["rank"] is None]
    check(len(rows) == len(means) + 1 == 4, "three epochs and their mean: %s", rows)
    for row, e in zip(rows, means + [r["epoch_mean"]]):
        told = [float(row[i]) for i in (1, 2, 4, 6, 8)]
        want = [e[k] for k in ("wall_s", "read_s", "load_s", "train_s", "other_s")]
        check(all(abs(a - b) < 0.00501 for a, b in zip(told, want)), "epoch %s: %s, in JSON %s", row[0], told, want)
    for metric, label in (("wall_s", "wall time, s"), ("exposed_s", "exposed I/O, s")):
        told = re.search(re.escape(label) + r" +([\d.,]+) +([\d.,]+) +([\d.,]+) +(\d+) +([\d.]+)", text).groups()
        want = r["over_ranks"][metric]
        for a, key in zip(told, ("mean", "median", "worst", "worst_rank", "imbalance")):
            check(abs(number(a) - want[key]) < 0.00501, "%s %s: %s in the text, %s in JSON", label, key, a, want[key])
    for a in r["advice"]:
        check(a["title"] in words and a["evidence"] in words, "advice %s is in the text", a["id"])
    longest = max((line for line in text.splitlines() if "sluice pack" not in line), key=len)
    check(len(longest) <= 80, "80 columns: %s", longest)
    check("\033" not in text and "\n  note:" not in text[:100], "no colours into a pipe")


def test_two(a, b):
    r = load(run_report("ranks", "one", "--json").stdout)
    check(r["before"]["answer"] == a["answer"] and r["after"]["access"] == b["access"], "each is as alone")
    changes = {c["what"]: c for c in r["compare"]}
    for what, where in (("wall_s", "job"), ("opens", "access"), ("meta_s", "access")):
        c = changes[what]
        check((c["before"], c["after"]) == (a[where][what], b[where][what]), "%s: %s", what, c)
        check(abs(c["ratio"] * c["before"] - c["after"]) < 1e-9 * c["after"] + 1e-12, "%s: %s", what, c)
    check(changes["ranks"]["better"] is None and changes["opens"]["better"] == "lower", "%s", changes["opens"])
    text = run_report("ranks", "one").stdout
    check(" ".join(text.split()).startswith(r["sentence"]), "%s", text[:200])
    told = re.search(r"opens +([\d,]+) +([\d,]+) +x ([\d.]+)", text).groups()
    check([number(t) for t in told[:2]] == [a["access"]["opens"], b["access"]["opens"]], "%s", told)


def test(tmp):
    with open("program.py", "w") as f:
        f.write(PROGRAM)
    data = make_files("data", 40)
    for name in (b"not utf-8: \xff\xfe.bin", "ümläut, \"ü\".bin".encode()):
        with open(os.path.join(os.fsencode(data), name), "wb") as f:
            f.write(bytes(1000))
    ranks_of(3, "ranks", "program.py", data)
    r = report("ranks")
    check([k["rank"] for k in r["ranks"]] == [0, 1, 2] and len(r["epochs"]) == 12, "three ranks, three epochs and the means")
    check(any(f["name"].endswith("not utf-8: \udcff\udcfe.bin") for f in r["files"]), "bytes that are no UTF-8 are kept")
    check(not any(f["name"] == "(all other files)" and not f["closes"] for f in r["files"]), "what was not used is not listed")
    test_csv(r, "ranks")
    test_text(r, "ranks")
    record([PYTHON, "program.py", data], "one")
    test_two(r, report("one"))
    run_report("ranks", "-o", "file.txt")
    run_report("ranks", "--json", "-o", "file.json")
    with open("file.json") as f:
        check(load(f.read()) == r, "-o has the same")
    with open("file.txt") as f:
        check(f.read() == run_report("ranks").stdout, "and of text")
    check(not [n for n in os.listdir(".") if "partial" in n], "nothing is left over: %s", os.listdir("."))
    colours = run_report("ranks", env=dict(os.environ, COLUMNS="100")).stdout
    check(max(map(len, colours.splitlines())) > 80, "wider where there is room")


main(test)
