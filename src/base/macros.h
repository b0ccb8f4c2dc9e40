/* SPDX-License-Identifier: MIT */
/*
 * Small things that every file needs: scope cleanup, hand-over, sizes.
 *
 * SLU_AUTO(fd) int x = -1;      closed at the end of the scope
 * SLU_AUTO(mem) char *p = ...;  freed at the end of the scope
 * SLU_TAKE(x)                   hands a pointer over: gives it and forgets it
 */
#ifndef SLU_BASE_MACROS_H
#define SLU_BASE_MACROS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define SLU_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define SLU_LIKELY(x) __builtin_expect(!!(x), 1)
#define SLU_UNLIKELY(x) __builtin_expect(!!(x), 0)

#define SLU_AUTO(kind) __attribute__((cleanup(slu_cleanup_##kind)))

static inline void slu_cleanup_mem(void *p)
{
	free(*(void **)p);
}

static inline void slu_cleanup_fd(int *fd)
{
	if (*fd >= 0) {
		int saved = errno;
		close(*fd);
		errno = saved;
	}
}

#define SLU_TAKE(x)                                                                                                    \
	({                                                                                                             \
		__typeof__(x) slu_taken_ = (x);                                                                        \
		(x) = NULL;                                                                                            \
		slu_taken_;                                                                                            \
	})

static inline int slu_take_fd(int *fd)
{
	int taken = *fd;
	*fd = -1;
	return taken;
}

static inline uint64_t slu_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t slu_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Rounds up to a multiple of @align, a power of two. The caller knows that it fits. */
static inline uint64_t slu_up(uint64_t x, uint64_t align)
{
	return (x + align - 1) & ~(align - 1);
}

#endif
