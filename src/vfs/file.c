/* SPDX-License-Identifier: MIT */
/*
 * An open sample. See file.h.
 *
 * Invariants
 *  (1) what is published (bytes, sums) has been compared with the record's checksum, and never changes after
 *  (2) publishing is one compare-and-swap, and the loser frees its own: no lock that a fork could leave held
 *  (3) where the sample is was read once, checked, at the start; only its bytes are read again
 */
#include "vfs/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/macros.h"
#include "pack/reading.h"

int slu_file_init(struct slu_file *f, struct slu_pack *p, uint64_t sample)
{
	int r = slu_pack_sample(p, sample, &f->at);

	if (r < 0)
		return r;
	f->pack = p;
	f->sample = sample;
	f->size = f->at.size;
	f->large = slu_sample_is_large(&f->at);
	atomic_init(&f->bytes, NULL);
	atomic_init(&f->sums, NULL);
	slu_pack_soon(p, sample, &f->at); /* while the descriptor is being made */
	return 0;
}

void slu_file_done(struct slu_file *f)
{
	if (atomic_load_explicit(&f->bytes, memory_order_relaxed))
		free(atomic_exchange(&f->bytes, NULL));
	if (atomic_load_explicit(&f->sums, memory_order_relaxed))
		free(atomic_exchange(&f->sums, NULL));
}

/* ---- small or compressed: decoded once ----------------------------------------------------- */

static int read_whole(struct slu_file *f, uint8_t *buf)
{
	return slu_pack_read_at(f->pack, f->sample, &f->at, buf);
}

int slu_file_bytes(struct slu_file *f, const uint8_t **ret_bytes)
{
	uint8_t *bytes = atomic_load_explicit(&f->bytes, memory_order_acquire), *none = NULL;
	int r;

	if (f->large)
		return slu_fail(-EFBIG, "sample %llu is too large to be kept in memory", (unsigned long long)f->sample);
	if (!bytes) {
		bytes = malloc(slu_max(f->size, 1));
		if (!bytes)
			return slu_fail_memory();
		if ((r = read_whole(f, bytes)) < 0) {
			free(bytes);
			return r;
		}
		if (!atomic_compare_exchange_strong(&f->bytes, &none, bytes)) {
			free(bytes); /* another thread was faster */
			bytes = none;
		}
	}
	*ret_bytes = bytes;
	return 0;
}

/* ---- large and raw: a checksum for each block ---------------------------------------------- */

static uint64_t blocks_of(const struct slu_file *f)
{
	return (f->size + SLU_FILE_BLOCK - 1) / SLU_FILE_BLOCK;
}

static size_t block_len(const struct slu_file *f, uint64_t block)
{
	return slu_min(SLU_FILE_BLOCK, f->size - block * SLU_FILE_BLOCK);
}

/* Reads all of it through @piece, whose bytes are those that both checksums are made of. */
static int sum_blocks(struct slu_file *f, const struct slu_sample *s, uint8_t *piece, size_t cap,
                      struct slu_hash_state *h, uint64_t *sums)
{
	uint64_t block = 0;

	for (uint64_t at = 0; at < f->size; at += cap) {
		size_t n = slu_min(cap, f->size - at);
		int r = slu_sample_copy_unchecked(f->pack, f->sample, s, at, n, piece);
		if (r < 0)
			return r;
		slu_hash_add(h, piece, n);
		for (size_t i = 0; i < n; i += SLU_FILE_BLOCK, block++)
			sums[block] = slu_hash64(piece + i, block_len(f, block));
	}
	return slu_hash_end(h) == s->checksum ? 0 : slu_sample_mismatch(f->pack, f->sample, s);
}

static int new_sums(struct slu_file *f, uint64_t **ret_sums)
{
	enum { PIECE = 64 * SLU_FILE_BLOCK }; /* stays in the second-level cache between the two checksums */
	SLU_AUTO(mem) uint64_t *sums = calloc(blocks_of(f), sizeof(*sums));
	SLU_AUTO(mem) uint8_t *piece = malloc(PIECE);
	struct slu_hash_state *h;
	int r = sums && piece ? slu_hash_new(&h) : slu_fail_memory();

	if (r < 0)
		return r;
	r = sum_blocks(f, &f->at, piece, PIECE, h, sums);
	slu_hash_free(h);
	if (r == 0)
		*ret_sums = SLU_TAKE(sums);
	return r;
}

static int get_sums(struct slu_file *f, const uint64_t **ret_sums)
{
	uint64_t *sums = atomic_load_explicit(&f->sums, memory_order_acquire), *none = NULL;
	int r;

	if (!sums) {
		if ((r = new_sums(f, &sums)) < 0)
			return r;
		if (!atomic_compare_exchange_strong(&f->sums, &none, sums)) {
			free(sums); /* another thread was faster */
			sums = none;
		}
	}
	*ret_sums = sums;
	return 0;
}

/* Copies whole blocks from @block on, and checks the copy. */
static int copy_blocks(struct slu_file *f, const struct slu_sample *s, const uint64_t *sums, uint64_t block, size_t n,
                       uint8_t *to)
{
	int r = slu_sample_copy_unchecked(f->pack, f->sample, s, block * SLU_FILE_BLOCK, n, to);

	for (size_t i = 0; r == 0 && i < n; i += SLU_FILE_BLOCK, block++)
		if (SLU_UNLIKELY(slu_hash64(to + i, block_len(f, block)) != sums[block]))
			r = slu_sample_mismatch(f->pack, f->sample, s);
	return r;
}

/* How many of the @len bytes at @at are whole blocks from @at on. */
static size_t whole_blocks(const struct slu_file *f, uint64_t at, size_t len)
{
	if (at % SLU_FILE_BLOCK)
		return 0;
	return at + len == f->size ? len : len - len % SLU_FILE_BLOCK;
}

static int copy_checked(struct slu_file *f, const struct slu_sample *s, const uint64_t *sums, uint64_t at, size_t len,
                        uint8_t *to)
{
	uint8_t edge[SLU_FILE_BLOCK]; /* a block that is wanted in part */
	int r = 0;

	while (len > 0 && r == 0) {
		uint64_t block = at / SLU_FILE_BLOCK;
		size_t n = whole_blocks(f, at, len), skip = at % SLU_FILE_BLOCK;
		if (n > 0) {
			r = copy_blocks(f, s, sums, block, n, to);
		} else {
			n = slu_min(block_len(f, block) - skip, len);
			if ((r = copy_blocks(f, s, sums, block, block_len(f, block), edge)) == 0)
				memcpy(to, edge + skip, n);
		}
		at += n;
		to += n;
		len -= n;
	}
	return r;
}

static int large_part(struct slu_file *f, uint8_t *buf, size_t len, uint64_t offset)
{
	const uint64_t *sums;
	int r = get_sums(f, &sums);

	return r < 0 ? r : copy_checked(f, &f->at, sums, offset, len, buf);
}

/* ---- reading ------------------------------------------------------------------------------------ */

ssize_t slu_file_pread(struct slu_file *f, void *buf, size_t len, uint64_t offset)
{
	const uint8_t *bytes;
	int r;

	if (offset >= f->size || len == 0)
		return 0;
	len = slu_min(len, f->size - offset);
	if (len == f->size && !atomic_load_explicit(&f->bytes, memory_order_relaxed))
		r = read_whole(f, buf);
	else if (f->large)
		r = large_part(f, buf, len, offset);
	else if ((r = slu_file_bytes(f, &bytes)) == 0)
		memcpy(buf, bytes + offset, len);
	return r < 0 ? r : (ssize_t)len;
}
