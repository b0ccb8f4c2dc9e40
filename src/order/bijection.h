/* SPDX-License-Identifier: MIT */
/*
 * Keyed bijections of [0, n): a shuffle of which any element is computed alone.
 *
 * slu_shuffle() keeps nothing: the shape follows from n, everything else from the key, so that each of
 * millions of windows can have a shuffle of its own. struct slu_bijection is for a shuffle that is asked for
 * again and again: for a small n it keeps the outcome, drawn as Fisher and Yates do.
 *
 * Invariants
 *  (1) for each n in [1, SLU_SHUFFLE_MAX] and each key, a bijection of [0, n); _inverse undoes it
 *  (2) for n <= SLU_SHUFFLE_TRACED and in a table, each permutation is as likely as each other, as far as
 *      64-bit keys go; beyond, no statistical test of the suite tells it from one that is
 *  (3) frozen: the same n, key and i give the same for ever (SLU_ORDER_VERSION)
 */
#ifndef SLU_ORDER_BIJECTION_H
#define SLU_ORDER_BIJECTION_H

#include <stdint.h>

#define SLU_SHUFFLE_MAX (UINT64_C(1) << 62)

enum { SLU_SHUFFLE_TRACED = 32, SLU_BIJECTION_TABLE = 4096 };

/* Element @i < @n of the shuffle of [0, n) that @key stands for. */
uint64_t slu_shuffle(uint64_t n, uint64_t key, uint64_t i);

/* The i of which slu_shuffle() is @x < @n. */
uint64_t slu_shuffle_inverse(uint64_t n, uint64_t key, uint64_t x);

/* In the caller's storage; owns nothing. Not changed by reading: threads may share it. */
struct slu_bijection {
	uint64_t n;
	uint64_t key;
	uint16_t table[SLU_BIJECTION_TABLE]; /* if n fits */
};

/* In constant time for an @n beyond the table, otherwise in @n steps. */
void slu_bijection_init(struct slu_bijection *b, uint64_t n, uint64_t key);

uint64_t slu_bijection_at(const struct slu_bijection *b, uint64_t i);

/* Looks through the table, where there is one: for use now and then. */
uint64_t slu_bijection_inverse(const struct slu_bijection *b, uint64_t x);

#endif
