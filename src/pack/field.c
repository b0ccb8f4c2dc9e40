/* SPDX-License-Identifier: MIT */
/* Columns, labels and the schema of a pack. */
#include <errno.h>
#include <string.h>

#include "base/le.h"
#include "pack/column.h"
#include "pack/pack.h"

struct column_query {
	struct slu_pack *p;
	int k;
	struct slu_column *column;
	const struct slu_column *of;
	uint64_t i;
	int64_t value;
};

int slu_pack_columns(struct slu_pack *p)
{
	return (int)(p->section[SLU_S_COLUMNS].len / SLU_COLUMN_ROW);
}

/* -ENOENT: a kind of column that this version does not know. */
static int run_column(void *arg)
{
	struct column_query *q = arg;
	struct slu_pack *p = q->p;
	const struct slu_span *data = &p->section[SLU_S_COLUMN_DATA];
	uint64_t offset, length, want;
	const uint8_t *row;
	int r = slu_pack_at(p, SLU_S_COLUMNS, (uint64_t)q->k * SLU_COLUMN_ROW, SLU_COLUMN_ROW, &row);

	if (r < 0)
		return r;
	offset = slu_get64(row + SLU_C_OFFSET);
	length = slu_get64(row + SLU_C_LENGTH);
	if (row[SLU_COLUMN_NAME - 1] || offset > data->len || length > data->len - offset)
		return slu_fail(-EBADMSG, "%s: column %d is not valid", p->path, q->k);
	if (slu_get32(row + SLU_C_KIND) != SLU_COLUMN_PACKED)
		return -ENOENT;
	if ((r = slu_column_bytes(p->nsamples, slu_get32(row + SLU_C_BITS), &want)) < 0 || want != length)
		return slu_fail(-EBADMSG, "%s: column %d has the wrong length", p->path, q->k);
	memcpy(q->column->name, row + SLU_C_NAME, SLU_COLUMN_NAME);
	q->column->bits = slu_get32(row + SLU_C_BITS);
	q->column->base = (int64_t)slu_get64(row + SLU_C_BASE);
	q->column->offset = data->at + offset;
	q->column->length = length;
	return 0;
}

int slu_pack_column_at(struct slu_pack *p, int k, struct slu_column *ret_column)
{
	struct slu_column c;
	struct column_query q = { .p = p, .k = k, .column = &c };
	int r;

	if (k < 0 || k >= slu_pack_columns(p))
		return slu_fail(-ENOENT, "%s: there is no column %d", p->path, k);
	r = slu_pack_guard(p, run_column, &q);
	if (r == -ENOENT)
		return slu_fail(-ENOENT, "%s: column %d is of a kind unknown here", p->path, k);
	if (r == 0)
		*ret_column = c;
	return r;
}

int slu_pack_column(struct slu_pack *p, const char *name, struct slu_column *ret_column)
{
	struct slu_column c;

	for (int k = 0; k < slu_pack_columns(p); k++) {
		int r = slu_pack_column_at(p, k, &c);
		if (r < 0 && r != -ENOENT)
			return r;
		if (r == 0 && strcmp(c.name, name) == 0) {
			*ret_column = c;
			return 0;
		}
	}
	return slu_fail(-ENOENT, "%s: there is no column '%s'", p->path, name);
}

static int run_value(void *arg)
{
	struct column_query *q = arg;
	const struct slu_column *c = q->of;
	int r = 0;

	if (c->bits)
		r = slu_tree_touch(&q->p->tree, c->offset + q->i * c->bits / 8, 9);
	if (r == 0)
		q->value = slu_column_get(q->p->file + c->offset, q->i, c->base, c->bits);
	return r;
}

int slu_pack_value(struct slu_pack *p, const struct slu_column *c, uint64_t i, int64_t *ret_value)
{
	struct column_query q = { .p = p, .of = c, .i = i };
	uint64_t want;
	int r = slu_column_bytes(p->nsamples, c->bits, &want);

	/* The caller may have kept it from another pack: it must lie where columns lie. */
	if (r < 0 || i >= p->nsamples || want != c->length || c->offset < SLU_BLOCK ||
	    c->offset > p->tree.blocks * SLU_BLOCK || c->length > p->tree.blocks * SLU_BLOCK - c->offset)
		return slu_fail(-ENOENT, "%s: column '%.31s' has no sample %llu", p->path, c->name,
		                (unsigned long long)i);
	if ((r = slu_pack_guard(p, run_value, &q)) == 0)
		*ret_value = q.value;
	return r;
}

int slu_pack_label_name(struct slu_pack *p, int64_t label, const char **ret_name)
{
	if (label < 0 || (uint64_t)label >= p->nlabels)
		return slu_fail(-ENOENT, "%s: label %lld has no name", p->path, (long long)label);
	*ret_name = (const char *)p->label_names + p->label_at[label];
	return 0;
}

int slu_pack_schema(struct slu_pack *p, struct slu_schema *ret_schema)
{
	if (!p->has_schema)
		return slu_fail(-ENOENT, "%s: the samples are not arrays of one type and shape", p->path);
	*ret_schema = p->schema;
	return 0;
}
