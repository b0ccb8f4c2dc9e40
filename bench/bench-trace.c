/* SPDX-License-Identifier: MIT */
/*
 * What tracing costs: CPU time, the program's and everything that `sluice trace` adds, against the program alone.
 *
 *     bench-trace SLUICE LOOP PYTHON-LOOP WORKDIR ROUNDS
 *
 * 20,000 files of 4 to 100 KiB (as many small as large ones on a logarithmic scale), warm; each is opened, asked for
 * its size, read and closed, by a program in C and by one in Python. This is the worst case: nothing but calls on small
 * files that are in memory. The host's other load shows less in CPU time than on the wall; each traced turn is compared
 * with the plain turns just before and after it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stats.h"

enum { FILES = 20000, DIRS = 20, MAX_ARGS = 12 };

static char work[3000], list[3100], trace_dir[3100];

/* ---- the files -------------------------------------------------------------------------------------------------- */

static int make_file(unsigned i, const char *bytes, size_t n, FILE *names)
{
	char path[4096];
	int fd, r;

	snprintf(path, sizeof(path), "%s/trace-files/d%02u/f%06u.bin", work, i % DIRS, i);
	fprintf(names, "%s\n", path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	r = fd < 0 || write(fd, bytes, n) != (ssize_t)n ? -1 : 0;
	if (fd >= 0)
		close(fd);
	return r;
}

static int make_files(void)
{
	static char bytes[100 << 10];
	char path[4096];
	FILE *names = fopen(list, "w");
	unsigned order[FILES];

	snprintf(path, sizeof(path), "%s/trace-files", work);
	mkdir(path, 0777);
	for (unsigned d = 0; d < DIRS; d++) {
		snprintf(path, sizeof(path), "%s/trace-files/d%02u", work, d);
		mkdir(path, 0777);
	}
	srand48(1);
	for (unsigned i = 0; i < FILES; i++)
		order[i] = i;
	for (unsigned i = FILES - 1; i > 0; i--) {
		unsigned k = (unsigned)(drand48() * (i + 1)), was = order[i];
		order[i] = order[k];
		order[k] = was;
	}
	for (unsigned i = 0; names && i < FILES; i++)
		if (make_file(order[i], bytes, (size_t)(4096 * pow(25, drand48())), names) < 0)
			return -1;
	return names && fclose(names) == 0 ? 0 : -1;
}

/* ---- turns ------------------------------------------------------------------------------------------------------ */

struct turn {
	const char *argv[MAX_ARGS];
	long bytes; /* of the trace that it left */
};

/* Removes the last trace: its size. */
static long remove_trace(void)
{
	DIR *d = opendir(trace_dir);
	const struct dirent *e;
	struct stat st;
	long bytes = 0;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' && fstatat(dirfd(d), e->d_name, &st, 0) == 0) {
			bytes += st.st_size;
			unlinkat(dirfd(d), e->d_name, 0);
		}
	if (d)
		closedir(d);
	rmdir(trace_dir);
	return bytes;
}

static double run(void *arg)
{
	struct turn *t = arg;
	struct rusage ru;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execvp(t->argv[0], (char *const *)(uintptr_t)t->argv);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &ru) != pid || status != 0)
		return -1;
	t->bytes = remove_trace();
	return (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
	       (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1e-6;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Plain, traced, plain, with events, plain ...: ratios to the mean of both neighbours. */
static int compare(const char *title, struct turn *plain, struct turn turns[], const char *const names[], size_t n,
                   int rounds)
{
	double ratio[4][BENCH_MAX_ROUNDS], before, after, base[BENCH_MAX_ROUNDS];

	for (int round = -1; round < rounds; round++) {
		before = run(plain);
		for (size_t i = 0; i < n; i++) {
			double s = run(&turns[i]);
			after = run(plain);
			if (before < 0 || s < 0 || after < 0) {
				fprintf(stderr, "bench-trace: %s failed\n", names[i]);
				return -1;
			}
			if (round >= 0)
				ratio[i][round] = s / ((before + after) / 2);
			before = after;
		}
		if (round >= 0)
			base[round] = before;
	}
	qsort(base, (size_t)rounds, sizeof(*base), by_value);
	printf("\n%s, CPU time against the program alone (%.0f ms; median of %d rounds, each between two plain ones)\n",
	       title, 1e3 * base[rounds / 2], rounds);
	for (size_t i = 0; i < n; i++) {
		qsort(ratio[i], (size_t)rounds, sizeof(double), by_value);
		printf("  %-38s %6.2f   %.2f .. %.2f", names[i], ratio[i][rounds / 2], ratio[i][0],
		       ratio[i][rounds - 1]);
		if (turns[i].bytes)
			printf("   trace of %.2f MB", (double)turns[i].bytes * 1e-6);
		printf("\n");
	}
	fflush(stdout);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "sluice trace", "sluice trace --events", "strace -c -f" };
	int rounds = argc == 6 ? atoi(argv[5]) : 0, r = 0;

	if (rounds < 1 || rounds > BENCH_MAX_ROUNDS) {
		fprintf(stderr, "usage: bench-trace SLUICE LOOP PYTHON-LOOP WORKDIR ROUNDS\n");
		return 2;
	}
	snprintf(work, sizeof(work), "%s", argv[4]);
	snprintf(list, sizeof(list), "%s/trace-list", work);
	snprintf(trace_dir, sizeof(trace_dir), "%s/trace-out", work);
	(void)remove_trace();
	if (access(list, R_OK) < 0 && make_files() < 0) {
		fprintf(stderr, "bench-trace: cannot make the files: %s\n", strerror(errno));
		return 1;
	}
	for (int python = 0; python < 2 && r == 0; python++) {
		const char *const program[] = { python ? "/usr/bin/python3" : argv[2], python ? argv[3] : list,
			                        python ? list : NULL };
		struct turn plain = { .argv = { program[0], program[1], program[2] } };
		struct turn turns[] = {
			{ .argv = { argv[1], "trace", "-q", "-o", trace_dir, "--", program[0], program[1],
			            program[2] } },
			{ .argv = { argv[1], "trace", "-q", "--events", "-o", trace_dir, "--", program[0], program[1],
			            program[2] } },
			{ .argv = { "strace", "-c", "-f", "-o", "/dev/null", program[0], program[1], program[2] } },
		};
		bool strace = system("strace -V >/dev/null 2>&1") == 0;
		r = compare(python ? "20,000 files in Python" : "20,000 files in C", &plain, turns, names,
		            strace ? 3 : 2, rounds);
	}
	return r < 0;
}
