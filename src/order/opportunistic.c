/* SPDX-License-Identifier: MIT */
/* What is in memory first. See opportunistic.h; the state as bytes is in opportunistic-state.c. */
#include "order/opportunistic.h"

#include <errno.h>
#include <string.h>

#include "base/macros.h"

enum { RING = SLU_ORDER_LOOKAHEAD };

int slu_order_picker_init(struct slu_order_picker *p, const struct slu_order *order,
                          const struct slu_order_share *share)
{
	if (order->opt.spec.mode != SLU_ORDER_OPPORTUNISTIC)
		return slu_fail(-EINVAL, "only the opportunistic order has something to pick");
	if (share->n != order->opt.n)
		return slu_fail(-EINVAL, "the share is not one of this order's samples");
	memset(p, 0, sizeof(*p));
	p->order = order;
	p->share = *share;
	p->lookahead = order->opt.spec.size ? order->opt.spec.size : SLU_ORDER_LOOKAHEAD;
	return 0;
}

static uint64_t window_end(const struct slu_order_picker *p)
{
	return slu_min(p->base + p->lookahead, p->share.samples);
}

/* The first untaken one in [@j, @end), or @end. */
static uint64_t next_untaken(const struct slu_order_picker *p, uint64_t j, uint64_t end)
{
	while (j < end) {
		uint64_t open = ~p->taken[j % RING / 64] >> (j % 64);
		if (open)
			return slu_min(j + (uint64_t)__builtin_ctzll(open), end);
		j += 64 - j % 64;
	}
	return end;
}

/* Takes the @j-th of the share, in the window. Behind a new base the ring is cleared for what comes into the window. */
static uint64_t take(struct slu_order_picker *p, uint64_t j)
{
	p->taken[j % RING / 64] |= UINT64_C(1) << (j % 64);
	if (j == p->base) {
		uint64_t base = next_untaken(p, j + 1, window_end(p));
		for (; p->base < base; p->base++)
			p->taken[p->base % RING / 64] &= ~(UINT64_C(1) << (p->base % 64));
		p->cursor = slu_max(p->cursor, base);
	}
	return slu_order_at(p->order, slu_order_share_at(&p->share, j));
}

/* Asks about untaken ones from the cursor on, once around at most. */
static size_t pick_resident(struct slu_order_picker *p, slu_order_resident_fn resident, void *arg, size_t want,
                            uint64_t *ret_samples)
{
	const uint64_t from = p->cursor;
	uint64_t budget = want > UINT64_MAX / SLU_ORDER_PICK_SCAN ? UINT64_MAX : (uint64_t)want * SLU_ORDER_PICK_SCAN;
	bool around = false;
	size_t got = 0;

	while (got < want && budget > 0) {
		uint64_t end = around ? slu_min(from, window_end(p)) : window_end(p);
		uint64_t j = next_untaken(p, p->cursor, end);
		if (j >= end) {
			p->cursor = around ? slu_max(end, p->base) : p->base;
			if (around)
				break;
			around = true;
			continue;
		}
		p->cursor = j + 1;
		budget--;
		if (resident(arg, slu_order_at(p->order, slu_order_share_at(&p->share, j))))
			ret_samples[got++] = take(p, j);
	}
	return got;
}

size_t slu_order_pick(struct slu_order_picker *p, slu_order_resident_fn resident, void *arg, size_t want,
                      uint64_t *ret_samples)
{
	size_t got = resident ? pick_resident(p, resident, arg, want, ret_samples) : 0;

	while (got < want && p->base < p->share.samples)
		ret_samples[got++] = take(p, p->base);
	return got;
}

uint64_t slu_order_picker_left(const struct slu_order_picker *p)
{
	uint64_t left = p->share.samples - p->base;

	for (size_t w = 0; w < SLU_ARRAY_SIZE(p->taken); w++)
		left -= (uint64_t)__builtin_popcountll(p->taken[w]);
	return left;
}
