/* SPDX-License-Identifier: MIT */
/*
 * Many samples in one call, end to end: what a loader wants.
 *
 * The samples are known beforehand, so their records, and then their bytes, are asked of memory
 * a few samples ahead: the time that a random access waits for memory is hidden behind the work
 * on the samples before it.
 */
#include <errno.h>
#include <string.h>

#include "pack/reading.h"

/* In samples. Chosen by reasoning, not tuned: a record must come before the bytes it tells of. */
enum { RECORDS_AHEAD = 8, BYTES_AHEAD = 3 };

struct batch {
	struct slu_reading rd; /* first: slu_read_run() takes it */
	const uint64_t *samples;
	size_t n, done;
	uint8_t *buf;
	size_t cap, used;
	uint64_t *offsets;
	bool checked; /* the sample under way needed its checksum compared */
	struct slu_sample ahead[BYTES_AHEAD];
	size_t located; /* how far ahead[] goes */
};

static void ask_for_record(struct slu_pack *p, uint64_t i)
{
	const uint8_t *rec = p->file + p->section[SLU_S_RECORDS].at + i * SLU_RECORD;

	__builtin_prefetch(rec);
	__builtin_prefetch(rec - SLU_RECORD);
}

/* Locates samples up to BYTES_AHEAD beyond the current one and asks for their bytes. A record that
 * is damaged is left for its turn: errors come in order. */
static void look_ahead(struct batch *b)
{
	struct slu_pack *p = b->rd.p;

	if (b->done + RECORDS_AHEAD < b->n && b->samples[b->done + RECORDS_AHEAD] < p->nsamples)
		ask_for_record(p, b->samples[b->done + RECORDS_AHEAD]);
	while (b->located < b->n && b->located < b->done + BYTES_AHEAD) {
		struct slu_sample *s = &b->ahead[b->located % BYTES_AHEAD];
		const struct slu_shard_map *m;
		if (b->samples[b->located] >= p->nsamples || slu_pack_locate(p, b->samples[b->located], s) < 0)
			return;
		m = atomic_load_explicit(&p->shards[s->shard].map, memory_order_acquire);
		if (m && m->data)
			slu_ask_for(m->data + s->offset, s->stored);
		b->located++;
	}
}

static int begin_sample(struct batch *b)
{
	struct slu_reading *rd = &b->rd;
	struct slu_pack *p = rd->p;

	rd->i = b->samples[b->done];
	if (SLU_UNLIKELY(rd->i >= p->nsamples))
		return slu_no_such_sample(p, rd->i);
	rd->located = b->located > b->done;
	if (rd->located)
		rd->s = b->ahead[b->done % BYTES_AHEAD];
	rd->map = rd->located ? atomic_load_explicit(&p->shards[rd->s.shard].map, memory_order_acquire) : NULL;
	rd->out = b->buf + b->used;
	rd->cap = b->cap - b->used;
	rd->check = !p->verify_once || !slu_sample_seen(p, rd->i);
	return 0;
}

static int run_batch(void *arg)
{
	struct batch *b = arg;
	struct slu_reading *rd = &b->rd;
	int r;

	while (b->done < b->n) {
		look_ahead(b);
		if (SLU_UNLIKELY((r = begin_sample(b)) < 0 || (r = slu_read_whole(rd)) < 0))
			return r;
		if (rd->p->verify_once && rd->check)
			slu_sample_set_seen(rd->p, rd->i);
		b->offsets[b->done] = b->used;
		b->used += rd->s.size;
		if (b->located == b->done)
			b->located++; /* it was not located ahead */
		b->done++;
	}
	return 0;
}

ssize_t slu_pack_read_batch(struct slu_pack *p, const uint64_t *samples, size_t n, void *buf, size_t cap,
                            uint64_t *ret_offsets)
{
	struct batch b = {
		.rd = { .p = p }, .samples = samples, .n = n, .buf = buf, .cap = cap, .offsets = ret_offsets
	};
	int r;

	if (p->verify_once && p->nsamples)
		(void)slu_sample_seen(p, 0); /* makes the bits: nothing is allocated in the guard */
	r = n ? slu_read_run(&b.rd, run_batch) : 0;
	if (r < 0 && b.done == 0)
		return r;
	ret_offsets[b.done] = b.used;
	return (ssize_t)b.done;
}
