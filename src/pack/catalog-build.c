/* SPDX-License-Identifier: MIT */
/* Writing a shard's catalog. See catalog.h; reading it is in catalog-read.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/hash.h"
#include "base/le.h"
#include "base/macros.h"
#include "pack/catalog.h"

enum { CATALOG_LEVEL = 3 };

struct out {
	struct slu_buf b;
	size_t chunk; /* where the open chunk's header is */
};

static int open_chunk(struct out *o, enum slu_chunk tag)
{
	uint8_t *head;
	int r;

	o->chunk = o->b.len;
	if ((r = slu_buf_grow(&o->b, 16, &head)) == 0)
		slu_put32(head, tag);
	return r;
}

static int close_chunk(struct out *o)
{
	slu_put64(o->b.data + o->chunk + 8, o->b.len - o->chunk - 16);
	return slu_buf_align(&o->b, 8);
}

static int whole_chunk(struct out *o, enum slu_chunk tag, const struct slu_buf *data)
{
	int r;

	if (!data->len)
		return 0;
	if ((r = open_chunk(o, tag)) < 0 || (r = slu_buf_add(&o->b, data->data, data->len)) < 0)
		return r;
	return close_chunk(o);
}

static int add_text(struct out *o, const char *text)
{
	return slu_buf_add(&o->b, text, strlen(text) + 1);
}

/* Room for planes of @n integers of @width bytes; set_plane() fills them. */
static int add_planes(struct out *o, uint64_t n, unsigned width, uint8_t **ret_planes)
{
	return slu_buf_grow(&o->b, n * width, ret_planes);
}

static void set_plane(uint8_t *planes, uint64_t n, unsigned width, uint64_t i, uint64_t value)
{
	for (unsigned byte = 0; byte < width; byte++)
		planes[byte * n + i] = (uint8_t)(value >> (8 * byte));
}

/* ---- which directories and links a shard lists ---------------------------------- */

struct part {
	uint64_t first, last;         /* samples */
	uint64_t first_dir, last_dir; /* one past */
	uint64_t first_link, last_link;
};

static uint64_t first_link_of(const struct slu_listing *l, uint64_t dir)
{
	uint64_t lo = 0, hi = l->nlinks;

	while (lo < hi) {
		uint64_t mid = (lo + hi) / 2;
		if (l->links[mid].parent < dir)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct part part_of(const struct slu_contents *c, uint32_t shard)
{
	const struct slu_listing *l = &c->l;
	struct part p = { .first = c->shards[shard].first, .last = slu_shard_last(c, shard) };

	if (shard > 0 && p.first == p.last)
		return p;
	p.first_dir = shard ? l->samples[p.first].parent : 0;
	/* A shard after this one that has samples begins at sample p.last, if there is one. */
	p.last_dir = p.last < l->nsamples ? (uint64_t)l->samples[p.last].parent + 1 : l->ndirs;
	/* Of a directory that an earlier shard lists too, that one has the links. */
	p.first_link = first_link_of(l, shard ? p.first_dir + 1 : 0);
	p.last_link = first_link_of(l, p.last_dir);
	return p;
}

/* ---- chunks ----------------------------------------------------------------------- */

static int add_totals(struct out *o, const struct slu_listing *l, const struct part *p)
{
	uint8_t *t;
	int r;

	if ((r = open_chunk(o, SLU_K_TOTALS)) < 0 || (r = slu_buf_grow(&o->b, 32, &t)) < 0)
		return r;
	slu_put64(t, l->ndirs);
	slu_put64(t + 8, l->nsamples);
	slu_put64(t + 16, l->nlinks);
	slu_put32(t + 24, (uint32_t)p->first_dir);
	slu_put32(t + 28, (uint32_t)(p->last_dir - p->first_dir));
	return close_chunk(o);
}

static int add_attrs(struct out *o, const struct slu_listing *l)
{
	uint8_t *p;
	int r;

	if ((r = open_chunk(o, SLU_K_ATTRS)) < 0 || (r = slu_buf_grow(&o->b, (size_t)l->nattrs * SLU_ATTR_ROW, &p)) < 0)
		return r;
	for (uint32_t i = 0; i < l->nattrs; i++, p += SLU_ATTR_ROW) {
		slu_put32(p, l->attrs[i].mode);
		slu_put32(p + 4, l->attrs[i].uid);
		slu_put32(p + 8, l->attrs[i].gid);
	}
	return close_chunk(o);
}

static int add_dirs(struct out *o, const struct slu_listing *l, const struct part *p)
{
	uint64_t n = p->last_dir - p->first_dir, sample = p->first, link = p->first_link;
	char path[SLU_MAX_PATH + 1];
	uint8_t *planes;
	int r;

	if ((r = open_chunk(o, SLU_K_DIR_PATHS)) < 0)
		return r;
	for (uint64_t i = 0; i < n; i++)
		if ((r = slu_listing_path(l, &l->dirs[p->first_dir + i], path)) < 0 || (r = add_text(o, path)) < 0)
			return r;
	if ((r = close_chunk(o)) < 0 || (r = open_chunk(o, SLU_K_DIRS)) < 0 ||
	    (r = add_planes(o, n, 4 + 8 + 4 + 4, &planes)) < 0)
		return r;
	for (uint64_t i = 0; i < n; i++) {
		const struct slu_entry *d = &l->dirs[p->first_dir + i];
		uint64_t samples = 0, links = 0;
		for (; sample < p->last && l->samples[sample].parent == p->first_dir + i; sample++)
			samples++;
		for (; link < p->last_link && l->links[link].parent == p->first_dir + i; link++)
			links++;
		set_plane(planes, n, 4, i, d->attr);
		set_plane(planes + 4 * n, n, 8, i, (uint64_t)d->mtime_ns);
		set_plane(planes + 12 * n, n, 4, i, samples);
		set_plane(planes + 16 * n, n, 4, i, links);
	}
	return close_chunk(o);
}

static int add_names(struct out *o, enum slu_chunk tag, const struct slu_listing *l, const struct slu_entry *e,
                     uint64_t n, bool targets)
{
	int r = open_chunk(o, tag);

	for (uint64_t i = 0; i < n && r == 0; i++)
		r = add_text(o, (const char *)l->names.data + (targets ? e[i].size : e[i].name));
	return r == 0 ? close_chunk(o) : r;
}

static int add_samples(struct out *o, const struct slu_contents *c, const struct part *p)
{
	uint64_t n = p->last - p->first;
	uint8_t *planes;
	int r;

	if ((r = add_names(o, SLU_K_SAMPLE_NAMES, &c->l, n ? c->l.samples + p->first : NULL, n, false)) < 0 ||
	    (r = open_chunk(o, SLU_K_SAMPLES)) < 0 || (r = add_planes(o, n, 8 + 5 + 5 + 1, &planes)) < 0)
		return r;
	for (uint64_t i = 0; i < n; i++) {
		const struct slu_stored *s = &c->stored[p->first + i];
		set_plane(planes, n, 8, i, s->hash);
		set_plane(planes + 8 * n, n, 5, i, s->stored);
		set_plane(planes + 13 * n, n, 5, i, c->l.samples[p->first + i].size);
		planes[18 * n + i] = s->code;
	}
	return close_chunk(o);
}

struct column_out {
	struct out *o;
	uint64_t n;
};

static int add_column(void *arg, const char name[SLU_COLUMN_NAME], const int64_t *values)
{
	struct column_out *co = arg;
	uint8_t *planes;
	int r;

	if ((r = slu_buf_add(&co->o->b, name, SLU_COLUMN_NAME)) < 0 || (r = add_planes(co->o, co->n, 8, &planes)) < 0)
		return r;
	for (uint64_t i = 0; i < co->n; i++)
		set_plane(planes, co->n, 8, i, (uint64_t)values[i]);
	return 0;
}

static int add_columns(struct out *o, const struct slu_contents *c, const struct part *p)
{
	struct column_out co = { o, p->last - p->first };
	SLU_AUTO(mem) int64_t *scratch = malloc((co.n + 1) * sizeof(*scratch));
	int r;

	if (!scratch)
		return slu_fail_memory();
	if ((r = open_chunk(o, SLU_K_COLUMNS)) < 0 ||
	    (r = slu_contents_each_column(c, p->first, co.n, scratch, add_column, &co)) < 0)
		return r;
	return close_chunk(o);
}

static int add_links(struct out *o, const struct slu_listing *l, const struct part *p)
{
	uint64_t n = p->last_link - p->first_link;
	const struct slu_entry *e = n ? l->links + p->first_link : NULL;
	uint8_t *planes;
	int r;

	if ((r = add_names(o, SLU_K_LINK_NAMES, l, e, n, false)) < 0 ||
	    (r = add_names(o, SLU_K_LINK_TARGETS, l, e, n, true)) < 0 || (r = open_chunk(o, SLU_K_LINKS)) < 0 ||
	    (r = add_planes(o, n, 4 + 8, &planes)) < 0)
		return r;
	for (uint64_t i = 0; i < n; i++) {
		set_plane(planes, n, 4, i, e[i].attr);
		set_plane(planes + 4 * n, n, 8, i, (uint64_t)e[i].mtime_ns);
	}
	return close_chunk(o);
}

static int compress(const struct slu_buf *raw, struct slu_buf *ret_catalog)
{
	size_t bound = ZSTD_compressBound(raw->len), len;
	uint8_t *room;
	int r = slu_buf_grow(ret_catalog, bound, &room);

	if (r < 0)
		return r;
	len = ZSTD_compress(room, bound, raw->data, raw->len, CATALOG_LEVEL);
	if (ZSTD_isError(len))
		return slu_fail_memory(); /* the only way in which it can fail with room enough */
	ret_catalog->len = len;
	return 0;
}

/*
 * A catalog may compress better than readers allow, who must not be made to take a bomb for one (long
 * paths that are all alike do): then bytes that do not compress make up for it.
 */
static int add_padding(struct out *o, size_t stored)
{
	uint64_t n = (o->b.len - SLU_CATALOG_FREE) / SLU_CATALOG_RATIO - stored;
	uint8_t *p;
	int r;

	n += n / 64 + 4096; /* it counts itself, too */
	if ((r = open_chunk(o, SLU_K_PADDING)) < 0 || (r = slu_buf_grow(&o->b, n / 8 * 8, &p)) < 0)
		return r;
	for (uint64_t i = 0; i < n / 8; i++)
		slu_put64(p + 8 * i, slu_hash64(&(uint64_t){ htole64(i) }, 8));
	return close_chunk(o);
}

static int compress_within_bounds(struct out *o, struct slu_buf *ret_catalog)
{
	int r = compress(&o->b, ret_catalog);

	if (r < 0 || o->b.len <= SLU_CATALOG_FREE + SLU_CATALOG_RATIO * ret_catalog->len)
		return r;
	if ((r = add_padding(o, ret_catalog->len)) < 0)
		return r;
	ret_catalog->len = 0;
	return compress(&o->b, ret_catalog);
}

int slu_catalog_build(struct slu_contents *c, uint32_t shard, struct slu_buf *ret_catalog)
{
	struct part p = part_of(c, shard);
	struct out o = { 0 };
	int r;

	if ((r = add_totals(&o, &c->l, &p)) == 0 && (r = add_attrs(&o, &c->l)) == 0 &&
	    (r = whole_chunk(&o, SLU_K_DICTS, &c->dicts)) == 0 &&
	    (r = whole_chunk(&o, SLU_K_LABEL_NAMES, &c->label_names)) == 0 &&
	    (r = whole_chunk(&o, SLU_K_SCHEMA, &c->schema)) == 0 &&
	    (r = whole_chunk(&o, SLU_K_NOTES, &c->notes)) == 0 && (r = add_dirs(&o, &c->l, &p)) == 0 &&
	    (r = add_samples(&o, c, &p)) == 0 && (r = add_columns(&o, c, &p)) == 0 &&
	    (r = add_links(&o, &c->l, &p)) == 0 && (r = compress_within_bounds(&o, ret_catalog)) == 0) {
		c->shards[shard].catalog_hash = slu_hash64(ret_catalog->data, ret_catalog->len);
		c->shards[shard].catalog_raw = o.b.len;
	}
	slu_buf_done(&o.b);
	return r;
}
