/* SPDX-License-Identifier: MIT */
/*
 * Reading samples: find the record, copy the stored bytes out of the mapping, check the
 * copy, decode. The copy comes first and the check second, so that what is handed out is
 * what was checked, whatever happens to the file meanwhile. (One exception: parts of large raw
 * samples, whose checksum covers more than the part; see slu_pack_pread().)
 *
 * A call runs under the guard; what it lacks there (the shard not open yet, scratch too
 * small) it asks for with -EAGAIN, and is run again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/le.h"
#include "pack/reading.h"

/* ---- records -------------------------------------------------------------------------- */

static uint32_t shard_of(const struct slu_pack *p, uint64_t i)
{
	uint32_t lo = 0, hi = p->nshards - 1;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo + 1) / 2;
		if (p->shards[mid].first <= i)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo;
}

int slu_pack_locate(struct slu_pack *p, uint64_t i, struct slu_sample *ret_sample)
{
	uint32_t shard = shard_of(p, i);
	uint64_t prev_end = SLU_BLOCK, start, end, size;
	const uint8_t *rec;
	uint8_t code;
	int r, before = 0;

	if (i > p->shards[shard].first) {
		r = slu_pack_at(p, SLU_S_RECORDS, (i - 1) * SLU_RECORD, 2 * SLU_RECORD, &rec);
		if (SLU_UNLIKELY(r < 0))
			return r;
		prev_end = slu_get40(rec + SLU_R_END);
		before = slu_is_aligned(rec[SLU_R_CODE], slu_get40(rec + SLU_R_SIZE));
		rec += SLU_RECORD;
	} else if ((r = slu_pack_at(p, SLU_S_RECORDS, i * SLU_RECORD, SLU_RECORD, &rec)) < 0) {
		return r;
	}
	code = rec[SLU_R_CODE];
	end = slu_get40(rec + SLU_R_END);
	size = slu_get40(rec + SLU_R_SIZE);
	start = slu_sample_start(prev_end, before, slu_is_aligned(code, size));
	if (SLU_UNLIKELY(start < SLU_BLOCK || end < start || end > p->shards[shard].data_end ||
	                 (slu_code_codec(code) == SLU_CODEC_RAW
	                          ? end - start != size || code != 0
	                          : end == start || end - start >= size || size > SLU_COMPRESS_MAX)))
		return slu_fail(-EBADMSG, "%s: the record of sample %llu is not valid", p->path, (unsigned long long)i);
	*ret_sample = (struct slu_sample){
		.size = size,
		.stored = end - start,
		.offset = start,
		.checksum = slu_get64(rec + SLU_R_HASH),
		.shard = shard,
		.codec = (uint8_t)slu_code_codec(code),
		.dict = (uint8_t)slu_code_dict(code),
	};
	return 0;
}

static int locate(void *arg)
{
	struct slu_reading *rd = arg;

	return slu_pack_locate(rd->p, rd->i, &rd->s);
}

int slu_no_such_sample(const struct slu_pack *p, uint64_t i)
{
	return slu_fail(-ENOENT, "%s has %llu samples; there is no sample %llu", p->path,
	                (unsigned long long)p->nsamples, (unsigned long long)i);
}

int slu_pack_sample(struct slu_pack *p, uint64_t i, struct slu_sample *ret_sample)
{
	struct slu_reading rd = { .p = p, .i = i };
	int r;

	if (i >= p->nsamples)
		return slu_no_such_sample(p, i);
	if ((r = slu_pack_guard(p, locate, &rd)) == 0)
		*ret_sample = rd.s;
	return r;
}

static void ask_for_value(const struct slu_pack *p, const struct slu_builtin_column *c, uint64_t i)
{
	__builtin_prefetch(p->file + c->offset + i * c->bits / 8);
}

void slu_pack_soon(struct slu_pack *p, uint64_t i, const struct slu_sample *s)
{
	const struct slu_shard_map *m = atomic_load_explicit(&p->shards[s->shard].map, memory_order_acquire);

	if (m && m->data)
		slu_ask_for(m->data + s->offset, s->stored);
	ask_for_value(p, &p->mtime, i);
	ask_for_value(p, &p->attr, i);
}

/* ---- remembering which samples are sound ------------------------------------------------- */

static _Atomic uint64_t *seen_bits(struct slu_pack *p)
{
	_Atomic uint64_t *bits = atomic_load_explicit(&p->seen, memory_order_acquire), *none = NULL;

	if (bits)
		return bits;
	bits = calloc(p->nsamples / 64 + 1, sizeof(*bits));
	if (bits && !atomic_compare_exchange_strong(&p->seen, &none, bits)) {
		free((void *)bits);
		bits = none;
	}
	return bits; /* NULL: no memory, then everything is checked every time */
}

bool slu_sample_seen(struct slu_pack *p, uint64_t i)
{
	_Atomic uint64_t *bits = seen_bits(p);

	return bits && (atomic_load_explicit(&bits[i / 64], memory_order_relaxed) >> (i % 64) & 1);
}

void slu_sample_set_seen(struct slu_pack *p, uint64_t i)
{
	_Atomic uint64_t *bits = seen_bits(p);

	if (bits)
		atomic_fetch_or_explicit(&bits[i / 64], UINT64_C(1) << (i % 64), memory_order_relaxed);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static uint8_t code_of(const struct slu_sample *s)
{
	return (uint8_t)(s->codec | s->dict << 3);
}

/* The stored bytes, copied to @to. In the guard when mapped. */
static int fetch(struct slu_reading *rd, uint8_t *to)
{
	ssize_t got;

	if (rd->s.stored == 0) /* there may be no room at all */
		return 0;
	if (rd->stored) {
		memcpy(to, rd->stored, rd->s.stored);
		return 0;
	}
	if (SLU_LIKELY(rd->map->data != NULL)) {
		if (!rd->asked)
			slu_ask_for(rd->map->data + rd->s.offset, rd->s.stored);
		memcpy(to, rd->map->data + rd->s.offset, rd->s.stored);
		return 0;
	}
	got = slu_pread(rd->map->fd, to, rd->s.stored, rd->s.offset);
	if (got < 0)
		return slu_fail_sys((int)got, "%s: cannot read shard %u", rd->p->path, rd->s.shard);
	return (uint64_t)got == rd->s.stored ? 0
	                                     : slu_fail(-EIO, "%s: shard %u became shorter", rd->p->path, rd->s.shard);
}

static int wrong_checksum(const struct slu_reading *rd)
{
	return slu_fail(-EILSEQ, "%s: the bytes of sample %llu (shard %u, offset %llu) do not match their checksum",
	                rd->p->path, (unsigned long long)rd->i, rd->s.shard, (unsigned long long)rd->s.offset);
}

static int check_bytes(const struct slu_reading *rd, const uint8_t *bytes)
{
	return SLU_LIKELY(!rd->check || slu_hash64(bytes, rd->s.stored) == rd->s.checksum) ? 0 : wrong_checksum(rd);
}

int slu_read_tell(struct slu_pack *p, uint64_t i, int err)
{
	char sentence[512], path[SLU_PATH_MAX];

	if (SLU_LIKELY(!slu_err_is_damage(err) && err != -EIO))
		return err;
	(void)snprintf(sentence, sizeof(sentence), "%s", slu_errmsg()); /* cut off at worst */
	if (slu_pack_path(p, slu_pack_sample_node(p, i), path) >= 0)
		return slu_fail(err, "%s: %s", sentence, path);
	return slu_fail(err, "%s", sentence);
}

int slu_sample_mismatch(struct slu_pack *p, uint64_t i, const struct slu_sample *s)
{
	return slu_read_tell(p, i, wrong_checksum(&(struct slu_reading){ .p = p, .i = i, .s = *s }));
}

static bool is_prepared(const struct slu_reading *rd)
{
	uint8_t code = code_of(&rd->s);

	return rd->decoder && (rd->prepared[code / 64] >> code % 64 & 1);
}

int slu_read_whole(void *arg)
{
	struct slu_reading *rd = arg;
	const uint8_t *from = rd->scratch;
	int r;

	if (!rd->located) {
		if ((r = slu_pack_locate(rd->p, rd->i, &rd->s)) < 0)
			return r;
		rd->located = true;
	}
	if (SLU_UNLIKELY(!rd->map && !rd->stored)) {
		rd->map = atomic_load_explicit(&rd->p->shards[rd->s.shard].map, memory_order_acquire);
		if (!rd->map)
			return -EAGAIN;
	}
	if (SLU_UNLIKELY(rd->cap < rd->s.size))
		return slu_fail(-ERANGE, "%s: sample %llu has %llu bytes, more than there is room for", rd->p->path,
		                (unsigned long long)rd->i, (unsigned long long)rd->s.size);
	if (rd->s.codec == SLU_CODEC_RAW) {
		if ((r = fetch(rd, rd->out)) < 0)
			return r;
		return check_bytes(rd, rd->out);
	}
	if (SLU_UNLIKELY(!is_prepared(rd) || rd->scratch_len < rd->s.stored))
		return -EAGAIN;
	if (rd->stored)
		from = rd->stored; /* nobody changes it: it need not be copied to be checked */
	else if ((r = fetch(rd, rd->scratch)) < 0)
		return r;
	if ((r = check_bytes(rd, from)) < 0)
		return r;
	return slu_decode(rd->decoder, &rd->p->dicts, code_of(&rd->s), from, rd->s.stored, rd->out, rd->s.size);
}

/* What slu_read_whole() lacked, made outside the guard. */
static int provide(struct slu_reading *rd)
{
	int r;

	if (!rd->map && !rd->stored && (r = slu_pack_open_shard(rd->p, rd->s.shard, &rd->map)) < 0)
		return r;
	if (rd->s.codec == SLU_CODEC_RAW)
		return 0;
	if (!rd->decoder && (r = slu_pack_get_decoder(rd->p, &rd->decoder)) < 0)
		return r;
	if ((r = slu_decoder_prepare(rd->decoder, &rd->p->dicts, code_of(&rd->s))) < 0 ||
	    (r = slu_decoder_scratch(rd->decoder, rd->s.stored, &rd->scratch)) < 0)
		return r;
	rd->scratch_len = slu_max(rd->scratch_len, rd->s.stored);
	rd->prepared[code_of(&rd->s) / 64] |= UINT64_C(1) << code_of(&rd->s) % 64;
	return 0;
}

int slu_read_run(struct slu_reading *rd, slu_guarded_fn *fn)
{
	int r;

	/* Each round provides what the one before lacked: a shard, a decoder, more scratch. */
	while ((r = slu_pack_guard(rd->p, fn, rd)) == -EAGAIN)
		if ((r = provide(rd)) < 0)
			break;
	if (rd->decoder)
		slu_pack_put_decoder(rd->p, rd->decoder);
	rd->decoder = NULL;
	return r;
}

ssize_t slu_pack_read(struct slu_pack *p, uint64_t i, void *buf, size_t cap)
{
	struct slu_reading rd = { .p = p, .i = i, .out = buf, .cap = cap, .check = true };
	int r;

	if (SLU_UNLIKELY(i >= p->nsamples))
		return slu_no_such_sample(p, i);
	if (p->verify_once)
		rd.check = !slu_sample_seen(p, i);
	if (SLU_UNLIKELY((r = slu_read_run(&rd, slu_read_whole)) < 0))
		return slu_read_tell(p, i, r);
	if (p->verify_once && rd.check)
		slu_sample_set_seen(p, i);
	return (ssize_t)rd.s.size;
}

int slu_pack_read_at(struct slu_pack *p, uint64_t i, const struct slu_sample *s, void *buf)
{
	struct slu_reading rd = { .p = p, .i = i, .s = *s, .located = true, .check = true, .out = buf, .cap = s->size };
	int r = provide(&rd);

	if (SLU_LIKELY(r == 0))
		r = slu_read_run(&rd, slu_read_whole);
	else if (rd.decoder)
		slu_pack_put_decoder(p, rd.decoder);
	return SLU_LIKELY(r == 0) ? 0 : slu_read_tell(p, i, r);
}

/* ---- parts ------------------------------------------------------------------------------------- */

struct part {
	struct slu_reading rd; /* first: slu_read_whole() and provide() take it */
	uint64_t offset;
	size_t len;
	uint8_t *to;
};

/* A piece of a large raw sample, straight from the mapping; checked whole where asked. */
static int read_raw_part(void *arg)
{
	struct part *pt = arg;
	struct slu_reading *rd = &pt->rd;
	ssize_t got;

	if (!rd->map)
		return -EAGAIN;
	if (rd->map->data) {
		const uint8_t *bytes = rd->map->data + rd->s.offset;
		int r = check_bytes(rd, bytes);
		if (r == 0)
			memcpy(pt->to, bytes + pt->offset, pt->len);
		return r;
	}
	got = slu_pread(rd->map->fd, pt->to, pt->len, rd->s.offset + pt->offset);
	if (got < 0)
		return slu_fail_sys((int)got, "%s: cannot read shard %u", rd->p->path, rd->s.shard);
	return (size_t)got == pt->len ? 0 : slu_fail(-EIO, "%s: shard %u became shorter", rd->p->path, rd->s.shard);
}

int slu_sample_copy_unchecked(struct slu_pack *p, uint64_t i, const struct slu_sample *s, uint64_t offset, size_t len,
                              uint8_t *to)
{
	struct part pt = {
		.rd = { .p = p, .i = i, .s = *s, .located = true },
		.offset = offset,
		.len = len,
		.to = to,
	};

	return slu_read_run(&pt.rd, read_raw_part);
}

/* With pread there is nothing to check in place: the sample is read once, whole, for that. */
static int check_by_reading(struct slu_reading *rd)
{
	enum { PIECE = 1 << 20 };
	SLU_AUTO(mem) uint8_t *buf = malloc(PIECE);
	struct slu_hash_state *h;
	uint64_t done = 0, sum;
	int r = buf ? slu_hash_new(&h) : slu_fail_memory();

	if (r < 0)
		return r;
	while (done < rd->s.stored && r == 0) {
		size_t n = slu_min(PIECE, rd->s.stored - done);
		ssize_t got = slu_pread(rd->map->fd, buf, n, rd->s.offset + done);
		if (got != (ssize_t)n)
			r = slu_fail(got < 0 ? (int)got : -EIO, "%s: cannot read shard %u", rd->p->path, rd->s.shard);
		else
			slu_hash_add(h, buf, n);
		done += n;
	}
	sum = slu_hash_end(h);
	slu_hash_free(h);
	return r == 0 && sum != rd->s.checksum ? wrong_checksum(rd) : r;
}

static int large_part(struct part *pt)
{
	struct slu_reading *rd = &pt->rd;
	int r = slu_pack_open_shard(rd->p, rd->s.shard, &rd->map);

	if (r < 0)
		return r;
	rd->check = pt->offset == 0 || !slu_sample_seen(rd->p, rd->i);
	if (rd->check && !rd->map->data && (r = check_by_reading(rd)) < 0)
		return r;
	if ((r = slu_read_run(rd, read_raw_part)) == 0 && rd->check)
		slu_sample_set_seen(rd->p, rd->i);
	return r;
}

/* Small or compressed: the whole sample is decoded and checked for every part of it. */
static int small_part(struct part *pt)
{
	struct slu_reading *rd = &pt->rd;
	SLU_AUTO(mem) uint8_t *whole = malloc(slu_max(rd->s.size, 1));
	int r;

	if (!whole)
		return slu_fail_memory();
	rd->out = whole;
	rd->cap = rd->s.size;
	rd->check = true;
	if ((r = slu_read_run(rd, slu_read_whole)) == 0)
		memcpy(pt->to, whole + pt->offset, pt->len);
	return r;
}

ssize_t slu_pack_pread(struct slu_pack *p, uint64_t i, void *buf, size_t len, uint64_t offset)
{
	struct part pt = { .rd = { .p = p, .i = i }, .offset = offset, .to = buf };
	int r = slu_pack_sample(p, i, &pt.rd.s);

	if (r < 0)
		return r;
	if (offset >= pt.rd.s.size || len == 0)
		return 0;
	if (offset == 0 && len >= pt.rd.s.size)
		return slu_pack_read(p, i, buf, len);
	pt.rd.located = true;
	pt.len = slu_min(len, pt.rd.s.size - offset);
	if (slu_sample_is_large(&pt.rd.s))
		r = large_part(&pt);
	else
		r = small_part(&pt);
	return r < 0 ? slu_read_tell(p, i, r) : (ssize_t)pt.len;
}

/* ---- streams --------------------------------------------------------------------------------- */

enum { STREAM_PIECE = 4 << 20 };

/* A large raw sample in pieces; what is checked is what was handed to @sink. */
static int stream_pieces(struct part *pt, struct slu_hash_state *h, slu_sink_fn *sink, void *arg)
{
	struct slu_reading *rd = &pt->rd;
	int r = 0;

	for (pt->offset = 0; pt->offset < rd->s.size && r == 0; pt->offset += pt->len) {
		pt->len = slu_min(STREAM_PIECE, rd->s.size - pt->offset);
		if ((r = slu_read_run(rd, read_raw_part)) < 0)
			return r;
		slu_hash_add(h, pt->to, pt->len);
		r = sink(arg, pt->to, pt->len);
	}
	if (r == 0 && slu_hash_end(h) != rd->s.checksum)
		r = wrong_checksum(rd);
	return r;
}

static int stream_large(struct part *pt, slu_sink_fn *sink, void *arg)
{
	SLU_AUTO(mem) uint8_t *piece = malloc(STREAM_PIECE);
	struct slu_hash_state *h;
	int r = slu_pack_open_shard(pt->rd.p, pt->rd.s.shard, &pt->rd.map);

	if (r == 0)
		r = piece ? slu_hash_new(&h) : slu_fail_memory();
	if (r < 0)
		return r;
	pt->to = piece;
	r = stream_pieces(pt, h, sink, arg);
	slu_hash_free(h);
	return r;
}

int slu_pack_stream(struct slu_pack *p, uint64_t i, slu_sink_fn *sink, void *arg)
{
	struct part pt = { .rd = { .p = p, .i = i } };
	SLU_AUTO(mem) uint8_t *whole = NULL;
	ssize_t n;
	int r = slu_pack_sample(p, i, &pt.rd.s);

	if (r < 0)
		return r;
	if (pt.rd.s.codec == SLU_CODEC_RAW && pt.rd.s.size > STREAM_PIECE)
		return slu_read_tell(p, i, stream_large(&pt, sink, arg));
	whole = malloc(slu_max(pt.rd.s.size, 1));
	if (!whole)
		return slu_fail_memory();
	n = slu_pack_read(p, i, whole, pt.rd.s.size);
	if (n <= 0)
		return (int)n;
	return sink(arg, whole, (size_t)n);
}

static int check_view(void *arg)
{
	const struct slu_reading *rd = arg;

	return check_bytes(rd, rd->map->data + rd->s.offset);
}

int slu_pack_view(struct slu_pack *p, uint64_t i, const void **ret_data, size_t *ret_len)
{
	struct slu_reading rd = { .p = p, .i = i, .check = true };
	int r = slu_pack_sample(p, i, &rd.s);

	if (r < 0)
		return r;
	if (p->pread || rd.s.codec != SLU_CODEC_RAW)
		return slu_fail(-EOPNOTSUPP, "%s: sample %llu %s, so there is nothing to point to", p->path,
		                (unsigned long long)i, p->pread ? "is not mapped" : "is compressed");
	if ((r = slu_pack_open_shard(p, rd.s.shard, &rd.map)) < 0 || (r = slu_pack_guard(p, check_view, &rd)) < 0)
		return r;
	*ret_data = rd.map->data + rd.s.offset;
	*ret_len = rd.s.size;
	return 0;
}
