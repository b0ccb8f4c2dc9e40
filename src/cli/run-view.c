/* SPDX-License-Identifier: MIT */
/* The mounts of a run: read from operands and the environment, made absolute, their packs opened. See run.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macros.h"
#include "cli/run.h"
#include "vfs/spec.h"

void slu_view_done(struct slu_view *v)
{
	for (unsigned i = 0; i < v->n; i++) {
		free(v->mount[i].pack);
		free(v->mount[i].point);
		slu_pack_close(v->mount[i].open);
	}
	v->n = 0;
}

static const struct slu_view_mount *find(const struct slu_view *v, const char *point)
{
	for (unsigned i = 0; i < v->n; i++)
		if (strcmp(v->mount[i].point, point) == 0)
			return &v->mount[i];
	return NULL;
}

static int add(struct slu_view *v, const char *pack, const char *point, struct slu_pack *open)
{
	struct slu_view_mount m = { .pack = strdup(pack), .point = strdup(point), .open = open };
	struct slu_pack_info info;

	if (!m.pack || !m.point) {
		free(m.pack);
		free(m.point);
		return slu_fail_memory();
	}
	if (open && slu_pack_info(open, &info) == 0) /* cannot fail on an open pack */
		m.nodes = info.dirs + info.samples + info.links;
	v->mount[v->n++] = m;
	return 0;
}

int slu_view_inherit(struct slu_view *v)
{
	const char *text = getenv(SLU_ENV_MOUNTS);
	struct slu_spec spec;
	int r;

	if (!text)
		return 0;
	while ((r = slu_spec_next(&text, &spec)) > 0) {
		struct slu_pack *open = NULL;

		if (v->n == SLU_MAX_MOUNTS)
			return slu_fail(-E2BIG, "%s has more than %d mounts", SLU_ENV_MOUNTS, SLU_MAX_MOUNTS);
		if (slu_pack_open(spec.pack, NULL, &open) < 0)
			open = NULL; /* who has set it will hear of it; here it only counts no files */
		r = add(v, spec.pack, spec.point, open);
		if (r < 0) {
			slu_pack_close(open);
			return r;
		}
	}
	return r;
}

/* Puts the home directory for a first "~": a shell does so only at the beginning of a word, not behind the colon. */
static int expand_home(const char *path, char ret_path[PATH_MAX])
{
	const char *home = getenv("HOME");
	int n;

	if (path[0] != '~' || (path[1] && path[1] != '/')) {
		strcpy(ret_path, path);
		return 0;
	}
	if (!home || !*home)
		return slu_fail(-EINVAL, "'%s': HOME is not set", path);
	n = snprintf(ret_path, PATH_MAX, "%s%s", home, path + 1);
	return n < PATH_MAX ? 0 : slu_fail(-ENAMETOOLONG, "the path %.64s... is too long", path);
}

/* What is there already must be a directory; it need not be there. */
static int check_point(const char *point)
{
	struct stat st;
	int r = stat(point, &st);

	if (r == 0 && !S_ISDIR(st.st_mode))
		return slu_fail(-ENOTDIR, "a pack cannot be mounted on '%s': it is not a directory", point);
	if (r < 0 && errno == ENOTDIR)
		return slu_fail(-ENOTDIR, "a pack cannot be mounted on '%s': it lies below a file", point);
	return 0;
}

/* The directory of @spec made absolute. */
static int find_point(const struct slu_spec *spec, char ret_point[PATH_MAX])
{
	char cwd[PATH_MAX] = "/", given[PATH_MAX];
	int r = expand_home(spec->point, given);

	if (r < 0)
		return r;
	if (given[0] != '/' && !getcwd(cwd, sizeof(cwd)))
		return slu_fail_sys(-errno, "cannot tell the working directory, which '%s' starts from", given);
	r = slu_path_simplify(cwd, given, ret_point);
	if (r < 0)
		return r;
	if (strcmp(ret_point, "/") == 0)
		return slu_fail(-EINVAL, "a pack cannot be mounted over the root directory '/'");
	return 0;
}

/* Opens the pack of @spec. */
static int open_pack(const struct slu_spec *spec, char ret_path[PATH_MAX], struct slu_pack **ret_pack)
{
	char given[PATH_MAX];
	int r = expand_home(spec->pack, given);

	if (r < 0)
		return r;
	if (!realpath(given, ret_path))
		return slu_fail_sys(-errno, "cannot find the pack '%s'", given);
	return slu_pack_open(ret_path, NULL, ret_pack);
}

/* After open_pack() has failed with @err: says so if it is the other side that is a pack. */
static int tell_swapped(const struct slu_spec *spec, const char *point, int err)
{
	char sentence[1024];
	struct slu_pack *other;

	(void)snprintf(sentence, sizeof(sentence), "%s", slu_errmsg());
	if (slu_pack_open(point, NULL, &other) < 0)
		return slu_fail(err, "%s", sentence);
	slu_pack_close(other);
	return slu_fail(-EINVAL, "'%s' is not a pack, but '%s' is one; did you mean '%s:%s'?", spec->pack, spec->point,
	                spec->point, spec->pack);
}

static int add_spec(struct slu_view *v, const struct slu_spec *spec)
{
	char pack[PATH_MAX], point[PATH_MAX];
	const struct slu_view_mount *there;
	struct slu_pack *open;
	int r = find_point(spec, point);

	if (r < 0)
		return r;
	if ((r = open_pack(spec, pack, &open)) < 0)
		return tell_swapped(spec, point, r);
	there = find(v, point);
	if (there && strcmp(there->pack, pack) == 0) {
		slu_pack_close(open);
		return 0;
	}
	if (there)
		r = slu_fail(-EEXIST, "two packs for '%s': '%s' and '%s'", point, there->pack, pack);
	else if (v->n == SLU_MAX_MOUNTS)
		r = slu_fail(-E2BIG, "more than %d mounts", SLU_MAX_MOUNTS);
	else if ((r = check_point(point)) == 0)
		r = add(v, pack, point, open);
	if (r < 0)
		slu_pack_close(open);
	return r;
}

int slu_view_add(struct slu_view *v, const char *text)
{
	const char *at = text;
	struct slu_spec spec;
	int r;

	while ((r = slu_spec_next(&at, &spec)) > 0)
		if ((r = add_spec(v, &spec)) < 0)
			return r;
	return r;
}
