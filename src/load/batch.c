/* SPDX-License-Identifier: MIT */
/* The memory of batches. See batch.h. */
#include "load/batch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/macros.h"

enum { ALIGN = 64, PAGE = 4096, HUGE = 2 << 20, MUCH = 256 << 10 };

struct slu_batch_pool {
	pthread_mutex_t lock; /* all below */
	struct slu_batch *free;
	size_t free_bytes, keep_bytes;
	pid_t pid;
	uint32_t refs; /* the loader's, and one for each batch that is held */
};

/* ---- large memory --------------------------------------------------------------------------------------------- */

void slu_big_free(uint8_t *memory, size_t len)
{
	if (memory)
		(void)munmap(memory, len);
}

int slu_big_room(uint8_t **memory, size_t *len, size_t want)
{
	size_t bytes;
	void *m;

	if (*memory && want <= *len)
		return 0;
	/* A quarter more, since the next batch will be a little larger or smaller. */
	bytes = slu_up(want + want / 4 + 1, want >= HUGE ? HUGE : PAGE);
	m = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED)
		return slu_fail_memory();
	(void)madvise(m, bytes, MADV_HUGEPAGE); /* where it is not to be had it does without */
	slu_big_free(*memory, *len);
	*memory = m;
	*len = bytes;
	return 0;
}

void slu_big_trim(uint8_t **memory, size_t *len, size_t want)
{
	if (*len <= MUCH || *len / 4 <= want)
		return;
	slu_big_free(*memory, *len);
	*memory = NULL;
	*len = 0;
}

/* ---- batches --------------------------------------------------------------------------------------------------- */

static size_t batch_bytes(const struct slu_batch *b)
{
	return sizeof(*b) + (3 * b->samples_room + 1) * sizeof(*b->samples) + b->memory_len;
}

static void free_batch(struct slu_batch *b)
{
	slu_big_free(b->memory, b->memory_len);
	free(b->samples);
	free(b);
}

int slu_batch_pool_new(size_t keep_bytes, struct slu_batch_pool **ret_pool)
{
	struct slu_batch_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return slu_fail_memory();
	pthread_mutex_init(&pool->lock, NULL);
	pool->keep_bytes = keep_bytes;
	pool->pid = getpid();
	pool->refs = 1;
	*ret_pool = pool;
	return 0;
}

/* Frees it if nobody needs it; else unlocks it. */
static void unref_locked(struct slu_batch_pool *pool)
{
	bool last = --pool->refs == 0;

	pthread_mutex_unlock(&pool->lock);
	if (!last)
		return;
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

void slu_batch_pool_unref(struct slu_batch_pool *pool)
{
	struct slu_batch *b, *next;

	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->keep_bytes = 0; /* the loader has gone: what comes back will not be needed, nor what is there */
	b = pool->free;
	pool->free = NULL;
	unref_locked(pool);
	for (; b; b = next) {
		next = b->next;
		free_batch(b);
	}
}

static int grow_arrays(struct slu_batch *b, size_t count)
{
	int64_t *all;

	if (count <= b->samples_room)
		return 0;
	all = malloc((3 * count + 1) * sizeof(*all));
	if (!all)
		return slu_fail_memory();
	free(b->samples);
	b->samples = all;
	b->labels = all + count;
	b->offsets = all + 2 * count;
	b->samples_room = count;
	return 0;
}

int slu_batch_new(struct slu_batch_pool *pool, size_t count, struct slu_batch **ret_batch)
{
	struct slu_batch *b;

	pthread_mutex_lock(&pool->lock);
	b = pool->free;
	if (b) {
		pool->free = b->next;
		pool->free_bytes -= batch_bytes(b);
	}
	pthread_mutex_unlock(&pool->lock);
	if (!b && !(b = calloc(1, sizeof(*b))))
		return slu_fail_memory();
	if (grow_arrays(b, count) < 0) {
		free_batch(b);
		return -ENOMEM;
	}
	b->pool = pool;
	b->info = (struct slu_batch_info){ .count = count, .samples = b->samples, .offsets = b->offsets };
	atomic_store(&b->refs, 1);
	pthread_mutex_lock(&pool->lock);
	pool->refs++;
	pthread_mutex_unlock(&pool->lock);
	*ret_batch = b;
	return 0;
}

int slu_batch_make_room(struct slu_batch *b, size_t lead, size_t bytes)
{
	int r;

	lead = slu_up(lead, ALIGN);
	slu_big_trim(&b->memory, &b->memory_len, lead + bytes);
	if ((r = slu_big_room(&b->memory, &b->memory_len, lead + bytes)) < 0)
		return r;
	b->info.data = b->memory + lead;
	b->info.bytes = bytes;
	return 0;
}

const struct slu_batch_info *slu_batch_info(const struct slu_batch *b)
{
	return &b->info;
}

struct slu_batch *slu_batch_ref(struct slu_batch *b)
{
	atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
	return b;
}

void slu_batch_unref(struct slu_batch *b)
{
	struct slu_batch_pool *pool;

	if (!b || atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
		return;
	pool = b->pool;
	if (pool->pid != getpid()) {
		free_batch(b); /* in a forked child the lock may be one that nobody will give back: the pool is left
		                  alone */
		return;
	}
	pthread_mutex_lock(&pool->lock);
	if (pool->free_bytes + batch_bytes(b) <= pool->keep_bytes) {
		b->next = pool->free;
		pool->free = b;
		pool->free_bytes += batch_bytes(b);
		b = NULL;
	}
	unref_locked(pool);
	if (b)
		free_batch(b);
}
