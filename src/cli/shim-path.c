/* SPDX-License-Identifier: MIT */
/*
 * Where libsluice-shim.so is. Relative to the running executable first, so that an installation that was moved
 * (DESTDIR, a copied tree, a build directory) finds its own shim and no other's; then where it was to be installed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/program.h"

#define SHIM "libsluice-shim.so"

/* SLU_SHIM_DIR (absolute) and SLU_SHIM_FROM_BIN (from the directory of the executable) come from meson.build. */

static int try(const char *dir, const char *more, char ret_path[PATH_MAX])
{
	char path[2 * PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s/" SHIM, dir, more) >= (int)sizeof(path) || access(path, R_OK) < 0)
		return -ENOENT;
	return realpath(path, ret_path) ? 0 : -ENOENT;
}

/* The directory of the running executable. */
static int own_dir(char ret_dir[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", ret_dir, PATH_MAX - 1);
	char *slash;

	if (n <= 0)
		return -ENOENT;
	ret_dir[n] = 0;
	slash = strrchr(ret_dir, '/');
	if (!slash)
		return -ENOENT;
	*slash = 0;
	return 0;
}

int slu_shim_find(char ret_path[PATH_MAX])
{
	const char *given = getenv("SLUICE_SHIM");
	char dir[PATH_MAX];

	if (given && *given) {
		if (access(given, R_OK) < 0 || !realpath(given, ret_path))
			return slu_fail_sys(-errno, "cannot read the shim '%s', which SLUICE_SHIM names", given);
		return 0;
	}
	if (own_dir(dir) == 0 && (try(dir, "src/shim", ret_path) == 0 || try(dir, SLU_SHIM_FROM_BIN, ret_path) == 0))
		return 0;
	if (try(SLU_SHIM_DIR, ".", ret_path) == 0)
		return 0;
	return slu_fail(-ENOENT,
	                SHIM
	                " is neither beside this program nor in %s: build or install Sluice whole, or set SLUICE_SHIM",
	                SLU_SHIM_DIR);
}
