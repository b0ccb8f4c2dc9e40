/* SPDX-License-Identifier: MIT */
/*
 * Reads in flight: many at once, behind one table.
 *
 * A read is the caller's structure; from slu_aio_add() until slu_aio_reap() gives it back it and its buffer belong
 * to the engine. Two engines: io_uring, and threads that call pread() where that is forbidden. (Mapped files are
 * read by pack/, which needs no engine.)
 *
 * Invariants
 *  (1) each read that was added comes back exactly once
 *  (2) a read comes back whole or with an error: short transfers are dealt with here
 *  (3) any thread may add; one thread at a time reaps
 *  (4) nothing is in flight when slu_aio_close() is called: the caller reaps first
 */
#ifndef SLU_AIO_AIO_H
#define SLU_AIO_AIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct slu_aio_read {
	int fd;
	uint8_t *buf;
	size_t len;
	uint64_t offset;
	void *owner;
	int result; /* 0: all of it; -ENODATA: the file ends before; another negative errno */
	/* The engine's. */
	size_t got;
	struct slu_aio_read *next; /* also of the list that slu_aio_reap() gives */
};

enum slu_aio_engine { SLU_AIO_ANY = 0, SLU_AIO_URING, SLU_AIO_THREADS };

struct slu_aio;

struct slu_aio_ops {
	const char *name;
	SLU_MUST_USE int (*open)(unsigned depth, struct slu_aio **ret_aio);
	void (*close)(struct slu_aio *a);
	void (*add)(struct slu_aio *a, struct slu_aio_read *r);
	struct slu_aio_read *(*reap)(struct slu_aio *a);
};

struct slu_aio {
	const struct slu_aio_ops *ops; /* first in every engine's own */
};

extern const struct slu_aio_ops slu_aio_uring, slu_aio_threads;

/* "liburing 2.3", with which it was built; NULL in a build without. */
const char *slu_aio_uring_version(void);

/* At most @depth reads are given to the system at once. -EOPNOTSUPP: the engine is forbidden or was not built in. */
SLU_MUST_USE int slu_aio_open(enum slu_aio_engine engine, unsigned depth, struct slu_aio **ret_aio);
void slu_aio_close(struct slu_aio *a);

/* Reads, or puts it in the queue. */
static inline void slu_aio_add(struct slu_aio *a, struct slu_aio_read *r)
{
	r->got = 0;
	r->result = 0;
	r->next = NULL;
	a->ops->add(a, r);
}

/* Waits until at least one is done; those that are, as a list. There must be one that was added. */
static inline struct slu_aio_read *slu_aio_reap(struct slu_aio *a)
{
	return a->ops->reap(a);
}

/* First in, first out; of reads that wait. */
struct slu_aio_queue {
	struct slu_aio_read *first, **end;
};

static inline void slu_aio_queue_init(struct slu_aio_queue *q)
{
	q->first = NULL;
	q->end = &q->first;
}

static inline void slu_aio_queue_put(struct slu_aio_queue *q, struct slu_aio_read *r)
{
	r->next = NULL;
	*q->end = r;
	q->end = &r->next;
}

static inline struct slu_aio_read *slu_aio_queue_take(struct slu_aio_queue *q)
{
	struct slu_aio_read *r = q->first;

	if (r && !(q->first = r->next))
		q->end = &q->first;
	return r;
}

#endif
