/* SPDX-License-Identifier: MIT */
/* Time for progress and benchmarks. Never for a decision that shapes output. */
#ifndef SLU_BASE_CLOCK_H
#define SLU_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t slu_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
