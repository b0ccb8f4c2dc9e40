/* SPDX-License-Identifier: MIT */
/*
 * The index file as a pure function of a pack's contents: sections in order of type,
 * the header, the checksum tree. docs/format.md, section 3. Writing a pack and
 * rebuilding a lost index both end here, which is why they give the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/le.h"
#include "base/macros.h"
#include "pack/column.h"
#include "pack/contents.h"
#include "pack/lookup.h"
#include "pack/names.h"
#include "pack/tree.h"

struct build {
	const struct slu_contents *c;
	struct slu_buf *f; /* the file so far */
	struct slu_buf column_data;
	uint64_t nodes;
	unsigned sections;
	int64_t *scratch;
};

/* Opens a section of the given type at the end of the file. */
static int begin(struct build *b)
{
	return slu_buf_align(b->f, SLU_SECTION_ALIGN);
}

static void end(struct build *b, enum slu_section type, uint64_t start)
{
	uint8_t *row = b->f->data + SLU_IH_TABLE + b->sections++ * SLU_IH_ROW;

	slu_put32(row, type);
	slu_put64(row + 8, start);
	slu_put64(row + 16, b->f->len - start);
}

/* A section of known length, zeroed, for the caller to fill. */
static int section(struct build *b, enum slu_section type, uint64_t len, uint8_t **ret_data)
{
	uint64_t start;
	int r = begin(b);

	if (r < 0)
		return r;
	start = b->f->len;
	if ((r = slu_buf_grow(b->f, len, ret_data)) < 0)
		return r;
	end(b, type, start);
	return 0;
}

static int copy_section(struct build *b, enum slu_section type, const struct slu_buf *data)
{
	uint8_t *p;
	int r;

	if (!data->len)
		return 0;
	if ((r = section(b, type, data->len, &p)) == 0)
		memcpy(p, data->data, data->len);
	return r;
}

/* The shards' rows are filled in last, when their catalogs are there: see slu_index_end(). */
static int add_shards(struct build *b)
{
	uint8_t *p;

	return section(b, SLU_S_SHARDS, (uint64_t)b->c->nshards * SLU_SHARD_ROW, &p);
}

/* The first section, right after the header. */
static void fill_shards(const struct slu_contents *c, uint8_t *p)
{
	for (uint32_t i = 0; i < c->nshards; i++, p += SLU_SHARD_ROW) {
		const struct slu_shard *s = &c->shards[i];
		slu_put64(p, s->first);
		slu_put64(p + 8, s->data_end);
		slu_put64(p + 16, s->file_bytes);
		slu_put64(p + 24, s->catalog_hash);
	}
}

static int add_attrs(struct build *b)
{
	uint8_t *p;
	int r = section(b, SLU_S_ATTRS, (uint64_t)b->c->l.nattrs * SLU_ATTR_ROW, &p);

	for (uint32_t i = 0; r == 0 && i < b->c->l.nattrs; i++, p += SLU_ATTR_ROW) {
		slu_put32(p, b->c->l.attrs[i].mode);
		slu_put32(p + 4, b->c->l.attrs[i].uid);
		slu_put32(p + 8, b->c->l.attrs[i].gid);
	}
	return r;
}

/* Children are runs: a directory's first child is where its parent number begins. */
static int add_dirs(struct build *b)
{
	const struct slu_listing *l = &b->c->l;
	uint64_t dir = 1, sample = 0, link = 0;
	uint8_t *p;
	int r = section(b, SLU_S_DIRS, (l->ndirs + 1) * SLU_DIR_ROW, &p);

	for (uint64_t i = 0; r == 0 && i <= l->ndirs; i++, p += SLU_DIR_ROW) {
		while (dir < l->ndirs && l->dirs[dir].parent < i)
			dir++;
		while (sample < l->nsamples && l->samples[sample].parent < i)
			sample++;
		while (link < l->nlinks && l->links[link].parent < i)
			link++;
		slu_put32(p + SLU_D_DIR, (uint32_t)dir);
		slu_put32(p + SLU_D_SAMPLE, (uint32_t)sample);
		slu_put32(p + SLU_D_LINK, (uint32_t)link);
		if (i < l->ndirs) {
			slu_put32(p + SLU_D_PARENT, l->dirs[i].parent);
			slu_put32(p + SLU_D_ATTR, l->dirs[i].attr);
			slu_put64(p + SLU_D_MTIME, (uint64_t)l->dirs[i].mtime_ns);
		}
	}
	return r;
}

static int add_records(struct build *b)
{
	const struct slu_contents *c = b->c;
	struct slu_cursor cur;
	uint8_t *p;
	int r;

	if (!c->l.nsamples)
		return 0;
	slu_cursor_init(&cur);
	r = section(b, SLU_S_RECORDS, c->l.nsamples * SLU_RECORD, &p);
	for (uint64_t i = 0; r == 0 && i < c->l.nsamples; i++, p += SLU_RECORD) {
		(void)slu_cursor_lay(&cur, c, i); /* only the end is stored */
		slu_put64(p + SLU_R_HASH, c->stored[i].hash);
		slu_put40(p + SLU_R_END, cur.at);
		slu_put40(p + SLU_R_SIZE, c->l.samples[i].size);
		p[SLU_R_CODE] = c->stored[i].code;
	}
	return r;
}

static const struct slu_entry *node_entry(const struct slu_listing *l, uint64_t node)
{
	if (node < l->ndirs)
		return &l->dirs[node];
	node -= l->ndirs;
	return node < l->nsamples ? &l->samples[node] : &l->links[node - l->nsamples];
}

static int add_names(struct build *b)
{
	const struct slu_listing *l = &b->c->l;
	uint64_t groups = (b->nodes + SLU_GROUP - 1) / SLU_GROUP;
	SLU_AUTO(buf) struct slu_buf names = { 0 };
	uint8_t *p, *offsets;
	SLU_AUTO(mem) uint8_t *table = malloc((groups + 1) * SLU_GROUP_ROW);
	int r = 0;

	if (!table)
		return slu_fail_memory();
	for (uint64_t g = 0; g < groups; g++) {
		const char *name[SLU_GROUP];
		unsigned n = (unsigned)slu_min(SLU_GROUP, b->nodes - g * SLU_GROUP);
		for (unsigned i = 0; i < n; i++)
			name[i] = slu_listing_name(l, node_entry(l, g * SLU_GROUP + i));
		slu_put40(table + g * SLU_GROUP_ROW, names.len);
		if ((r = slu_names_add_group(&names, name, n)) < 0)
			return r;
	}
	slu_put40(table + groups * SLU_GROUP_ROW, names.len);
	if ((r = section(b, SLU_S_GROUPS, (groups + 1) * SLU_GROUP_ROW, &offsets)) < 0)
		return r;
	memcpy(offsets, table, (groups + 1) * SLU_GROUP_ROW);
	if ((r = section(b, SLU_S_NAMES, names.len, &p)) == 0)
		memcpy(p, names.data, names.len);
	return r;
}

static int add_lookup(struct build *b)
{
	const struct slu_listing *l = &b->c->l;
	struct slu_lookup t = slu_lookup_shape(b->nodes);
	uint8_t *p;
	int r = section(b, SLU_S_LOOKUP, t.buckets * SLU_BUCKET, &p);

	for (uint64_t node = 1; r == 0 && node < b->nodes; node++) {
		const struct slu_entry *e = node_entry(l, node);
		const char *name = slu_listing_name(l, e);
		slu_lookup_insert(&t, p, slu_lookup_hash(e->parent, name, strlen(name)), node);
	}
	return r;
}

static int add_links(struct build *b)
{
	const struct slu_listing *l = &b->c->l;
	SLU_AUTO(buf) struct slu_buf targets = { 0 };
	uint8_t *p;
	int r;

	if (!l->nlinks)
		return 0;
	if ((r = section(b, SLU_S_LINKS, (l->nlinks + 1) * SLU_LINK_ROW, &p)) < 0)
		return r;
	for (uint64_t i = 0; i < l->nlinks; i++, p += SLU_LINK_ROW) {
		const char *target = (const char *)l->names.data + l->links[i].size;
		slu_put64(p, targets.len);
		slu_put32(p + 8, l->links[i].attr);
		slu_put64(p + 16, (uint64_t)l->links[i].mtime_ns);
		if ((r = slu_buf_add(&targets, target, strlen(target))) < 0)
			return r;
	}
	slu_put64(p, targets.len);
	return copy_section(b, SLU_S_TARGETS, &targets);
}

static int add_column(void *arg, const char name[SLU_COLUMN_NAME], const int64_t *values)
{
	struct build *b = arg;
	uint64_t n = b->c->l.nsamples, offset = b->column_data.len;
	unsigned bits;
	int64_t base;
	uint8_t *p;
	int r;

	slu_column_plan(values, n, &base, &bits);
	if ((r = slu_column_pack(&b->column_data, values, n, base, bits)) < 0 ||
	    (r = slu_buf_grow(b->f, SLU_COLUMN_ROW, &p)) < 0)
		return r;
	memcpy(p, name, SLU_COLUMN_NAME);
	slu_put32(p + SLU_C_KIND, SLU_COLUMN_PACKED);
	slu_put32(p + SLU_C_BITS, bits);
	slu_put64(p + SLU_C_BASE, (uint64_t)base);
	slu_put64(p + SLU_C_OFFSET, offset);
	slu_put64(p + SLU_C_LENGTH, b->column_data.len - offset);
	return 0;
}

static int add_columns(struct build *b)
{
	uint64_t n = b->c->l.nsamples, start;
	uint8_t *p;
	int r;

	if (!n)
		return 0;
	b->scratch = malloc(n * sizeof(*b->scratch));
	if (!b->scratch)
		return slu_fail_memory();
	if ((r = begin(b)) < 0)
		return r;
	start = b->f->len;
	if ((r = slu_contents_each_column(b->c, 0, n, b->scratch, add_column, b)) < 0)
		return r;
	end(b, SLU_S_COLUMNS, start);
	if ((r = section(b, SLU_S_COLUMN_DATA, b->column_data.len, &p)) == 0 && b->column_data.len)
		memcpy(p, b->column_data.data, b->column_data.len);
	return r;
}

static int add_sections(struct build *b)
{
	uint8_t *header;
	int r;

	if ((r = slu_buf_grow(b->f, SLU_BLOCK, &header)) < 0 || (r = add_shards(b)) < 0 || (r = add_attrs(b)) < 0 ||
	    (r = add_dirs(b)) < 0 || (r = add_records(b)) < 0 || (r = add_names(b)) < 0 || (r = add_lookup(b)) < 0 ||
	    (r = add_links(b)) < 0 || (r = add_columns(b)) < 0 ||
	    (r = copy_section(b, SLU_S_DICTS, &b->c->dicts)) < 0 ||
	    (r = copy_section(b, SLU_S_LABEL_NAMES, &b->c->label_names)) < 0 ||
	    (r = copy_section(b, SLU_S_SCHEMA, &b->c->schema)) < 0 ||
	    (r = copy_section(b, SLU_S_NOTES, &b->c->notes)) < 0)
		return r;
	return slu_buf_align(b->f, SLU_BLOCK);
}

static void common_header(uint8_t *h, const char *magic, const uint8_t identity[16], uint64_t file_bytes)
{
	memcpy(h + SLU_H_MAGIC, magic, 8);
	slu_put16(h + SLU_H_MAJOR, SLU_MAJOR);
	slu_put16(h + SLU_H_MINOR, SLU_MINOR);
	slu_put32(h + SLU_H_BLOCK, SLU_BLOCK);
	memcpy(h + SLU_H_IDENTITY, identity, 16);
	slu_put64(h + SLU_H_FILE_BYTES, file_bytes);
}

static void fill_header(const struct slu_contents *c, uint8_t *h, const uint8_t identity[16], uint64_t file_bytes,
                        uint64_t blocks, uint64_t root)
{
	uint64_t stored = 0, raw = 0;

	for (uint64_t i = 0; i < c->l.nsamples; i++) {
		raw += c->l.samples[i].size;
		stored += c->stored[i].stored;
	}
	common_header(h, SLU_INDEX_MAGIC, identity, file_bytes);
	slu_put64(h + SLU_IH_BLOCKS, blocks);
	slu_put64(h + SLU_IH_TREE, root);
	slu_put64(h + SLU_IH_DIRS, c->l.ndirs);
	slu_put64(h + SLU_IH_SAMPLES, c->l.nsamples);
	slu_put64(h + SLU_IH_LINKS, c->l.nlinks);
	slu_put64(h + SLU_IH_RAW, raw);
	slu_put64(h + SLU_IH_STORED, stored);
	slu_put32(h + SLU_IH_SHARDS, c->nshards);
	slu_put64(h + SLU_H_CHECKSUM, slu_hash64(h, SLU_H_CHECKSUM));
}

int slu_index_begin(const struct slu_contents *c, struct slu_buf *ret_file)
{
	struct build b = { .c = c, .f = ret_file, .nodes = c->l.ndirs + c->l.nsamples + c->l.nlinks };
	int r = add_sections(&b);

	if (r == 0)
		slu_put32(ret_file->data + SLU_IH_SECTIONS, b.sections);
	slu_buf_done(&b.column_data);
	free(b.scratch);
	return r;
}

int slu_index_end(const struct slu_contents *c, struct slu_buf *file, uint8_t ret_identity[16])
{
	uint64_t blocks = file->len / SLU_BLOCK, root = 0;
	int r;

	fill_shards(c, file->data + SLU_BLOCK);
	slu_hash128(file->data + SLU_BLOCK, file->len - SLU_BLOCK, ret_identity);
	if ((r = slu_tree_build(file, &root)) == 0)
		fill_header(c, file->data, ret_identity, file->len, blocks, root);
	return r;
}

int slu_index_build(const struct slu_contents *c, struct slu_buf *ret_file, uint8_t ret_identity[16])
{
	int r = slu_index_begin(c, ret_file);

	return r < 0 ? r : slu_index_end(c, ret_file, ret_identity);
}

void slu_shard_header(const struct slu_contents *c, uint32_t shard, const uint8_t identity[16],
                      uint8_t block[SLU_BLOCK])
{
	const struct slu_shard *s = &c->shards[shard];
	uint64_t catalog = slu_up(s->data_end, SLU_BLOCK);

	memset(block, 0, SLU_BLOCK);
	common_header(block, SLU_SHARD_MAGIC, identity, s->file_bytes);
	slu_put32(block + SLU_SH_SHARD, shard);
	slu_put32(block + SLU_SH_SHARDS, c->nshards);
	slu_put64(block + SLU_SH_FIRST, s->first);
	slu_put64(block + SLU_SH_SAMPLES, slu_shard_last(c, shard) - s->first);
	slu_put64(block + SLU_SH_DATA_END, s->data_end);
	slu_put64(block + SLU_SH_CATALOG, catalog);
	slu_put64(block + SLU_SH_CATALOG_BYTES, s->file_bytes - catalog);
	slu_put64(block + SLU_SH_CATALOG_RAW, s->catalog_raw);
	slu_put64(block + SLU_SH_CATALOG_HASH, s->catalog_hash);
	slu_put64(block + SLU_H_CHECKSUM, slu_hash64(block, SLU_H_CHECKSUM));
}
