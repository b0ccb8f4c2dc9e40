/* SPDX-License-Identifier: MIT */
/*
 * Nothing about the shuffles is visibly biased: where an element goes, where its neighbour goes, how one seed's or
 * epoch's order is related to the next one's. Each is a chi-square test on draws that are independent of each other
 * (one of each key), or nearly so (a small part of one large shuffle). Seeds are fixed, so it passes or fails for ever;
 * the limit is 6 standard deviations either way, 1 in 10^9. That it can fail is shown by shuffles that are weak.
 */
#include "order-fixture.h"

#include <math.h>

enum { DRAWS = 100000, BINS = 16, FEW_DRAWS = 20000 };

#define LIMIT 6.0

/* Element i of the order that seed and epoch stand for. */
struct subject {
	const char *name;
	uint64_t n;
	uint64_t (*at)(uint64_t n, uint64_t seed, uint64_t epoch, uint64_t i);
	int draws;
};

static struct slu_order order;

/* ---- the real ones ---- */

static uint64_t global_at(uint64_t n, uint64_t seed, uint64_t epoch, uint64_t i)
{
	if (order.opt.n != n || order.opt.seed != seed || order.opt.epoch != epoch ||
	    order.opt.spec.mode != SLU_ORDER_GLOBAL)
		make_order(&order, "global", n, seed, epoch, 1);
	return slu_order_at(&order, i);
}

/* The shuffle inside windows and parts, which has no table: the part of rank 1 of 2. */
static uint64_t local_at(uint64_t n, uint64_t seed, uint64_t epoch, uint64_t i)
{
	if (order.opt.n != 2 * n || order.opt.seed != seed || order.opt.epoch != epoch ||
	    order.opt.spec.mode != SLU_ORDER_LOCAL)
		make_order(&order, "local", 2 * n, seed, epoch, 2);
	return slu_order_at(&order, 2 * i + 1) - n;
}

/* ---- weak ones ---- */

static uint64_t rotate_at(uint64_t n, uint64_t seed, uint64_t epoch, uint64_t i)
{
	return (i + slu_scale(slu_mix64(seed * 1000003 + epoch), n)) % n;
}

/* A Feistel network of 2 or 4 rounds over 16 bits, n = 65536: each half moved once or twice. */
static uint64_t rounds_at(unsigned rounds, uint64_t seed, uint64_t epoch, uint64_t i)
{
	uint64_t key = slu_mix64(slu_mix64(seed) + epoch), left = i >> 8, right = i & 255;

	for (unsigned r = 0; r < rounds; r++) {
		uint64_t moved = left ^ slu_mix_nth(slu_mix_nth(key, r), right) >> 56;
		left = right;
		right = moved;
	}
	return left << 8 | right;
}

static uint64_t one_round_at(uint64_t n, uint64_t seed, uint64_t epoch, uint64_t i)
{
	return rounds_at(1, seed, epoch, i);
}

static uint64_t two_rounds_at(uint64_t n, uint64_t seed, uint64_t epoch, uint64_t i)
{
	return rounds_at(2, seed, epoch, i);
}

/* A good shuffle, but epochs only turn it. */
static uint64_t same_epochs_at(uint64_t n, uint64_t seed, uint64_t epoch, uint64_t i)
{
	return (slu_shuffle(n, slu_mix64(seed), i) + epoch) % n;
}

/* A good shuffle, but seed and epoch are added up: epoch 1 of seed 4 is epoch 0 of seed 5. */
static uint64_t added_at(uint64_t n, uint64_t seed, uint64_t epoch, uint64_t i)
{
	return slu_shuffle(n, slu_mix64(seed + epoch), i);
}

/* ---- the statistic ---- */

struct table {
	double seen[BINS * BINS];
	double chance[BINS * BINS];
	double draws;
	double given; /* sums that are not drawn: of all cells, or of each row */
};

/* How many standard deviations the sum of squares is too large (or too small): Wilson and Hilferty. */
static double deviation(const struct table *t)
{
	double sum = 0, freedom = -t->given;

	for (size_t k = 0; k < BINS * BINS; k++)
		if (t->chance[k] > 0) {
			double expected = t->chance[k] * t->draws, d = t->seen[k] - expected;
			T_TRUE(expected >= 10);
			sum += d * d / expected;
			freedom++;
		}
	double v = 2 / (9 * freedom);
	return (cbrt(sum / freedom) - (1 - v)) / sqrt(v);
}

static uint64_t bin_of(uint64_t x, uint64_t n, uint64_t bins)
{
	return (uint64_t)((unsigned __int128)x * bins / n);
}

/* How many of [0, n) fall into a bin. */
static double bin_size(uint64_t b, uint64_t n, uint64_t bins)
{
	unsigned __int128 from = ((unsigned __int128)b * n + bins - 1) / bins;
	unsigned __int128 to = ((unsigned __int128)(b + 1) * n + bins - 1) / bins;

	return (double)(uint64_t)(to - from);
}

/* Two numbers of [0, n) for each cell; @apart: they are never the same one. */
static void expect_pairs(struct table *t, uint64_t n, bool apart)
{
	*t = (struct table){ .given = 1 };
	for (uint64_t a = 0; a < BINS; a++)
		for (uint64_t b = 0; b < BINS; b++) {
			double second = bin_size(b, n, BINS) - (apart && a == b);
			t->chance[a * BINS + b] = bin_size(a, n, BINS) / (double)n * second / (double)(n - apart);
		}
}

static void count_pair(struct table *t, uint64_t n, uint64_t x, uint64_t y)
{
	T_TRUE(x < n && y < n);
	t->seen[bin_of(x, n, BINS) * BINS + bin_of(y, n, BINS)]++;
	t->draws++;
}

/* A number of [@from, n). */
static void expect_number(struct table *t, uint64_t n, uint64_t from)
{
	uint64_t bins = n < BINS * BINS ? n : BINS * BINS;

	*t = (struct table){ .given = 1 };
	for (uint64_t b = 0; b < bins; b++)
		t->chance[b] = (bin_size(b, n, bins) - (b == 0 ? (double)from : 0)) / (double)(n - from);
}

static void count_number(struct table *t, uint64_t n, uint64_t x)
{
	t->seen[bin_of(x, n, n < BINS * BINS ? n : BINS * BINS)]++;
	t->draws++;
}

/* ---- the tests: each gives its deviation ---- */

/* Where position i goes, i and the seed varying together: rows of the table are kinds of positions. */
static double positions(const struct subject *s)
{
	struct table t = { .given = BINS };

	for (uint64_t a = 0; a < BINS; a++)
		for (uint64_t b = 0; b < BINS; b++)
			t.chance[a * BINS + b] = bin_size(b, s->n, BINS) / (double)s->n / BINS;
	for (uint64_t k = 0; k < (uint64_t)s->draws; k++) {
		uint64_t i = k % BINS < BINS / 2 ? k % BINS : s->n - 1 - k % BINS; /* the first and the last few */
		t.seen[k % BINS * BINS + bin_of(s->at(s->n, k, 0, i), s->n, BINS)]++;
		t.draws++;
	}
	return deviation(&t);
}

/* Next to each other, or, as a network on a grid sees neighbours too, by the root of n apart. */
static double neighbours(const struct subject *s, bool next)
{
	uint64_t apart = next ? 1 : UINT64_C(1) << (64 - __builtin_clzll(s->n - 1)) / 2;
	struct table t;

	expect_pairs(&t, s->n, true);
	for (uint64_t k = 0; k < (uint64_t)s->draws; k++) {
		uint64_t i = rnd(s->n - apart);
		count_pair(&t, s->n, s->at(s->n, 7, k, i), s->at(s->n, 7, k, i + apart));
	}
	return deviation(&t);
}

static double neighbour_steps(const struct subject *s)
{
	struct table t;

	expect_number(&t, s->n, 1);
	for (uint64_t k = 0; k < (uint64_t)s->draws; k++) {
		uint64_t i = rnd(s->n - 1), x = s->at(s->n, k, 5, i), y = s->at(s->n, k, 5, i + 1);
		count_number(&t, s->n, (y + s->n - x) % s->n);
	}
	return deviation(&t);
}

/* The same position in the orders of consecutive seeds, or epochs, or along both. */
static double across(const struct subject *s, unsigned seed_step, unsigned epoch_step, bool steps)
{
	struct table t;

	if (steps)
		expect_number(&t, s->n, 0);
	else
		expect_pairs(&t, s->n, false);
	for (uint64_t k = 0; k < (uint64_t)s->draws; k++) {
		uint64_t i = rnd(s->n), x, y;
		x = s->at(s->n, 2 * k, 2 * k + 1, i);
		y = s->at(s->n, 2 * k + seed_step, 2 * k + 1 - epoch_step, i);
		if (steps)
			count_number(&t, s->n, (y + s->n - x) % s->n);
		else
			count_pair(&t, s->n, x, y);
	}
	return deviation(&t);
}

/* Many neighbours of one order: few enough of a large one to be independent as far as can be seen. */
static double along(const struct subject *s)
{
	struct table t;

	if (s->n < 1000000)
		return 0;
	expect_number(&t, s->n, 1);
	for (uint64_t i = 0; i < 100000; i++)
		count_number(&t, s->n, (s->at(s->n, 1, 1, i + 1) + s->n - s->at(s->n, 1, 1, i)) % s->n);
	return deviation(&t);
}

/* The largest deviation of all tests. */
static double worst_of(const struct subject *s)
{
	double z[] = { positions(s),
		       neighbours(s, true),
		       neighbours(s, false),
		       neighbour_steps(s),
		       along(s),
		       across(s, 1, 0, false),
		       across(s, 1, 0, true),
		       across(s, 0, 1, false),
		       across(s, 0, 1, true),
		       across(s, 1, 1, false) };
	double worst = 0;

	printf("%-14s n %-12" PRIu64, s->name, s->n);
	for (size_t k = 0; k < sizeof(z) / sizeof(*z); k++) {
		printf(" %.1f", z[k]);
		worst = fabs(z[k]) > worst ? fabs(z[k]) : worst;
	}
	printf("\n");
	return worst;
}

int main(void)
{
	static const struct subject good[] = {
		{ "global", 20, global_at, DRAWS },
		{ "global", 1000, global_at, FEW_DRAWS },
		{ "global", 4096, global_at, FEW_DRAWS },
		{ "global", 4097, global_at, DRAWS },
		{ "global", 60000, global_at, DRAWS },
		{ "global", 1 << 20, global_at, DRAWS },
		{ "global", 15000000, global_at, DRAWS },
		{ "global", UINT64_C(10000000000), global_at, DRAWS },
		{ "global", UINT64_C(1) << 61, global_at, DRAWS },
		{ "local", 20, local_at, DRAWS },
		{ "local", 32, local_at, DRAWS },
		{ "local", 33, local_at, DRAWS },
		{ "local", 64, local_at, DRAWS },
		{ "local", 65, local_at, DRAWS },
		{ "local", 129, local_at, DRAWS },
		{ "local", 300, local_at, DRAWS },
		{ "local", 1000, local_at, DRAWS },
		{ "local", 4000, local_at, DRAWS },
	};
	static const struct subject weak[] = {
		{ "rotated", 60000, rotate_at, DRAWS },
		{ "rotated", 100, rotate_at, DRAWS },
		{ "one round", 65536, one_round_at, DRAWS },
		{ "two rounds", 65536, two_rounds_at, DRAWS },
		{ "epochs turned", 60000, same_epochs_at, DRAWS },
		{ "seed + epoch", 60000, added_at, DRAWS },
	};

	for (size_t k = 0; k < sizeof(good) / sizeof(*good); k++)
		T_TRUE(worst_of(&good[k]) < LIMIT);
	for (size_t k = 0; k < sizeof(weak) / sizeof(*weak); k++)
		T_TRUE(worst_of(&weak[k]) > LIMIT);
	return 0;
}
