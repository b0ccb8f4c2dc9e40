/* SPDX-License-Identifier: MIT */
/* Which positions are a rank's. See order.h. Nothing overflows: n is at most 2^62, world and batch 32 bits. */
#include <errno.h>
#include <inttypes.h>

#include "base/macros.h"
#include "order/order.h"

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

int slu_order_share(uint64_t n, uint64_t start, uint32_t rank, uint32_t world, uint32_t batch, bool drop_last,
                    struct slu_order_share *ret_share)
{
	if (n > SLU_ORDER_MAX)
		return slu_fail(-EINVAL, "an order of %" PRIu64 " samples; at most 2^62 are possible", n);
	if (start > n)
		return slu_fail(-EINVAL, "position %" PRIu64 " is past the end of an epoch of %" PRIu64 " samples",
		                start, n);
	if (rank >= world)
		return slu_fail(-EINVAL, "there is no rank %" PRIu32 " among %" PRIu32, rank, world);
	if (batch == 0)
		return slu_fail(-EINVAL, "a batch of no samples");
	struct slu_order_share s = { .n = n, .start = start, .rank = rank, .world = world, .batch = batch };
	if (drop_last) {
		s.batches = (n - start) / ((uint64_t)world * batch);
		s.samples = s.batches * batch;
	} else {
		s.samples = divide_up(n - start, world);
		s.batches = divide_up(s.samples, batch);
	}
	*ret_share = s;
	return 0;
}

uint64_t slu_order_share_next(const struct slu_order_share *s, uint64_t batches)
{
	uint64_t step = (uint64_t)s->world * s->batch, left = s->n - s->start;

	return batches > left / step ? s->n : s->start + batches * step;
}

void slu_order_part(uint64_t n, uint32_t rank, uint32_t world, uint64_t *ret_first, uint64_t *ret_count)
{
	uint64_t each = n / world, more = n % world;

	*ret_first = each * rank + slu_min(rank, more);
	*ret_count = each + (rank < more);
}
