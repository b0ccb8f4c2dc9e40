/* SPDX-License-Identifier: MIT */
/*
 * The loader, inside. The public face is sluice/load.h.
 *
 * A batch on its way is a job: planned (plan.c: which samples, where they are, how the batch is laid out, which bytes
 * must come from storage), read (aio/), worked on in slices (work.c: copy, check, decompress, decode), handed out
 * (loader.c). There is no thread for each of these: every thread of the loader does whatever is next.
 *
 * Invariants
 *  (1) jobs are planned, and handed out, in order; between that they overtake one another
 *  (2) all that threads share is under `lock`, except: a job that is being planned belongs to the one who plans, and
 *      the samples of a slice to the one who works on it
 *  (3) what is ahead of the consumer is bounded: in bytes while storage is read, in batches while all is in memory
 *  (4) the result depends on no clock and no thread: only the opportunistic order asks what is in memory
 *  (5) every thread sleeps when there is nothing to do
 */
#ifndef SLU_LOAD_LOADER_H
#define SLU_LOAD_LOADER_H

#include <pthread.h>
#include <sluice/load.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "aio/aio.h"
#include "image/jpeg.h"
#include "load/batch.h"
#include "order/opportunistic.h"
#include "order/order.h"
#include "pack/pack.h"

enum { SLU_LOAD_MAX_BATCH = 1 << 24, SLU_LOAD_MAX_JOBS = 256, SLU_LOAD_DEPTH = 128 };

enum slu_job_state { SLU_JOB_READING = 1, SLU_JOB_WORKING, SLU_JOB_DONE };

struct slu_bad {
	struct slu_bad *next;
	size_t k; /* which of the batch's samples */
	int err;
	char message[];
};

struct slu_job {
	struct slu_job *next; /* in the loader's queue, or of the spare ones */
	enum slu_job_state state;
	struct slu_batch *batch;
	int error; /* planning failed altogether */
	char *message;
	size_t n, room;         /* samples; arrays have room for so many */
	struct slu_sample *at;  /* where they are */
	const uint8_t **stored; /* their bytes as stored, where those were read; else NULL */
	size_t *slot;           /* which of them are to be read, while that is found out */
	struct slu_aio_read *reads;
	size_t nreads, reads_left;
	uint8_t *stage; /* what is read goes here */
	size_t stage_len, stage_used;
	size_t slices, next_slice, slices_done;
	struct slu_bad *bad;   /* in no order, until slu_job_sort_bad() */
	uint64_t position;     /* behind it */
	uint8_t *picker_state; /* the opportunistic order's, behind it */
	size_t picker_state_len;
};

/* What is in memory and what is not: asked of the kernel, seldom while the answer is yes. */
struct slu_residency {
	unsigned all_right; /* answers in a row that were yes */
	unsigned turn;
	int *shard_fds; /* by shard; -1: not opened yet */
};

struct slu_worker {
	struct slu_loader *loader;
	pthread_t thread;
	struct slu_jpeg *jpeg;
	uint8_t *sample; /* one sample, before it is decoded */
	size_t sample_len;
	uint64_t checked;
};

struct slu_loader {
	/* Set by slu_loader_new(). */
	struct slu_pack *pack;
	struct slu_loader_options opt;
	struct slu_jpeg_options jpeg;
	uint32_t image_width, image_height; /* of what comes out: as jpeg says, or as the first image is */
	struct slu_order_spec spec;
	struct slu_schema schema;
	bool fixed; /* all samples have `sample_bytes` in a batch, after `skip` others where they are stored */
	size_t sample_bytes, skip;
	bool has_labels;
	struct slu_column label;
	_Atomic uint64_t *seen; /* a bit a sample that was checked; NULL: always check */
	void *sorted;           /* grouped: the sample at each place of the sorted column, if they are not stored so */
	bool sorted_wide;
	pid_t pid; /* whose threads they are */

	/* Set by slu_loader_start(), while no thread works. */
	struct slu_order order;
	struct slu_order_share share;
	struct slu_order_picker *picker;
	uint64_t epoch, first_batch; /* which of the share's batches it began with */
	bool started;

	/* Of whoever plans. */
	struct slu_residency residency;
	struct slu_aio *aio;

	pthread_mutex_t lock; /* all below */
	pthread_cond_t work, ready;
	struct slu_job *first, **end, *spare;   /* the queue, oldest first */
	size_t njobs, ahead_bytes, spare_bytes; /* spare_bytes: stages of those that are spare */
	uint64_t planned;                       /* batches */
	bool planning, reaping, missing;        /* missing: the last one planned must be read from storage */
	_Atomic bool draining;                  /* read between two samples too, without the lock */
	bool stop;
	size_t in_flight;    /* reads */
	unsigned busy, idle; /* threads: at work; asleep */
	bool consumer_waits;
	int failed; /* the epoch is over */
	char *failure;
	uint64_t position;
	uint8_t *picker_state;
	size_t picker_state_len;
	struct slu_batch_pool *pool;
	struct slu_loader_stats stats;
	uint64_t started_ns, all_idle_ns; /* 0: not */
	uint64_t asked_ns;                /* when slu_loader_next() last returned */
	uint64_t epoch_bad, epoch_good;   /* samples of this epoch */
	unsigned nworkers;
	struct slu_worker *workers;
};

/* ---- plan.c ---- */

/* Fills in @job for batch @number. A failure is the job's. */
void slu_plan(struct slu_loader *l, struct slu_job *job, uint64_t number);

/* ---- work.c ---- */

void *slu_work(void *worker);

/* ---- residency.c ---- */

SLU_MUST_USE int slu_residency_init(struct slu_residency *r, const struct slu_pack *p);
void slu_residency_done(struct slu_residency *r, const struct slu_pack *p);

/* A descriptor of shard @k, which stays open with @r. */
SLU_MUST_USE int slu_residency_fd(struct slu_residency *r, struct slu_pack *p, uint32_t k);

/* Whether the bytes at @s can be had without waiting, as far as the kernel tells. */
bool slu_is_resident(struct slu_residency *r, struct slu_pack *p, const struct slu_sample *s);

/* The same, but seldom asked while all is there. */
bool slu_seems_resident(struct slu_residency *r, struct slu_pack *p, const struct slu_sample *s);

/* ---- sorted.c ---- */

/* For the grouped order: sees whether the samples are stored sorted by the column, and if not makes a table. */
SLU_MUST_USE int slu_sorted_make(struct slu_loader *l, const char *field);
uint64_t slu_sorted_at(void *loader, uint64_t k);

/* ---- job.c; all but slu_job_bad() under the lock ---- */

/* What it takes of the bytes that may be ahead; the same from its planning until it is handed out. */
static inline size_t slu_job_bytes(const struct slu_job *j)
{
	return j->stage_used + (j->batch ? j->batch->info.bytes : 0);
}

/* The oldest, out of the queue; NULL: there is none. */
struct slu_job *slu_job_take_first(struct slu_loader *l);

/* It can be planned again; keeps its memory. */
void slu_job_put_back(struct slu_loader *l, struct slu_job *job);
void slu_job_free(struct slu_job *job);

/* Found bad while it was planned: there is nothing to read. */
static inline bool slu_job_lacks(const struct slu_job *j, size_t k)
{
	return j->at[k].shard == UINT32_MAX;
}

static inline void slu_job_set_lacks(struct slu_job *j, size_t k)
{
	j->at[k] = (struct slu_sample){ .shard = UINT32_MAX };
}

/* The list of what is bad, by sample. */
void slu_job_sort_bad(struct slu_job *job);

/* Notes that sample @k of the job cannot be had, with the sentence of this thread. (What has nothing to do with the
 * sample, such as a want of memory or of descriptors, ends the epoch instead.) */
void slu_job_bad(struct slu_loader *l, struct slu_job *job, size_t k, int err);

/* Ends the epoch with @err and the sentence of this thread. */
void slu_loader_fail(struct slu_loader *l, int err);

/* ---- loader.c ---- */

/* Begins an epoch at @position. @picker_state, if any, is checked; it belongs to a share that began at @start. */
SLU_MUST_USE int slu_loader_begin(struct slu_loader *l, uint64_t epoch, uint64_t position, uint64_t start,
                                  const uint8_t *picker_state, size_t picker_state_len);

#endif
