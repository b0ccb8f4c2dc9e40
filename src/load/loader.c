/* SPDX-License-Identifier: MIT */
/* The loader's public face: made, started, asked for batches. See loader.h. */
#include "load/loader.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/options.h"
#include "base/parallel.h"

enum { AHEAD_BYTES = 128 << 20, GROUP_BATCHES = 16, IMAGE_TRIES = 1000 };

/* ---- made
 * ------------------------------------------------------------------------------------------------------------ */

static int take_options(struct slu_loader *l, const struct slu_loader_options *opt)
{
	struct slu_loader_options *o = &l->opt;
	int r = slu_options_take(opt, sizeof(*o), sizeof(*o), o);

	if (r < 0)
		return r;
	o->batch_size = (uint32_t)slu_max(o->batch_size, 1);
	o->world = (uint32_t)slu_max(o->world, 1);
	o->ahead_bytes = o->ahead_bytes ? o->ahead_bytes : AHEAD_BYTES;
	if (o->batch_size > SLU_LOAD_MAX_BATCH)
		return slu_fail(-EINVAL, "a batch of %u samples: at most %d are possible", o->batch_size,
		                SLU_LOAD_MAX_BATCH);
	if (o->rank >= o->world)
		return slu_fail(-EINVAL, "rank %u of %u: ranks count from 0", o->rank, o->world);
	if (o->verify > SLU_LOAD_VERIFY_ALWAYS || o->io > SLU_LOAD_IO_PREAD)
		return slu_fail(-EINVAL, "verify %u or io %u is not one that this version knows", o->verify, o->io);
	if ((r = slu_order_parse(o->order ? o->order : "sequential", &l->spec)) < 0)
		return r;
	o->order = NULL; /* the caller's; l->spec has it */
	return 0;
}

static int image_size_of(struct slu_loader *l, struct slu_jpeg *jpeg, uint64_t i)
{
	SLU_AUTO(mem) uint8_t *data = NULL;
	struct slu_sample s;
	ssize_t n;
	int r;

	if ((r = slu_pack_sample(l->pack, i, &s)) < 0)
		return r;
	if (!(data = malloc(slu_max(s.size, 1))))
		return slu_fail_memory();
	if ((n = slu_pack_read(l->pack, i, data, s.size)) < 0)
		return (int)n;
	return slu_jpeg_size(jpeg, data, (size_t)n, &l->image_width, &l->image_height);
}

/* Images that come out as they are: as large as the first one, or, where bad ones are left out, the first good one. */
static int take_image_size(struct slu_loader *l, struct slu_jpeg *jpeg)
{
	uint64_t n = slu_pack_count(l->pack), tries = l->opt.bad_sample ? slu_min(n, IMAGE_TRIES) : slu_min(n, 1);
	int r = 0;

	l->image_width = l->jpeg.width;
	l->image_height = l->jpeg.height;
	if (l->jpeg.width)
		return 0;
	for (uint64_t i = 0; i < tries; i++)
		if ((r = image_size_of(l, jpeg, i)) == 0)
			break;
	return r;
}

static int take_images(struct slu_loader *l)
{
	struct slu_jpeg *jpeg;
	int r;

	if ((r = slu_jpeg_options(l->opt.jpeg, &l->jpeg)) < 0 || (r = slu_jpeg_new(&jpeg)) < 0)
		return r;
	r = take_image_size(l, jpeg);
	slu_jpeg_free(jpeg);
	if (r < 0)
		return r;
	l->sample_bytes = slu_jpeg_pixel_bytes(&l->jpeg) * l->image_width * l->image_height;
	l->opt.jpeg = &l->jpeg;
	l->fixed = true;
	l->schema = (struct slu_schema){ .ndim = 3, .shape = { l->jpeg.channels, l->image_height, l->image_width } };
	if (l->jpeg.layout == SLU_NHWC)
		memcpy(l->schema.shape, (uint64_t[3]){ l->image_height, l->image_width, l->jpeg.channels },
		       3 * sizeof(uint64_t));
	(void)snprintf(l->schema.dtype, sizeof(l->schema.dtype), "%s", l->jpeg.dtype == SLU_F32 ? "<f4" : "|u1");
	return 0;
}

/* The pack's schema was checked when the pack was opened: its size fits. */
static void take_schema(struct slu_loader *l)
{
	size_t bytes;

	if (slu_pack_schema(l->pack, &l->schema) < 0)
		return;
	bytes = (size_t)strtoul(l->schema.dtype + strcspn(l->schema.dtype, "0123456789"), NULL, 10);
	for (uint32_t d = 0; d < l->schema.ndim; d++)
		if (__builtin_mul_overflow(bytes, l->schema.shape[d], &bytes))
			return;
	if (bytes > SIZE_MAX / 4 / l->opt.batch_size)
		return; /* too large for a batch: then as bytes */
	l->fixed = true;
	l->skip = l->schema.skip;
	l->sample_bytes = bytes;
	l->schema.skip = 0;
}

static int take_order(struct slu_loader *l)
{
	struct slu_order_options o = {
		.n = slu_pack_count(l->pack),
		.seed = l->opt.seed,
		.world = l->opt.world,
		.spec = l->spec,
		.sorted_arg = l,
	};
	int r;

	if (l->spec.mode == SLU_ORDER_GROUPED && (r = slu_sorted_make(l, l->spec.field)) < 0)
		return r;
	/* As if it had been said: the state must tell, since another batch size would be another order. */
	if (l->spec.mode == SLU_ORDER_GROUPED && !l->spec.size)
		o.spec.size = l->spec.size = (uint64_t)GROUP_BATCHES * l->opt.batch_size;
	o.sorted_at = l->sorted ? slu_sorted_at : NULL;
	if ((r = slu_order_init(&l->order, &o)) < 0)
		return r;
	if (l->spec.mode == SLU_ORDER_OPPORTUNISTIC && !(l->picker = malloc(sizeof(*l->picker))))
		return slu_fail_memory();
	return slu_order_share(o.n, 0, l->opt.rank, l->opt.world, l->opt.batch_size, l->opt.drop_last, &l->share);
}

static int fill_in(struct slu_loader *l, const struct slu_loader_options *opt)
{
	int r;

	if ((r = take_options(l, opt)) < 0 || (r = slu_residency_init(&l->residency, l->pack)) < 0 ||
	    (r = slu_batch_pool_new(l->opt.ahead_bytes, &l->pool)) < 0)
		return r;
	if (l->opt.jpeg)
		r = take_images(l);
	else
		take_schema(l);
	if (r < 0 || (r = take_order(l)) < 0)
		return r;
	r = slu_pack_column(l->pack, "label", &l->label);
	if (r < 0 && r != -ENOENT)
		return r;
	l->has_labels = r == 0;
	if (l->opt.verify == SLU_LOAD_VERIFY_ONCE &&
	    !(l->seen = calloc(slu_pack_count(l->pack) / 64 + 1, sizeof(*l->seen))))
		return slu_fail_memory();
	return 0;
}

static void init_locks(struct slu_loader *l)
{
	pthread_condattr_t clock;

	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&l->work, NULL);
	pthread_cond_init(&l->ready, &clock);
	pthread_condattr_destroy(&clock);
}

int slu_loader_new(struct slu_pack *pack, const struct slu_loader_options *opt, struct slu_loader **ret_loader)
{
	struct slu_loader *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return slu_fail_memory();
	l->pack = pack;
	l->end = &l->first;
	init_locks(l);
	if ((r = fill_in(l, opt)) < 0) {
		slu_loader_free(l);
		return r;
	}
	*ret_loader = l;
	return 0;
}

/* ---- threads
 * ----------------------------------------------------------------------------------------------------------- */

static int open_engine(struct slu_loader *l)
{
	static const enum slu_aio_engine engine[] = {
		[SLU_LOAD_IO_AUTO] = SLU_AIO_ANY,
		[SLU_LOAD_IO_URING] = SLU_AIO_URING,
		[SLU_LOAD_IO_PREAD] = SLU_AIO_THREADS,
	};

	if (l->opt.io == SLU_LOAD_IO_MMAP || l->aio)
		return 0;
	return slu_aio_open(engine[l->opt.io], SLU_LOAD_DEPTH, &l->aio);
}

static int start_threads(struct slu_loader *l)
{
	unsigned want = slu_threads(l->opt.threads);
	int r;

	if (l->nworkers)
		return 0;
	if ((r = open_engine(l)) < 0)
		return r;
	if (!l->workers && !(l->workers = calloc(want, sizeof(*l->workers))))
		return slu_fail_memory();
	l->pid = getpid();
	pthread_mutex_lock(&l->lock); /* they begin when they know how many they are */
	for (; l->nworkers < want; l->nworkers++) {
		struct slu_worker *w = &l->workers[l->nworkers];
		w->loader = l;
		if (l->opt.jpeg && !w->jpeg && (r = slu_jpeg_new(&w->jpeg)) < 0)
			break;
		if ((r = slu_thread_start(&w->thread, slu_work, w)) < 0) {
			(void)slu_fail_sys(r, "cannot start a thread");
			break;
		}
	}
	pthread_mutex_unlock(&l->lock);
	return l->nworkers ? 0 : r; /* fewer do the same work */
}

/* Nobody works and nothing is in flight any more; what was planned is dropped. Under the lock. */
static void drain(struct slu_loader *l)
{
	struct slu_job *j;

	l->draining = true;
	l->all_idle_ns = 0;
	pthread_cond_broadcast(&l->work);
	while (l->nworkers && (l->busy || l->in_flight))
		pthread_cond_wait(&l->ready, &l->lock);
	l->draining = false;
	while ((j = slu_job_take_first(l)))
		slu_job_put_back(l, j);
}

/*
 * In the child of a fork() the threads are not there. Where they were is lost: locks, what they were making, the ring
 * and its buffers; all that is left behind, and everything begins anew.
 */
static void forget_threads(struct slu_loader *l)
{
	if (!l->nworkers || l->pid == getpid())
		return;
	init_locks(l);
	l->nworkers = l->busy = l->idle = 0;
	l->workers = NULL;
	l->aio = NULL;
	l->first = l->spare = NULL;
	l->end = &l->first;
	l->njobs = l->ahead_bytes = l->spare_bytes = l->in_flight = 0;
	l->draining = false;
	l->planning = l->reaping = l->missing = l->consumer_waits = false;
	l->pool = NULL;
	l->started = false;
}

void slu_loader_free(struct slu_loader *l)
{
	struct slu_job *next;

	if (!l)
		return;
	forget_threads(l);
	pthread_mutex_lock(&l->lock);
	drain(l);
	l->stop = true;
	pthread_cond_broadcast(&l->work);
	pthread_mutex_unlock(&l->lock);
	for (unsigned i = 0; i < l->nworkers; i++) {
		pthread_join(l->workers[i].thread, NULL);
		slu_jpeg_free(l->workers[i].jpeg);
		slu_big_free(l->workers[i].sample, l->workers[i].sample_len);
	}
	slu_aio_close(l->aio);
	for (; l->spare; l->spare = next) {
		next = l->spare->next;
		slu_job_free(l->spare);
	}
	slu_residency_done(&l->residency, l->pack);
	slu_batch_pool_unref(l->pool);
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->work);
	pthread_cond_destroy(&l->ready);
	free(l->workers);
	free(l->picker);
	free(l->picker_state);
	free(l->sorted);
	free((void *)l->seen);
	free(l->failure);
	free(l);
}

/* ---- an epoch
 * ----------------------------------------------------------------------------------------------------------- */

/* A picker that goes on counts its batches from where it is, which another batch size may have left in the midst. */
static void count_left(struct slu_loader *l)
{
	uint64_t left = slu_order_picker_left(l->picker), batch = l->opt.batch_size;

	l->first_batch = (l->share.samples - left) / batch;
	l->share.batches = l->first_batch + (l->opt.drop_last ? left / batch : (left + batch - 1) / batch);
}

static int set_epoch(struct slu_loader *l, uint64_t epoch, uint64_t start, const uint8_t *state, size_t state_len)
{
	struct slu_order_share share;
	uint64_t n = slu_pack_count(l->pack);
	int r;

	if (start > n)
		return slu_fail(-EINVAL, "position %llu is beyond the %llu samples of %s", (unsigned long long)start,
		                (unsigned long long)n, l->pack->path);
	if ((r = slu_order_share(n, start, l->opt.rank, l->opt.world, l->opt.batch_size, l->opt.drop_last, &share)) < 0)
		return r;
	slu_order_epoch(&l->order, epoch);
	l->share = share;
	l->epoch = epoch;
	l->first_batch = 0;
	if (!l->picker)
		return 0;
	if ((r = slu_order_picker_init(l->picker, &l->order, &share)) < 0 ||
	    (state && (r = slu_order_picker_restore(l->picker, state, state_len)) < 0))
		return r;
	count_left(l);
	return 0;
}

int slu_loader_begin(struct slu_loader *l, uint64_t epoch, uint64_t position, uint64_t start, const uint8_t *state,
                     size_t state_len)
{
	int r;

	forget_threads(l);
	if (!l->pool && (r = slu_batch_pool_new(l->opt.ahead_bytes, &l->pool)) < 0)
		return r;
	pthread_mutex_lock(&l->lock);
	drain(l);
	l->failed = 0;
	l->position = position;
	l->epoch_bad = l->epoch_good = 0;
	l->picker_state_len = 0;
	l->missing = true; /* until it is known, storage comes first */
	l->started = false;
	r = set_epoch(l, epoch, start, state, state_len);
	if (r >= 0 && l->picker && !l->picker_state && !(l->picker_state = malloc(SLU_ORDER_STATE_MAX)))
		r = slu_fail_memory();
	if (r >= 0 && l->picker)
		l->picker_state_len = slu_order_picker_save(l->picker, l->picker_state);
	l->planned = l->first_batch;
	if (r >= 0)
		l->started = true;
	else
		l->share.batches = l->first_batch = l->planned = 0; /* nothing is planned before it is started well */
	if (!l->started_ns)
		l->started_ns = slu_now_ns();
	pthread_mutex_unlock(&l->lock);
	if (r < 0)
		return r;
	if ((r = start_threads(l)) < 0) {
		l->started = false; /* nobody would ever bring a batch */
		return r;
	}
	pthread_mutex_lock(&l->lock);
	pthread_cond_broadcast(&l->work);
	pthread_mutex_unlock(&l->lock);
	return 0;
}

int slu_loader_start(struct slu_loader *l, uint64_t epoch, uint64_t position)
{
	return slu_loader_begin(l, epoch, position, position, NULL, 0);
}

/* ---- what it knows of itself
 * --------------------------------------------------------------------------------------------- */

uint64_t slu_loader_batches(const struct slu_loader *l)
{
	return l->share.batches - l->first_batch;
}

uint64_t slu_loader_samples(const struct slu_loader *l)
{
	return slu_pack_count(l->pack);
}

int slu_loader_schema(const struct slu_loader *l, struct slu_schema *ret_schema)
{
	if (!l->fixed)
		return slu_fail(-ENOENT, "%s: the samples are not arrays of one type and shape", l->pack->path);
	*ret_schema = l->schema;
	return 0;
}

double slu_loader_randomness(const struct slu_loader *l)
{
	return slu_order_entropy(&l->order);
}

void slu_loader_position(const struct slu_loader *l, uint64_t *ret_epoch, uint64_t *ret_position)
{
	*ret_epoch = l->epoch;
	*ret_position = l->position;
}

void slu_loader_get_stats(const struct slu_loader *l, struct slu_loader_stats *ret_stats)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&l->lock;
	bool ours = !l->nworkers || l->pid == getpid(); /* in a forked child a thread that is gone may have the lock */

	if (ours)
		pthread_mutex_lock(lock);
	*ret_stats = l->stats;
	ret_stats->elapsed_ns = l->asked_ns > l->started_ns ? l->asked_ns - l->started_ns : 0;
	if (ours)
		pthread_mutex_unlock(lock);
}
