/* SPDX-License-Identifier: MIT */
/* The kernel's table of mounts. See table.h, and proc(5) on mountinfo. */
#include "fuse/table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

int slu_mount_point(const char *dir, char ret_path[PATH_MAX])
{
	char parent[PATH_MAX], above[PATH_MAX];
	size_t n = strlen(dir);
	const char *slash, *name;

	if (realpath(dir, ret_path))
		return 0;
	if (errno != ENOTCONN)
		return slu_fail_sys(-errno, "%s", dir);
	/* Only the last name is in the way: the dead mount is there. */
	while (n > 1 && dir[n - 1] == '/')
		n--;
	if (n >= sizeof(parent))
		return slu_fail_sys(-ENAMETOOLONG, "%s", dir);
	memcpy(parent, dir, n);
	parent[n] = 0;
	slash = strrchr(parent, '/');
	name = slash ? dir + (slash - parent) + 1 : dir;
	n -= (size_t)(name - dir);
	parent[name - dir] = 0;
	if (!realpath(slash ? parent : ".", above))
		return slu_fail_sys(-errno, "%s", dir);
	if (snprintf(ret_path, PATH_MAX, "%s/%.*s", strcmp(above, "/") == 0 ? "" : above, (int)n, name) >= PATH_MAX)
		return slu_fail_sys(-ENAMETOOLONG, "%s", dir);
	return 0;
}

/* Blanks and backslashes stand as \040 and so on. In place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		unsigned byte;
		int used = 0;
		if (*s == '\\' && sscanf(s + 1, "%3o%n", &byte, &used) == 1 && used == 3) {
			*to++ = (char)byte;
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
}

/* "36 35 98:0 /root /point options [more...] - type source options" */
static bool parse_line(char *line, struct slu_mounted *ret_mounted, char **ret_point)
{
	char *rest = strstr(line, " - "), *save = NULL, *field = strtok_r(line, " ", &save), *device = NULL, *type;

	for (int i = 0; i < 4 && field; i++) {
		field = strtok_r(NULL, " ", &save);
		if (i == 1)
			device = field;
	}
	if (!rest || !field || sscanf(device, "%u:%u", &ret_mounted->major, &ret_mounted->minor) != 2)
		return false;
	type = strtok_r(rest + 3, " ", &save);
	(void)snprintf(ret_mounted->type, sizeof(ret_mounted->type), "%s", type ? type : "?");
	*ret_point = field;
	unescape(field);
	return true;
}

int slu_mounted_on(const char *path, struct slu_mounted *ret_mounted)
{
	SLU_AUTO(mem) char *line = NULL;
	size_t cap = 0;
	FILE *f = fopen("/proc/self/mountinfo", "re");
	int r = 0;

	if (!f)
		return slu_fail_sys(-errno, "cannot read the table of mounts, /proc/self/mountinfo");
	*ret_mounted = (struct slu_mounted){ 0 };
	while (getline(&line, &cap, f) > 0) { /* later ones lie on top */
		struct slu_mounted m;
		char *point;
		if (parse_line(line, &m, &point) && strcmp(point, path) == 0)
			*ret_mounted = m;
	}
	if (ferror(f))
		r = slu_fail(-EIO, "cannot read the table of mounts, /proc/self/mountinfo");
	fclose(f);
	return r;
}
