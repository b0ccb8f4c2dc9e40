/* SPDX-License-Identifier: MIT */
/* The file functions that a program uses. See uses.h. */
#include "cli/uses.h"

#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

size_t slu_uses_count(const struct slu_buf *uses)
{
	return uses->len / sizeof(struct slu_use);
}

const struct slu_use *slu_uses_get(const struct slu_buf *uses, size_t i)
{
	return (const struct slu_use *)(const void *)uses->data + i;
}

enum slu_use_state slu_use_state(const struct slu_use *u)
{
	if (u->covered)
		return SLU_USE_COVERED;
	if (u->class == SLU_IO_COVER)
		return SLU_USE_GAP;
	return u->class == SLU_IO_LIMIT ? SLU_USE_NOT_SERVED : SLU_USE_BY_ITSELF;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names that the shim exports, sorted. */
static int shim_names(const struct slu_elf *shim, struct slu_buf *names)
{
	for (size_t i = 0; i < slu_elf_symbol_count(shim); i++) {
		const struct slu_elf_symbol *s = slu_elf_symbol(shim, i);
		const char *name = slu_elf_text(shim, s->name);
		int r = s->defined ? slu_buf_add(names, &name, sizeof(name)) : 0;

		if (r < 0)
			return r;
	}
	if (names->len)
		qsort(names->data, names->len / sizeof(char *), sizeof(char *), by_name);
	return 0;
}

static bool is_in(const struct slu_buf *names, const char *name)
{
	return names->len && bsearch(&name, names->data, names->len / sizeof(char *), sizeof(char *), by_name);
}

static int gather_object(const struct slu_object *o, const struct slu_buf *names, struct slu_buf *uses)
{
	for (size_t i = 0; i < slu_elf_symbol_count(&o->elf); i++) {
		const struct slu_elf_symbol *s = slu_elf_symbol(&o->elf, i);
		struct slu_use u = { .symbol = slu_elf_text(&o->elf, s->name), .user = o->path };
		int r;

		if (s->defined)
			continue;
		u.class = slu_io_class(u.symbol);
		if (u.class == SLU_IO_NONE)
			continue;
		u.covered = is_in(names, u.symbol);
		r = slu_buf_add(uses, &u, sizeof(u));
		if (r < 0)
			return r;
	}
	return 0;
}

/* By symbol; the same symbol stands twice in an object that wants two versions of it. */
static int by_symbol(const void *a, const void *b)
{
	const struct slu_use *x = a, *y = b;
	int d = strcmp(x->symbol, y->symbol);

	return d ? d : strcmp(x->user, y->user);
}

int slu_uses_gather(const struct slu_libs *l, const struct slu_elf *shim, struct slu_buf *ret_uses)
{
	SLU_AUTO(buf) struct slu_buf names = { 0 };
	size_t n, kept = 0;
	struct slu_use *u;
	int r = shim_names(shim, &names);

	for (size_t i = 0; r == 0 && i < slu_libs_count(l); i++)
		r = gather_object(slu_libs_get(l, i), &names, ret_uses);
	if (r < 0 || !ret_uses->len)
		return r;
	u = (struct slu_use *)(void *)ret_uses->data;
	n = slu_uses_count(ret_uses);
	qsort(u, n, sizeof(*u), by_symbol);
	for (size_t i = 0; i < n; i++)
		if (!kept || by_symbol(&u[kept - 1], &u[i]) != 0)
			u[kept++] = u[i];
	ret_uses->len = kept * sizeof(*u);
	return 0;
}

void slu_uses_tally(const struct slu_buf *uses, size_t ret_n[SLU_USE_STATES])
{
	memset(ret_n, 0, SLU_USE_STATES * sizeof(*ret_n));
	for (size_t i = 0; i < slu_uses_count(uses); i++) {
		const struct slu_use *u = slu_uses_get(uses, i);

		if (i == 0 || strcmp(u->symbol, slu_uses_get(uses, i - 1)->symbol) != 0)
			ret_n[slu_use_state(u)]++;
	}
}
