/* SPDX-License-Identifier: MIT */
/*
 * The threads of a loader: each does whatever is next. See loader.h.
 *
 * While storage is read, planning comes first, so that many reads are in flight; while all is in memory, finishing
 * comes first, so that a batch is handed out while it is still in the processor's cache.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "load/loader.h"
#include "order/mix.h"
#include "pack/many.h"

enum { CHUNK = 64 }; /* samples in one call to pack/ */

/* ---- a slice ------------------------------------------------------------------------------------------------------
 */

/* Nobody will see the batch any more: a loader that is freed or started again does not wait for the rest of it. */
static bool is_dropped(const struct slu_loader *l)
{
	return atomic_load_explicit(&l->draining, memory_order_relaxed);
}

static void fetch(struct slu_worker *w, struct slu_job *j, const struct slu_fetch *f, const size_t *which, size_t n)
{
	struct slu_loader *l = w->loader;

	for (size_t done = 0; done < n;) {
		ssize_t r = slu_pack_fetch_many(l->pack, f + done, n - done, l->seen, &w->checked);
		if (r < 0) {
			slu_job_bad(l, j, which[done], (int)r);
			r = 1;
		}
		done += (size_t)r;
	}
}

/* One sample into memory of this thread. Negative: it is bad, and that is noted. */
static int fetch_own(struct slu_worker *w, struct slu_job *j, size_t k)
{
	const struct slu_sample *at = &j->at[k];
	struct slu_fetch f = { (uint64_t)j->batch->samples[k], at, j->stored[k], NULL };
	ssize_t r = slu_big_room(&w->sample, &w->sample_len, at->size);

	f.out = w->sample;
	if (r == 0)
		r = slu_pack_fetch_many(w->loader->pack, &f, 1, w->loader->seen, &w->checked);
	if (r < 0)
		slu_job_bad(w->loader, j, k, (int)r);
	return r < 0 ? (int)r : 0;
}

/* How many of the first samples of a slice have a header that would reach into the slice before, which is another's. */
static size_t count_detours(const struct slu_loader *l, size_t first, size_t last)
{
	if (!l->skip || first == 0) /* before the first of all there is room */
		return 0;
	return (size_t)slu_min(last - first,
	                       l->sample_bytes ? (l->skip + l->sample_bytes - 1) / l->sample_bytes : last - first);
}

/*
 * Backwards: where a header is to be left out (`skip`), it is copied over the ends of the samples before, which come
 * after it and are then written in full. The first ones of a slice have no such place: they take a way round.
 */
static void copy_slice(struct slu_worker *w, struct slu_job *j, size_t first, size_t last)
{
	struct slu_loader *l = w->loader;
	struct slu_fetch f[CHUNK];
	size_t which[CHUNK], n = 0;
	uint8_t *data = j->batch->info.data;
	size_t direct = first + count_detours(l, first, last);

	for (size_t k = last; k-- > direct && !is_dropped(l);) {
		if (slu_job_lacks(j, k))
			continue;
		which[n] = k;
		f[n++] = (struct slu_fetch){ (uint64_t)j->batch->samples[k], &j->at[k], j->stored[k],
			                     data + j->batch->offsets[k] - l->skip };
		if (n == CHUNK) {
			fetch(w, j, f, which, n);
			n = 0;
		}
	}
	if (n)
		fetch(w, j, f, which, n);
	for (size_t k = first; k < direct && !is_dropped(l); k++)
		if (!slu_job_lacks(j, k) && fetch_own(w, j, k) == 0)
			memcpy(data + j->batch->offsets[k], w->sample + l->skip, l->sample_bytes);
}

/* The sentence of a failed image, with the sample's name; and what is wrong with one of another size. */
static int tell_image(struct slu_worker *w, uint64_t sample, size_t len, int err)
{
	struct slu_loader *l = w->loader;
	char path[SLU_PATH_MAX] = "?", sentence[512];
	uint32_t width, height;

	(void)!slu_pack_path(l->pack, slu_pack_sample_node(l->pack, sample), path); /* "?" at worst */
	if (err == -EMSGSIZE && slu_jpeg_size(w->jpeg, w->sample, len, &width, &height) == 0)
		return slu_fail(-EINVAL,
		                "%s: sample %llu (%s) is an image of %ux%u, the first one is of %ux%u: give a size",
		                l->pack->path, (unsigned long long)sample, path, width, height, l->image_width,
		                l->image_height);
	(void)snprintf(sentence, sizeof(sentence), "%s", slu_errmsg()); /* cut off at worst */
	return slu_fail(err, "%s: sample %llu (%s): %s", l->pack->path, (unsigned long long)sample, path, sentence);
}

/* w->sample has the bytes of sample @k. Images that come out as they are must all be of one size. */
static int decode(struct slu_worker *w, struct slu_job *j, size_t k)
{
	struct slu_loader *l = w->loader;
	uint64_t key = slu_mix_nth(slu_mix_nth(slu_mix64(l->opt.seed), l->epoch), (uint64_t)j->batch->samples[k]);
	uint32_t width, height;
	int r;

	if (!l->jpeg.width) {
		if ((r = slu_jpeg_size(w->jpeg, w->sample, j->at[k].size, &width, &height)) < 0)
			return r;
		if (width != l->image_width || height != l->image_height)
			return -EMSGSIZE;
	}
	return slu_jpeg_decode(w->jpeg, &l->jpeg, w->sample, j->at[k].size, key,
	                       (uint8_t *)j->batch->info.data + j->batch->offsets[k], l->sample_bytes);
}

static void decode_slice(struct slu_worker *w, struct slu_job *j, size_t first, size_t last)
{
	struct slu_loader *l = w->loader;

	for (size_t k = first; k < last && !is_dropped(l); k++) {
		uint64_t sample = (uint64_t)j->batch->samples[k];
		int r;
		if (slu_job_lacks(j, k) || fetch_own(w, j, k) < 0)
			continue;
		r = decode(w, j, k);
		if (r < 0)
			slu_job_bad(l, j, k, tell_image(w, sample, j->at[k].size, r));
	}
}

static void work_slice(struct slu_worker *w, struct slu_job *j, size_t first, size_t last)
{
	if (w->loader->opt.jpeg)
		decode_slice(w, j, first, last);
	else
		copy_slice(w, j, first, last);
}

/* ---- what is next; all under the lock
 * --------------------------------------------------------------------------------- */

static struct slu_job *open_job(const struct slu_loader *l)
{
	for (struct slu_job *j = l->first; j; j = j->next)
		if (j->state == SLU_JOB_WORKING && j->next_slice < j->slices)
			return j;
	return NULL;
}

static bool may_plan(const struct slu_loader *l)
{
	size_t near = 2 * (size_t)l->nworkers + 2;

	if (l->planning || l->draining || l->failed || l->planned >= l->share.batches || l->njobs >= SLU_LOAD_MAX_JOBS)
		return false;
	if (l->njobs < 2)
		return true;
	return l->ahead_bytes < l->opt.ahead_bytes && (l->missing || l->njobs < near);
}

static void wake_workers(struct slu_loader *l, bool all)
{
	if (!l->idle)
		return;
	if (all)
		pthread_cond_broadcast(&l->work);
	else
		pthread_cond_signal(&l->work);
}

static void job_done(struct slu_loader *l, struct slu_job *j)
{
	j->state = SLU_JOB_DONE;
	if (l->consumer_waits && j == l->first)
		pthread_cond_signal(&l->ready);
}

static void do_plan(struct slu_loader *l)
{
	struct slu_job *j = l->spare;
	uint64_t number = l->planned++;

	if (j) {
		l->spare = j->next;
		l->spare_bytes -= j->stage_len;
	} else if (!(j = calloc(1, sizeof(*j)))) {
		slu_loader_fail(l, slu_fail_memory());
		return;
	}
	l->planning = true;
	pthread_mutex_unlock(&l->lock);
	slu_plan(l, j, number);
	pthread_mutex_lock(&l->lock);
	j->next = NULL;
	*l->end = j;
	l->end = &j->next;
	l->njobs++;
	l->ahead_bytes += slu_job_bytes(j);
	l->missing = j->nreads > 0;
	l->in_flight += j->nreads;
	l->planning = false;
	if (j->state == SLU_JOB_DONE)
		job_done(l, j);
	if (j->nreads) {
		size_t n = j->nreads; /* the job may be done with before the last line */
		l->stats.reads += n;
		pthread_mutex_unlock(&l->lock);
		for (size_t i = 0; i < n; i++)
			slu_aio_add(l->aio, &j->reads[i]);
		pthread_mutex_lock(&l->lock);
	}
	wake_workers(l, true);
}

static void do_slice(struct slu_worker *w, struct slu_job *j)
{
	struct slu_loader *l = w->loader;
	size_t s = j->next_slice++;

	pthread_mutex_unlock(&l->lock);
	work_slice(w, j, j->n * s / j->slices, j->n * (s + 1) / j->slices);
	pthread_mutex_lock(&l->lock);
	l->stats.verified += w->checked;
	w->checked = 0;
	if (++j->slices_done == j->slices)
		job_done(l, j);
}

/* A read that failed is tried once more by mapping: then the sentence names the sample, and a shard that came back
 * helps. */
static void read_failed(struct slu_job *j, const struct slu_aio_read *r)
{
	for (size_t k = 0; k < j->n; k++)
		if (j->stored[k] >= r->buf && j->stored[k] < r->buf + r->len)
			j->stored[k] = NULL;
}

static void do_reap(struct slu_loader *l)
{
	struct slu_aio_read *done, *next;

	l->reaping = true;
	pthread_mutex_unlock(&l->lock);
	done = slu_aio_reap(l->aio);
	pthread_mutex_lock(&l->lock);
	l->reaping = false;
	for (; done; done = next) {
		struct slu_job *j = done->owner;
		next = done->next;
		l->in_flight--;
		if (done->result < 0)
			read_failed(j, done);
		else
			l->stats.read_bytes += done->len;
		if (--j->reads_left == 0)
			j->state = SLU_JOB_WORKING;
	}
	wake_workers(l, true);
	if (l->consumer_waits)
		pthread_cond_signal(&l->ready); /* what it waits for may be another thing now */
}

static void rest(struct slu_loader *l)
{
	bool full = l->planned < l->share.batches && !l->draining && !l->in_flight && !l->failed;

	l->idle++;
	if (full && l->idle == l->nworkers && l->started)
		l->all_idle_ns = slu_now_ns();
	pthread_cond_wait(&l->work, &l->lock);
	l->idle--;
}

/* One step, if there is one to do. */
static bool step(struct slu_worker *w)
{
	struct slu_loader *l = w->loader;
	struct slu_job *j = l->draining ? NULL : open_job(l);

	if (may_plan(l) && (!j || l->missing))
		do_plan(l);
	else if (j)
		do_slice(w, j);
	else
		return false;
	return true;
}

void *slu_work(void *arg)
{
	struct slu_worker *w = arg;
	struct slu_loader *l = w->loader;

	pthread_mutex_lock(&l->lock);
	while (!l->stop) {
		uint64_t began = slu_now_ns();
		l->busy++;
		if (step(w)) {
			l->stats.work_ns += slu_now_ns() - began;
			l->busy--;
		} else if (l->in_flight && !l->reaping) {
			do_reap(l);
			l->busy--;
		} else {
			l->busy--;
			if (l->draining && !l->busy && !l->in_flight)
				pthread_cond_signal(&l->ready);
			rest(l);
			continue;
		}
		if (l->draining)
			wake_workers(l, true);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}
