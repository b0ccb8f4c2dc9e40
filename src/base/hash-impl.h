/* SPDX-License-Identifier: MIT */
/* The forms of XXH3 among which hash.c chooses. All give the same results. */
#ifndef SLU_BASE_HASH_IMPL_H
#define SLU_BASE_HASH_IMPL_H

#include <stddef.h>
#include <stdint.h>

struct slu_hash_state;

struct slu_hash_impl {
	const char *name;
	size_t state_bytes;
	uint64_t (*hash64)(const void *data, size_t n, uint64_t seed);
	void (*hash128)(const void *data, size_t n, uint8_t ret_hash[16]);
	void (*reset)(struct slu_hash_state *s);
	void (*add)(struct slu_hash_state *s, const void *data, size_t n);
	uint64_t (*end)(const struct slu_hash_state *s);
};

extern const struct slu_hash_impl slu_hash_plain; /* what every CPU of the architecture has */
extern const struct slu_hash_impl slu_hash_avx2;
extern const struct slu_hash_impl slu_hash_avx512;

#endif
