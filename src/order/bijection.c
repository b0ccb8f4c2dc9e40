/* SPDX-License-Identifier: MIT */
/*
 * Keyed bijections. See bijection.h.
 *
 * A shuffle of up to 32 is the one of Fisher and Yates, which is a product of n - 1 exchanges: one element is
 * followed through them without the others. The exchanges do not wait for each other, so that this takes no
 * longer than the network.
 *
 * A larger one is a Feistel network on a grid of a columns and b rows: b = 2^k, k half the bits of n - 1, and
 * a = ceil(n / b), between b/2 and 2b. In turns, the column is moved by a keyed hash of the row, modulo a, and
 * the row by a hash of the column, modulo b. The grid has fewer than b cells too many; an element that ends
 * in one of these goes through again (cycle walking), which happens to about one in a.
 *
 * How many rounds: two of them leave, of the bias in pairs of neighbours, about 1 part in min(a, b), as was counted
 * over 20 million pairs for n from 33 to a million and 2 to 16 rounds: 4 rounds show at n = 4,097, 10 at
 * n = 33. Rounds are added until less than 2^-18 is left, and there are at least 8. Grids of 2 and 4 rows would need 36
 * and 18: these are the n that are traced instead.
 */
#include "order/bijection.h"

#include "order/mix.h"

struct grid {
	uint64_t columns;
	unsigned row_bits;
	unsigned rounds;
};

static struct grid grid_of(uint64_t n)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(n - 1);
	unsigned k = bits / 2;
	struct grid g = {
		.columns = (n + (UINT64_C(1) << k) - 1) >> k,
		.row_bits = k,
		.rounds = k >= 6   ? 8
		          : k == 5 ? 10
		          : k == 4 ? 12
		                   : 16,
	};

	return g;
}

/* The round function: what @half, below 2^32, stands for in the round of this key. The upper bits are the good ones. */
static inline uint64_t round_hash(uint64_t key, uint64_t half)
{
	uint64_t h = (key + half) * UINT64_C(0xd6e8feb86659fd93);

	h ^= h >> 32;
	return h * UINT64_C(0xa0761d6478bd642f);
}

static uint64_t forth(const struct grid *g, uint64_t key, uint64_t x)
{
	const uint64_t mask = (UINT64_C(1) << g->row_bits) - 1;
	uint64_t column = x >> g->row_bits, row = x & mask;

	for (unsigned r = 0; r < g->rounds; r += 2) {
		column += slu_scale(round_hash(key, row), g->columns);
		column -= column >= g->columns ? g->columns : 0;
		key += SLU_GOLDEN;
		row = (row + (round_hash(key, column) >> (64 - g->row_bits))) & mask;
		key += SLU_GOLDEN;
	}
	return column << g->row_bits | row;
}

static uint64_t back(const struct grid *g, uint64_t key, uint64_t x)
{
	const uint64_t mask = (UINT64_C(1) << g->row_bits) - 1;
	uint64_t column = x >> g->row_bits, row = x & mask;

	key += g->rounds * SLU_GOLDEN;
	for (unsigned r = 0; r < g->rounds; r += 2) {
		key -= SLU_GOLDEN;
		row = (row - (round_hash(key, column) >> (64 - g->row_bits))) & mask;
		key -= SLU_GOLDEN;
		uint64_t move = slu_scale(round_hash(key, row), g->columns);
		column += column < move ? g->columns - move : -move;
	}
	return column << g->row_bits | row;
}

/* Fisher and Yates: place m - 1 is exchanged with this one of the first m. */
static inline uint64_t partner(uint64_t key, uint64_t m)
{
	return slu_scale(slu_mix_nth(key, m), m);
}

static inline uint64_t exchange(uint64_t x, uint64_t a, uint64_t b)
{
	return x == a ? b : x == b ? a : x;
}

uint64_t slu_shuffle(uint64_t n, uint64_t key, uint64_t i)
{
	if (n <= SLU_SHUFFLE_TRACED) {
		for (uint64_t m = 2; m <= n; m++)
			i = exchange(i, m - 1, partner(key, m));
		return i;
	}
	struct grid g = grid_of(n);
	do
		i = forth(&g, key, i);
	while (i >= n);
	return i;
}

uint64_t slu_shuffle_inverse(uint64_t n, uint64_t key, uint64_t x)
{
	if (n <= SLU_SHUFFLE_TRACED) {
		for (uint64_t m = n; m >= 2; m--)
			x = exchange(x, m - 1, partner(key, m));
		return x;
	}
	struct grid g = grid_of(n);
	do
		x = back(&g, key, x);
	while (x >= n);
	return x;
}

void slu_bijection_init(struct slu_bijection *b, uint64_t n, uint64_t key)
{
	b->n = n;
	b->key = key;
	if (n > SLU_BIJECTION_TABLE)
		return;
	for (uint64_t i = 0; i < n; i++)
		b->table[i] = (uint16_t)i;
	for (uint64_t m = n; m >= 2; m--) {
		uint64_t j = partner(key, m);
		uint16_t last = b->table[m - 1];
		b->table[m - 1] = b->table[j];
		b->table[j] = last;
	}
}

uint64_t slu_bijection_at(const struct slu_bijection *b, uint64_t i)
{
	return b->n <= SLU_BIJECTION_TABLE ? b->table[i] : slu_shuffle(b->n, b->key, i);
}

uint64_t slu_bijection_inverse(const struct slu_bijection *b, uint64_t x)
{
	uint64_t i = 0;

	if (b->n > SLU_BIJECTION_TABLE)
		return slu_shuffle_inverse(b->n, b->key, x);
	while (b->table[i] != x)
		i++;
	return i;
}
