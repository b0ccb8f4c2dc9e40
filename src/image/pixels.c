/* SPDX-License-Identifier: MIT */
/* Chooses among the forms of pixels-impl.c. */
#include "image/pixels.h"

#include <stdatomic.h>

static const struct slu_pixels *choose(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2"))
		return &slu_pixels_avx2;
#endif
	return &slu_pixels_plain;
}

const struct slu_pixels *slu_pixels(void)
{
	static _Atomic(const struct slu_pixels *) chosen; /* every thread would choose the same */
	const struct slu_pixels *p = atomic_load_explicit(&chosen, memory_order_relaxed);

	if (__builtin_expect(!p, 0)) {
		p = choose();
		atomic_store_explicit(&chosen, p, memory_order_relaxed);
	}
	return p;
}
