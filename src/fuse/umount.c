/* SPDX-License-Identifier: MIT */
/*
 * Unmounting, also of what a dead server left behind. Needs no libfuse: the superuser may do it, and for
 * others there is fusermount3, which may.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/macros.h"
#include "fuse/mount.h"
#include "fuse/table.h"

extern char **environ;

static int in_use(const char *dir)
{
	return slu_fail(-EBUSY,
	                "%s is in use: a program has a file or its working directory there (fuser -m tells which); "
	                "with --lazy it goes when they are done",
	                dir);
}

/* Runs fusermount3 with its messages going to @log. Its exit code, or a failure. */
static int run_helper(const char *path, bool lazy, int log)
{
	const char *argv[] = { "fusermount3", "-u", lazy ? "-z" : "--", path, NULL };
	posix_spawn_file_actions_t acts;
	int status, r;
	pid_t pid;

	if ((r = posix_spawn_file_actions_init(&acts)) != 0)
		return slu_fail_memory();
	r = posix_spawn_file_actions_adddup2(&acts, log, STDERR_FILENO);
	if (r == 0)
		r = posix_spawnp(&pid, argv[0], &acts, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&acts);
	if (r != 0)
		return slu_fail_sys(-r, "cannot run fusermount3, which unmounts for users (Debian: package fuse3)");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return slu_fail_sys(-errno, "cannot wait for fusermount3");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static int unmount_as_user(const char *path, bool lazy)
{
	SLU_AUTO(fd) int log = memfd_create("fusermount3", MFD_CLOEXEC);
	char said[512] = "";
	int r;

	if (log < 0)
		return slu_fail_sys(-errno, "cannot make a file in memory");
	if ((r = run_helper(path, lazy, log)) <= 0)
		return r;
	if (slu_pread(log, said, sizeof(said) - 1, 0) < 0)
		said[0] = 0;
	said[strcspn(said, "\n")] = 0;
	if (strstr(said, strerror(EBUSY)))
		return in_use(path);
	return slu_fail(-EPERM, "cannot unmount %s: %s", path, *said ? said : "fusermount3 failed");
}

static int unmount(const char *path, bool lazy)
{
	if (geteuid() != 0)
		return unmount_as_user(path, lazy);
	if (umount2(path, UMOUNT_NOFOLLOW | (lazy ? MNT_DETACH : 0)) == 0)
		return 0;
	return errno == EBUSY ? in_use(path) : slu_fail_sys(-errno, "cannot unmount %s", path);
}

int slu_unmount(const char *dir, bool lazy)
{
	enum { TRIES = 20, PAUSE_US = 50 * 1000 };
	char path[PATH_MAX];
	struct slu_mounted m;
	int r;

	if ((r = slu_mount_point(dir, path)) < 0 || (r = slu_mounted_on(path, &m)) < 0)
		return r;
	if (!m.type[0])
		return slu_fail(-EINVAL, "nothing is mounted on %s", dir);
	if (strcmp(m.type, SLU_FSTYPE) != 0)
		return slu_fail(-EINVAL, "what is mounted on %s is not a pack: its type is %s", dir, m.type);
	/* The last reader may be closing its files right now, and the server itself lists directories (prime.h). */
	for (int i = 1; (r = unmount(path, lazy)) == -EBUSY && i < TRIES; i++)
		(void)usleep(PAUSE_US);
	return r;
}
