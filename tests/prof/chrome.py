# SPDX-License-Identifier: MIT
"""sluice report --chrome: with --events an event for each call, as many as the counters say, on the real process and thread; spans;
names; strict JSON. Without --events, runs of calls."""
from proflib import *

PROGRAM = r"""
static void *work(void *dir)
{
	slu_span_begin("inner", SLU_SPAN_DECODE, 7);
	for (int i = 0; i < 50; i++)
		read_file(path_of(dir, i), 300);
	slu_span_end();
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t;
	printf("%d\n", (int)getpid());
	fflush(stdout);
	slu_span_begin("outer \"quoted\" \xff", SLU_SPAN_COMPUTE, -1);
	pthread_create(&t, NULL, work, argv[1]);
	pthread_join(t, NULL);
	open("/no/such/file", O_RDONLY);
	if (fork() == 0) {
		work(argv[1]);
		_exit(0);
	}
	wait(NULL);
	slu_span_end();
	return 0;
}
"""


def chrome(directory, file):
    p = run_report(directory, "--chrome", file)
    check(p.stdout == "" and p.stderr == "", "only the file is written: %s %s", p.stdout, p.stderr)
    with open(file, encoding="utf-8") as f:      # no escapes of bytes: viewers want Unicode
        return load(f.read())


def test(tmp):
    data = make_files("data", 50)
    program = build("program", PROGRAM)
    pid = int(record([program, data], "events", "--events"))
    r = report("events")
    t = chrome("events", "events.json")
    events = t["traceEvents"]
    calls = [e for e in events if e["ph"] == "X" and "file" in e["args"]]
    counts = {c["name"]: c["count"] for c in r["calls"]}
    check(r["job"]["n_events"] == sum(counts.values()), "%d events of %d calls", r["job"]["n_events"], sum(counts.values()))
    for name, count in counts.items():
        drawn = sum(e["name"] == name and e["cat"] not in ("compute", "decode") for e in events if e["ph"] == "X")
        check(drawn == count, "%s: %d events, %d calls", name, drawn, count)
    reads = [e for e in calls if e["name"] == "read" and e["args"]["file"].startswith(data)]
    check(len(reads) == 2 * 50 * 5 and sum(e["args"].get("bytes", 0) for e in reads) == 2 * 50 * 1000, "all reads of both: %d", len(reads))
    check(sorted(e["args"]["offset"] for e in reads[:4]) == [0, 300, 600, 900], "with offsets: %s", reads[:4])
    check([e["args"]["errno"] for e in calls if e["args"]["file"] == "/no/such/file"] == [2], "and errors")
    check({e["pid"] for e in events if e["ph"] == "X"} == {p["pid"] for p in r["processes"]} and pid in {e["pid"] for e in events},
          "process numbers are the real ones")
    check(len({(e["pid"], e["tid"]) for e in events if e["ph"] == "X"}) == 3, "of three threads")
    names = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    check(all("program" in n for n in names.values()) and len(names) == 2, "%s", names)
    check(any(e["name"] == "thread_name" for e in events), "threads have names")
    outer, = [e for e in events if e["ph"] == "X" and e["name"].startswith("outer")]
    inner = [e for e in events if e["ph"] == "X" and e["name"] == "inner"]
    check(outer["name"] == 'outer "quoted" \\377' and outer["cat"] == "compute", "%s", outer)
    check(len(inner) == 2 and all(e["args"]["index"] == 7 for e in inner), "%s", inner)
    for e in inner:
        check(outer["ts"] <= e["ts"] and e["ts"] + e["dur"] <= outer["ts"] + outer["dur"] + 0.002, "one clock: %s in %s", e, outer)
    wall = r["job"]["wall_s"] * 1e6
    check(all(0 <= e["ts"] and e["ts"] + e.get("dur", 0) <= wall + 1 for e in events if "ts" in e and e["ph"] != "C"), "within the job")
    check(not t["otherData"]["thinned"] and t["otherData"]["calls"] == r["job"]["n_events"], "%s", t["otherData"])

    record([program, data], "runs")
    r = report("runs")
    check(not r["job"]["events"] and r["job"]["n_events"] == 0, "without --events there are none")
    events = chrome("runs", "runs.json")["traceEvents"]
    runs = [e for e in events if e["ph"] == "b"]
    check(runs and len(runs) == sum(e["ph"] == "e" for e in events), "runs of calls begin and end")
    check(sum(e["args"]["read_bytes"] for e in runs) >= 2 * 50 * 1000, "and have all bytes")
    check(len([e for e in events if e["ph"] == "X"]) == 3, "complete events are the three spans")


main(test)
