/* SPDX-License-Identifier: MIT */
/* Files when all logs are in: in order, each in its class, with sums by class, directory and extension. And calls. */
#include "prof/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

void slu_prof_side_sizes(const struct slu_prof_side *s, uint64_t ret_sizes[SLU_SIZE_CLASSES])
{
	uint64_t larger = 0;

	for (int i = 1; i < SLU_SIZE_CLASSES; i++) {
		ret_sizes[i] = s->sizes[i - 1];
		larger += s->sizes[i - 1];
	}
	ret_sizes[0] = s->calls > larger ? s->calls - larger : 0;
}

static int compare_files(const void *a, const void *b)
{
	const struct slu_prof_file *x = a, *y = b;
	int c = memcmp(x->name, y->name, slu_min(x->name_len, y->name_len));

	return c ? c : (x->name_len > y->name_len) - (x->name_len < y->name_len);
}

static void add_to_group(struct slu_prof_group *g, const struct slu_prof_file *f)
{
	uint64_t sizes[SLU_SIZE_CLASSES];

	g->files++;
	g->opens += f->count[SLU_FAMILY_OPEN];
	g->stats += f->count[SLU_FAMILY_STAT];
	g->calls += (uint64_t)f->read.calls + f->write.calls;
	for (int i = 0; i < SLU_COUNTED; i++)
		g->calls += f->count[i];
	g->errors += f->errors;
	g->reads += f->read.calls;
	g->writes += f->write.calls;
	g->read_bytes += f->read.bytes;
	g->written_bytes += f->write.bytes;
	g->mapped_bytes += f->mapped_bytes;
	g->read_ns += f->read.ns;
	g->write_ns += f->write.ns;
	g->meta_ns += f->meta_ns;
	g->ns += slu_prof_file_ns(f);
	slu_prof_side_sizes(&f->read, sizes);
	for (int i = 0; i < SLU_SIZE_CLASSES; i++)
		g->read_sizes[i] += sizes[i];
	slu_prof_side_sizes(&f->write, sizes);
	for (int i = 0; i < SLU_SIZE_CLASSES; i++)
		g->write_sizes[i] += sizes[i];
	g->sequential += f->read.sequential;
	g->consecutive += f->read.consecutive;
}

/* ---- directories and extensions ---------------------------------------------------------------------------------- */

struct groups {
	struct slu_prof_group *list;
	size_t n;
	struct slu_names names;
};

static const char *group_name(const void *arg, uint32_t index, size_t *ret_len)
{
	const struct groups *g = arg;

	*ret_len = strlen(g->list[index].name);
	return g->list[index].name;
}

static int add_named(struct slu_prof *p, struct groups *g, const char *name, size_t len, const struct slu_prof_file *f)
{
	uint32_t index;
	bool is_new;
	int r = slu_names_find(&g->names, name, len, (uint32_t)g->n, group_name, g, &index, &is_new);

	if (r < 0)
		return r;
	if (is_new) {
		r = slu_room(&g->list, g->n, sizeof(*g->list));
		if (r < 0)
			return r;
		g->list[g->n] = (struct slu_prof_group){ .name = slu_store_strn(p->store, name, len) };
		if (!g->list[g->n].name)
			return -ENOMEM;
		g->n++;
	}
	add_to_group(&g->list[index], f);
	return 0;
}

static int add_both(struct slu_prof *p, struct groups *dirs, struct groups *exts, const struct slu_prof_file *f)
{
	const char *slash = memrchr(f->name, '/', f->name_len), *base = slash ? slash + 1 : f->name;
	const char *end = f->name + f->name_len, *dot = memrchr(base, '.', (size_t)(end - base));
	bool whole = f->flags & (SLU_FILE_MANY | SLU_FILE_IS_DIR); /* it is a directory itself */
	size_t len = whole ? f->name_len : slash ? (size_t)(slash - f->name) : 0;
	int r;

	if (slash == f->name && !whole)
		len = 1;
	r = add_named(p, dirs, len ? f->name : ".", len ? len : 1, f);
	if (r < 0 || whole)
		return r;
	/* ".bashrc" has none, and what is too long is none. */
	if (!dot || dot == base || end - dot > 16)
		dot = end;
	return add_named(p, exts, dot, (size_t)(end - dot), f);
}

static int compare_groups(const void *a, const void *b)
{
	const struct slu_prof_group *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int group_all(struct slu_prof *p)
{
	struct groups dirs = { 0 }, exts = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->n_files; i++)
		if (slu_class_counts(p->files[i].cls))
			r = add_both(p, &dirs, &exts, &p->files[i]);
	slu_names_done(&dirs.names);
	slu_names_done(&exts.names);
	slu_sort(dirs.list, dirs.n, sizeof(*dirs.list), compare_groups);
	slu_sort(exts.list, exts.n, sizeof(*exts.list), compare_groups);
	p->directories = dirs.list;
	p->n_directories = dirs.n;
	p->extensions = exts.list;
	p->n_extensions = exts.n;
	return r;
}

/* ---- by time ----------------------------------------------------------------------------------------------------- */

static int compare_time(const void *a, const void *b, void *arg)
{
	const struct slu_prof_file *files = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	uint64_t x = slu_prof_file_ns(&files[i]), y = slu_prof_file_ns(&files[k]);

	if (x != y)
		return x > y ? -1 : 1;
	return (i > k) - (i < k);
}

static int order_by_time(struct slu_prof *p)
{
	p->by_time = calloc(p->n_files + 1, sizeof(*p->by_time));
	if (!p->by_time)
		return slu_fail_memory();
	for (size_t i = 0; i < p->n_files; i++)
		if (slu_class_counts(p->files[i].cls))
			p->by_time[p->n_by_time++] = (uint32_t)i;
	qsort_r(p->by_time, p->n_by_time, sizeof(*p->by_time), compare_time, p->files);
	return 0;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static int compare_calls(const void *a, const void *b)
{
	const struct slu_prof_call *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return (x->call > y->call) - (x->call < y->call);
}

static int list_calls(struct slu_build *b)
{
	struct slu_prof *p = b->p;

	p->calls = calloc(SLU_N_CALLS + 1, sizeof(*p->calls));
	if (!p->calls)
		return slu_fail_memory();
	for (uint32_t i = 0; i <= SLU_N_CALLS; i++) {
		const struct slu_log_tally *t = &b->calls[i];

		if (t->count)
			p->calls[p->n_calls++] = (struct slu_prof_call){ .call = i,
				                                         .name = slu_call_name(i),
				                                         .family = slu_family_name(slu_call_family(i)),
				                                         .count = t->count,
				                                         .errors = t->errors,
				                                         .ns = t->ns,
				                                         .slowest_ns = t->slowest,
				                                         .bytes = t->bytes };
	}
	slu_sort(p->calls, p->n_calls, sizeof(*p->calls), compare_calls);
	return 0;
}

/* The record for everything else, when it has nothing but calls on descriptors that the recorder had not seen opened
 * (closing what was inherited, mostly): no data. */
static bool is_unknown(const struct slu_prof_file *f)
{
	return f->flags & SLU_FILE_MANY && f->name[0] != '/' && !f->count[SLU_FAMILY_OPEN] && !f->read.bytes &&
	       !f->write.bytes;
}

int slu_build_files(struct slu_build *b)
{
	struct slu_prof *p = b->p;
	int r;

	slu_sort(p->files, p->n_files, sizeof(*p->files), compare_files);
	for (unsigned c = 0; c < SLU_N_CLASSES; c++)
		p->classes[c].name = slu_prof_class_name(c);
	for (size_t i = 0; i < p->n_files; i++) {
		struct slu_prof_file *f = &p->files[i];

		if (f->first == UINT64_MAX)
			f->first = 0;
		if (f->cls == SLU_CLASS_DATA && f->write.bytes && !f->read.bytes && !f->mapped_bytes)
			f->cls = SLU_CLASS_OUTPUT;
		if (is_unknown(f))
			f->cls = SLU_CLASS_SYSTEM;
		add_to_group(&p->classes[f->cls], f);
	}
	r = group_all(p);
	if (r == 0)
		r = order_by_time(p);
	return r < 0 ? r : list_calls(b);
}
