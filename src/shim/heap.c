/* SPDX-License-Identifier: MIT */
/*
 * Our own memory: the linker sends malloc() and its kin in our objects, the codecs' included, here (--wrap).
 *
 * The host's malloc must not be used: open() and read() are async-signal-safe, so that a handler may call them while
 * its thread is inside malloc(); and the host's malloc may itself open files. Blocks of a power of two are kept in
 * lists, larger ones are mapped. A list has a lock that is only ever tried: who finds it taken (a handler over its own
 * thread, or the child of a fork for good) maps a page of its own instead. Nothing here waits.
 *
 * What the host will free comes from its own malloc: slu_host_alloc(). So do directory streams, which no handler may
 * use.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "base/macros.h"
#include "shim/heap.h"

enum {
	HEAD = 64, /* so that what is given out begins a cache line */
	LEAST = 7, /* 128 bytes with the head */
	MOST = 16, /* 64 KiB; beyond that a mapping for each */
	CHUNK = 256 << 10,
	MAPPED = 0xff,
};

struct block {
	uint64_t bytes; /* of a mapping: its length */
	uint32_t list;  /* the power of two, or MAPPED */
	uint32_t pad;
};

struct list {
	_Atomic bool taken;
	void *first;          /* free blocks; each begins with the next one's address */
	uint8_t *fresh, *end; /* never used yet */
};

static struct list lists[MOST + 1];

void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t len);

static bool try_take(struct list *l)
{
	for (int i = 0; i < 100; i++)
		if (!atomic_exchange_explicit(&l->taken, true, memory_order_acquire))
			return true;
	return false;
}

static void give(struct list *l)
{
	atomic_store_explicit(&l->taken, false, memory_order_release);
}

static void *map(size_t bytes)
{
	void *m = __wrap_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return m == MAP_FAILED ? NULL : m;
}

static void *alloc_mapped(size_t n)
{
	size_t bytes = slu_up(n + HEAD, 4096);
	struct block *b = bytes < n ? NULL : map(bytes);

	if (!b)
		return NULL;
	b->bytes = bytes;
	b->list = MAPPED;
	return (uint8_t *)b + HEAD;
}

static void *take_block(struct list *l, unsigned power)
{
	void *b = l->first;

	if (b) {
		memcpy(&l->first, (uint8_t *)b + HEAD, sizeof(l->first));
		return b;
	}
	if (l->fresh == l->end) {
		l->fresh = map(CHUNK);
		l->end = l->fresh ? l->fresh + CHUNK : NULL;
	}
	b = l->fresh;
	if (b)
		l->fresh += (size_t)1 << power;
	return b;
}

void *__wrap_malloc(size_t n)
{
	unsigned power = LEAST;
	int saved = errno;
	struct block *b;
	void *p = NULL;

	while (power <= MOST && ((size_t)1 << power) < n + HEAD)
		power++;
	if (power <= MOST && n <= (size_t)1 << MOST && try_take(&lists[power])) {
		b = take_block(&lists[power], power);
		give(&lists[power]);
		if (b) {
			b->list = power;
			p = (uint8_t *)b + HEAD;
		}
	}
	if (!p)
		p = alloc_mapped(n);
	errno = p ? saved : ENOMEM;
	return p;
}

void __wrap_free(void *p)
{
	struct block *b = p ? (struct block *)(void *)((uint8_t *)p - HEAD) : NULL;
	int saved = errno;
	struct list *l;

	if (!b)
		return;
	if (b->list == MAPPED) {
		(void)__wrap_munmap(b, b->bytes);
		errno = saved;
		return;
	}
	l = &lists[b->list];
	if (!try_take(l))
		return; /* lost: a handler over its own thread, which is rare */
	memcpy(p, &l->first, sizeof(l->first));
	l->first = b;
	give(l);
}

void *__wrap_calloc(size_t n, size_t size)
{
	size_t bytes;
	void *p = __builtin_mul_overflow(n, size, &bytes) ? NULL : __wrap_malloc(bytes);

	return p ? memset(p, 0, bytes) : NULL;
}

static size_t room_of(const void *p)
{
	const struct block *b = (const struct block *)(const void *)((const uint8_t *)p - HEAD);

	return (b->list == MAPPED ? b->bytes : (size_t)1 << b->list) - HEAD;
}

void *__wrap_realloc(void *p, size_t n)
{
	void *more;

	if (p && n <= room_of(p))
		return p;
	more = __wrap_malloc(n);
	if (more && p) {
		memcpy(more, p, room_of(p));
		__wrap_free(p);
	}
	return more;
}

void *__wrap_aligned_alloc(size_t align, size_t n)
{
	return align <= HEAD ? __wrap_malloc(n) : NULL;
}

char *__wrap_strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	char *copy = __wrap_malloc(n);

	return copy ? memcpy(copy, s, n) : NULL;
}

void slu_heap_after_fork(void)
{
	for (unsigned i = 0; i <= MOST; i++)
		if (atomic_load(&lists[i].taken)) { /* by a thread that is not here; its list may be half changed */
			lists[i].first = NULL;
			lists[i].fresh = lists[i].end = NULL;
			give(&lists[i]);
		}
}

void *slu_host_alloc(size_t n)
{
	return __real_malloc(n);
}

void *slu_host_zalloc(size_t n)
{
	void *p = slu_host_alloc(n);

	return p ? memset(p, 0, n) : NULL;
}

void *slu_host_realloc(void *p, size_t n)
{
	return __real_realloc(p, n);
}

void slu_host_free(void *p)
{
	__real_free(p);
}

char *slu_host_strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	char *copy = slu_host_alloc(n);

	return copy ? memcpy(copy, s, n) : NULL;
}
