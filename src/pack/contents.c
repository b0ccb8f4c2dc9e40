/* SPDX-License-Identifier: MIT */
/* What a pack holds, in memory. See contents.h. */
#include "pack/contents.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

void slu_contents_done(struct slu_contents *c)
{
	slu_listing_done(&c->l);
	free(c->stored);
	free(c->shards);
	for (unsigned i = 0; i < c->ncolumns; i++)
		free(c->columns[i].values);
	slu_buf_done(&c->dicts);
	slu_buf_done(&c->label_names);
	slu_buf_done(&c->schema);
	slu_buf_done(&c->notes);
	*c = (struct slu_contents){ 0 };
}

int slu_contents_add_column(struct slu_contents *c, const char *name, int64_t *values)
{
	unsigned at = 0;

	if (c->ncolumns == SLU_MAX_COLUMNS || strlen(name) >= SLU_COLUMN_NAME || !*name) {
		free(values);
		return slu_fail(-EBADMSG, "too many columns, or a column's name is too long");
	}
	while (at < c->ncolumns && strcmp(c->columns[at].name, name) < 0)
		at++;
	if ((at < c->ncolumns && !strcmp(c->columns[at].name, name)) || !strcmp(name, "attr") ||
	    !strcmp(name, "mtime")) {
		free(values);
		return slu_fail(-EBADMSG, "there are two columns '%s'", name);
	}
	memmove(&c->columns[at + 1], &c->columns[at], (c->ncolumns - at) * sizeof(c->columns[0]));
	c->columns[at] = (struct slu_values){ .values = values };
	memcpy(c->columns[at].name, name, strlen(name));
	c->ncolumns++;
	return 0;
}

static int built_in(const struct slu_contents *c, bool mtime, uint64_t first, uint64_t n, int64_t *scratch,
                    slu_column_fn *fn, void *arg)
{
	char name[SLU_COLUMN_NAME] = { 0 };

	strcpy(name, mtime ? "mtime" : "attr");
	for (uint64_t i = 0; i < n; i++)
		scratch[i] = mtime ? c->l.samples[first + i].mtime_ns : (int64_t)c->l.samples[first + i].attr;
	return fn(arg, name, scratch);
}

int slu_contents_each_column(const struct slu_contents *c, uint64_t first, uint64_t n, int64_t *scratch,
                             slu_column_fn *fn, void *arg)
{
	bool attr = false, mtime = false;
	int r = 0;

	for (unsigned i = 0; i <= c->ncolumns && r == 0; i++) {
		const char *next = i < c->ncolumns ? c->columns[i].name : "\xff";
		if (!attr && strcmp("attr", next) < 0) {
			attr = true;
			r = built_in(c, false, first, n, scratch, fn, arg);
		}
		if (r == 0 && !mtime && strcmp("mtime", next) < 0) {
			mtime = true;
			r = built_in(c, true, first, n, scratch, fn, arg);
		}
		if (r == 0 && i < c->ncolumns)
			r = fn(arg, c->columns[i].name, c->columns[i].values + first);
	}
	return r;
}
