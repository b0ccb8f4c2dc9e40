/* SPDX-License-Identifier: MIT */
/* The kernel's table of mounts: what is mounted on a directory. */
#ifndef SLU_FUSE_TABLE_H
#define SLU_FUSE_TABLE_H

#include <limits.h>

#include "base/err.h"

#define SLU_FSTYPE "fuse.sluice"

/* The absolute path of @dir. Works where a dead server's mount is on it, which realpath(3) may not. */
SLU_MUST_USE int slu_mount_point(const char *dir, char ret_path[PATH_MAX]);

struct slu_mounted {
	char type[64];         /* "" if nothing is mounted there */
	unsigned major, minor; /* the device's number */
};

/* What is mounted on @path (absolute), and on top there. */
SLU_MUST_USE int slu_mounted_on(const char *path, struct slu_mounted *ret_mounted);

#endif
