# SPDX-License-Identifier: MIT
"""Logs that are cut off, damaged, foreign or newer are named with a reason, and the others are reported; no log at all is an error."""
import shutil
from proflib import *

PROGRAM = r"""
int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++)
		if (fork() == 0) {
			read_file(path_of(argv[1], i), 4096);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	read_file(path_of(argv[1], 9), 4096);
	return 0;
}
"""


def change(path, how):
    with open(path, "rb") as f:
        data = bytearray(f.read())
    with open(path, "wb") as f:
        f.write(how(data))


def flip(data):
    data[len(data) // 2] ^= 0x40
    return data


def newer(data):
    data[8] = 99
    return data


def test(tmp):
    data = make_files("data", 10)
    record([build("program", PROGRAM), data], "good")
    logs = sorted(n for n in os.listdir("good") if n.endswith(".log"))
    whole = report("good")
    check(len(logs) == 4 and not [n for n in whole["notes"] if n["id"] == "unreadable"], "four logs: %s", logs)
    parent = whole["processes"][0]["log"]
    child = [n for n in logs if n != parent][0]
    damages = {"cut": (lambda d: d[:len(d) * 2 // 3], "cut off"), "begin": (lambda d: d[:20], "cut off"),
               "flip": (flip, "damaged"), "foreign": (lambda d: b"\x7fELF" + bytes(5000), "not a log"),
               "empty": (lambda d: b"", "not a log"), "newer": (newer, "newer")}
    for name, (how, reason) in damages.items():
        shutil.copytree("good", name)
        change(os.path.join(name, child), how)
        r = report(name)
        notes = [n["text"] for n in r["notes"] if n["id"] == "unreadable"]
        check(len(notes) == 1 and child in notes[0] and reason in notes[0], "%s: %s", name, notes)
        check(len(r["processes"]) == 3 and r["access"]["opens"] == whole["access"]["opens"] - 1, "%s: the others are there", name)
        check(notes[0] in " ".join(run_report(name).stdout.split()), "%s: the text says it too", name)
        for other in logs:
            if other != child:
                change(os.path.join(name, other), how)
        p = run_report(name, "--json", code=2)
        check("no log of %s can be read" % name in p.stderr and reason in p.stderr and not p.stdout, "%s: %s", name, p.stderr)
    for path, words in (("nothing", "nothing"), ("data", "not a trace"), ("good/" + child, "Not a directory")):
        p = run_report(path, code=2)
        check(words in p.stderr and p.stderr.count("\n") == 1, "%s: %s", path, p.stderr)
    os.mkdir("fifo")
    os.mkfifo("fifo/a.log")
    check("regular" in run_report("fifo", code=2).stderr, "a pipe is not waited for")
    shutil.copytree("good", "marker")
    change("marker/sluice-trace", lambda d: d.replace(b"sluice trace 1", b"sluice trace 7"))
    check("version 7" in run_report("marker", code=2).stderr, "a newer trace says so")
    p = run_report("good", "--csv", "good/sluice-trace", code=2)
    check("sluice-trace" in p.stderr, "%s", p.stderr)
    for option in ("--chrome", "-o"):
        p = run_report("good", option, "no/such/file", code=2)
        check("no/such/file" in p.stderr and p.stderr.count("\n") == 1, "%s", p.stderr)
    run_report("good", "-o", "/dev/full", code=2)


main(test)
