/* SPDX-License-Identifier: MIT */
/*
 * A pack as a file system of the kernel, through FUSE: mount, serve, unmount.
 *
 * In a build without libfuse3 everything is here, and slu_mount_open() says that it cannot be done.
 */
#ifndef SLU_FUSE_MOUNT_H
#define SLU_FUSE_MOUNT_H

#include <stdbool.h>

#include "base/err.h"

struct slu_mount; /* opaque */

/* All zero is the default. */
struct slu_mount_options {
	const char *options; /* further ones, "a,b=c" as mount(8) has them, or NULL */
	bool allow_other;    /* users beside the one that mounts */
	/* A file could not be read: the sentence. From any thread, more than one at a time. */
	void (*trouble)(void *arg, const char *sentence);
	void *arg;
};

/* Opens the pack at @pack and mounts it on the directory @dir. Nothing is answered before slu_mount_serve(). */
SLU_MUST_USE int slu_mount_open(const char *pack, const char *dir, const struct slu_mount_options *opt,
                                struct slu_mount **ret_mount);

/* Unmounts, if it is mounted still. NULL is allowed. */
void slu_mount_close(struct slu_mount *m);

/*
 * Makes a process in the background that is to serve. 0 in that process, which has nothing to do with the terminal
 * any more; in the calling one 1, when the mount answers (what is left is slu_mount_close(), which then
 * unmounts nothing), or a failure.
 */
SLU_MUST_USE int slu_mount_detach(struct slu_mount *m);

/* Serves until the mount is gone, or SIGINT, SIGTERM or SIGHUP. */
SLU_MUST_USE int slu_mount_serve(struct slu_mount *m);

/*
 * Unmounts what a server, here or elsewhere, alive or dead, has on @dir. @lazy: at once out of sight, and gone when
 * the last one has closed its files. -EINVAL nothing of ours is mounted there | -EBUSY in use | -EPERM somebody else's
 */
SLU_MUST_USE int slu_unmount(const char *dir, bool lazy);

/* The version of libfuse that is loaded, or NULL: this build has none. */
const char *slu_fuse_version(void);

#endif
