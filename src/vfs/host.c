/* SPDX-License-Identifier: MIT */
/* The host's own file system. See host.h. */
#include "vfs/host.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"
#include "vfs/spec.h"

/* A system call's result as a negative errno, with errno left as it was. */
#define SYS(...)                                                                                                       \
	({                                                                                                             \
		int saved_ = errno;                                                                                    \
		long r_ = syscall(__VA_ARGS__);                                                                        \
		r_ = r_ < 0 ? -errno : r_;                                                                             \
		errno = saved_;                                                                                        \
		r_;                                                                                                    \
	})

bool slu_host_is_dir(const char *path)
{
	long fd = SYS(SYS_openat, AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return false;
	(void)SYS(SYS_close, fd);
	return true;
}

int slu_host_readlink(const char *path, char ret_target[PATH_MAX])
{
	long n = SYS(SYS_readlinkat, AT_FDCWD, path, ret_target, PATH_MAX - 1);

	if (n >= 0)
		ret_target[n] = 0;
	return (int)n;
}

int slu_host_fd_path(int fd, char ret_path[PATH_MAX])
{
	char name[32];
	int n;

	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	n = slu_host_readlink(name, ret_path);
	return n < 0 ? n : ret_path[0] == '/' ? 0 : -ENOENT;
}

int slu_host_getcwd(char ret_path[PATH_MAX])
{
	long n = SYS(SYS_getcwd, ret_path, PATH_MAX);

	return n < 0 ? (int)n : ret_path[0] == '/' ? 0 : -ENOENT;
}

/* Too much for a small stack. */
struct room {
	char target[PATH_MAX], rest[PATH_MAX], joined[2 * PATH_MAX];
};

int slu_host_realpath(const char *path, char ret_path[PATH_MAX])
{
	SLU_AUTO(mem) struct room *room = malloc(sizeof(*room));
	char *target = room ? room->target : NULL, *rest = room ? room->rest : NULL;
	int links = 0;
	size_t at = 0;

	if (!room)
		return -ENOMEM;
	if (slu_path_simplify("/", path, rest) < 0)
		return -ENAMETOOLONG;
	ret_path[0] = 0;
	for (char *r = rest; *r;) {
		size_t n = strcspn(++r, "/");
		if (at + n + 2 > PATH_MAX)
			return -ENAMETOOLONG;
		ret_path[at] = '/';
		memcpy(ret_path + at + 1, r, n);
		ret_path[at + 1 + n] = 0;
		if (slu_host_readlink(ret_path, target) < 0) { /* not a link, or not there */
			at += n + 1;
			r += n;
			continue;
		}
		if (++links > 40)
			return -ELOOP;
		ret_path[at] = 0;
		(void)snprintf(room->joined, sizeof(room->joined), "%s%s", target, r + n);
		if (slu_path_simplify(at ? ret_path : "/", room->joined, rest) < 0)
			return -ENAMETOOLONG;
		r = rest;
		ret_path[at = 0] = 0;
	}
	if (at == 0)
		strcpy(ret_path, "/");
	return 0;
}

int slu_host_has_link(int dirfd, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	long fd = SYS(SYS_openat2, dirfd, path, &how, sizeof(how));

	if (fd >= 0) {
		(void)SYS(SYS_close, fd);
		return 0;
	}
	return fd != -ENOENT && fd != -ENOTDIR && fd != -EACCES && fd != -ENAMETOOLONG;
}
