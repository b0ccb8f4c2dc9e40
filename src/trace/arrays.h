/* SPDX-License-Identifier: MIT */
/*
 * A thread's runs and spans are arrays in the log that grow by being copied: to twice the size and more, and when they
 * have reached the most, to and fro between two places of that size, made fewer each time. The thread's record points
 * to the new one when it is complete, so that whoever is killed meanwhile has left the old one.
 */
#ifndef SLU_TRACE_ARRAYS_H
#define SLU_TRACE_ARRAYS_H

#include "trace/record.h"

struct slu_rec_array {
	enum slu_log_kind kind;
	uint32_t width;
	uint32_t first, most;
	uint32_t max; /* records that the array has room for; changed by growing */
};

static inline struct slu_log_chunk *slu_rec_array_chunk(const void *records)
{
	return (struct slu_log_chunk *)(uintptr_t)records - 1;
}

/* Where to copy @old (NULL: there is none) to: a larger place (then a->max is more), or one as large. NULL: no room. */
void *slu_rec_array_grow(struct slu_recorder *r, const struct slu_rec_thread *t, struct slu_rec_array *a,
                         const void *old);

/* The copy, with @used bytes, is what the thread's record means from now on. */
void slu_rec_array_publish(struct slu_recorder *r, slu_ref *what, void *records, uint64_t used, const void *old);

void slu_rec_memory_free(void *p, uint64_t bytes);

#endif
