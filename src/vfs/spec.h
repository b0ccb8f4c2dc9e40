/* SPDX-License-Identifier: MIT */
/*
 * How mounts are written: "PACK:POINT", several joined by ';' (SLUICE_MOUNTS).
 *
 * The last ':' that no backslash stands before divides pack and point, so that a pack may have
 * colons in its name ("s3://..."); a point's own are written "\:". A backslash takes the meaning from
 * the character after it.
 *
 * No memory is allocated here: the shim reads its mounts before malloc may be used.
 */
#ifndef SLU_VFS_SPEC_H
#define SLU_VFS_SPEC_H

#include <limits.h>
#include <stddef.h>

#include "base/err.h"

/* The environment that carries a run from process to process. */
#define SLU_ENV_MOUNTS "SLUICE_MOUNTS"
#define SLU_ENV_LEDGER "SLUICE_LEDGER" /* the path of a ledger (vfs/ledger.h), or unset */
#define SLU_ENV_CWD "SLUICE_CWD"       /* the working directory, where it lies in a mount */

struct slu_spec {
	char pack[PATH_MAX];
	char point[PATH_MAX]; /* absolute, without "//", "." or "..", and no '/' at the end but for "/" */
};

/*
 * Takes one spec from *@text and moves *@text behind it (and its ';'). 1: *@ret_spec is filled in;
 * 0: there was none left. -EINVAL no ':' or an empty side | -ENAMETOOLONG. The point is not made absolute here.
 */
SLU_MUST_USE int slu_spec_next(const char **text, struct slu_spec *ret_spec);

/* Writes @pack and @point as slu_spec_next() reads them: the length without the NUL, or -ENAMETOOLONG. */
SLU_MUST_USE int slu_spec_write(const char *pack, const char *point, char *buf, size_t cap);

/*
 * Makes @path absolute and simple: relative to @base (absolute) if it is relative, without "//", "." and "..",
 * by its letters alone (symbolic links are not looked at). -ENAMETOOLONG
 */
SLU_MUST_USE int slu_path_simplify(const char *base, const char *path, char ret_path[PATH_MAX]);

#endif
