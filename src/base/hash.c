/* SPDX-License-Identifier: MIT */
/* Checksums: a thin layer over xxHash. See hash.h. */
#include "base/hash.h"

#include <string.h>
#include <xxhash.h>
#if SLU_HAVE_XXH_DISPATCH
#include <xxh_x86dispatch.h> /* redirects XXH3_* to the versions that look at the CPU */
#endif

uint64_t slu_hash64(const void *data, size_t n)
{
	return XXH3_64bits(data, n);
}

uint64_t slu_hash64_seed(const void *data, size_t n, uint64_t seed)
{
	return XXH3_64bits_withSeed(data, n, seed);
}

void slu_hash128(const void *data, size_t n, uint8_t ret_hash[16])
{
	XXH128_canonical_t canonical;

	XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, n));
	memcpy(ret_hash, canonical.digest, 16);
}

int slu_hash_new(struct slu_hash_state **ret_state)
{
	XXH3_state_t *s = XXH3_createState();

	if (!s)
		return slu_fail_memory();
	XXH3_64bits_reset(s);
	*ret_state = (struct slu_hash_state *)s;
	return 0;
}

void slu_hash_free(struct slu_hash_state *s)
{
	if (s)
		XXH3_freeState((XXH3_state_t *)s);
}

void slu_hash_reset(struct slu_hash_state *s)
{
	XXH3_64bits_reset((XXH3_state_t *)s);
}

void slu_hash_add(struct slu_hash_state *s, const void *data, size_t n)
{
	XXH3_64bits_update((XXH3_state_t *)s, data, n);
}

uint64_t slu_hash_end(const struct slu_hash_state *s)
{
	return XXH3_64bits_digest((const XXH3_state_t *)s);
}
