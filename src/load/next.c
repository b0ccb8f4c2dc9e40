/* SPDX-License-Identifier: MIT */
/*
 * The next batch: waited for, judged, handed out. See loader.h.
 *
 * What to do about bad samples is asked here, in the caller's thread and without the lock, so that the answer may come
 * from any code of the host.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "load/loader.h"

/* Waits until the oldest job is done: 1; 0: there is none to come; -ETIMEDOUT. Under the lock. */
static int wait_for_first(struct slu_loader *l, int timeout_ms)
{
	uint64_t until = slu_now_ns() + (timeout_ms > 0 ? (uint64_t)timeout_ms : 0) * 1000000u;
	struct timespec at = { (time_t)(until / 1000000000u), (long)(until % 1000000000u) };
	int r = 0;

	while (!l->failed && !(l->first && l->first->state == SLU_JOB_DONE)) {
		uint64_t began = slu_now_ns(), *waited;
		if (!l->first && !l->planning && l->planned >= l->share.batches)
			return 0;
		if (r)
			return -ETIMEDOUT;
		waited = l->first && l->first->state == SLU_JOB_READING ? &l->stats.waited_io_ns
		                                                        : &l->stats.waited_work_ns;
		l->consumer_waits = true;
		r = timeout_ms < 0 ? pthread_cond_wait(&l->ready, &l->lock)
		                   : pthread_cond_timedwait(&l->ready, &l->lock, &at);
		l->consumer_waits = false;
		*waited += slu_now_ns() - began;
	}
	return l->failed ? l->failed : 1;
}

static void move_sample(struct slu_batch *b, size_t from, size_t to, int64_t *end)
{
	int64_t bytes = b->offsets[from + 1] - b->offsets[from];

	memmove((uint8_t *)b->info.data + *end, (uint8_t *)b->info.data + b->offsets[from], (size_t)bytes);
	b->samples[to] = b->samples[from];
	if (b->info.labels)
		b->labels[to] = b->labels[from];
	b->offsets[to] = *end; /* to <= from: what it says there has been read */
	*end += bytes;
}

/* The batch without its bad samples. */
static void leave_out(struct slu_job *j)
{
	struct slu_batch *b = j->batch;
	const struct slu_bad *bad = j->bad;
	int64_t end = 0;
	size_t to = 0;

	for (size_t k = 0; k < j->n; k++) {
		if (bad && bad->k == k) {
			while (bad && bad->k == k)
				bad = bad->next;
			continue;
		}
		move_sample(b, k, to++, &end);
	}
	b->offsets[to] = end;
	b->info.count = to;
	b->info.bytes = (uint64_t)end;
}

/* -ETIMEDOUT is ours, and means: call again. A file system's becomes an input/output error. */
static int failure(int err, const char *message)
{
	return slu_fail(err == -ETIMEDOUT ? -EIO : err, "%s", message);
}

/* Asks about each bad sample. Without the lock: the callback may take its time. */
static int judge(struct slu_loader *l, struct slu_job *j, uint64_t *ret_bad)
{
	slu_job_sort_bad(j);
	if (j->error)
		return failure(j->error, j->message ? j->message : "out of memory");
	for (const struct slu_bad *b = j->bad, *last = NULL; b; last = b, b = b->next) {
		uint64_t sample = (uint64_t)j->batch->samples[b->k];
		int r;
		if (last && last->k == b->k)
			continue;
		if (!l->opt.bad_sample)
			return failure(b->err, b->message);
		if ((r = l->opt.bad_sample(l->opt.bad_arg, sample, b->err, b->message)) < 0)
			return failure(r, b->message);
		++*ret_bad;
	}
	if (j->bad)
		leave_out(j);
	return 0;
}

/* Under the lock. */
static void hand_out(struct slu_loader *l, struct slu_job *j)
{
	uint8_t *state = l->picker_state;

	l->position = j->position;
	if (l->picker) {
		l->picker_state = j->picker_state;
		l->picker_state_len = j->picker_state_len;
		j->picker_state = state;
	}
	l->stats.batches += j->batch->info.count > 0; /* one whose samples are all bad is not */
	l->stats.samples += j->batch->info.count;
	l->epoch_good += j->batch->info.count;
	l->stats.bytes += j->batch->info.bytes;
}

/* A training that goes on with nothing must not pass for one. Under the lock. */
static int nothing_left(struct slu_loader *l)
{
	int r = slu_fail(-EBADMSG, "%s: all %llu samples of the epoch are bad", l->pack->path,
	                 (unsigned long long)l->epoch_bad);

	slu_loader_fail(l, r);
	return r;
}

int slu_loader_next(struct slu_loader *l, int timeout_ms, struct slu_batch **ret_batch)
{
	struct slu_job *j;
	uint64_t bad = 0;
	int r;

	if (l->nworkers && l->pid != getpid())
		return slu_fail(-ECHILD, "the loader was started before fork(); start it again in the child");
	if (!l->started)
		return slu_fail(-EINVAL, "the loader has not been started");
	pthread_mutex_lock(&l->lock);
	if (l->all_idle_ns)
		l->stats.waited_consumer_ns += slu_now_ns() - l->all_idle_ns;
	l->all_idle_ns = 0;
	do {
		if ((r = wait_for_first(l, timeout_ms)) == 0 && l->epoch_bad && !l->epoch_good)
			r = nothing_left(l);
		if (r <= 0)
			break;
		j = slu_job_take_first(l);
		pthread_mutex_unlock(&l->lock);
		r = judge(l, j, &bad);
		pthread_mutex_lock(&l->lock);
		l->stats.bad += bad;
		l->epoch_bad += bad;
		bad = 0;
		if (r < 0) {
			slu_loader_fail(l, r);
		} else {
			hand_out(l, j);
			if (j->batch->info.count) { /* else all of it was bad: the next one, then */
				*ret_batch = SLU_TAKE(j->batch);
				r = 1;
			}
		}
		slu_job_put_back(l, j);
		pthread_cond_signal(&l->work);
	} while (r == 0);
	if (r < 0 && r != -ETIMEDOUT)
		r = slu_fail(r, "%s", l->failure ? l->failure : "out of memory");
	l->asked_ns = slu_now_ns();
	pthread_mutex_unlock(&l->lock);
	return r;
}
