/* SPDX-License-Identifier: MIT */
/* What the tests of orders share: numbers that look random and are the same each time, and orders from text. */
#ifndef ORDER_FIXTURE_H
#define ORDER_FIXTURE_H

#include <sluice/sluice.h>

#define T_ERRMSG() slu_errmsg()
#include "order/mix.h"
#include "order/opportunistic.h"
#include "order/order.h"
#include "test.h"

static uint64_t rnd_state = 1;

static inline uint64_t rnd(uint64_t below)
{
	return slu_scale(slu_mix_nth(20240101, rnd_state++), below);
}

static inline void make_order(struct slu_order *o, const char *text, uint64_t n, uint64_t seed, uint64_t epoch,
                              uint32_t world)
{
	struct slu_order_options opt = { .n = n, .seed = seed, .epoch = epoch, .world = world, .group = 16 };

	T_OK(slu_order_parse(text, &opt.spec));
	T_OK(slu_order_init(o, &opt));
}

#endif
