/* SPDX-License-Identifier: MIT */
/* Reads by io_uring. See aio.h. */
#include <errno.h>
#include <liburing.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aio/aio.h"
#include "base/macros.h"

enum { MAX_READ = 1 << 30 }; /* in one go: well below what a result can tell */

struct uring {
	struct slu_aio aio;
	struct io_uring ring;
	pthread_mutex_t lock; /* the submission side and what is below; completions have one reader */
	struct slu_aio_queue waiting;
	unsigned depth, in_flight;
};

/* A read that the ring cannot take: done here and now, so that it comes back all the same. */
static void read_at_once(struct slu_aio_read *r)
{
	while (r->got < r->len) {
		ssize_t n = pread(r->fd, r->buf + r->got, r->len - r->got, (off_t)(r->offset + r->got));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			r->result = n < 0 ? -errno : -ENODATA;
			return;
		}
		r->got += (size_t)n;
	}
}

/* Under the lock. */
static void push(struct uring *u)
{
	unsigned added = 0;

	while (u->waiting.first && u->in_flight < u->depth) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);
		struct slu_aio_read *r;
		if (!sqe)
			break;
		r = slu_aio_queue_take(&u->waiting);
		io_uring_prep_read(sqe, r->fd, r->buf + r->got, (unsigned)slu_min(r->len - r->got, MAX_READ),
		                   r->offset + r->got);
		io_uring_sqe_set_data(sqe, r);
		u->in_flight++;
		added++;
	}
	/* What the kernel has no room for now stays in the ring; slu_aio_reap() tries again. */
	if (added)
		(void)io_uring_submit(&u->ring);
}

static void uring_add(struct slu_aio *a, struct slu_aio_read *r)
{
	struct uring *u = (struct uring *)a;

	pthread_mutex_lock(&u->lock);
	slu_aio_queue_put(&u->waiting, r);
	push(u);
	pthread_mutex_unlock(&u->lock);
}

/* Whether @r is through; else the rest of it waits again. */
static bool settle(struct uring *u, struct slu_aio_read *r, int result)
{
	u->in_flight--;
	if (result == -EINVAL || result == -EOPNOTSUPP) {
		read_at_once(r); /* an operation or a file that this kernel's ring does not know */
		return true;
	}
	if (result == 0)
		r->result = -ENODATA;
	else if (result < 0 && result != -EINTR && result != -EAGAIN)
		r->result = result;
	else if (result > 0)
		r->got += (size_t)result;
	if (r->result < 0 || r->got == r->len)
		return true;
	slu_aio_queue_put(&u->waiting, r);
	return false;
}

/* Whether the kernel has something to wait for: it may have had no room for any of it. */
static bool is_under_way(struct uring *u)
{
	bool yes;

	pthread_mutex_lock(&u->lock);
	if (io_uring_sq_ready(&u->ring))
		(void)io_uring_submit(&u->ring);
	yes = u->in_flight > io_uring_sq_ready(&u->ring);
	pthread_mutex_unlock(&u->lock);
	return yes;
}

static struct slu_aio_read *uring_reap(struct slu_aio *a)
{
	struct uring *u = (struct uring *)a;
	struct slu_aio_read *done = NULL;
	struct io_uring_cqe *cqe;

	while (!done) {
		int err;
		if (!is_under_way(u)) {
			(void)usleep(1000);
			continue;
		}
		err = io_uring_wait_cqe(&u->ring, &cqe);
		pthread_mutex_lock(&u->lock);
		for (; err == 0; err = io_uring_peek_cqe(&u->ring, &cqe)) {
			struct slu_aio_read *r = io_uring_cqe_get_data(cqe);
			int result = cqe->res;
			io_uring_cqe_seen(&u->ring, cqe);
			if (settle(u, r, result)) {
				r->next = done;
				done = r;
			}
		}
		push(u);
		pthread_mutex_unlock(&u->lock);
	}
	return done;
}

static void uring_close(struct slu_aio *a)
{
	struct uring *u = (struct uring *)a;

	io_uring_queue_exit(&u->ring);
	pthread_mutex_destroy(&u->lock);
	free(u);
}

static int uring_open(unsigned depth, struct slu_aio **ret_aio)
{
	SLU_AUTO(mem) struct uring *u = calloc(1, sizeof(*u));
	int r;

	if (!u)
		return slu_fail_memory();
	r = io_uring_queue_init(depth, &u->ring, 0);
	if (r < 0)
		return slu_fail(-EOPNOTSUPP, "io_uring cannot be used here: %s", strerror(-r));
	u->aio.ops = &slu_aio_uring;
	u->depth = depth;
	slu_aio_queue_init(&u->waiting);
	pthread_mutex_init(&u->lock, NULL);
	*ret_aio = &SLU_TAKE(u)->aio;
	return 0;
}

const struct slu_aio_ops slu_aio_uring = { "io_uring", uring_open, uring_close, uring_add, uring_reap };

const char *slu_aio_uring_version(void)
{
	return SLU_URING_VERSION;
}
