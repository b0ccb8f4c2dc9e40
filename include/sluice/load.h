/* SPDX-License-Identifier: MIT */
/*
 * sluice/load.h - whole batches, in any order, ready before they are asked for
 *
 *     struct slu_loader_options opt = { .batch_size = 256, .order = "global", .seed = 7 };
 *     struct slu_loader *l;
 *     struct slu_batch *b;
 *     int r = slu_loader_new(pack, &opt, &l);
 *     for (uint64_t epoch = 0; r >= 0 && epoch < 90; epoch++) {
 *             if ((r = slu_loader_start(l, epoch, 0)) < 0)
 *                     break;
 *             while ((r = slu_loader_next(l, -1, &b)) > 0) {
 *                     train(slu_batch_info(b));
 *                     slu_batch_unref(b);
 *             }
 *     }
 *     slu_loader_free(l);
 *
 * Orders. An epoch is one sequence of positions, a pure function of (seed, epoch, order, number of samples); which
 * sample stands at a position costs O(1) to know. Ranks take turns: from the position where they started, rank r of W
 * takes every W-th one, beginning with the r-th. So a job that stops after position p on 8 ranks goes on at p on 6.
 *
 *   sequential         as stored
 *   global             all samples shuffled
 *   block:K[:M]        blocks of K neighbours shuffled, then the samples in each window of M (16) such blocks
 *   local              each rank's part of the pack shuffled by itself; its positions belong to one number of ranks
 *   opportunistic[:L]  global, but of its next L (64 K) samples a rank takes those first that are in memory
 *   replacement        each position draws from all samples
 *   grouped:FIELD[:G]  sorted by a column of the pack, cut into groups of G samples (unless told, 16 times the batch
 *                      size); groups are shuffled, and samples in groups. All ranks work on one group at a time, so G
 * is to be a multiple of all ranks' batches together. A column that is not sorted in the pack costs 4 bytes a sample
 * (8, from 2^32 samples on) while the loader lives
 *
 * The end of an epoch. Each rank gets the same number of samples. Without drop_last what does not go round is filled
 * up from the beginning of the sequence, and the last batch may be short; with it, what does not fill a batch on every
 * rank is left out. (As torch's DistributedSampler and DataLoader, with both their drop_last alike.)
 *
 * Batches. The samples end to end (offsets say where each begins), each verified, or, where all are arrays of one type
 * and shape (slu_pack_schema(), or decoded images), one array. A batch belongs to whoever holds a reference, also after
 * the loader is gone; its memory is used again when the last one is given back.
 *
 * Threads. One thread at a time calls into a loader; the work is done by threads of its own. They do not survive
 * a fork(): in the child slu_loader_start() begins anew, and what was under way is -ECHILD.
 */
#ifndef SLUICE_LOAD_H
#define SLUICE_LOAD_H

#include <stdint.h>
#include <sys/types.h>

#include <sluice/image.h>
#include <sluice/pack.h>
#include <sluice/sluice.h>

#ifdef __cplusplus
extern "C" {
#endif

struct slu_loader; /* opaque */
struct slu_batch;  /* opaque; counted references */

enum slu_load_verify {
	SLU_LOAD_VERIFY_ONCE = 0, /* each sample at its first use by this loader: one bit of memory a sample */
	SLU_LOAD_VERIFY_ALWAYS,   /* at every use */
};

enum slu_load_io {
	SLU_LOAD_IO_AUTO = 0, /* mapped where the data is in memory; else io_uring, or pread where that is forbidden */
	SLU_LOAD_IO_MMAP,     /* mapped always */
	SLU_LOAD_IO_URING,    /* -EOPNOTSUPP where it is forbidden, or was not built in */
	SLU_LOAD_IO_PREAD,    /* pread in threads of its own */
};

/*
 * A sample that cannot be had: damaged, not an image, its shard gone. Called by slu_loader_next(), in its thread.
 * 0: the batch comes without it. Negative: slu_loader_next() fails with that.
 */
typedef int slu_bad_sample_fn(void *arg, uint64_t sample, int err, const char *message);

/* All zero is the default. New members are added at the end only. */
struct slu_loader_options {
	uint32_t size;       /* sizeof(struct slu_loader_options), or 0 */
	uint32_t batch_size; /* samples; 0: 1 */
	const char *order;   /* as above; NULL: sequential */
	uint64_t seed;
	uint32_t rank, world;                /* world 0: 1 */
	uint32_t threads;                    /* 0: one for each CPU that this process may use */
	uint32_t drop_last;                  /* 1: yes */
	uint32_t verify;                     /* enum slu_load_verify */
	uint32_t io;                         /* enum slu_load_io */
	uint64_t ahead_bytes;                /* what may be read ahead; 0: 128 MiB. Two batches always may be */
	const struct slu_jpeg_options *jpeg; /* samples are JPEG images, to be decoded; NULL: they are not. Copied */
	slu_bad_sample_fn *bad_sample;       /* NULL: a bad sample is a failure */
	void *bad_arg;
};

/*
 * @pack must stay open as long as the loader. -EINVAL an option | -ENOENT no such column | -EOPNOTSUPP not built in
 */
SLU_API SLU_MUST_USE int slu_loader_new(struct slu_pack *pack, const struct slu_loader_options *opt,
                                        struct slu_loader **ret_loader);

/* NULL is allowed. Waits for reads that are under way; batches that are held stay valid. */
SLU_API void slu_loader_free(struct slu_loader *l);

/* Begins @epoch at global position @position (0: its beginning); what was under way is dropped. */
SLU_API SLU_MUST_USE int slu_loader_start(struct slu_loader *l, uint64_t epoch, uint64_t position);

/*
 * The next batch: 1, and a reference to it; 0 at the end of the epoch. Waits at most @timeout_ms (-1: as long as it
 * takes), then -ETIMEDOUT, which nothing else gives: call again. After any other failure the epoch is over until it is
 * started again; what was handed out before stays counted in slu_loader_save(). An epoch of which every sample was bad
 * ends with -EBADMSG, also where bad ones are left out: it is no epoch.
 */
SLU_API SLU_MUST_USE int slu_loader_next(struct slu_loader *l, int timeout_ms, struct slu_batch **ret_batch);

/* How many batches this rank has from the last slu_loader_start() to the end; of a whole epoch before the first. */
SLU_API uint64_t slu_loader_batches(const struct slu_loader *l);

/* How many samples the whole epoch has for all ranks, without padding: the end of positions. */
SLU_API uint64_t slu_loader_samples(const struct slu_loader *l);

/* What a sample is in a batch, if all are arrays of one type and shape. -ENOENT: they are not. skip is 0. */
SLU_API SLU_MUST_USE int slu_loader_schema(const struct slu_loader *l, struct slu_schema *ret_schema);

/*
 * How random the order is: its entropy, with ideal shuffles in place of keyed ones, over log2(n!). 0: always the
 * same; 1: a full shuffle. replacement may exceed 1; opportunistic gives its upper bound.
 */
SLU_API double slu_loader_randomness(const struct slu_loader *l);

/* ---- where it is, kept and found again ------------------------------------------------------------------------- */

/* The epoch, and the position behind the last batch that slu_loader_next() gave. */
SLU_API void slu_loader_position(const struct slu_loader *l, uint64_t *ret_epoch, uint64_t *ret_position);

/*
 * All that slu_loader_restore() needs, in @buf of @cap bytes; its length (call with 0 to learn it). A few dozen bytes,
 * but for the opportunistic order, whose state is a bitmap.
 */
SLU_API SLU_MUST_USE ssize_t slu_loader_save(const struct slu_loader *l, void *buf, size_t cap);

/*
 * Starts where the saved loader was: O(1). Pack, order and seed must be the same; ranks and batches may be others,
 * unless the order depends on them (local, opportunistic). -EINVAL: they are not | -EBADMSG: not a saved state |
 * -EPROTONOSUPPORT: of another version of the orders
 */
SLU_API SLU_MUST_USE int slu_loader_restore(struct slu_loader *l, const void *buf, size_t n);

/* ---- batches --------------------------------------------------------------------------------------------------- */

struct slu_batch_info {
	uint64_t count;         /* of samples */
	const int64_t *samples; /* their numbers */
	const int64_t *offsets; /* count + 1: where each begins in data, and the end */
	const int64_t *labels;  /* of the column "label"; NULL: the pack has none */
	void *data;             /* aligned to 64 bytes; may be written to by whoever has the only reference */
	uint64_t bytes;
	uint64_t position; /* behind it: where slu_loader_start() would go on */
};

/* Valid as long as the batch is held. */
SLU_API const struct slu_batch_info *slu_batch_info(const struct slu_batch *b);
SLU_API struct slu_batch *slu_batch_ref(struct slu_batch *b);
SLU_API void slu_batch_unref(struct slu_batch *b); /* NULL is allowed; any thread */

/* ---- where the time went --------------------------------------------------------------------------------------- */

struct slu_loader_stats {
	uint64_t batches, samples, bytes; /* handed out; bytes as in batches */
	uint64_t bad;                     /* samples left out */
	uint64_t read_bytes, reads;       /* from storage, by io_uring or pread; the rest was mapped */
	uint64_t verified;                /* samples whose checksum was compared */
	uint64_t waited_io_ns;            /* slu_loader_next() waited for a read from storage */
	uint64_t waited_work_ns;          /* it waited for copying, checking, decompressing, decoding */
	uint64_t waited_consumer_ns;      /* all threads waited for slu_loader_next() to be called */
	uint64_t work_ns;                 /* the threads worked, all together */
	uint64_t elapsed_ns;              /* from the first slu_loader_start() to the last slu_loader_next() */
};

SLU_API void slu_loader_get_stats(const struct slu_loader *l, struct slu_loader_stats *ret_stats);

#ifdef __cplusplus
}
#endif
#endif
