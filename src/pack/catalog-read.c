/* SPDX-License-Identifier: MIT */
/*
 * Reading a shard's header and catalog: bytes that nobody trusts. See catalog.h.
 *
 * Every chunk's length is checked against what is left, and every array's against the
 * counts it must have, before anything is allocated for it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/hash.h"
#include "base/le.h"
#include "base/macros.h"
#include "pack/catalog.h"
#include "pack/codec.h"
#include "pack/header.h"

int slu_shard_head_parse(const uint8_t block[SLU_BLOCK], uint64_t file_bytes, const char *what,
                         struct slu_shard_head *ret_head)
{
	struct slu_shard_head h;
	int r = slu_header_check(block, SLU_SHARD_MAGIC, SLU_SH_ZERO, SLU_H_CHECKSUM, what);

	if (r < 0)
		return r;
	memcpy(h.identity, block + SLU_H_IDENTITY, 16);
	h.file_bytes = slu_get64(block + SLU_H_FILE_BYTES);
	h.shard = slu_get32(block + SLU_SH_SHARD);
	h.shards = slu_get32(block + SLU_SH_SHARDS);
	h.first = slu_get64(block + SLU_SH_FIRST);
	h.samples = slu_get64(block + SLU_SH_SAMPLES);
	h.data_end = slu_get64(block + SLU_SH_DATA_END);
	h.catalog = slu_get64(block + SLU_SH_CATALOG);
	h.catalog_bytes = slu_get64(block + SLU_SH_CATALOG_BYTES);
	h.catalog_raw = slu_get64(block + SLU_SH_CATALOG_RAW);
	h.catalog_hash = slu_get64(block + SLU_SH_CATALOG_HASH);
	if (h.file_bytes != file_bytes)
		return slu_fail(-EBADMSG, "%s has %llu bytes and should have %llu", what,
		                (unsigned long long)file_bytes, (unsigned long long)h.file_bytes);
	if (h.shards > SLU_MAX_SHARDS || h.shard >= h.shards || h.samples > SLU_MAX_NODES ||
	    h.first > SLU_MAX_NODES - h.samples || h.data_end < SLU_BLOCK || h.data_end > SLU_LIMIT40 ||
	    h.catalog != slu_up(h.data_end, SLU_BLOCK) || h.catalog > file_bytes ||
	    h.catalog_bytes != file_bytes - h.catalog)
		return slu_fail(-EBADMSG, "the header of %s is not valid", what);
	*ret_head = h;
	return 0;
}

int slu_catalog_decode(const struct slu_shard_head *h, const uint8_t *stored, const char *what,
                       struct slu_buf *ret_catalog)
{
	size_t len;
	int r;

	if (slu_hash64(stored, h->catalog_bytes) != h->catalog_hash)
		return slu_fail(-EILSEQ, "the catalog of %s does not match its checksum", what);
	if (h->catalog_raw > SLU_CATALOG_FREE + SLU_CATALOG_RATIO * h->catalog_bytes)
		return slu_fail(-EBADMSG, "the catalog of %s claims an absurd size", what);
	if ((r = slu_buf_reserve(ret_catalog, h->catalog_raw)) < 0)
		return r;
	len = ZSTD_decompress(ret_catalog->data, h->catalog_raw, stored, h->catalog_bytes);
	if (ZSTD_getErrorCode(len) == ZSTD_error_memory_allocation)
		return slu_fail_memory();
	if (ZSTD_isError(len) || len != h->catalog_raw)
		return slu_fail(-EBADMSG, "the catalog of %s cannot be decoded", what);
	ret_catalog->len = len;
	return 0;
}

/* ---- chunks ----------------------------------------------------------------------- */

struct chunk {
	const uint8_t *data;
	uint64_t len;
	bool present;
};

struct catalog {
	struct chunk k[SLU_K_COUNT];
	uint32_t first_dir, ndirs;
	uint64_t nlinks; /* listed here */
};

static int bad(const char *what)
{
	return slu_fail(-EBADMSG, "a shard's catalog is not valid (%s)", what);
}

static int split(struct catalog *cat, const uint8_t *p, size_t len)
{
	uint32_t last = 0;
	size_t at = 0;

	while (at < len) {
		uint32_t tag;
		uint64_t n;
		if (len - at < 16)
			return bad("cut off");
		tag = slu_get32(p + at);
		n = slu_get64(p + at + 8);
		if (slu_get32(p + at + 4) || tag <= last || n > len - at - 16 || slu_up(n, 8) > len - at - 16)
			return bad("chunk header");
		if (tag < SLU_K_COUNT)
			cat->k[tag] = (struct chunk){ p + at + 16, n, true };
		for (uint64_t i = n; i < slu_up(n, 8); i++)
			if (p[at + 16 + i])
				return bad("padding");
		last = tag;
		at += 16 + slu_up(n, 8);
	}
	for (unsigned tag = 1; tag < SLU_K_COUNT; tag++)
		if (!cat->k[tag].present && (tag < SLU_K_DICTS || tag > SLU_K_NOTES))
			return bad("a chunk is missing");
	return 0;
}

static uint64_t get_plane(const uint8_t *planes, uint64_t n, unsigned width, uint64_t i)
{
	uint64_t v = 0;

	for (unsigned byte = 0; byte < width; byte++)
		v |= (uint64_t)planes[byte * n + i] << (8 * byte);
	return v;
}

/* The next NUL-ended text of a chunk. */
static const char *next_text(struct chunk *k, size_t max)
{
	const char *text = (const char *)k->data;
	const uint8_t *end = k->len ? memchr(k->data, 0, slu_min(k->len, max + 1)) : NULL;

	if (!end)
		return NULL;
	k->len -= (uint64_t)(end + 1 - k->data);
	k->data = end + 1;
	return text;
}

/* ---- what all shards say alike ------------------------------------------------------ */

static int same_or_take(struct slu_buf *have, const struct chunk *k, bool first)
{
	if (first)
		return slu_buf_add(have, k->data, k->len);
	if (have->len != k->len || (k->len && memcmp(have->data, k->data, k->len) != 0))
		return bad("shards disagree");
	return 0;
}

static int gather_attrs(struct slu_listing *l, const struct chunk *k, bool first)
{
	uint64_t n = k->len / SLU_ATTR_ROW;

	if (k->len % SLU_ATTR_ROW || n > SLU_MAX_NODES || !n || (!first && n != l->nattrs))
		return bad("attributes");
	if (first) {
		l->attrs = malloc(n * sizeof(*l->attrs));
		if (!l->attrs)
			return slu_fail_memory();
		l->nattrs = (uint32_t)n;
	}
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t *p = k->data + i * SLU_ATTR_ROW;
		struct slu_attr a = { slu_get32(p), slu_get32(p + 4), slu_get32(p + 8) };
		if (slu_get32(p + 12) || (!first && memcmp(&a, &l->attrs[i], sizeof(a)) != 0))
			return bad("attributes");
		l->attrs[i] = a;
	}
	return 0;
}

/*
 * Room for @n items in the array that @array points to. Grown shard by shard: the totals
 * are only a claim, while a catalog's own arrays are there.
 */
static int room_for(void *array, size_t item, uint64_t n)
{
	void *p;

	memcpy(&p, array, sizeof(p)); /* a pointer of any type */
	if (__builtin_mul_overflow((size_t)n, item, &item))
		return slu_fail_memory();
	p = realloc(p, slu_max(item, 1));
	if (!p)
		return slu_fail_memory();
	memcpy(array, &p, sizeof(p));
	return 0;
}

static int gather_totals(struct catalog *cat, struct slu_contents *c, const struct slu_shard_head *h)
{
	const struct chunk *k = &cat->k[SLU_K_TOTALS];
	uint64_t samples;

	if (k->len != 32)
		return bad("totals");
	samples = slu_get64(k->data + 8);
	cat->first_dir = slu_get32(k->data + 24);
	cat->ndirs = slu_get32(k->data + 28);
	if (samples > SLU_MAX_NODES || h->first + h->samples > samples || h->first != c->l.nsamples ||
	    (h->shard + 1 == h->shards && h->first + h->samples != samples))
		return bad("totals");
	for (int i = 0; i < 3; i++) {
		uint64_t claim = slu_get64(k->data + 8 * i);
		if (h->shard && claim != c->claimed[i])
			return bad("shards disagree on totals");
		c->claimed[i] = claim;
	}
	/* Continues where the shard before ended, with that one's last directory again. */
	if (cat->ndirs && cat->first_dir != (h->shard ? c->l.ndirs - 1 : 0))
		return bad("directories do not continue");
	if (!cat->ndirs && (h->samples || h->shard == 0))
		return bad("no directories");
	if (cat->k[SLU_K_DIRS].len != (uint64_t)cat->ndirs * 20 || cat->k[SLU_K_SAMPLES].len != h->samples * 19 ||
	    cat->k[SLU_K_LINKS].len % 12)
		return bad("array length");
	cat->nlinks = cat->k[SLU_K_LINKS].len / 12;
	return 0;
}

/* ---- directories, samples, links ----------------------------------------------------- */

static int add_name(struct slu_listing *l, const char *name, uint64_t *ret_at)
{
	*ret_at = l->names.len;
	return slu_buf_add(&l->names, name, strlen(name) + 1);
}

/* Splits a directory's path: the parent must be a directory that came before, and parents
 * never go back, so one pointer that only advances finds them all. */
static int find_parent(const struct slu_listing *l, const char *path, uint32_t *parent, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	char have[SLU_MAX_PATH + 1];

	*ret_name = slash ? slash + 1 : path;
	for (; *parent < l->ndirs; ++*parent) {
		if (slu_listing_path(l, &l->dirs[*parent], have) < 0)
			return bad("directory path");
		if (strlen(have) == n && memcmp(have, path, n) == 0)
			return 0;
	}
	return bad("a directory's parent is missing");
}

static int gather_dirs(struct catalog *cat, struct slu_contents *c)
{
	struct slu_listing *l = &c->l;
	struct chunk paths = cat->k[SLU_K_DIR_PATHS];
	const uint8_t *planes = cat->k[SLU_K_DIRS].data;
	uint32_t parent = l->ndirs > 1 ? l->dirs[l->ndirs - 1].parent : 0;
	uint64_t n = cat->ndirs;
	int r = room_for(&l->dirs, sizeof(*l->dirs), l->ndirs + n);

	for (uint64_t i = 0; i < n && r == 0; i++) {
		const char *path = next_text(&paths, SLU_MAX_PATH), *name = "";
		struct slu_entry e = { .attr = (uint32_t)get_plane(planes, n, 4, i),
			               .mtime_ns = (int64_t)get_plane(planes + 4 * n, n, 8, i) };
		char have[SLU_MAX_PATH + 1];
		if (!path || e.attr >= l->nattrs)
			return bad("directory");
		if (cat->first_dir + i < l->ndirs) { /* listed by the shard before too */
			const struct slu_entry *d = &l->dirs[l->ndirs - 1];
			if (d->attr != e.attr || d->mtime_ns != e.mtime_ns || slu_listing_path(l, d, have) < 0 ||
			    strcmp(have, path) != 0)
				return bad("shards disagree on a directory");
			continue;
		}
		if (l->ndirs ? (r = find_parent(l, path, &parent, &name)) < 0 : *path != 0)
			return r < 0 ? r : bad("root");
		e.parent = parent;
		if (l->ndirs && !slu_name_ok(name, strlen(name)))
			return bad("directory name");
		if ((r = add_name(l, name, &e.name)) == 0)
			l->dirs[l->ndirs++] = e;
	}
	return r == 0 && paths.len ? bad("directory paths") : r;
}

static int gather_samples(struct catalog *cat, struct slu_contents *c, const struct slu_shard_head *h)
{
	struct slu_listing *l = &c->l;
	struct chunk names = cat->k[SLU_K_SAMPLE_NAMES];
	const uint8_t *p = cat->k[SLU_K_SAMPLES].data, *counts = cat->k[SLU_K_DIRS].data + 12 * (size_t)cat->ndirs;
	uint64_t n = h->samples, i = 0;
	int r;

	if ((r = room_for(&l->samples, sizeof(*l->samples), l->nsamples + n)) < 0 ||
	    (r = room_for(&c->stored, sizeof(*c->stored), l->nsamples + n)) < 0)
		return r;
	for (uint32_t d = 0; d < cat->ndirs; d++)
		for (uint64_t k = get_plane(counts, cat->ndirs, 4, d); k; k--, i++) {
			const char *name = next_text(&names, SLU_MAX_NAME);
			struct slu_entry e = { .parent = cat->first_dir + d };
			if (!name || i >= n)
				return bad("sample names");
			e.size = get_plane(p + 13 * n, n, 5, i);
			c->stored[l->nsamples] = (struct slu_stored){ .hash = get_plane(p, n, 8, i),
				                                      .stored = get_plane(p + 8 * n, n, 5, i),
				                                      .code = p[18 * n + i] };
			if ((r = add_name(l, name, &e.name)) < 0)
				return r;
			l->nbytes += e.size;
			l->samples[l->nsamples++] = e;
		}
	return i != n || names.len ? bad("sample names") : 0;
}

static int gather_links(struct catalog *cat, struct slu_contents *c)
{
	struct slu_listing *l = &c->l;
	struct chunk names = cat->k[SLU_K_LINK_NAMES], targets = cat->k[SLU_K_LINK_TARGETS];
	const uint8_t *p = cat->k[SLU_K_LINKS].data, *counts = cat->k[SLU_K_DIRS].data + 16 * (size_t)cat->ndirs;
	uint64_t n = cat->nlinks, i = 0;
	int r = room_for(&l->links, sizeof(*l->links), l->nlinks + n);

	for (uint32_t d = 0; d < cat->ndirs && r == 0; d++)
		for (uint64_t k = get_plane(counts, cat->ndirs, 4, d); k; k--, i++) {
			const char *name = next_text(&names, SLU_MAX_NAME), *target = next_text(&targets, SLU_MAX_PATH);
			struct slu_entry e = { .parent = cat->first_dir + d };
			if (!name || !target || !*target || i >= n)
				return bad("links");
			e.attr = (uint32_t)get_plane(p, n, 4, i);
			e.mtime_ns = (int64_t)get_plane(p + 4 * n, n, 8, i);
			if ((r = add_name(l, name, &e.name)) < 0 || (r = add_name(l, target, &e.size)) < 0)
				return r;
			l->links[l->nlinks++] = e;
		}
	return r == 0 && (i != n || names.len || targets.len) ? bad("links") : r;
}

/* ---- columns ------------------------------------------------------------------------- */

static int gather_column(struct slu_contents *c, const char *name, const uint8_t *planes, uint64_t n, bool first)
{
	struct slu_listing *l = &c->l;
	uint64_t base = l->nsamples - n;
	struct slu_values *col = NULL;
	int r;

	if (!strcmp(name, "attr") || !strcmp(name, "mtime")) {
		for (uint64_t i = 0; i < n; i++) {
			uint64_t v = get_plane(planes, n, 8, i);
			if (*name == 'a' && v >= l->nattrs)
				return bad("attributes");
			if (*name == 'a')
				l->samples[base + i].attr = (uint32_t)v;
			else
				l->samples[base + i].mtime_ns = (int64_t)v;
		}
		return 0;
	}
	if (first && (r = slu_contents_add_column(c, name, NULL)) < 0)
		return r;
	for (unsigned i = 0; i < c->ncolumns; i++)
		if (!strcmp(c->columns[i].name, name))
			col = &c->columns[i];
	if (!col)
		return bad("shards disagree on columns");
	if ((r = room_for(&col->values, sizeof(*col->values), l->nsamples)) < 0)
		return r;
	for (uint64_t i = 0; i < n; i++)
		col->values[base + i] = (int64_t)get_plane(planes, n, 8, i);
	return 0;
}

static int gather_columns(struct catalog *cat, struct slu_contents *c, const struct slu_shard_head *h)
{
	const struct chunk *k = &cat->k[SLU_K_COLUMNS];
	uint64_t row = SLU_COLUMN_NAME + 8 * h->samples, n = k->len / row;
	const char *before = "";
	unsigned built_in = 0;

	if (k->len % row || n < 2 || n > SLU_MAX_COLUMNS + 2 || (h->shard && n != c->ncolumns + 2))
		return bad("columns");
	for (uint64_t i = 0; i < n; i++) {
		const char *name = (const char *)k->data + i * row;
		int r;
		if (!memchr(name, 0, SLU_COLUMN_NAME) || strcmp(before, name) >= 0)
			return bad("column names");
		for (size_t z = strlen(name); z < SLU_COLUMN_NAME; z++)
			if (name[z])
				return bad("column names");
		built_in += !strcmp(name, "attr") || !strcmp(name, "mtime");
		if ((r = gather_column(c, name, (const uint8_t *)name + SLU_COLUMN_NAME, h->samples, h->shard == 0)) <
		    0)
			return r;
		before = name;
	}
	return built_in == 2 ? 0 : bad("columns");
}

int slu_catalog_gather(struct slu_contents *c, const struct slu_shard_head *h, const uint8_t *catalog, size_t len)
{
	struct catalog cat = { 0 };
	bool first = h->shard == 0;
	int r;

	if ((r = split(&cat, catalog, len)) < 0 || (r = gather_totals(&cat, c, h)) < 0 ||
	    (r = gather_attrs(&c->l, &cat.k[SLU_K_ATTRS], first)) < 0 ||
	    (r = same_or_take(&c->dicts, &cat.k[SLU_K_DICTS], first)) < 0 ||
	    (r = same_or_take(&c->label_names, &cat.k[SLU_K_LABEL_NAMES], first)) < 0 ||
	    (r = same_or_take(&c->schema, &cat.k[SLU_K_SCHEMA], first)) < 0 ||
	    (r = same_or_take(&c->notes, &cat.k[SLU_K_NOTES], first)) < 0 || (r = gather_dirs(&cat, c)) < 0 ||
	    (r = gather_samples(&cat, c, h)) < 0 || (r = gather_links(&cat, c)) < 0)
		return r;
	return gather_columns(&cat, c, h);
}
