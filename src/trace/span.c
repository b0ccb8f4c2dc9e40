/* SPDX-License-Identifier: MIT */
/*
 * Spans from programs: the way from libsluice to the recorder, which lives in the preloaded shim.
 *
 * The two are not linked: a program that links libsluice, or Python that has loaded its module, runs with the shim or
 * without. The shim's three functions are looked for by name at the first call. It was there before main() or it never
 * will be, so what is found then holds.
 */
#include <sluice/trace.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct recorder {
	int (*tracing)(void);
	void (*begin)(const char *name, enum slu_span_kind kind, int64_t index);
	void (*end)(void);
};

enum { UNKNOWN, ABSENT, PRESENT };

static struct recorder recorder; /* written before @found says PRESENT, by whoever comes: always the same */
static atomic_int found;

static bool find(void)
{
	struct recorder r;

	/* POSIX lets a data pointer hold a function's address, and C does not let it be cast. */
	*(void **)&r.tracing = dlsym(RTLD_DEFAULT, "slu_shim_tracing");
	*(void **)&r.begin = dlsym(RTLD_DEFAULT, "slu_shim_span_begin");
	*(void **)&r.end = dlsym(RTLD_DEFAULT, "slu_shim_span_end");
	/* A shim that traces nothing will not begin to: its answer is the same as none. */
	if (!r.tracing || !r.begin || !r.end || !r.tracing()) {
		atomic_store_explicit(&found, ABSENT, memory_order_relaxed);
		return false;
	}
	__atomic_store_n(&recorder.tracing, r.tracing, __ATOMIC_RELAXED);
	__atomic_store_n(&recorder.begin, r.begin, __ATOMIC_RELAXED);
	__atomic_store_n(&recorder.end, r.end, __ATOMIC_RELAXED);
	atomic_store_explicit(&found, PRESENT, memory_order_release);
	return true;
}

static inline bool present(void)
{
	int f = atomic_load_explicit(&found, memory_order_acquire);

	if (f == ABSENT)
		return false;
	return f == PRESENT || find();
}

int slu_tracing(void)
{
	return present() && recorder.tracing();
}

void slu_span_begin(const char *name, enum slu_span_kind kind, int64_t index)
{
	if (present())
		recorder.begin(name, kind, index);
}

void slu_span_end(void)
{
	if (present())
		recorder.end();
}
