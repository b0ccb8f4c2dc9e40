/* SPDX-License-Identifier: MIT */
/*
 * Checksums: XXH3, in the widest form that the CPU has, chosen at run time on x86; elsewhere
 * what the compiler's target has (NEON on arm64).
 */
#ifndef SLU_BASE_HASH_H
#define SLU_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

uint64_t slu_hash64(const void *data, size_t n);
uint64_t slu_hash64_seed(const void *data, size_t n, uint64_t seed);

/* The 128-bit hash in canonical (big-endian) form. */
void slu_hash128(const void *data, size_t n, uint8_t ret_hash[16]);

/* The form in use: "plain", "avx2", "avx512". */
const char *slu_hash_form(void);

/* slu_hash64() of data that comes in pieces. */
struct slu_hash_state;
SLU_MUST_USE int slu_hash_new(struct slu_hash_state **ret_state);
void slu_hash_free(struct slu_hash_state *s);
void slu_hash_reset(struct slu_hash_state *s);
void slu_hash_add(struct slu_hash_state *s, const void *data, size_t n);
uint64_t slu_hash_end(const struct slu_hash_state *s);

#endif
