/* SPDX-License-Identifier: MIT */
/* Many samples, each to a place of its own. See many.h. */
#include "pack/many.h"

#include "pack/column.h"
#include "pack/reading.h"

/* ---- where they are ------------------------------------------------------------------------------------------------
 */

/* In samples: a record comes from memory while so many others are looked at. */
enum { RECORDS_AHEAD = 8 };

struct locating {
	struct slu_pack *p;
	const int64_t *samples;
	size_t n, done;
	struct slu_sample *at;
};

static int run_locate(void *arg)
{
	struct locating *q = arg;
	const struct slu_pack *p = q->p;
	const uint8_t *records = p->file + p->section[SLU_S_RECORDS].at;

	for (; q->done < q->n; q->done++) {
		uint64_t i = (uint64_t)q->samples[q->done];
		int r;
		if (q->done + RECORDS_AHEAD < q->n) {
			uint64_t ahead = (uint64_t)q->samples[q->done + RECORDS_AHEAD];
			if (ahead < p->nsamples)
				__builtin_prefetch(records + ahead * SLU_RECORD);
		}
		if (SLU_UNLIKELY(i >= p->nsamples))
			return slu_no_such_sample(p, i);
		if (SLU_UNLIKELY((r = slu_pack_locate(q->p, i, &q->at[q->done])) < 0))
			return r;
	}
	return 0;
}

ssize_t slu_pack_locate_many(struct slu_pack *p, const int64_t *samples, size_t n, struct slu_sample *ret_at)
{
	struct locating q = { .p = p, .samples = samples, .n = n, .at = ret_at };
	int r = slu_pack_guard(p, run_locate, &q);

	return r < 0 && q.done == 0 ? r : (ssize_t)q.done;
}

/* ---- their bytes ----------------------------------------------------------------------------------------------------
 */

enum { BYTES_AHEAD = 3 };

struct fetching {
	struct slu_reading rd; /* first: slu_read_run() takes it */
	const struct slu_fetch *f;
	size_t n, done;
	_Atomic uint64_t *seen;
	uint64_t checked;
};

static bool is_seen(const struct fetching *q, uint64_t i)
{
	return q->seen && (atomic_load_explicit(&q->seen[i / 64], memory_order_relaxed) >> i % 64 & 1);
}

static void look_ahead(const struct fetching *q)
{
	const struct slu_fetch *f = &q->f[q->done + BYTES_AHEAD];
	const struct slu_shard_map *m;

	if (q->done + BYTES_AHEAD >= q->n || f->stored)
		return;
	m = atomic_load_explicit(&q->rd.p->shards[f->at->shard].map, memory_order_acquire);
	if (m && m->data)
		slu_ask_for(m->data + f->at->offset, f->at->stored);
}

static int run_fetch(void *arg)
{
	struct fetching *q = arg;
	struct slu_reading *rd = &q->rd;

	for (; q->done < q->n; q->done++) {
		const struct slu_fetch *f = &q->f[q->done];
		int r;
		look_ahead(q);
		rd->i = f->sample;
		rd->s = *f->at;
		rd->located = true;
		rd->map = atomic_load_explicit(&rd->p->shards[rd->s.shard].map, memory_order_acquire);
		rd->stored = f->stored;
		rd->out = f->out;
		rd->cap = rd->s.size;
		rd->check = !is_seen(q, rd->i);
		rd->asked = q->done >= BYTES_AHEAD; /* by look_ahead() */
		if (SLU_UNLIKELY((r = slu_read_whole(rd)) < 0))
			return r;
		if (!rd->check)
			continue;
		q->checked++;
		if (q->seen)
			atomic_fetch_or_explicit(&q->seen[rd->i / 64], UINT64_C(1) << rd->i % 64, memory_order_relaxed);
	}
	return 0;
}

ssize_t slu_pack_fetch_many(struct slu_pack *p, const struct slu_fetch *f, size_t n, _Atomic uint64_t *seen,
                            uint64_t *ret_checked)
{
	struct fetching q = { .rd = { .p = p }, .f = f, .n = n, .seen = seen };
	int r = n ? slu_read_run(&q.rd, run_fetch) : 0;

	*ret_checked += q.checked;
	if (r < 0 && q.done == 0)
		return slu_read_tell(p, f[0].sample, r);
	return (ssize_t)q.done;
}

/* ---- values of a column ---------------------------------------------------------------------------------------------
 */

struct valuing {
	struct slu_pack *p;
	const struct slu_column *c;
	const int64_t *samples;
	size_t n;
	int64_t *out;
};

static int run_values(void *arg)
{
	const struct valuing *q = arg;
	const struct slu_column *c = q->c;

	for (size_t k = 0; k < q->n; k++) {
		uint64_t i = (uint64_t)q->samples[k];
		int r = c->bits ? slu_tree_touch(&q->p->tree, c->offset + i * c->bits / 8, 9) : 0;
		if (r < 0)
			return r;
		q->out[k] = slu_column_get(q->p->file + c->offset, i, c->base, c->bits);
	}
	return 0;
}

int slu_pack_values(struct slu_pack *p, const struct slu_column *c, const int64_t *samples, size_t n,
                    int64_t *ret_values)
{
	struct valuing q = { p, c, samples, n, ret_values };
	int64_t first;
	int r;

	if (n == 0)
		return 0;
	for (size_t k = 0; k < n; k++)
		if ((uint64_t)samples[k] >= p->nsamples)
			return slu_no_such_sample(p, (uint64_t)samples[k]);
	/* One by the public way, which checks that the column is this pack's. */
	if ((r = slu_pack_value(p, c, (uint64_t)samples[0], &first)) < 0)
		return r;
	return slu_pack_guard(p, run_values, &q);
}
