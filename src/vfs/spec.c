/* SPDX-License-Identifier: MIT */
/* How mounts are written. See spec.h. */
#include "vfs/spec.h"

#include <errno.h>
#include <string.h>

/* Copies @from .. @end without its backslashes. */
static int unescape(const char *from, const char *end, char ret_text[PATH_MAX])
{
	size_t n = 0;

	for (; from < end; from++) {
		if (*from == '\\' && from + 1 < end)
			from++;
		if (n + 1 >= PATH_MAX)
			return slu_fail(-ENAMETOOLONG, "a path in %s is too long", SLU_ENV_MOUNTS);
		ret_text[n++] = *from;
	}
	ret_text[n] = 0;
	return 0;
}

int slu_spec_next(const char **text, struct slu_spec *ret_spec)
{
	const char *start = *text, *colon = NULL, *end;
	int r;

	while (*start == ';')
		start++;
	for (end = start; *end && *end != ';'; end++) {
		if (*end == '\\' && end[1])
			end++;
		else if (*end == ':')
			colon = end;
	}
	*text = end + (*end == ';');
	if (end == start)
		return 0;
	if (!colon || colon == start || colon + 1 == end)
		return slu_fail(-EINVAL, "'%.*s' is not PACK:DIRECTORY", (int)(end - start), start);
	if ((r = unescape(start, colon, ret_spec->pack)) < 0 || (r = unescape(colon + 1, end, ret_spec->point)) < 0)
		return r;
	return 1;
}

static int escape(const char *from, const char *which, char *buf, size_t cap, size_t *at)
{
	for (; *from; from++) {
		if (strchr(which, *from)) {
			if (*at + 1 >= cap)
				return -ENAMETOOLONG;
			buf[(*at)++] = '\\';
		}
		if (*at + 1 >= cap)
			return -ENAMETOOLONG;
		buf[(*at)++] = *from;
	}
	buf[*at] = 0;
	return 0;
}

int slu_spec_write(const char *pack, const char *point, char *buf, size_t cap)
{
	size_t at = 0;

	if (cap == 0 || escape(pack, ";\\", buf, cap, &at) < 0 || at + 1 >= cap)
		return slu_fail(-ENAMETOOLONG, "the mounts are too long for %s", SLU_ENV_MOUNTS);
	buf[at++] = ':';
	if (escape(point, ":;\\", buf, cap, &at) < 0)
		return slu_fail(-ENAMETOOLONG, "the mounts are too long for %s", SLU_ENV_MOUNTS);
	return (int)at;
}

/* Adds the components of @path to the simple path of @at bytes (0: the root). */
static int add_components(char path[PATH_MAX], size_t *at, const char *more)
{
	while (*more) {
		size_t n = strcspn(more, "/");
		if (n == 2 && more[0] == '.' && more[1] == '.') {
			while (*at && path[--*at] != '/')
				;
		} else if (n && !(n == 1 && more[0] == '.')) {
			if (*at + n + 2 > PATH_MAX)
				return -ENAMETOOLONG;
			path[(*at)++] = '/';
			memcpy(path + *at, more, n);
			*at += n;
		}
		more += n + (more[n] == '/');
	}
	return 0;
}

int slu_path_simplify(const char *base, const char *path, char ret_path[PATH_MAX])
{
	size_t at = 0;

	if ((path[0] != '/' && add_components(ret_path, &at, base) < 0) || add_components(ret_path, &at, path) < 0)
		return slu_fail(-ENAMETOOLONG, "the path %.64s... is too long", path);
	if (at == 0)
		ret_path[at++] = '/';
	ret_path[at] = 0;
	return 0;
}
