/* SPDX-License-Identifier: MIT */
/*
 * Orders: the sequence in which an epoch visits samples.
 *
 * An epoch of n samples is one global sequence of positions 0 .. n-1, and an order says which sample stands
 * at a position: slu_order_at(). It is arithmetic: nothing is kept for a sample, no position needs another one,
 * and whoever knows seed, epoch, mode and n knows the whole future of every rank.
 *
 * Ranks read the sequence strided, as torch's DistributedSampler: from the position `start` on, the j-th sample of
 * rank r of W is at start + j * W + r (struct slu_order_share). A job that has come to position p on 8 ranks goes
 * on on 6 with start = p.
 *
 *   sequential         as stored
 *   global             all of [0, n) shuffled
 *   block:K[:M]        blocks of K neighbours are shuffled, then the samples in each window of M such blocks
 *   local              each rank's part (slu_order_part()) shuffled by itself
 *   opportunistic[:L]  global, but each rank takes of its next L samples those first that are in memory
 *                      (order/opportunistic.h; slu_order_at() tells what it is without that)
 *   replacement        each position draws from all samples
 *   grouped:FIELD[:G]  samples sorted by FIELD, cut into groups of G alike, groups shuffled, and samples in groups;
 *                      all ranks work on one group at a time, so a batch has like samples, and ranks equal work
 *                      (if G is many times world * batch: where a group ends, batches mix)
 *
 * Invariants
 *  (1) every mode but replacement: positions [0, n) visit each sample exactly once
 *  (2) an order does not depend on the world; local does, since its parts do, and opportunistic, which depends
 *      on what is in memory too
 *  (3) an element costs O(1), and so does beginning anywhere: for n beyond SLU_BIJECTION_TABLE a new epoch does
 *      too. (n counts blocks for block, groups for grouped.)
 *  (4) consecutive seeds and epochs, and different modes, give unrelated orders
 *  (5) SLU_ORDER_VERSION names all of this: as long as it stays, no order changes (tests/unit/order-golden.c)
 *
 * Nothing here allocates, reads or keeps state outside the caller's structures.
 */
#ifndef SLU_ORDER_ORDER_H
#define SLU_ORDER_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "order/bijection.h"

#define SLU_ORDER_VERSION 1

/* Samples, and so positions, at most: sums of two positions never overflow. */
#define SLU_ORDER_MAX SLU_SHUFFLE_MAX

/* ---- what was asked for (spec.c) ---- */

enum slu_order_mode {
	SLU_ORDER_SEQUENTIAL,
	SLU_ORDER_GLOBAL,
	SLU_ORDER_BLOCK,
	SLU_ORDER_LOCAL,
	SLU_ORDER_OPPORTUNISTIC,
	SLU_ORDER_REPLACEMENT,
	SLU_ORDER_GROUPED,
};

enum {
	SLU_ORDER_FIELD_MAX = 128,    /* with its end */
	SLU_ORDER_TEXT_MAX = 192,     /* enough for any order as text */
	SLU_ORDER_WINDOW_BLOCKS = 16, /* M, unless told */
	SLU_ORDER_LOOKAHEAD = 65536,  /* L, unless told; also its most */
};

/* All zero is the sequential order; a zero size or window, where one may be left out, the default. */
struct slu_order_spec {
	enum slu_order_mode mode;
	uint64_t size;                   /* block: K; grouped: G; opportunistic: L */
	uint64_t window;                 /* block: M */
	char field[SLU_ORDER_FIELD_MAX]; /* grouped: a name without ':'; its meaning is the caller's */
};

/* "block:1024" and the like, as above. Sizes may be written as 64K. -EINVAL */
SLU_MUST_USE int slu_order_parse(const char *text, struct slu_order_spec *ret_spec);

/* The shortest text that slu_order_parse() reads as @spec; in @buf, which is given back. */
const char *slu_order_format(const struct slu_order_spec *spec, char buf[SLU_ORDER_TEXT_MAX]);

/* Whether @spec is one that slu_order_parse() could give. -EINVAL */
SLU_MUST_USE int slu_order_spec_check(const struct slu_order_spec *spec);

/* ---- the order (order.c) ---- */

/* The sample at place @k < n of the sorted column. Must be a bijection of [0, n). */
typedef uint64_t (*slu_order_sorted_fn)(void *arg, uint64_t k);

struct slu_order_options {
	uint64_t n; /* samples */
	uint64_t seed;
	uint64_t epoch;
	uint32_t world; /* ranks; 0 is 1. Only local wants to know */
	struct slu_order_spec spec;
	uint64_t group;                /* grouped: G, if the spec has none */
	slu_order_sorted_fn sorted_at; /* grouped: NULL if the samples are stored sorted */
	void *sorted_arg;
};

/* In the caller's storage (8 KiB); owns nothing, so there is nothing to release. Members are for order/ alone.
 * Between slu_order_init() and slu_order_epoch() it does not change: threads may share it. */
struct slu_order {
	struct slu_order_options opt;
	uint64_t key; /* of what is drawn for each position, part or window */
	/* block and grouped: positions in a grid of whole blocks, as if the short one were whole. */
	uint64_t block;             /* K, G */
	uint64_t blocks;            /* how many */
	uint64_t window;            /* samples in whole windows: M * K */
	uint64_t missing;           /* samples that the last block is short of */
	uint64_t short_at;          /* which place the last block has come to */
	struct slu_bijection outer; /* of samples, or of blocks */
};

/* -EINVAL: a spec that is none, or too many samples. Zero samples are fine. */
SLU_MUST_USE int slu_order_init(struct slu_order *o, const struct slu_order_options *opt);

/* Another epoch of the same. */
void slu_order_epoch(struct slu_order *o, uint64_t epoch);

/* The sample at @position. Positions past the end, which is where padding leads, begin again at 0; in the local
 * order at the beginning of the rank's own part, or, if that is empty (n < world), at 0. Without samples: 0. */
uint64_t slu_order_at(const struct slu_order *o, uint64_t position);

/*
 * How random the order is (entropy.c): its entropy with ideal shuffles in place of keyed ones, over log2(n!), that
 * of a full shuffle. 0: always the same; 1: as good as it gets. replacement may exceed 1, since it chooses among
 * n^n sequences; opportunistic gives its upper bound, 1. With at most one sample there is nothing to lose: 1.
 */
double slu_order_entropy(const struct slu_order *o);

/* The lower bound of opportunistic, while the same @resident of @n samples are in memory for the whole epoch: what is
 * lost at most is how those and the others interleave. */
double slu_order_entropy_resident(uint64_t n, uint64_t resident);

/* ---- a rank's share of the sequence (share.c) ---- */

struct slu_order_share {
	uint64_t n;
	uint64_t start;
	uint32_t rank;
	uint32_t world;
	uint32_t batch;
	uint64_t samples; /* of this rank, and of each other */
	uint64_t batches; /* the last one may be short, unless drop_last */
};

/*
 * What rank @rank of @world reads of positions [@start, @n) in batches of @batch.
 * Without @drop_last, what does not go round is padded with positions past the end (slu_order_at() wraps them);
 * with it, what does not fill a batch on each rank is left out. -EINVAL
 */
SLU_MUST_USE int slu_order_share(uint64_t n, uint64_t start, uint32_t rank, uint32_t world, uint32_t batch,
                                 bool drop_last, struct slu_order_share *ret_share);

/* The position of the rank's sample @j < samples. */
static inline uint64_t slu_order_share_at(const struct slu_order_share *s, uint64_t j)
{
	return s->start + j * s->world + s->rank;
}

/* Where to start after all ranks have done @batches: at most n. The local order goes on with as many ranks only. */
uint64_t slu_order_share_next(const struct slu_order_share *s, uint64_t batches);

/* The samples of @rank in the local order: [*ret_first, *ret_first + *ret_count). The first n % world parts have one
 * more than the others, so that the first n positions visit all. */
void slu_order_part(uint64_t n, uint32_t rank, uint32_t world, uint64_t *ret_first, uint64_t *ret_count);

#endif
