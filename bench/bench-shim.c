/* SPDX-License-Identifier: MIT */
/*
 * Unmodified programs on a pack, through the shim, against the same files in the file system:
 *
 *     bench-shim SLUICE TREE WORKDIR NAME ROUNDS PYTHON-SCRIPT PREPARED-DIRS
 *     bench-shim --loop ROOT LIST PASSES     one reader: open, fstat, read, close of every file in the list; what the
 *                                            others run
 *
 * Each turn is a process of its own, which prints the seconds that count: those of its last pass, so that
 * neither starting up nor the first touch of a page is in it. The shim checks every byte; the file system checks none.
 * Where directories are listed, a third turn has them in memory (prepared-dirs.c): what is left is Python's own time,
 * so that its ratio is what no file system could exceed. Cold: the caches are dropped before (root only), and the one
 * pass is what counts, opening the pack included.
 */
#include <errno.h>
#include <fcntl.h>
#include <sluice/pack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "stats.h"

#define POINT "/sluice-bench"

/* ---- the reader --------------------------------------------------------------------------------------------- */

enum { MAX_FILES = 1 << 20, ROOM = 4 << 20 };

static double read_all(char **paths, size_t n, char *buf)
{
	uint64_t start = slu_now_ns();

	for (size_t i = 0; i < n; i++) {
		struct stat st;
		int fd = open(paths[i], O_RDONLY);
		if (fd < 0 || fstat(fd, &st) < 0 || read(fd, buf, ROOM) != st.st_size) {
			fprintf(stderr, "bench-shim: cannot read %s: %s\n", paths[i], strerror(errno));
			exit(1);
		}
		close(fd);
	}
	return (double)(slu_now_ns() - start) * 1e-9 / (double)n;
}

static int loop(const char *root, const char *list, int passes)
{
	char **paths = calloc(MAX_FILES, sizeof(*paths)), *buf = malloc(ROOM), line[SLU_PATH_MAX];
	FILE *f = fopen(list, "r");
	double seconds = 0;
	size_t n = 0;

	while (f && n < MAX_FILES && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (asprintf(&paths[n++], "%s/%s", root, line) < 0)
			return 1;
	}
	if (!f || !n)
		return 1;
	memset(buf, 0, ROOM);
	for (int i = 0; i < passes; i++)
		seconds = read_all(paths, n, buf);
	printf("%.12f\n", seconds);
	return 0;
}

/* ---- turns ----------------------------------------------------------------------------------------------------- */

static struct {
	const char *self, *sluice, *tree, *script, *prepared;
	char pack[512], list[512], view[600];
} bench;

struct turn {
	const char *kind; /* "loop", or what the Python script knows */
	bool shim, cold, prepared;
};

static void drop_caches(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY);

	sync();
	if (fd < 0 || write(fd, "3", 1) != 1)
		perror("bench-shim: dropping caches");
	if (fd >= 0)
		close(fd);
}

/* The child's arguments, behind "sluice run VIEW --" if it is to be served. */
static void start(const struct turn *t, int out)
{
	const char *root = t->shim ? POINT : bench.tree, *argv[16];
	size_t n = 0;

	if (t->shim) {
		argv[n++] = bench.sluice;
		argv[n++] = "run";
		argv[n++] = bench.view;
		argv[n++] = "--";
	}
	if (strcmp(t->kind, "loop") == 0) {
		argv[n++] = bench.self;
		argv[n++] = "--loop";
	} else {
		argv[n++] = "/usr/bin/python3";
		argv[n++] = bench.script;
		argv[n++] = t->kind;
	}
	argv[n++] = root;
	argv[n++] = bench.list;
	argv[n++] = t->cold ? "1" : "3";
	argv[n] = NULL;
	if (t->prepared) {
		setenv("LD_PRELOAD", bench.prepared, 1);
		setenv("PREPARED_DIRS", bench.tree, 1);
	}
	(void)dup2(out, 1);
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

static double run_turn(void *arg)
{
	const struct turn *t = arg;
	char text[64] = "";
	int out[2], status;
	ssize_t got;
	pid_t pid;

	if (t->cold)
		drop_caches();
	if (pipe(out) < 0 || (pid = fork()) < 0)
		return -1;
	if (pid == 0)
		start(t, out[1]);
	close(out[1]);
	got = read(out[0], text, sizeof(text) - 1);
	close(out[0]);
	if (waitpid(pid, &status, 0) != pid || status != 0 || got <= 0)
		return -1;
	return strtod(text, NULL);
}

static int compare(const char *title, const char *kind, bool cold, double unit, const char *unit_name, int rounds)
{
	struct turn plain = { .kind = kind, .cold = cold }, served = { .kind = kind, .shim = true, .cold = cold },
		    alone = { .kind = kind, .prepared = true };
	struct runner r[] = {
		{ .name = "the file system", .run = run_turn, .arg = &plain },
		{ .name = "the pack, through the shim", .run = run_turn, .arg = &served },
		{ .name = "Python alone: directories in memory", .run = run_turn, .arg = &alone },
	};
	size_t n = strcmp(kind, "walk") == 0 || strcmp(kind, "imagefolder") == 0 ? 3 : 2;

	if (bench_run(r, n, rounds) < 0) {
		fprintf(stderr, "bench-shim: %s failed\n", title);
		return 1;
	}
	bench_table(title, r, n, unit, unit_name, 0);
	return 0;
}

/* ---- preparing -------------------------------------------------------------------------------------------------- */

static int write_list(void)
{
	uint64_t x = 88172645463325252u, n, *order;
	struct slu_pack *p;
	FILE *f = fopen(bench.list, "w");

	if (!f || slu_pack_open(bench.pack, NULL, &p) < 0)
		return -1;
	n = slu_pack_count(p);
	order = malloc(n * sizeof(*order));
	for (uint64_t i = 0; i < n; i++)
		order[i] = i;
	for (uint64_t i = n; i > 1; i--) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		uint64_t j = x % i, swap = order[i - 1];
		order[i - 1] = order[j];
		order[j] = swap;
	}
	for (uint64_t i = 0; i < n; i++) {
		char path[SLU_PATH_MAX];
		if (slu_pack_path(p, slu_pack_sample_node(p, order[i]), path) < 0)
			return -1;
		fprintf(f, "%s\n", path);
	}
	free(order);
	slu_pack_close(p);
	return fclose(f);
}

static int shell(const char *fmt, const char *a, const char *b, const char *c)
{
	char command[2048];

	snprintf(command, sizeof(command), fmt, a, b, c);
	return system(command);
}

int main(int argc, char **argv)
{
	int rounds, failed = 0;
	char title[256];

	if (argc == 5 && strcmp(argv[1], "--loop") == 0)
		return loop(argv[2], argv[3], atoi(argv[4]));
	if (argc != 8) {
		fprintf(stderr, "usage: bench-shim SLUICE TREE WORKDIR NAME ROUNDS PYTHON-SCRIPT PREPARED-DIRS\n");
		return 2;
	}
	bench.self = argv[0];
	bench.sluice = argv[1];
	bench.tree = argv[2];
	bench.script = argv[6];
	bench.prepared = argv[7];
	rounds = atoi(argv[5]);
	snprintf(bench.pack, sizeof(bench.pack), "%s/shim.slu", argv[3]);
	snprintf(bench.list, sizeof(bench.list), "%s/shim.list", argv[3]);
	snprintf(bench.view, sizeof(bench.view), "%s:" POINT, bench.pack);
	if (shell("'%s' pack '%s' -o '%s' --force -q", bench.sluice, bench.tree, bench.pack) != 0 || write_list() < 0)
		return 1;
	snprintf(title, sizeof(title), "%s, shuffled, C: open fstat read close, warm", argv[4]);
	failed |= compare(title, "loop", false, 1e-6, "us a file", rounds);
	if (geteuid() == 0) {
		snprintf(title, sizeof(title), "%s, shuffled, C: the same, caches dropped before", argv[4]);
		failed |= compare(title, "loop", true, 1e-6, "us a file", (rounds + 2) / 3);
	} else {
		printf("\nCold caches: skipped: dropping them needs root\n");
	}
	snprintf(title, sizeof(title), "%s, shuffled, Python: open(p,'rb').read(), warm", argv[4]);
	failed |= compare(title, "read", false, 1e-6, "us a file", (rounds + 1) / 2);
	snprintf(title, sizeof(title), "%s, Python: os.walk, warm", argv[4]);
	failed |= compare(title, "walk", false, 1e-3, "ms", rounds);
	snprintf(title, sizeof(title), "%s, Python: start-up of torchvision's ImageFolder, warm", argv[4]);
	failed |= compare(title, "imagefolder", false, 1e-3, "ms", (rounds + 2) / 3);
	(void)shell("rm -rf '%s' '%s'", bench.pack, bench.list, "");
	return failed;
}
