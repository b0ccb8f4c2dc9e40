/* SPDX-License-Identifier: MIT */
/*
 * The memory of batches: taken from a pool, given back by whoever lets go last.
 *
 * The kernel clears each page of new memory at its first touch, so batches are used again, the last
 * returned first. The pool lives as long as the loader or any batch.
 */
#ifndef SLU_LOAD_BATCH_H
#define SLU_LOAD_BATCH_H

#include <sluice/load.h>
#include <stdatomic.h>

struct slu_batch_pool;

struct slu_batch {
	struct slu_batch_info info; /* first */
	_Atomic uint32_t refs;
	struct slu_batch_pool *pool;
	struct slu_batch *next; /* of those that are free */
	/* Room for so many samples, and for so many bytes of data behind `lead` others. */
	size_t samples_room;
	int64_t *samples, *offsets, *labels;
	uint8_t *memory;
	size_t memory_len;
};

/* Keeps at most @keep_bytes for batches to come. */
SLU_MUST_USE int slu_batch_pool_new(size_t keep_bytes, struct slu_batch_pool **ret_pool);
void slu_batch_pool_unref(struct slu_batch_pool *pool);

/* A batch with room for @count samples and no data yet; one reference. */
SLU_MUST_USE int slu_batch_new(struct slu_batch_pool *pool, size_t count, struct slu_batch **ret_batch);

/* Gives it room for @bytes; info.data is then aligned, and the @lead bytes before it may be written too. */
SLU_MUST_USE int slu_batch_make_room(struct slu_batch *b, size_t lead, size_t bytes);

/* Memory for large buffers that are used again and again; *@len grows to what there is. */
SLU_MUST_USE int slu_big_room(uint8_t **memory, size_t *len, size_t want);
/* Gives back what is far too large for @want: of a few large samples among small ones each buffer would remember one.
 */
void slu_big_trim(uint8_t **memory, size_t *len, size_t want);
void slu_big_free(uint8_t *memory, size_t len);

#endif
