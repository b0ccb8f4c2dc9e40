/* SPDX-License-Identifier: MIT */
/* Reads by threads that call pread(), where io_uring is forbidden. See aio.h. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "aio/aio.h"
#include "base/fd.h"
#include "base/macros.h"
#include "base/parallel.h"

/* Enough to keep a disk or a server busy; they sleep almost always. */
enum { MAX_READERS = 16 };

struct readers {
	struct slu_aio aio;
	pthread_mutex_t lock; /* all below */
	pthread_cond_t work, done;
	struct slu_aio_queue waiting, finished;
	bool stop;
	unsigned n;
	pthread_t threads[MAX_READERS];
};

static void *read_on(void *arg)
{
	struct readers *t = arg;
	struct slu_aio_read *r;
	ssize_t got;

	pthread_mutex_lock(&t->lock);
	for (;;) {
		while (!t->stop && !t->waiting.first)
			pthread_cond_wait(&t->work, &t->lock);
		if (!(r = slu_aio_queue_take(&t->waiting)))
			break;
		pthread_mutex_unlock(&t->lock);
		got = slu_pread(r->fd, r->buf, r->len, r->offset);
		r->result = got < 0 ? (int)got : (size_t)got < r->len ? -ENODATA : 0;
		pthread_mutex_lock(&t->lock);
		slu_aio_queue_put(&t->finished, r);
		pthread_cond_signal(&t->done);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static void threads_add(struct slu_aio *a, struct slu_aio_read *r)
{
	struct readers *t = (struct readers *)a;

	pthread_mutex_lock(&t->lock);
	slu_aio_queue_put(&t->waiting, r);
	pthread_cond_signal(&t->work);
	pthread_mutex_unlock(&t->lock);
}

static struct slu_aio_read *threads_reap(struct slu_aio *a)
{
	struct readers *t = (struct readers *)a;
	struct slu_aio_read *list;

	pthread_mutex_lock(&t->lock);
	while (!t->finished.first)
		pthread_cond_wait(&t->done, &t->lock);
	list = t->finished.first;
	slu_aio_queue_init(&t->finished);
	pthread_mutex_unlock(&t->lock);
	return list;
}

static void threads_close(struct slu_aio *a)
{
	struct readers *t = (struct readers *)a;

	pthread_mutex_lock(&t->lock);
	t->stop = true;
	pthread_cond_broadcast(&t->work);
	pthread_mutex_unlock(&t->lock);
	for (unsigned i = 0; i < t->n; i++)
		pthread_join(t->threads[i], NULL);
	pthread_cond_destroy(&t->work);
	pthread_cond_destroy(&t->done);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

static int threads_open(unsigned depth, struct slu_aio **ret_aio)
{
	struct readers *t = calloc(1, sizeof(*t));

	if (!t)
		return slu_fail_memory();
	t->aio.ops = &slu_aio_threads;
	slu_aio_queue_init(&t->waiting);
	slu_aio_queue_init(&t->finished);
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->work, NULL);
	pthread_cond_init(&t->done, NULL);
	while (t->n < slu_min(depth, MAX_READERS) && slu_thread_start(&t->threads[t->n], read_on, t) == 0)
		t->n++;
	if (t->n == 0) {
		threads_close(&t->aio);
		return slu_fail(-EAGAIN, "no thread can be started to read with");
	}
	*ret_aio = &t->aio;
	return 0;
}

const struct slu_aio_ops slu_aio_threads = { "pread", threads_open, threads_close, threads_add, threads_reap };
