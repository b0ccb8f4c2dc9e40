/* SPDX-License-Identifier: MIT */
/*
 * Spans, as the program tells them. One that has begun stands in the thread's record, where the reader finds it if
 * the process is killed; one that has ended goes to the thread's array. When there are too many, neighbours that are
 * alike become one: what they lasted together and how often stays exact.
 */
#include <sluice/trace.h>
#include <string.h>

#include "base/hash.h"
#include "trace/arrays.h"
#include "trace/record.h"

enum { FIRST_SPANS = 64, LOOK_BACK = 8, MAX_NAME = 255 };

/* ---- names ------------------------------------------------------------------------------------------------------ */

static slu_ref find_name(const struct slu_recorder *r, uint64_t hash)
{
	uint32_t n = atomic_load_explicit(&r->n_span_names, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++)
		if (r->span_names[i].hash == hash)
			return r->span_names[i].name;
	return n == SLU_TRACE_SPAN_NAMES ? r->span_names[n - 1].name : 0;
}

static slu_ref name_of(struct slu_recorder *r, const struct slu_rec_thread *t, const char *name)
{
	static const char more[] = "(other names)";
	size_t len = strnlen(name, MAX_NAME);
	uint64_t hash = slu_hash64(name, len);
	slu_ref ref = find_name(r, hash);
	uint32_t n;

	if (SLU_LIKELY(ref != 0))
		return ref;
	slu_rec_lock(&r->lock);
	n = atomic_load(&r->n_span_names);
	ref = find_name(r, hash);
	if (!ref && n < SLU_TRACE_SPAN_NAMES) {
		bool last = n == SLU_TRACE_SPAN_NAMES - 1;
		ref = slu_rec_name(r, last ? more : name, last ? sizeof(more) - 1 : len);
		r->span_names[n].hash = hash;
		r->span_names[n].name = ref;
		if (ref)
			atomic_store_explicit(&r->n_span_names, n + 1, memory_order_release);
	}
	slu_rec_unlock(&r->lock);
	return ref;
}

/* ---- the array -------------------------------------------------------------------------------------------------- */

static bool alike(const struct slu_log_span *a, const struct slu_log_span *b, bool any_index)
{
	return a->name == b->name && a->kind == b->kind && a->depth == b->depth && (any_index || a->index == b->index);
}

static void join(struct slu_log_span *a, const struct slu_log_span *b)
{
	if (a->index != b->index)
		a->index = -1;
	a->end = slu_max(a->end, b->end);
	a->ns += b->ns;
	a->count += b->count;
}

/* Copies the spans to @to, which may be where they are, and makes them @most at the most. */
static uint32_t merge_spans(struct slu_rec_thread *t, struct slu_log_span *to, uint32_t most)
{
	uint32_t n = t->n_spans;

	memmove(to, t->spans, n * sizeof(*to));
	while (n > most) {
		uint64_t gap = t->log->span_gap = slu_min(t->log->span_gap * 2, 1ull << 62);
		bool any_index = gap > 1ull << 42; /* over an hour: numbers of their own keep them apart */
		uint32_t out = 0;

		for (uint32_t i = 0; i < n; i++) {
			uint32_t k = out, least = out > LOOK_BACK ? out - LOOK_BACK : 0;
			while (k > least &&
			       !(alike(&to[k - 1], &to[i], any_index) && to[i].begin < to[k - 1].end + gap))
				k--;
			if (k > least)
				join(&to[k - 1], &to[i]);
			else
				to[out++] = to[i];
		}
		n = out;
		if (gap == 1ull << 62)
			break;
	}
	return n;
}

static bool make_room(struct slu_recorder *r, struct slu_rec_thread *t)
{
	struct slu_rec_array a = { .kind = SLU_CHUNK_SPANS,
		                   .width = sizeof(*t->spans),
		                   .first = FIRST_SPANS,
		                   .most = SLU_TRACE_MAX_RUNS,
		                   .max = t->max_spans };
	struct slu_log_span *spans = slu_rec_array_grow(r, t, &a, t->spans);

	if (!spans && t->n_spans) { /* no more room: fewer, where they are */
		t->n_spans = merge_spans(t, t->spans, t->n_spans / 2);
		return t->n_spans < t->max_spans;
	}
	if (!spans)
		return false;
	if (a.max > t->max_spans && t->n_spans)
		memcpy(spans, t->spans, t->n_spans * sizeof(*spans));
	else if (t->n_spans)
		t->n_spans = merge_spans(t, spans, t->max_spans / 2);
	slu_rec_array_publish(r, &t->log->spans, spans, t->n_spans * sizeof(*spans), t->spans);
	t->spans = spans;
	t->max_spans = a.max;
	return t->n_spans < t->max_spans;
}

static void add_span(struct slu_recorder *r, struct slu_rec_thread *t, const struct slu_log_span *s)
{
	if (t->n_spans == t->max_spans && !make_room(r, t)) {
		if (t->n_spans)
			join(&t->spans[t->n_spans - 1], s);
		return;
	}
	t->spans[t->n_spans++] = *s;
	__atomic_store_n(&slu_rec_array_chunk(t->spans)->used, t->n_spans * sizeof(*s), __ATOMIC_RELEASE);
}

/* ---- begin and end ---------------------------------------------------------------------------------------------- */

void slu_rec_span_begin(struct slu_recorder *r, struct slu_rec_tls *tls, const char *name, unsigned kind, int64_t index)
{
	struct slu_rec_thread *t = slu_rec_enter(r, tls);
	uint64_t now = slu_rec_now(r);

	if (!t)
		return;
	if (t->shared) { /* whose end would be whose? */
		slu_rec_leave(r, tls, t);
		return;
	}
	if (t->log->depth < SLU_SPAN_DEPTH) {
		struct slu_log_open_span *o = &t->log->open_spans[t->log->depth];
		*o = (struct slu_log_open_span){ .name = name_of(r, t, name), .kind = kind, .index = index };
		__atomic_store_n(&o->begin, now, __ATOMIC_RELEASE);
	}
	t->log->depth++;
	if (kind == SLU_SPAN_COMPUTE) {
		if (t->computing++ == 0)
			t->compute_since = now;
		t->run_closed = true;
	}
	slu_rec_leave(r, tls, t);
}

void slu_rec_span_end(struct slu_recorder *r, struct slu_rec_tls *tls)
{
	struct slu_rec_thread *t = slu_rec_enter(r, tls);
	struct slu_log_open_span *o;
	uint64_t now = slu_rec_now(r);

	if (!t)
		return;
	if (t->shared || t->log->depth == 0) {
		slu_rec_leave(r, tls, t);
		return;
	}
	if (--t->log->depth < SLU_SPAN_DEPTH) {
		o = &t->log->open_spans[t->log->depth];
		now = slu_max(now, o->begin);
		add_span(r, t,
		         &(struct slu_log_span){ .begin = o->begin,
		                                 .end = now,
		                                 .ns = now - o->begin,
		                                 .name = o->name,
		                                 .kind = o->kind,
		                                 .index = o->index,
		                                 .count = 1,
		                                 .depth = t->log->depth });
		if (o->kind == SLU_SPAN_COMPUTE && t->computing > 0) {
			if (--t->computing == 0)
				t->compute_ns += now - slu_min(now, t->compute_since);
			t->run_closed = true;
		}
		o->begin = 0;
	}
	t->log->last = now;
	((struct slu_log_header *)atomic_load(&r->base))->last = now;
	slu_rec_leave(r, tls, t);
}
