/* SPDX-License-Identifier: MIT */
/*
 * A mounted pack against kernel file systems:  bench-fuse SLUICE TREE WORKDIR NAME ROUNDS
 *
 * One reader visits all files in shuffled order: open, fstat, read, close. Each turn mounts afresh, so that the
 * first pass finds no name, inode or page of the mount cached; the images' and shards' own pages are warm. The
 * second pass is not counted, the third is.
 *
 * Where server and reader run decides much on few cores, so the mount is measured both with the scheduler's choice
 * and with both pinned: to one CPU, and to two. The rivals' readers run where the scheduler puts them.
 *
 * Needs root, loop devices, mkfs.erofs and mksquashfs; says what is missing, and then is a success.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sluice/pack.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "stats.h"

extern char **environ;

enum { ANYWHERE = -1 };

static struct {
	const char *sluice;
	char pack[512], erofs[512], squashfs[512], point[512];
	char **paths;
	uint64_t n;
	size_t cap;
	char *buf;
	cpu_set_t all;
} bench;

struct mounted {
	const char *type;   /* "sluice", or one for mount -t */
	const char *image;  /* the pack's or the image's path */
	int server, reader; /* CPUs */
	double third;       /* of this turn */
};

static int spawn(const char *const argv[], int quiet)
{
	posix_spawn_file_actions_t acts;
	int status, r;
	pid_t pid;

	posix_spawn_file_actions_init(&acts);
	for (int fd = 1; quiet && fd <= 2; fd++)
		posix_spawn_file_actions_addopen(&acts, fd, "/dev/null", O_WRONLY, 0);
	r = posix_spawnp(&pid, argv[0], &acts, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&acts);
	if (r != 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define SPAWN(quiet, ...) spawn((const char *const[]){ __VA_ARGS__, NULL }, quiet)

static void run_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	if (cpu != ANYWHERE)
		CPU_SET(cpu, &one);
	(void)sched_setaffinity(0, sizeof(one), cpu == ANYWHERE ? &bench.all : &one);
}

/* ---- mounting ----------------------------------------------------------------------------- */

static int mount_it(const struct mounted *m)
{
	int r;

	run_on(m->server); /* the server inherits it */
	if (strcmp(m->type, "sluice") == 0)
		r = SPAWN(0, bench.sluice, "mount", m->image, bench.point);
	else
		r = SPAWN(0, "mount", "-t", m->type, "-o", "ro,loop", m->image, bench.point);
	run_on(m->reader);
	return r;
}

/* The kernel may be a moment behind with the last close. */
static int unmount_it(void)
{
	run_on(ANYWHERE);
	for (int i = 0; i < 100; i++) {
		if (umount2(bench.point, 0) == 0)
			return 0;
		if (errno != EBUSY)
			break;
		usleep(20000);
	}
	perror("bench-fuse: umount");
	(void)umount2(bench.point, MNT_DETACH);
	return -1;
}

/* ---- reading --------------------------------------------------------------------------------- */

static double read_all(int dirfd)
{
	uint64_t start = slu_now_ns();

	for (uint64_t k = 0; k < bench.n; k++) {
		struct stat st;
		int fd = openat(dirfd, bench.paths[k], O_RDONLY);
		if (fd < 0 || fstat(fd, &st) < 0 || (size_t)st.st_size > bench.cap ||
		    read(fd, bench.buf, (size_t)st.st_size) != st.st_size) {
			fprintf(stderr, "bench-fuse: cannot read %s: %s\n", bench.paths[k], strerror(errno));
			return -1;
		}
		close(fd);
	}
	return (double)(slu_now_ns() - start) * 1e-9 / (double)bench.n;
}

static double first_pass(void *arg)
{
	struct mounted *m = arg;
	double first = -1;
	int dirfd;

	if (mount_it(m) != 0)
		return -1;
	dirfd = open(bench.point, O_RDONLY | O_DIRECTORY);
	if (dirfd >= 0 && (first = read_all(dirfd)) >= 0 && read_all(dirfd) >= 0)
		m->third = read_all(dirfd);
	if (dirfd >= 0)
		close(dirfd);
	return unmount_it() < 0 ? -1 : first;
}

/* Measured together with the first. */
static double third_pass(void *arg)
{
	return ((const struct mounted *)arg)->third;
}

/* ---- preparing --------------------------------------------------------------------------------- */

static void list_files(void)
{
	uint64_t x = 88172645463325252u;
	struct slu_pack *p;

	if (slu_pack_open(bench.pack, NULL, &p) < 0)
		exit(1);
	bench.n = slu_pack_count(p);
	bench.paths = calloc(bench.n, sizeof(*bench.paths));
	for (uint64_t i = 0; i < bench.n; i++) {
		char path[SLU_PATH_MAX];
		struct slu_sample s;
		if (slu_pack_path(p, slu_pack_sample_node(p, i), path) < 0 || slu_pack_sample(p, i, &s) < 0)
			exit(1);
		bench.paths[i] = strdup(path);
		bench.cap = s.size > bench.cap ? s.size : bench.cap;
	}
	for (uint64_t i = bench.n; i > 1; i--) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		uint64_t j = x % i;
		char *swap = bench.paths[i - 1];
		bench.paths[i - 1] = bench.paths[j];
		bench.paths[j] = swap;
	}
	bench.buf = malloc(bench.cap + 1);
	slu_pack_close(p);
}

static void skip(const char *why)
{
	printf("\nMount against erofs and squashfs: skipped: %s\n", why);
	exit(0);
}

static void prepare(const char *tree, const char *work)
{
	snprintf(bench.pack, sizeof(bench.pack), "%s/mount.slu", work);
	snprintf(bench.erofs, sizeof(bench.erofs), "%s/mount.erofs", work);
	snprintf(bench.squashfs, sizeof(bench.squashfs), "%s/mount.squashfs", work);
	snprintf(bench.point, sizeof(bench.point), "%s/mount-point", work);
	if (geteuid() != 0)
		skip("loop mounts need root");
	if (access("/dev/fuse", R_OK | W_OK) < 0 || access("/dev/loop-control", R_OK | W_OK) < 0)
		skip("there is no /dev/fuse or no /dev/loop-control");
	(void)mkdir(bench.point, 0755);
	(void)unlink(bench.erofs);
	if (SPAWN(0, bench.sluice, "pack", tree, "-o", bench.pack, "--codec", "none", "--force", "-q") != 0)
		exit(1);
	/* The rivals' defaults, but for compression, which would cost squashfs a decoding: it is not what is measured.
	 */
	if (SPAWN(1, "mkfs.erofs", bench.erofs, tree) != 0)
		skip("mkfs.erofs is missing or failed (Debian: erofs-utils)");
	if (SPAWN(1, "mksquashfs", tree, bench.squashfs, "-noappend", "-no-progress", "-noI", "-noD", "-noF", "-noX") !=
	    0)
		skip("mksquashfs is missing or failed (Debian: squashfs-tools)");
	list_files();
}

static void clean_up(void)
{
	(void)rmdir(bench.point);
	(void)unlink(bench.erofs);
	(void)unlink(bench.squashfs);
	(void)SPAWN(1, "rm", "-rf", bench.pack);
}

int main(int argc, char **argv)
{
	if (argc != 6) {
		fprintf(stderr, "usage: bench-fuse SLUICE TREE WORKDIR NAME ROUNDS\n");
		return 2;
	}
	bench.sluice = argv[1];
	(void)sched_getaffinity(0, sizeof(bench.all), &bench.all);
	prepare(argv[2], argv[3]);

	enum { KERNEL_EROFS, KERNEL_SQUASHFS, FREE, ONE_CPU, TWO_CPUS, MOUNTS };
	int a = -1, b = -1;
	for (int cpu = 0; cpu < CPU_SETSIZE && b < 0; cpu++)
		if (CPU_ISSET(cpu, &bench.all))
			*(a < 0 ? &a : &b) = cpu;
	struct mounted m[MOUNTS] = {
		[KERNEL_EROFS] = { "erofs", bench.erofs, ANYWHERE, ANYWHERE, -1 },
		[KERNEL_SQUASHFS] = { "squashfs", bench.squashfs, ANYWHERE, ANYWHERE, -1 },
		[FREE] = { "sluice", bench.pack, ANYWHERE, ANYWHERE, -1 },
		[ONE_CPU] = { "sluice", bench.pack, a, a, -1 },
		[TWO_CPUS] = { "sluice", bench.pack, b, a, -1 },
	};
	struct runner r[2 * MOUNTS];
	static char name[MOUNTS][64];
	size_t mounts = b < 0 ? TWO_CPUS : MOUNTS;
	char title[256];
	int failed;

	snprintf(name[KERNEL_EROFS], 64, "erofs (kernel, loop)");
	snprintf(name[KERNEL_SQUASHFS], 64, "squashfs (kernel, loop)");
	snprintf(name[FREE], 64, "sluice mount, placed by the kernel");
	snprintf(name[ONE_CPU], 64, "sluice mount, both on CPU %d", a);
	snprintf(name[TWO_CPUS], 64, "sluice mount, reader CPU %d, server %d", a, b);
	for (size_t i = 0; i < mounts; i++) {
		r[i] = (struct runner){ .name = name[i], .run = first_pass, .arg = &m[i] };
		r[mounts + i] = (struct runner){ .name = name[i], .run = third_pass, .arg = &m[i] };
	}
	failed = bench_run(r, 2 * mounts, atoi(argv[5])) < 0;
	if (!failed) {
		snprintf(title, sizeof(title), "Mounted %s, shuffled, one reader: first pass after mounting", argv[4]);
		bench_table(title, r, mounts, 1e-6, "us a file", 0);
		snprintf(title, sizeof(title), "Mounted %s, shuffled, one reader: third pass", argv[4]);
		bench_table(title, r + mounts, mounts, 1e-6, "us a file", 0);
	}
	clean_up();
	return failed;
}
