/* SPDX-License-Identifier: MIT */
/*
 * Packing against tar, and sizes:  bench-pack SLUICE DATADIR WORKDIR NAME ROUNDS
 *
 * Both write to the same disk from a warm cache; what is dirty is synced between runs, outside
 * the time. tar leaves its output to be written some time later; sluice syncs its own, and is
 * timed with that. A line shows what tar takes when it syncs too.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "stats.h"

extern char **environ;

struct command {
	const char **argv;
	const char *output; /* removed before */
	int sync_after;     /* in the time */
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void remove_all(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static double run_command(void *arg)
{
	const struct command *c = arg;
	uint64_t t;
	pid_t pid;
	int status;

	remove_all(c->output);
	sync();
	t = slu_now_ns();
	if (posix_spawnp(&pid, c->argv[0], NULL, NULL, (char *const *)c->argv, environ) != 0 ||
	    waitpid(pid, &status, 0) != pid || status)
		return -1;
	if (c->sync_after)
		sync();
	return (double)(slu_now_ns() - t) * 1e-9;
}

static uint64_t total;

static int add_size(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path, (void)ftw;
	total += type == FTW_F ? (uint64_t)st->st_size : 0;
	return 0;
}

static uint64_t size_of(const char *path)
{
	total = 0;
	nftw(path, add_size, 16, FTW_PHYS);
	return total;
}

int main(int argc, char **argv)
{
	if (argc != 6) {
		fprintf(stderr, "usage: bench-pack SLUICE DATADIR WORKDIR NAME ROUNDS\n");
		return 2;
	}
	char *sluice = argv[1], *data = argv[2], *work = argv[3];
	char tar_out[4096], none_out[4096], auto_out[4096], title[256];
	snprintf(tar_out, sizeof(tar_out), "%s/bench.tar", work);
	snprintf(none_out, sizeof(none_out), "%s/bench-none.slu", work);
	snprintf(auto_out, sizeof(auto_out), "%s/bench-auto.slu", work);
	const char *tar_argv[] = { "tar", "cf", tar_out, "-C", data, ".", NULL };
	const char *none_argv[] = { sluice, "pack", data, "-o", none_out, "--codec", "none", "-q", NULL };
	const char *auto_argv[] = { sluice, "pack", data, "-o", auto_out, "-q", NULL };
	struct command tar = { tar_argv, tar_out, 0 }, tar_sync = { tar_argv, tar_out, 1 },
		       none = { none_argv, none_out, 0 }, automatic = { auto_argv, auto_out, 0 };
	struct runner r[] = {
		{ .name = "tar cf (not synced)", .run = run_command, .arg = &tar },
		{ .name = "sluice pack --codec none (synced)", .run = run_command, .arg = &none },
		{ .name = "sluice pack --codec auto (synced)", .run = run_command, .arg = &automatic },
		{ .name = "tar cf, then sync", .run = run_command, .arg = &tar_sync },
	};
	if (bench_run(r, 4, atoi(argv[5])) < 0)
		return 1;
	snprintf(title, sizeof(title), "Packing %s", argv[4]);
	bench_table(title, r, 4, 1, "seconds", 1);
	double bytes = (double)size_of(data);
	printf("  bytes on disk / bytes of data: none %.4f, auto %.4f, tar %.4f\n", (double)size_of(none_out) / bytes,
	       (double)size_of(auto_out) / bytes, (double)size_of(tar_out) / bytes);
	remove_all(tar_out);
	remove_all(none_out);
	remove_all(auto_out);
	return 0;
}
