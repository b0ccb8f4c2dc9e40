/* SPDX-License-Identifier: MIT */
/* The processor's counter as a clock: see ticks.h. */
#include "trace/ticks.h"

#include <stdbool.h>

#ifdef SLU_HAVE_TICKS

enum { LEAST_NS = 2000000, MOST_OFF_NS = 100000 };

/* Counts at one rate, whatever the processor does. */
static bool is_steady(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1 << 8);
}

/* Under an odd version: nobody reads what is changed. */
static void relate(struct slu_ticks *t, uint64_t tick, uint64_t ns)
{
	uint64_t rate = atomic_load_explicit(&t->rate, memory_order_relaxed);
	uint64_t told =
		atomic_load_explicit(&t->ns, memory_order_relaxed) +
		(uint64_t)((unsigned __int128)(tick - atomic_load_explicit(&t->tick, memory_order_relaxed)) * rate >>
	                   32);

	if (!t->first_tick || (rate && (told > ns ? told - ns : ns - told) > MOST_OFF_NS + (ns - t->first_ns) / 1000)) {
		/* The first time, or it has jumped: all from the beginning. */
		t->first_tick = tick;
		t->first_ns = ns;
		rate = 0;
	} else if (ns - t->first_ns >= LEAST_NS && tick > t->first_tick) {
		rate = (uint64_t)(((unsigned __int128)(ns - t->first_ns) << 32) / (tick - t->first_tick));
	}
	atomic_store_explicit(&t->tick, tick, memory_order_relaxed);
	atomic_store_explicit(&t->ns, ns, memory_order_relaxed);
	atomic_store_explicit(&t->rate, rate, memory_order_relaxed);
}

uint64_t slu_ticks_relate(struct slu_ticks *t)
{
	uint64_t ns = slu_now_ns(), tick = __rdtsc();
	uint32_t version = atomic_load_explicit(&t->version, memory_order_acquire);

	if (version == 0 && !is_steady())
		atomic_compare_exchange_strong(&t->version, &version, 1); /* for ever */
	if (version % 2 == 0 && atomic_compare_exchange_strong(&t->version, &version, version + 1)) {
		relate(t, tick, ns);
		atomic_store_explicit(&t->version, version + 2, memory_order_release);
	}
	return ns;
}

#else

uint64_t slu_ticks_relate(struct slu_ticks *t)
{
	return slu_now_ns();
}

#endif
