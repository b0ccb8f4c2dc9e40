/* SPDX-License-Identifier: MIT */
/*
 * Labels of samples. See labels.h.
 *
 * `dir`: label k is the k-th directory of the root, by name; its name is the label's name.
 * A CSV file: rows of path,label; quotes as in RFC 4180; a first row "path,label" is
 * skipped. If all labels are integers they are taken as they are; else the distinct texts,
 * sorted, are numbered from 0 and kept as names.
 */
#include "pack/labels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

static int dir_labels(struct slu_contents *c)
{
	const struct slu_listing *l = &c->l;
	SLU_AUTO(mem) int64_t *values = malloc((l->nsamples + 1) * sizeof(*values));
	char path[SLU_MAX_PATH + 1];
	int r = 0;

	if (!values)
		return slu_fail_memory();
	for (uint64_t i = 0; i < l->nsamples; i++) {
		uint32_t d = l->samples[i].parent;
		while (d && l->dirs[d].parent)
			d = l->dirs[d].parent;
		if (!d) {
			r = slu_listing_path(l, &l->samples[i], path);
			return r < 0 ? r
			             : slu_fail(-EINVAL,
			                        "--labels dir: %s is in no directory to take a label from; move it out "
			                        "of the tree or into a class, or give labels in a CSV file",
			                        path);
		}
		values[i] = d - 1; /* the root's directories are numbered from 1 */
	}
	for (uint64_t d = 1; d < l->ndirs && l->dirs[d].parent == 0 && r == 0; d++) {
		const char *name = slu_listing_name(l, &l->dirs[d]);
		r = slu_buf_add(&c->label_names, name, strlen(name) + 1);
	}
	return r < 0 ? r : slu_contents_add_column(c, "label", SLU_TAKE(values));
}

/* ---- CSV ------------------------------------------------------------------------------ */

struct csv {
	const char *file;
	FILE *f;
	char *line;
	size_t cap;
	uint64_t number;
	char **texts; /* one a sample */
};

/* Takes the field at *@at off: unquoted in place; *@at moves behind the comma, or to NULL. */
static char *take_field(char **at)
{
	char *from = *at, *to = *at, *start = *at;
	bool quoted = *from == '"';

	if (quoted)
		from++;
	for (;; from++) {
		if (quoted && from[0] == '"' && from[1] == '"')
			from++;
		else if (quoted && *from == '"') {
			quoted = false;
			continue;
		} else if (!*from || (!quoted && *from == ','))
			break;
		*to++ = *from;
	}
	*at = *from == ',' ? from + 1 : NULL;
	*to = 0;
	return start;
}

/* One row into the sample's text. */
static int csv_row(struct csv *v, const struct slu_listing *l)
{
	char *at = v->line, *path = take_field(&at), *label = at ? take_field(&at) : NULL;
	uint64_t i = 0;
	int r;

	if (!label || at || !*label)
		return slu_fail(-EINVAL, "%s, line %llu: not of the form path,label", v->file,
		                (unsigned long long)v->number);
	while (!strncmp(path, "./", 2) || *path == '/')
		path += *path == '/' ? 1 : 2;
	r = slu_listing_find(l, path, &i);
	if (r < 0)
		return slu_fail(-EINVAL, "%s, line %llu: there is no file %s", v->file, (unsigned long long)v->number,
		                path);
	if (v->texts[i] && strcmp(v->texts[i], label) != 0)
		return slu_fail(-EINVAL, "%s, line %llu: a second label for %s", v->file, (unsigned long long)v->number,
		                path);
	free(v->texts[i]);
	v->texts[i] = strdup(label);
	return v->texts[i] ? 0 : slu_fail_memory();
}

static int csv_read(struct csv *v, const struct slu_listing *l)
{
	ssize_t n;
	int r = 0;

	v->f = fopen(v->file, "re");
	if (!v->f)
		return slu_fail_sys(-errno, "cannot open the labels %s", v->file);
	while (r == 0 && (errno = 0, n = getline(&v->line, &v->cap, v->f)) >= 0) {
		v->number++;
		while (n && (v->line[n - 1] == '\n' || v->line[n - 1] == '\r'))
			v->line[--n] = 0;
		if (v->number == 1 && n >= 3 && !memcmp(v->line, "\xef\xbb\xbf", 3)) {
			n -= 3; /* a byte order mark, which spreadsheets like to write */
			memmove(v->line, v->line + 3, (size_t)n + 1);
		}
		if (n && !(v->number == 1 && !strcmp(v->line, "path,label")))
			r = csv_row(v, l);
	}
	if (r == 0 && !feof(v->f))
		r = slu_fail_sys(errno ? -errno : -EIO, "cannot read the labels %s", v->file);
	for (uint64_t i = 0; r == 0 && i < l->nsamples; i++)
		if (!v->texts[i]) {
			char path[SLU_MAX_PATH + 1];
			r = slu_listing_path(l, &l->samples[i], path);
			if (r == 0)
				r = slu_fail(-EINVAL, "%s has no label for %s", v->file, path);
		}
	return r;
}

static bool all_integers(char **texts, uint64_t n, int64_t *values)
{
	for (uint64_t i = 0; i < n; i++) {
		char *end;
		errno = 0;
		values[i] = strtoll(texts[i], &end, 10);
		if (*end || errno || end == texts[i])
			return false;
	}
	return true;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Numbers the distinct texts in their order and keeps them as names. */
static int number_texts(struct slu_contents *c, char **texts, int64_t *values)
{
	uint64_t n = c->l.nsamples, distinct = 0;
	SLU_AUTO(mem) char **sorted = malloc((n + 1) * sizeof(*sorted));
	int r = 0;

	if (!sorted)
		return slu_fail_memory();
	memcpy(sorted, texts, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_text);
	for (uint64_t i = 0; i < n; i++)
		if (i == 0 || strcmp(sorted[distinct - 1], sorted[i]) != 0)
			sorted[distinct++] = sorted[i];
	for (uint64_t k = 0; k < distinct && r == 0; k++)
		r = slu_buf_add(&c->label_names, sorted[k], strlen(sorted[k]) + 1);
	for (uint64_t i = 0; i < n && r == 0; i++)
		values[i] = (char **)bsearch(&texts[i], sorted, distinct, sizeof(*sorted), by_text) - sorted;
	return r;
}

static int csv_labels(struct slu_contents *c, const char *file)
{
	struct csv v = { .file = file };
	uint64_t n = c->l.nsamples;
	SLU_AUTO(mem) int64_t *values = malloc((n + 1) * sizeof(*values));
	int r;

	v.texts = calloc(n + 1, sizeof(*v.texts));
	r = v.texts && values ? csv_read(&v, &c->l) : slu_fail_memory();
	if (r == 0 && !all_integers(v.texts, n, values))
		r = number_texts(c, v.texts, values);
	if (r == 0)
		r = slu_contents_add_column(c, "label", SLU_TAKE(values));
	for (uint64_t i = 0; v.texts && i < n; i++)
		free(v.texts[i]);
	free(v.texts);
	free(v.line);
	if (v.f)
		fclose(v.f);
	return r;
}

int slu_labels_add(struct slu_contents *c, const char *how)
{
	int r = strcmp(how, "dir") == 0 ? dir_labels(c) : csv_labels(c, how);

	if (r == 0 && c->label_names.len > SLU_MAX_SMALL_SECTION)
		return slu_fail(-EFBIG, "the names of the labels are too long together (64 MiB at most)");
	return r;
}
