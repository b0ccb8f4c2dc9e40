/* SPDX-License-Identifier: MIT */
/*
 * Checksums: chooses among the forms of XXH3 in hash-impl.c, which is built once for each
 * vector unit worth having. See hash.h.
 *
 * xxHash's own run-time choice is not used: its AVX-512 form comes back without clearing the
 * upper halves of the registers, and the next SSE instruction of whoever called waits for more
 * than the hash itself took (measured on 0.9 KB samples with bench-read).
 */
#include "base/hash.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/hash-impl.h"

/* Below this XXH3 uses no vectors: the plain form, without an indirect call. */
enum { SHORT = 240 };

static const struct slu_hash_impl *choose(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f"))
		return &slu_hash_avx512;
	if (__builtin_cpu_supports("avx2"))
		return &slu_hash_avx2;
#endif
	return &slu_hash_plain;
}

static const struct slu_hash_impl *impl(void)
{
	static _Atomic(const struct slu_hash_impl *) chosen; /* every thread would choose the same */
	const struct slu_hash_impl *i = atomic_load_explicit(&chosen, memory_order_relaxed);

	if (__builtin_expect(!i, 0)) {
		i = choose();
		atomic_store_explicit(&chosen, i, memory_order_relaxed);
	}
	return i;
}

uint64_t slu_hash64(const void *data, size_t n)
{
	return n <= SHORT ? slu_hash_plain.hash64(data, n, 0) : impl()->hash64(data, n, 0);
}

uint64_t slu_hash64_seed(const void *data, size_t n, uint64_t seed)
{
	return n <= SHORT ? slu_hash_plain.hash64(data, n, seed) : impl()->hash64(data, n, seed);
}

void slu_hash128(const void *data, size_t n, uint8_t ret_hash[16])
{
	impl()->hash128(data, n, ret_hash);
}

const char *slu_hash_form(void)
{
	return impl()->name;
}

int slu_hash_new(struct slu_hash_state **ret_state)
{
	struct slu_hash_state *s = aligned_alloc(64, slu_hash_plain.state_bytes);

	if (!s)
		return slu_fail_memory();
	slu_hash_reset(s);
	*ret_state = s;
	return 0;
}

void slu_hash_free(struct slu_hash_state *s)
{
	free(s);
}

void slu_hash_reset(struct slu_hash_state *s)
{
	slu_hash_plain.reset(s);
}

void slu_hash_add(struct slu_hash_state *s, const void *data, size_t n)
{
	impl()->add(s, data, n);
}

uint64_t slu_hash_end(const struct slu_hash_state *s)
{
	return slu_hash_plain.end(s);
}
