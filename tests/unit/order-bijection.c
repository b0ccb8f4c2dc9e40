/* SPDX-License-Identifier: MIT */
/* Shuffles are bijections of [0, n) for every n, and their inverses undo them. */
#include "order-fixture.h"

enum { EVERY = 5000 };

static void every_n(void)
{
	static uint8_t seen[EVERY];

	for (uint64_t n = 1; n <= EVERY; n++) {
		uint64_t key = slu_mix64(n);
		memset(seen, 0, n);
		for (uint64_t i = 0; i < n; i++) {
			uint64_t x = slu_shuffle(n, key, i);
			T_TRUE(x < n && !seen[x]);
			seen[x] = 1;
			if (i % 8 == n % 8 || i < 8)
				T_EQ(slu_shuffle_inverse(n, key, x), i);
		}
	}
}

/* Where there is a table it is a permutation too, and for the smallest the same as the one that is traced. */
static void tables(void)
{
	static struct slu_bijection b;
	static uint8_t seen[EVERY];

	for (uint64_t n = 1; n <= EVERY; n += n < 100 ? 1 : 97) {
		slu_bijection_init(&b, n, slu_mix64(n));
		memset(seen, 0, n);
		for (uint64_t i = 0; i < n; i++) {
			uint64_t x = slu_bijection_at(&b, i);
			T_TRUE(x < n && !seen[x]);
			seen[x] = 1;
			if (i % 16 == 0)
				T_EQ(slu_bijection_inverse(&b, x), i);
			if (n <= SLU_SHUFFLE_TRACED || n > SLU_BIJECTION_TABLE)
				T_EQ(slu_shuffle(n, slu_mix64(n), i), x);
		}
	}
}

static void sample_of(uint64_t n)
{
	uint64_t key = slu_mix64(n);

	for (int k = 0; k < 300; k++) {
		uint64_t i = k < 100 ? (uint64_t)k % n : k < 200 ? n - 1 - (uint64_t)(k - 100) % n : rnd(n);
		uint64_t x = slu_shuffle(n, key, i);
		T_TRUE(x < n);
		T_EQ(slu_shuffle_inverse(n, key, x), i);
		T_EQ(slu_shuffle(n, key, slu_shuffle_inverse(n, key, i)), i);
	}
}

/* A million is small enough to see that nothing is missing. */
static void whole(uint64_t n)
{
	uint8_t *seen = calloc(n, 1);

	T_TRUE(seen != NULL);
	for (uint64_t i = 0; i < n; i++)
		seen[slu_shuffle(n, 99, i)]++;
	for (uint64_t i = 0; i < n; i++)
		T_EQ(seen[i], 1);
	free(seen);
}

int main(void)
{
	every_n();
	tables();
	for (unsigned bits = 5; bits <= 62; bits++)
		for (int d = -3; d <= (bits == 62 ? 0 : 3); d++)
			sample_of((UINT64_C(1) << bits) + (uint64_t)d);
	sample_of(UINT64_C(10000000000));
	for (int k = 0; k < 2000; k++)
		sample_of(1 + (rnd(UINT64_C(1) << 62) >> rnd(60)));
	whole(1 << 20);
	whole((1 << 20) + 1);
	whole(1000003);
	return 0;
}
