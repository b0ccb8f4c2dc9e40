/* SPDX-License-Identifier: MIT */
/* In place of mount.c and what it needs, in a build without libfuse3. */
#include <errno.h>
#include <stddef.h>

#include "fuse/mount.h"

static int no_fuse(void)
{
	return slu_fail(-EOPNOTSUPP, "this build of sluice has no FUSE: install libfuse3 with its headers (Debian: "
	                             "libfuse3-dev) and build it again");
}

int slu_mount_open(const char *pack, const char *dir, const struct slu_mount_options *opt, struct slu_mount **ret_mount)
{
	return no_fuse();
}

void slu_mount_close(struct slu_mount *m)
{
}

int slu_mount_detach(struct slu_mount *m)
{
	return no_fuse();
}

int slu_mount_serve(struct slu_mount *m)
{
	return no_fuse();
}

const char *slu_fuse_version(void)
{
	return NULL;
}
