/* SPDX-License-Identifier: MIT */
/*
 * What is counted for each thread: calls, sizes, times, and when it was busy with them (runs, see layout.h), and each
 * call by itself where events are asked for. A thread's record is its own: nothing here is shared but for threads
 * after SLU_TRACE_OWN_THREADS, who have one together and take a lock.
 */
#include "trace/record.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/arrays.h"

enum { FIRST_GAP_NS = 100000, FIRST_RUNS = 64, FIRST_EVENTS = 256, MOST_EVENTS = 16384 };

/* ---- a thread's record ------------------------------------------------------------------------------------------ */

static struct slu_rec_thread *new_thread(struct slu_recorder *r, bool shared)
{
	struct slu_log_chunk *c = slu_rec_chunk(r, SLU_CHUNK_THREAD, sizeof(struct slu_log_thread), 0);
	struct slu_rec_thread *t = &r->thread_pool[r->n_pool];
	struct slu_log_thread *log = (struct slu_log_thread *)(c + 1);

	if (!c)
		return NULL;
	r->n_pool++;
	*t = (struct slu_rec_thread){ .log = log, .ref = slu_rec_ref(r, log), .shared = shared };
	log->run_gap = log->span_gap = FIRST_GAP_NS;
	log->first = slu_rec_now(r);
	if (shared) {
		memcpy(log->name, "(others)", 9);
	} else {
		log->tid = (uint32_t)syscall(SYS_gettid);
		(void)prctl(PR_GET_NAME, log->name);
	}
	__atomic_store_n(&c->used, sizeof(*log), __ATOMIC_RELEASE);
	return t;
}

static struct slu_rec_thread *find_thread(struct slu_recorder *r)
{
	struct slu_log_header *h;
	struct slu_rec_thread *t = NULL;

	slu_rec_lock(&r->lock);
	if (slu_rec_open(r)) {
		h = (struct slu_log_header *)atomic_load(&r->base);
		if (r->n_pool < SLU_TRACE_OWN_THREADS && !r->others)
			t = new_thread(r, false);
		if (t)
			h->n_threads++;
		/* The first one always has room: the log is new. So there is somebody to share with. */
		if (!t && !r->others)
			r->others = r->n_pool <= SLU_TRACE_OWN_THREADS ? new_thread(r, true) : NULL;
		if (!t && !r->others && r->n_pool > 0) {
			r->others = &r->thread_pool[r->n_pool - 1];
			r->others->shared = true;
		}
		if (!t) {
			t = r->others;
			h->other_threads++;
		}
	}
	slu_rec_unlock(&r->lock);
	return t;
}

struct slu_rec_thread *slu_rec_enter(struct slu_recorder *r, struct slu_rec_tls *tls)
{
	if (SLU_UNLIKELY(tls->busy)) {
		char *base = atomic_load_explicit(&r->base, memory_order_relaxed);
		if (base)
			__atomic_fetch_add(&((struct slu_log_header *)base)->missed, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	tls->busy = true;
	atomic_signal_fence(memory_order_seq_cst);
	if (SLU_UNLIKELY(!tls->thread ||
	                 tls->generation != atomic_load_explicit(&r->generation, memory_order_relaxed))) {
		tls->thread = find_thread(r);
		tls->generation = atomic_load(&r->generation);
	}
	if (SLU_UNLIKELY(!tls->thread))
		tls->busy = false;
	else if (SLU_UNLIKELY(tls->thread->shared))
		slu_rec_lock(&r->others_lock);
	return tls->thread;
}

void slu_rec_leave(struct slu_recorder *r, struct slu_rec_tls *tls, struct slu_rec_thread *t)
{
	if (SLU_UNLIKELY(t->shared))
		slu_rec_unlock(&r->others_lock);
	atomic_signal_fence(memory_order_seq_cst);
	tls->busy = false;
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

/* How long the thread has been in compute spans, up to @now. */
static uint64_t computed(const struct slu_rec_thread *t, uint64_t now)
{
	return t->compute_ns + (t->computing && now > t->compute_since ? now - t->compute_since : 0);
}

static bool belong_together(const struct slu_log_run *a, uint64_t begin, uint64_t end, uint64_t gap)
{
	return begin < a->end + gap && end - a->begin < 10 * gap;
}

/* Copies the runs to @to, which may be where they are, and makes them @most at the most. */
static uint32_t merge_runs(struct slu_rec_thread *t, struct slu_log_run *to, uint32_t most)
{
	uint32_t n = t->n_runs;

	memmove(to, t->runs, n * sizeof(*to));
	while (n > most) {
		uint64_t gap = t->log->run_gap *= 2, *before = t->compute_before;
		uint32_t out = 0;

		for (uint32_t i = 1; i < n; i++) {
			struct slu_log_run *a = &to[out], *b = &to[i];
			if (!belong_together(a, b->begin, b->end, gap)) {
				to[++out] = *b;
				before[out] = before[i];
				continue;
			}
			a->compute_ns = before[i] + b->compute_ns - before[out];
			a->end = b->end;
			a->read_ns += b->read_ns;
			a->write_ns += b->write_ns;
			a->meta_ns += b->meta_ns;
			a->read_bytes += b->read_bytes;
			a->written_bytes += b->written_bytes;
			a->calls += b->calls;
		}
		n = out + 1;
	}
	return n;
}

static bool make_room_for_run(struct slu_recorder *r, struct slu_rec_thread *t)
{
	struct slu_rec_array a = { .kind = SLU_CHUNK_RUNS,
		                   .width = sizeof(*t->runs),
		                   .first = FIRST_RUNS,
		                   .most = SLU_TRACE_MAX_RUNS,
		                   .max = t->max_runs };
	struct slu_log_run *runs = slu_rec_array_grow(r, t, &a, t->runs);

	if (!runs && t->n_runs > 1) { /* no more room: fewer, where they are */
		t->n_runs = merge_runs(t, t->runs, t->n_runs / 2);
		return true;
	}
	if (!runs)
		return false;
	if (a.max > t->max_runs) {
		uint64_t *before = slu_rec_memory(a.max * sizeof(*before));
		if (!before)
			return false;
		if (t->n_runs) {
			memcpy(before, t->compute_before, t->n_runs * sizeof(*before));
			memcpy(runs, t->runs, t->n_runs * sizeof(*runs));
			slu_rec_memory_free(t->compute_before, t->max_runs * sizeof(*before));
		}
		t->compute_before = before;
	} else {
		t->n_runs = merge_runs(t, runs, t->max_runs / 2);
	}
	slu_rec_array_publish(r, &t->log->runs, runs, t->n_runs * sizeof(*runs), t->runs);
	t->runs = runs;
	t->max_runs = a.max;
	return true;
}

static void add_run(struct slu_recorder *r, struct slu_rec_thread *t, enum slu_family family, uint64_t bytes,
                    uint64_t begin, uint64_t end)
{
	struct slu_log_run *run = t->n_runs ? &t->runs[t->n_runs - 1] : NULL;
	uint64_t ns = end - begin;

	if (SLU_UNLIKELY(!run || t->run_closed || !belong_together(run, begin, end, t->log->run_gap))) {
		if (SLU_UNLIKELY(t->n_runs == t->max_runs) && !make_room_for_run(r, t)) {
			if (!t->n_runs)
				return;
			run = &t->runs[t->n_runs - 1]; /* no memory: the last one takes it all */
		} else {
			t->compute_before[t->n_runs] = computed(t, begin);
			run = &t->runs[t->n_runs++];
			*run = (struct slu_log_run){ .begin = begin };
			__atomic_store_n(&slu_rec_array_chunk(t->runs)->used, t->n_runs * sizeof(*run),
			                 __ATOMIC_RELEASE);
		}
		t->run_closed = false;
	}
	run->end = end;
	run->calls++;
	if (family == SLU_FAMILY_READ) {
		run->read_ns += ns;
		run->read_bytes += bytes;
	} else if (family == SLU_FAMILY_WRITE) {
		run->write_ns += ns;
		run->written_bytes += bytes;
	} else {
		run->meta_ns += ns;
	}
	if (t->computing)
		run->compute_ns = computed(t, end) - t->compute_before[t->n_runs - 1];
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

static bool make_room_for_events(struct slu_recorder *r, struct slu_rec_thread *t)
{
	struct slu_log_header *h = (struct slu_log_header *)atomic_load(&r->base);
	uint32_t n = (uint32_t)slu_min(t->max_events ? 4 * (uint64_t)t->max_events : FIRST_EVENTS, MOST_EVENTS);
	struct slu_log_chunk *c;

	slu_rec_lock(&r->lock);
	/* The last quarter of the room is for files. */
	c = h->end + n * sizeof(*t->events) > r->reserved - r->reserved / 4
	            ? NULL
	            : slu_rec_chunk(r, SLU_CHUNK_EVENTS, n * sizeof(*t->events), t->ref);
	if (!c)
		h->flags |= SLU_LOG_EVENTS_LOST;
	slu_rec_unlock(&r->lock);
	if (!c)
		return false;
	t->events_chunk = c;
	t->events = (struct slu_log_event *)(c + 1);
	t->n_events = 0;
	t->max_events = n;
	return true;
}

static void add_event(struct slu_recorder *r, struct slu_rec_thread *t, const struct slu_rec_call *c, uint64_t ns,
                      slu_ref file, uint64_t offset)
{
	if (SLU_UNLIKELY(t->n_events == t->max_events) && !make_room_for_events(r, t))
		return;
	t->events[t->n_events++] = (struct slu_log_event){ .begin = c->begin,
		                                           .offset = offset,
		                                           .bytes = c->bytes,
		                                           .file = file,
		                                           .ns = (uint32_t)slu_min(ns, UINT32_MAX),
		                                           .call = (uint16_t)c->call,
		                                           .error = (uint16_t)c->error };
	__atomic_store_n(&t->events_chunk->used, t->n_events * sizeof(*t->events), __ATOMIC_RELEASE);
}

/* ---- one call --------------------------------------------------------------------------------------------------- */

static unsigned log2_class(uint64_t v)
{
	unsigned k = v ? 64 - (unsigned)__builtin_clzll(v) : 0;

	return k < SLU_LOG2_CLASSES ? k : SLU_LOG2_CLASSES - 1;
}

void slu_rec_thread_call(struct slu_recorder *r, struct slu_rec_thread *t, const struct slu_rec_call *c, uint64_t end,
                         slu_ref file, uint64_t offset)
{
	struct slu_log_header *h = (struct slu_log_header *)atomic_load_explicit(&r->base, memory_order_relaxed);
	struct slu_log_tally *tally = &t->log->calls[c->call];
	enum slu_family family = slu_call_family(c->call);
	bool timed = c->begin != SLU_UNTIMED;
	uint64_t ns = timed ? end - c->begin : 0;
	bool moves = family == SLU_FAMILY_READ || family == SLU_FAMILY_WRITE;

	tally->count++;
	tally->errors += c->error != 0;
	tally->ns += ns;
	tally->bytes += c->bytes;
	if (ns > tally->slowest)
		tally->slowest = ns;
	if (moves)
		t->log->size_log2[family == SLU_FAMILY_WRITE][log2_class(c->bytes)]++;
	if (!timed)
		return;
	t->log->time_log2[moves ? family == SLU_FAMILY_WRITE : 2][log2_class(ns)]++;
	t->log->last = end;
	h->last = end;
	add_run(r, t, family, c->bytes, c->begin, end);
	if (r->events)
		add_event(r, t, c, ns, file, offset);
}
