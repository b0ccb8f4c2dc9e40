/* SPDX-License-Identifier: MIT */
/* The mounts of a run: read from operands and the environment, made absolute, their packs opened. See run.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
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

/* @spec made absolute, both sides of it. */
static int make_absolute(const struct slu_spec *spec, char ret_pack[PATH_MAX], char ret_point[PATH_MAX])
{
	char cwd[PATH_MAX] = "/";
	int r;

	if (spec->point[0] != '/' && !getcwd(cwd, sizeof(cwd)))
		return slu_fail_sys(-errno, "cannot tell the working directory, which '%s' starts from", spec->point);
	r = slu_path_simplify(cwd, spec->point, ret_point);
	if (r < 0)
		return r;
	if (strcmp(ret_point, "/") == 0)
		return slu_fail(-EINVAL, "a pack cannot be mounted over the root directory '/'");
	if (!realpath(spec->pack, ret_pack))
		return slu_fail_sys(-errno, "cannot find the pack '%s'", spec->pack);
	return 0;
}

static int add_spec(struct slu_view *v, const struct slu_spec *spec)
{
	char pack[PATH_MAX], point[PATH_MAX];
	const struct slu_view_mount *there;
	struct slu_pack *open;
	int r = make_absolute(spec, pack, point);

	if (r < 0)
		return r;
	there = find(v, point);
	if (there && strcmp(there->pack, pack) == 0)
		return 0;
	if (there)
		return slu_fail(-EEXIST, "two packs for '%s': '%s' and '%s'", point, there->pack, pack);
	if (v->n == SLU_MAX_MOUNTS)
		return slu_fail(-E2BIG, "more than %d mounts", SLU_MAX_MOUNTS);
	r = slu_pack_open(pack, NULL, &open);
	if (r < 0)
		return r;
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
