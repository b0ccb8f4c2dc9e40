#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A training reaches the same accuracy on files, under sluice run, and by the loader: examples/train_three_ways.sh.

README shows the commands that are run.
"""
import json
import os
import re
import subprocess

from harness import LONG, PYTHON, SLUICE, check, main, skip

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.dirname(SLUICE)
CLASSES = 10
# Files and packs under sluice run: the same images in the same order, so only the arithmetic may differ. The loader has
# an order of its own: it is another run. Eleven runs with other seeds, by files and by loader, were between 0.756 and 0.818.
SAME, NOISE = 0.02, 0.1


def three_ways(tmp, options, **env):
    """What was printed."""
    # One thread for arithmetic: two that spin for each other on busy cores take ten times as long.
    env = dict(os.environ, TRAIN_DIR=os.path.join(tmp, "training"), NO_COLOR="1", OMP_NUM_THREADS="1", **env)
    done = subprocess.run([ROOT + "/examples/train_three_ways.sh", BUILD, *options], env=env, stdout=subprocess.PIPE)
    out = done.stdout.decode()
    print(out, flush=True)
    if done.returncode == 77:
        skip(out.strip().split("skipped: ")[-1])
    check(done.returncode == 0, "exit %d", done.returncode)
    return out


def results(out, epochs):
    """{way: accuracy}; every epoch and every way has told how long it waited."""
    last = re.findall(r"^way=(\w+) accuracy=([\d.]+) wait=([\d.]+)% samples/s=(\d+)$", out, re.M)
    check([way for way, *_ in last] == ["files", "run", "native"], "not the three ways: %s", last)
    told = re.findall(r"^epoch \d+: loss [\d.]+, accuracy [\d.]+, \d+ samples/s, waited for data ([\d.]+)% of the time$", out, re.M)
    check(len(told) == 3 * epochs, "%d epochs were told", len(told))
    for share in told + [wait for _, _, wait, _ in last]:
        check(0 <= float(share) <= 100, "waited %s%%", share)
    table = re.findall(r"^(files|run|native) +([\d.]+) +([\d.]+)% +(\d+)$", out, re.M)
    check(table == last, "the table has other numbers: %s", table)
    return {way: float(accuracy) for way, accuracy, *_ in last}


def as_json(tmp):
    packs = os.path.join(tmp, "training/packs")
    done = subprocess.run([PYTHON, "train_cifar10.py", "--pack", "train.slu", "--test", "test.slu", "--epochs", "1", "--limit", "130",
                           "--batch", "64", "--json"], cwd=packs, stdout=subprocess.PIPE, check=True)
    got = json.loads(done.stdout)
    check(got["way"] == "native" and 0 <= got["wait"] <= 1 and got["epochs"][0]["samples"] == 128, "%s", got)
    check(got["accuracy"] == got["epochs"][0]["accuracy"], "%s", got)


def in_readme(out):
    with open(ROOT + "/README.md", encoding="utf-8") as f:
        shown = re.findall(r"^    ((?:sluice pack data/|.*\btrain_cifar10\.py ).*?)(?: +#.*)?$", f.read(), re.M)
    check(len(shown) == 5, "README has %d commands of the training", len(shown))
    for line in shown:
        check("\n$ %s\n" % line in out, "README shows what is not run: %s", line)


def test(tmp):
    if LONG:    # on CIFAR-10, where it is
        out = three_ways(tmp, ["--epochs", "3"])
        got, least = results(out, 3), 0.4
    else:
        out = three_ways(tmp, ["--epochs", "2", "--batch", "64", "--limit", "2000"], TRAIN_ARCHIVE="")
        got, least = results(out, 2), 0.6
    in_readme(out)
    as_json(tmp)
    for way, accuracy in got.items():
        check(accuracy >= least, "%s: accuracy %.3f; chance is %.3f", way, accuracy, 1 / CLASSES)
    check(abs(got["files"] - got["run"]) <= SAME, "files and run: %s", got)
    check(abs(got["files"] - got["native"]) <= NOISE, "files and native: %s", got)


if __name__ == "__main__":
    main(test)
