/* SPDX-License-Identifier: MIT */
/* Arrays in the log: see arrays.h. */
#include "trace/arrays.h"

#include <sys/mman.h>

void slu_rec_memory_free(void *p, uint64_t bytes)
{
	if (p)
		munmap(p, bytes);
}

/* The other place of the same size: a dead chunk of this thread. */
static struct slu_log_chunk *spare(struct slu_recorder *r, slu_ref owner, uint64_t bytes)
{
	char *base = atomic_load(&r->base);
	uint64_t end = ((struct slu_log_header *)base)->end;

	for (uint64_t at = SLU_LOG_HEADER; at < end;) {
		struct slu_log_chunk *c = (struct slu_log_chunk *)(base + at);
		if (c->kind == SLU_CHUNK_DEAD && c->owner == owner && c->bytes == bytes)
			return c;
		at += c->bytes;
	}
	return NULL;
}

void *slu_rec_array_grow(struct slu_recorder *r, const struct slu_rec_thread *t, struct slu_rec_array *a,
                         const void *old)
{
	uint32_t max = a->max ? (uint32_t)slu_min(4 * (uint64_t)a->max, a->most) : a->first;
	uint64_t bytes = (uint64_t)max * a->width, whole = slu_up(sizeof(struct slu_log_chunk) + bytes, 16);
	struct slu_log_chunk *c;

	slu_rec_lock(&r->lock);
	/* Dead at first: it is nothing yet. */
	c = max == a->max ? spare(r, t->ref, whole) : NULL;
	if (!c)
		c = slu_rec_chunk(r, SLU_CHUNK_DEAD, bytes, t->ref);
	slu_rec_unlock(&r->lock);
	if (!c)
		return NULL;
	c->reserved = a->kind;
	a->max = max;
	return c + 1;
}

void slu_rec_array_publish(struct slu_recorder *r, slu_ref *what, void *records, uint64_t used, const void *old)
{
	struct slu_log_chunk *c = slu_rec_array_chunk(records);

	c->used = used;
	__atomic_store_n(&c->kind, (uint32_t)c->reserved, __ATOMIC_RELEASE);
	__atomic_store_n(what, slu_rec_ref(r, c), __ATOMIC_RELEASE);
	if (old)
		__atomic_store_n(&slu_rec_array_chunk(old)->kind, SLU_CHUNK_DEAD, __ATOMIC_RELEASE);
}
