/* SPDX-License-Identifier: MIT */
/*
 * XXH3, all of it inline, in the form that this file is compiled for: the build compiles it
 * several times, with the name of the form in SLU_HASH_FORM and the compiler's target set.
 */
#include "base/hash-impl.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t hash64(const void *data, size_t n, uint64_t seed)
{
	return seed ? XXH3_64bits_withSeed(data, n, seed) : XXH3_64bits(data, n);
}

static void hash128(const void *data, size_t n, uint8_t ret_hash[16])
{
	XXH128_canonical_t canonical;

	XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, n));
	memcpy(ret_hash, canonical.digest, 16);
}

static void reset(struct slu_hash_state *s)
{
	XXH3_64bits_reset((XXH3_state_t *)s);
}

static void add(struct slu_hash_state *s, const void *data, size_t n)
{
	XXH3_64bits_update((XXH3_state_t *)s, data, n);
}

static uint64_t end(const struct slu_hash_state *s)
{
	return XXH3_64bits_digest((const XXH3_state_t *)s);
}

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

const struct slu_hash_impl JOIN(slu_hash_, SLU_HASH_FORM) = {
	.name = TEXT(SLU_HASH_FORM),
	.state_bytes = (sizeof(XXH3_state_t) + 63) / 64 * 64,
	.hash64 = hash64,
	.hash128 = hash128,
	.reset = reset,
	.add = add,
	.end = end,
};
