/* SPDX-License-Identifier: MIT */
/*
 * Many samples, each to a place of its own: what the loader does with a batch.
 *
 * Two steps, because a batch's layout follows from its sizes: where the samples are, then their bytes. Both ask memory
 * for what comes next while they work on what is there. Failures belong to one sample: what was done before it is
 * done, and the caller decides how to go on.
 */
#ifndef SLU_PACK_MANY_H
#define SLU_PACK_MANY_H

#include <stdatomic.h>

#include "pack/pack.h"

/* Where each of @n samples is. How many were found; the failure, if that is the first one's. */
SLU_MUST_USE ssize_t slu_pack_locate_many(struct slu_pack *p, const int64_t *samples, size_t n,
                                          struct slu_sample *ret_at);

struct slu_fetch {
	uint64_t sample;
	const struct slu_sample *at;
	const uint8_t *stored; /* the bytes as stored, read by the caller; NULL: they are still in the shard */
	uint8_t *out;          /* room for at->size */
};

/*
 * Copies, checks and decodes. @seen has a bit a sample: those that are set are not checked again, those that are
 * checked are set (NULL: all are checked). How many were done; the failure, if that is the first one's.
 */
SLU_MUST_USE ssize_t slu_pack_fetch_many(struct slu_pack *p, const struct slu_fetch *f, size_t n,
                                         _Atomic uint64_t *seen, uint64_t *ret_checked);

/* The values of a column for @n samples. */
SLU_MUST_USE int slu_pack_values(struct slu_pack *p, const struct slu_column *c, const int64_t *samples, size_t n,
                                 int64_t *ret_values);

#endif
