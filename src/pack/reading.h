/* SPDX-License-Identifier: MIT */
/* One sample on its way out of a pack: what sample.c and batch.c share. */
#ifndef SLU_PACK_READING_H
#define SLU_PACK_READING_H

#include "pack/pack.h"

struct slu_reading {
	struct slu_pack *p;
	uint64_t i;
	struct slu_sample s;
	bool located; /* s is filled in */
	bool check;   /* compare the checksum */
	bool asked;   /* memory was asked for the bytes before */
	struct slu_shard_map *map;
	const uint8_t *stored; /* the bytes as stored, if the caller has them; else they are fetched */
	struct slu_decoder *decoder;
	uint64_t prepared[4]; /* a bit for each code that the decoder is ready for */
	uint8_t *scratch;
	size_t scratch_len;
	uint8_t *out;
	size_t cap;
};

/* Copies, checks and decodes rd->i into rd->out. Runs in the guard; -EAGAIN asks for what only
 * slu_read_run() can provide outside. */
SLU_MUST_USE int slu_read_whole(void *reading);

/* Runs @fn(rd) in the guard until it has what it needs; gives back the decoder. */
SLU_MUST_USE int slu_read_run(struct slu_reading *rd, slu_guarded_fn *fn);

/* Gives @err, with the path of sample @i added to its sentence if it says that the sample is damaged or cannot be
 * read. */
int slu_read_tell(struct slu_pack *p, uint64_t i, int err);

/* Reads sample @i, which is at @s (of slu_pack_sample()), whole and checked into @buf, which has room for s->size. */
SLU_MUST_USE int slu_pack_read_at(struct slu_pack *p, uint64_t i, const struct slu_sample *s, void *buf);

/* Which samples were found sound through this handle, where that is remembered. */
bool slu_sample_seen(struct slu_pack *p, uint64_t i);
void slu_sample_set_seen(struct slu_pack *p, uint64_t i);

SLU_MUST_USE int slu_no_such_sample(const struct slu_pack *p, uint64_t i);

/*
 * Copies @len bytes at @offset of raw sample @i, which lies at @s, to @to, without checking them: for callers that
 * have checksums of their own. The caller sees to it that offset + len <= s->size.
 */
SLU_MUST_USE int slu_sample_copy_unchecked(struct slu_pack *p, uint64_t i, const struct slu_sample *s, uint64_t offset,
                                           size_t len, uint8_t *to);

/* -EILSEQ, with the sentence that names sample @i, its place and its path. */
SLU_MUST_USE int slu_sample_mismatch(struct slu_pack *p, uint64_t i, const struct slu_sample *s);

/* The size from which a raw sample is checked whole once and not for each part. */
enum { SLU_LARGE_SAMPLE = 1 << 20 };

static inline bool slu_sample_is_large(const struct slu_sample *s)
{
	return s->codec == SLU_CODEC_RAW && s->size >= SLU_LARGE_SAMPLE;
}

/*
 * Samples are visited in random order, so that no cache line of one is near: ask for all of
 * them at once instead of waiting for the copy to come to each. Beyond a few KiB the hardware
 * has caught on by itself.
 */
static inline void slu_ask_for(const uint8_t *data, uint64_t n)
{
	uint64_t ahead = slu_min(n, 4096);

	for (uint64_t i = 0; i < ahead; i += 64)
		__builtin_prefetch(data + i);
}

#endif
