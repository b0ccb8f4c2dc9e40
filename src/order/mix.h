/* SPDX-License-Identifier: MIT */
/*
 * Hashing of numbers: where all randomness of order/ comes from.
 *
 * Frozen with SLU_ORDER_VERSION: a change here changes every order that was ever drawn.
 */
#ifndef SLU_ORDER_MIX_H
#define SLU_ORDER_MIX_H

#include <stdint.h>

/* 2^64 over the golden ratio, odd: steps of it visit all numbers, neighbours far apart. */
#define SLU_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* The finaliser of SplitMix64: a bijection that spreads every bit of @x over all of the result. */
static inline uint64_t slu_mix64(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* The @i-th of the independent numbers (or keys) that @key stands for. */
static inline uint64_t slu_mix_nth(uint64_t key, uint64_t i)
{
	return slu_mix64(key + (i + 1) * SLU_GOLDEN);
}

/* A random 64-bit number scaled to [0, n): no value is likelier than another by more than n in 2^64. */
static inline uint64_t slu_scale(uint64_t h, uint64_t n)
{
	return (uint64_t)((unsigned __int128)h * n >> 64);
}

#endif
