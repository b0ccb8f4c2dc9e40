# SPDX-License-Identifier: MIT
"""sluice report --follow: shows a job that runs, and ends when the job is killed."""
import signal
import time
from proflib import *

PROGRAM = r"""
int main(int argc, char **argv)
{
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (int i = 0;; i++) {
		read_file(path_of(argv[1], i % 10), 4096);
		nap(20);
	}
}
"""


def test(tmp):
    data = make_files("data", 10)
    job = subprocess.Popen([SLUICE, "trace", "-q", "-o", "trace", "--", build("program", PROGRAM), data], stdout=subprocess.PIPE,
                           text=True)
    pid = int(job.stdout.readline())
    follow = subprocess.Popen([SLUICE, "report", "--follow", "trace"], stdout=subprocess.PIPE, text=True,
                              env=dict(os.environ, LC_ALL="C"))
    texts, lines = [], []
    for line in follow.stdout:
        if line.startswith("===="):
            lines = []
            texts.append(lines)
            if len(texts) == 2:         # the second is on its way: it has followed
                os.kill(pid, signal.SIGKILL)
        lines.append(line)
    check(follow.wait(timeout=60) == 0, "it ends with the job: %s", follow.returncode)
    job.wait(timeout=60)
    job.stdout.close()
    texts = ["".join(t) for t in texts]
    check("still running" in texts[0] and "process still runs" in texts[0], "the first is of a job that runs: %s", texts[0])
    check("was killed" in texts[-1] and "still running" not in texts[-1], "the last of one that was killed: %s", texts[-1])
    opens = [int(t.split("opens ")[1].split()[0].replace(",", "")) for t in texts]
    check(opens == sorted(opens) and opens[0] < opens[-1], "it went on meanwhile: %s", opens)
    for options in (["--json"], ["-o", "x"], ["--chrome", "x"], ["trace"]):
        check("--follow" in run_report("trace", "--follow", *options, code=2).stderr, "not with %s", options)


main(test)
