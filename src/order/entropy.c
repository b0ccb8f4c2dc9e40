/* SPDX-License-Identifier: MIT */
/*
 * How random an order is. See order.h.
 *
 * The entropy is that of the sequence as it comes out, so that what one step shuffles and a later one shuffles
 * again counts once.
 */
#include <math.h>

#include "base/macros.h"
#include "order/order.h"

static double bits_of_factorial(uint64_t n)
{
	int sign; /* lgamma() keeps it in a global */

	return lgamma_r((double)n + 1, &sign) / M_LN2;
}

/*
 * Blocks shuffled, then samples within windows. Of the blocks' order only the choice of window for each is left;
 * the windows' own shuffles are left whole. Which windows there were can be told from the sequence: a
 * window ends where as many blocks as it has are complete. How large they are depends on where the
 * short block lies, each place being as likely: the mean is taken.
 */
static double block_bits(const struct slu_order *o)
{
	uint64_t per = o->window / o->block;               /* blocks in a window */
	uint64_t whole = o->blocks / per;                  /* windows */
	uint64_t rest = o->blocks % per;                   /* blocks in the last, smaller one */
	uint64_t tail = rest * o->block;                   /* samples in it, were its blocks all whole */
	double in_rest = (double)rest / (double)o->blocks; /* how likely the short block lies there */
	double bits = bits_of_factorial(o->blocks);

	bits -= (double)whole * bits_of_factorial(per) + bits_of_factorial(rest);
	bits += ((double)whole - (1 - in_rest)) * bits_of_factorial(o->window);
	bits += (1 - in_rest) * bits_of_factorial(o->window - o->missing);
	bits += (1 - in_rest) * bits_of_factorial(tail);
	if (rest)
		bits += in_rest * bits_of_factorial(tail - o->missing);
	return bits;
}

static double local_bits(const struct slu_order *o)
{
	uint64_t each = o->opt.n / o->opt.world, more = o->opt.n % o->opt.world;

	return (double)more * bits_of_factorial(each + 1) + (double)(o->opt.world - more) * bits_of_factorial(each);
}

double slu_order_entropy(const struct slu_order *o)
{
	uint64_t n = o->opt.n;

	if (n <= 1)
		return 1;
	switch (o->opt.spec.mode) {
	case SLU_ORDER_SEQUENTIAL:
		return 0;
	case SLU_ORDER_BLOCK:
	case SLU_ORDER_GROUPED:
		return block_bits(o) / bits_of_factorial(n);
	case SLU_ORDER_LOCAL:
		return local_bits(o) / bits_of_factorial(n);
	case SLU_ORDER_REPLACEMENT:
		return (double)n * log2((double)n) / bits_of_factorial(n);
	default:
		return 1;
	}
}

double slu_order_entropy_resident(uint64_t n, uint64_t resident)
{
	resident = slu_min(resident, n);
	return n <= 1 ? 1 : (bits_of_factorial(resident) + bits_of_factorial(n - resident)) / bits_of_factorial(n);
}
