/* SPDX-License-Identifier: MIT */
/* The host's own file system, by system calls: nothing here comes back through the shim, or touches errno. */
#ifndef SLU_VFS_HOST_H
#define SLU_VFS_HOST_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

bool slu_host_is_dir(const char *path);

/* A link's target with its NUL: the length. -EINVAL: not a link. */
SLU_MUST_USE int slu_host_readlink(const char *path, char ret_target[PATH_MAX]);

/* The path of an open directory. -ENOENT: it has none any more. */
SLU_MUST_USE int slu_host_fd_path(int fd, char ret_path[PATH_MAX]);

SLU_MUST_USE int slu_host_getcwd(char ret_path[PATH_MAX]);

/* @path (absolute, simple) with the links in it followed as far as it exists. */
SLU_MUST_USE int slu_host_realpath(const char *path, char ret_path[PATH_MAX]);

/*
 * Whether a link lies on the way of @path from @dirfd, as far as the way exists: 1 yes (or it cannot be told), 0 no.
 */
int slu_host_has_link(int dirfd, const char *path);

#endif
