/* SPDX-License-Identifier: MIT */
/*
 * The recorder's clock: CLOCK_MONOTONIC in nanoseconds, but mostly read from the processor's counter, which takes a
 * third of the time; two looks at the clock are a fifth of what recording a call costs.
 *
 * The counter is related to the clock anew every few milliseconds, over all the time since the start, so that what is
 * told is off by less than a microsecond. Where the processor's counter is not steady, or has jumped (a virtual machine
 * that was moved), the clock itself is asked. Times of two threads may be out of order by that microsecond, and so may
 * the begin and the end of one call: who subtracts looks first.
 */
#ifndef SLU_TRACE_TICKS_H
#define SLU_TRACE_TICKS_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/macros.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#define SLU_HAVE_TICKS 1
#endif

struct slu_ticks {
	_Atomic uint32_t version; /* odd: being changed, or there is no counter */
	uint64_t first_tick, first_ns;
	_Atomic uint64_t tick, ns; /* when they were last related */
	_Atomic uint64_t rate;     /* ns a tick, in 2^-32; 0: not known yet */
};

/* Relates counter and clock. Gives the clock. */
uint64_t slu_ticks_relate(struct slu_ticks *t);

/* How long a relation is trusted, in ticks: about 8 ms. */
#define SLU_TICKS_TRUSTED (1u << 24)

static inline uint64_t slu_ticks_now(struct slu_ticks *t)
{
#ifdef SLU_HAVE_TICKS
	uint32_t version = atomic_load_explicit(&t->version, memory_order_acquire);
	uint64_t rate = atomic_load_explicit(&t->rate, memory_order_relaxed);
	uint64_t since = __rdtsc() - atomic_load_explicit(&t->tick, memory_order_relaxed);
	uint64_t ns = atomic_load_explicit(&t->ns, memory_order_relaxed) + (since * rate >> 32);

	atomic_thread_fence(memory_order_acquire);
	if (SLU_LIKELY(rate && since < SLU_TICKS_TRUSTED && version % 2 == 0 &&
	               atomic_load_explicit(&t->version, memory_order_relaxed) == version))
		return ns;
#endif
	return slu_ticks_relate(t);
}

#endif
