# SPDX-License-Identifier: MIT
"""A job whose true stall is known: storage that is slow on purpose, computing that is a sleep. What the job itself measured,
interval by interval, and what the report says agree: within 1 % of the wall time and 5 ms where every call was kept, 3 % and 5 ms
where runs of calls stand for them. Both are of the same run, so a slow machine changes nothing."""
from proflib import *

# Storage: below the shim, every read() of a file under "slow" takes 4 ms more.
SLOW = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
ssize_t read(int fd, void *buf, size_t n)
{
	static ssize_t (*next)(int, void *, size_t);
	char link[64], path[512];
	ssize_t len;
	struct timespec t = { 0, 4000000 };
	if (!next)
		next = dlsym(RTLD_NEXT, "read");
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	path[len < 0 ? 0 : len] = 0;
	if (strstr(path, "/slow/"))
		nanosleep(&t, NULL);
	return next(fd, buf, n);
}
"""

# job DIR KIND: prints every interval. "alone": read, then compute. "beside": a thread reads ahead while this one computes, and waits
# where it has to.
JOB = r"""
static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static struct { char what; long long a, b; } log_[2][4096];
static int n_log[2];
static void note(int who, char what, long long a)
{
	log_[who][n_log[who]].what = what;
	log_[who][n_log[who]].a = a;
	log_[who][n_log[who]++].b = now();
}
static void read_one(int who, const char *dir, int i)
{
	static __thread char buf[65536];
	long long a = now();
	int fd = open(path_of(dir, i), O_RDONLY);
	note(who, 'i', a);
	for (;;) {
		a = now();
		long n = read(fd, buf, sizeof(buf));
		note(who, 'i', a);
		if (n <= 0)
			break;
	}
	a = now();
	close(fd);
	note(who, 'i', a);
}
static void compute(double ms)
{
	long long a = now();
	span("step", SLU_SPAN_COMPUTE, ms);
	note(0, 'c', a);
}
static void *reader(void *dir)
{
	for (int i = 0; i < 30; i++) {
		read_one(1, dir, i);
		pthread_mutex_lock(&m);
		ready++;
		pthread_cond_signal(&c);
		pthread_mutex_unlock(&m);
	}
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t;
	int beside = strcmp(argv[2], "beside") == 0;
	if (beside)
		pthread_create(&t, NULL, reader, argv[1]);
	for (int i = 0; i < 30; i++) {
		if (beside) {
			long long a = now();
			slu_span_begin("wait", SLU_SPAN_WAIT, -1);
			pthread_mutex_lock(&m);
			while (!ready)
				pthread_cond_wait(&c, &m);
			ready--;
			pthread_mutex_unlock(&m);
			slu_span_end();
			note(0, 'w', a);
		} else {
			read_one(0, argv[1], i);
		}
		compute(i % 3 ? 3 : 9);
	}
	if (beside)
		pthread_join(t, NULL);
	for (int who = 0; who < 2; who++)
		for (int i = 0; i < n_log[who]; i++)
			printf("%c %lld %lld\n", log_[who][i].what, log_[who][i].a, log_[who][i].b);
	return 0;
}
"""


def measure(intervals):
    """Seconds in which each combination of kinds was active: the plainest sweep there is."""
    edges = sorted([(a, 1, what) for what, a, b in intervals] + [(b, -1, what) for what, a, b in intervals])
    active, seconds, last = dict.fromkeys("icw", 0), {}, None
    for at, step, what in edges:
        if last is not None:
            key = "".join(k for k in "icw" if active[k])
            seconds[key] = seconds.get(key, 0) + (at - last) / 1e9
        active[what] += step
        last = at
    return seconds


def test(tmp):
    job = build("job", JOB)
    with open("slow.c", "w") as f:
        f.write(SLOW)
    subprocess.run([CC, "-shared", "-fPIC", "-D_GNU_SOURCE", "-w", "-o", "slow.so", "slow.c", "-ldl"], check=True)
    data = make_files("slow", 30, 4096)
    env = dict(os.environ, LD_PRELOAD=os.path.abspath("slow.so"))
    for kind in ("alone", "beside"):
        for options, tolerance in ((["--events"], 0.01), ([], 0.03)):
            where = "%s%s" % (kind, "-events" if options else "")
            out = record([job, data, kind], where, *options, env=env)
            truth = measure([(w, int(a), int(b)) for w, a, b in (line.split() for line in out.splitlines())])
            true = {"exposed_s": sum(s for k, s in truth.items() if "i" in k and "c" not in k),
                    "hidden_s": sum(s for k, s in truth.items() if "i" in k and "c" in k),
                    "compute_s": sum(s for k, s in truth.items() if "c" in k),
                    "wait_s": sum(s for k, s in truth.items() if "w" in k)}
            check(true["exposed_s"] > 0.05, "the storage was slow: %s", true)
            check((true["hidden_s"] > 0.05) == (kind == "beside"), "and hidden when read ahead: %s", true)
            r = report(where)
            rank, = r["ranks"]
            for key, value in true.items():
                check(abs(rank[key] - value) <= tolerance * rank["wall_s"] + 0.005, "%s %s: %.4f s reported, %.4f s true",
                      where, key, rank[key], value)
            check(r["answer"]["stall"] == ("measured" if kind == "beside" else "exposed"), "%s", r["answer"])
            stall = true["wait_s" if kind == "beside" else "exposed_s"] / rank["wall_s"]
            check(abs(r["answer"]["stall_share"] - stall) < tolerance + 0.005 / rank["wall_s"], "%s: stall of %.4f, not %.4f", where,
                  r["answer"]["stall_share"], stall)
            parts = sum(rank[k] for k in ("compute_s", "exposed_s", "starved_s", "other_s"))
            check(abs(parts - rank["wall_s"]) < 1e-6, "the bar adds up: %.6f of %.6f", parts, rank["wall_s"])


main(test)
