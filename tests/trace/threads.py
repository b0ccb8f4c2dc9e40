# SPDX-License-Identifier: MIT
"""Threads: counts are exact when many threads use one file, and when there are more threads than have records."""
from tracelib import *

SOURCE = r"""
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>
static const char *path;
static void *work(void *arg)
{
	char buf[100], own[300];
	int fd = open(path, O_RDONLY);
	for (int i = 0; i < (long)arg; i++)
		if (pread(fd, buf, 100, 0) != 100)
			abort();
	close(fd);
	snprintf(own, sizeof(own), "%s-%ld", path, (long)gettid());
	access(own, F_OK);
	return NULL;
}
static void tick(int sig)
{
	access("/in-a-handler", F_OK);
}
int main(int argc, char **argv)
{
	int n = atoi(argv[2]), each = atoi(argv[3]);
	pthread_t t[64];
	path = argv[1];
	if (argc > 4) {
		struct itimerval v = { { 0, 200 }, { 0, 200 } };
		sigaction(SIGALRM, &(struct sigaction){ .sa_handler = tick, .sa_flags = SA_RESTART }, NULL);
		setitimer(ITIMER_REAL, &v, NULL);
	}
	for (int done = 0; done < n; done += 32) {
		for (int k = 0; k < 32; k++)
			pthread_create(&t[k], NULL, work, (void *)(long)each);
		for (int k = 0; k < 32; k++)
			pthread_join(t[k], NULL);
	}
	return 0;
}
"""


def test(tmp):
    program = compile_c("threads", SOURCE)
    with open("shared", "wb") as f:
        f.write(bytes(100))
    for n, each, signals in ((32, 2000, False), (1600, 5, False), (64, 500, True)):
        t = trace([program, tmp + "/shared", str(n), str(each)] + ["x"] * signals, directory="t%d-%d" % (n, each))
        f, p = t.file(tmp + "/shared"), t.all("process")[0]
        check(f["open"] == n and f["close"] == n, "%d threads: %s", n, f)
        check(f["reads"] == n * each and f["read_bytes"] == 100 * n * each, "%d threads: %d reads", n, f["reads"])
        check(t.calls("pread") == n * each, "%d threads: %d calls", n, t.calls("pread"))
        own = [r for r in t.all("file") if r.name.startswith(tmp + "/shared-")]
        check(len(own) == n and all(r.stat == 1 for r in own), "%d names of %d threads", len(own), n)
        if n > 1024:
            check(p.others > 0 and p.threads == 1024, "%d threads with a record, %d without", p.threads, p.others)
        if signals:
            check(t.count("/in-a-handler", "stat") > 0, "calls of signal handlers are recorded")


main(test)
