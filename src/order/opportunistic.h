/* SPDX-License-Identifier: MIT */
/*
 * The opportunistic order: a rank takes first what is in memory already.
 *
 * The base is the rank's share of the global order. A window covers its next L samples, beginning with the oldest
 * one not yet taken; a bitmap says which of them are taken. What is resident in the window is taken first, the rest
 * in order.
 *
 * Invariants
 *  (1) every sample of the share is given exactly once, whatever residency does meanwhile
 *  (2) a sample comes at most L - 1 picks before or after its turn in the base
 *  (3) with nothing resident, or all, it is the base
 *
 * The state is a position and the bitmap: 8 KiB at most. It holds on the same world and rank only, since other ranks'
 * positions are others.
 */
#ifndef SLU_ORDER_OPPORTUNISTIC_H
#define SLU_ORDER_OPPORTUNISTIC_H

#include "order/order.h"

enum {
	SLU_ORDER_PICK_SCAN = 8, /* samples asked about for each one wanted, at most */
	SLU_ORDER_STATE_MAX = 80 + SLU_ORDER_LOOKAHEAD / 8,
};

/* Whether @sample can be had without waiting. A wrong answer costs time, nothing else. */
typedef bool (*slu_order_resident_fn)(void *arg, uint64_t sample);

/* In the caller's storage; owns nothing. One thread at a time. */
struct slu_order_picker {
	const struct slu_order *order;
	struct slu_order_share share;
	uint64_t lookahead; /* L */
	uint64_t base;      /* the oldest of the share's samples that is not taken; share.samples: all are */
	uint64_t cursor;    /* where to go on asking, in [base, base + L] */
	uint64_t taken[SLU_ORDER_LOOKAHEAD / 64]; /* a ring: bit j % LOOKAHEAD for j in the window, else 0 */
};

/* Begins @share of @order, which must be opportunistic and outlive the picker; to be begun anew after
 * slu_order_epoch(). -EINVAL */
SLU_MUST_USE int slu_order_picker_init(struct slu_order_picker *p, const struct slu_order *order,
                                       const struct slu_order_share *share);

/*
 * The next @want samples, or as many as are left: their number. Asks @resident (NULL: nothing is) at most
 * SLU_ORDER_PICK_SCAN * @want times and about each sample of the window at most once; the next call goes on asking
 * where this one stopped, so that in time the whole window is looked at.
 */
size_t slu_order_pick(struct slu_order_picker *p, slu_order_resident_fn resident, void *arg, size_t want,
                      uint64_t *ret_samples);

/* Samples still to come. */
uint64_t slu_order_picker_left(const struct slu_order_picker *p);

/* The state as bytes, in @buf of SLU_ORDER_STATE_MAX; how many there are. The same on every machine. */
size_t slu_order_picker_save(const struct slu_order_picker *p, uint8_t *buf);

/*
 * Puts a picker, begun with the order and share as they were, where the one was that was saved. The bytes are not
 * trusted; after a failure the picker is as it was. -EBADMSG damaged | -EPROTONOSUPPORT of another version | -EINVAL of
 * another order, rank or world
 */
SLU_MUST_USE int slu_order_picker_restore(struct slu_order_picker *p, const uint8_t *bytes, size_t len);

#endif
