/* SPDX-License-Identifier: MIT */
/*
 * Other tools' traces and the job's clock, and what they tell of computing. See foreign.h.
 *
 * Times are tried as those of the clock of day (Kineto, TensorFlow), then as those of this machine's monotonic clock:
 * whichever lies within the job. Else they are relative (torch without Kineto counts from the profiler's start), and a
 * name that is a span of ours too says where they belong; or the user does.
 *
 * Operators are computing, fetching from a data loader is waiting. Where a rank has marked its own spans, those count.
 */
#include "prof/foreign.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sluice/trace.h>

#include "base/macros.h"
#include "prof/out-chrome.h"
#include "prof/thin.h"

/* Clocks of day differ by this at most (ns), or they are not of this job. */
#define SLACK 300e9
/* Operators closer than this (ns) are one stretch of computing: between them is the interpreter. */
#define GAP 1000000
/* Stretches are joined more when there are as many. */
#define MANY (1u << 20)
/* Seconds from here on are of the Unix clock. */
#define UNIX_FROM 1e8

const char *slu_merge_clock_name(unsigned clock)
{
	static const char *const names[] = { "unix", "monotonic", "given", "span" };

	return clock < SLU_ARRAY_SIZE(names) ? names[clock] : "unknown";
}

/* ---- stretches of time ------------------------------------------------------------------------------------------- */

struct stretch {
	uint64_t begin, end;
};

struct stretches {
	struct stretch *list;
	size_t n;
	uint64_t gap;
};

static int compare_stretches(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* In order, and joined where they overlap or nearly meet. */
static void join(struct stretches *s)
{
	size_t n = 0;

	slu_sort(s->list, s->n, sizeof(*s->list), compare_stretches);
	for (size_t i = 0; i < s->n; i++) {
		if (n && s->list[i].begin <= s->list[n - 1].end + s->gap)
			s->list[n - 1].end = slu_max(s->list[n - 1].end, s->list[i].end);
		else
			s->list[n++] = s->list[i];
	}
	s->n = n;
}

static int add_stretch(struct stretches *s, uint64_t begin, uint64_t end)
{
	int r;

	if (s->n && begin >= s->list[s->n - 1].begin && begin <= s->list[s->n - 1].end + s->gap) {
		s->list[s->n - 1].end = slu_max(s->list[s->n - 1].end, end);
		return 0;
	}
	if (s->n == MANY) {
		join(s);
		if (s->n > MANY / 2)
			s->gap = s->gap ? s->gap * 2 : GAP;
	}
	if (s->n == MANY)
		join(s); /* with the longer gap; sooner or later it is fewer */
	if (s->n == MANY)
		return 0;
	r = slu_room(&s->list, s->n, sizeof(*s->list));
	if (r < 0)
		return r;
	s->list[s->n++] = (struct stretch){ begin, end };
	return 0;
}

/* ---- the first pass: the clock ----------------------------------------------------------------------------------- */

struct look {
	const struct slu_prof *p;
	struct slu_prof_merged *m;
	double first_us, last_us;
	double span_us; /* the earliest event of the name of a span of ours */
	const struct slu_prof_span *span;
	int32_t rank; /* of the process that it is of, if it has its number */
};

static void look_for_span(struct look *l, const struct slu_foreign_event *e)
{
	if (l->span && e->us >= l->span_us)
		return;
	for (size_t i = 0; i < l->p->n_spans; i++)
		if (strcmp(l->p->spans[i].name, e->name) == 0) {
			l->span_us = e->us;
			l->span = &l->p->spans[i];
			return;
		}
}

static void look_for_rank(struct look *l, const struct slu_foreign_event *e)
{
	char *end;
	unsigned long pid = strtoul(e->pid, &end, 10);

	for (size_t i = 0; l->rank == SLU_NO_RANK && *e->pid && !*end && i < l->p->n_processes; i++)
		if (l->p->processes[i].pid == pid)
			l->rank = l->p->processes[i].rank;
}

static int look_at(void *arg, struct slu_foreign_event *e)
{
	struct look *l = arg;

	if (!e->timed || fabs(e->us) > 1e16)
		return 0;
	l->first_us = l->m->events ? fmin(l->first_us, e->us) : e->us;
	l->last_us = l->m->events ? fmax(l->last_us, e->us + e->dur_us) : e->us + e->dur_us;
	l->m->events++;
	if (strcmp(e->ph, "X") == 0) {
		slu_thin_count(l->m->lengths, (uint64_t)fmin(e->dur_us * 1e3, 1e18));
		look_for_span(l, e);
	}
	look_for_rank(l, e);
	return 0;
}

/* Whether with this shift the file's times lie in the job's. */
static bool fits(const struct look *l, double shift, double slack)
{
	double first = l->first_us * 1e3 + l->m->base_ns + shift, last = l->last_us * 1e3 + l->m->base_ns + shift,
	       end = 0;

	for (size_t i = 0; i < l->p->n_processes; i++)
		end = fmax(end, (double)l->p->processes[i].end);
	return first <= end + slack && last >= -slack;
}

static int find_clock(struct look *l, const struct slu_merge *given)
{
	struct slu_prof_merged *m = l->m;
	double unix_shift = -(double)l->p->job.began_unix_ns, mono_shift = (double)l->p->processes[0].shift;

	if (given->has_at) {
		m->clock = SLU_CLOCK_GIVEN;
		m->shift_ns = given->at * 1e9 + (given->at >= UNIX_FROM ? unix_shift : 0) - m->base_ns;
	} else if (fits(l, unix_shift, SLACK)) {
		m->clock = SLU_CLOCK_UNIX;
		m->shift_ns = unix_shift;
	} else if (fits(l, mono_shift, 0)) {
		m->clock = SLU_CLOCK_MONOTONIC;
		m->shift_ns = mono_shift;
	} else if (l->span) {
		m->clock = SLU_CLOCK_SPAN;
		m->shift_ns = (double)l->span->first - l->span_us * 1e3 - m->base_ns;
	} else {
		return slu_fail(
			-EINVAL,
			"the times of %s are not on a clock that is known here: say when its time 0 was, with "
			"--merge FILE@SECONDS, since the job's begin or of the Unix clock; or give a span of the "
			"program the name of one of its events",
			m->path);
	}
	m->begin = l->first_us * 1e3 + m->base_ns + m->shift_ns;
	m->end = l->last_us * 1e3 + m->base_ns + m->shift_ns;
	return 0;
}

/* ---- the second pass: computing and waiting ---------------------------------------------------------------------- */

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static bool is_wait(const struct slu_foreign_event *e)
{
	return begins(e->name, "enumerate(DataLoader)") || begins(e->name, "IteratorGetNext");
}

static bool is_compute(const struct slu_foreign_event *e)
{
	static const char *const cats[] = { "kernel", "Kernel", "gpu_op", "cpu_op", "Operator", "Op" };

	for (size_t i = 0; i < SLU_ARRAY_SIZE(cats); i++)
		if (strcmp(e->cat, cats[i]) == 0)
			return true;
	return begins(e->name, "aten::") || begins(e->name, "autograd::") || begins(e->name, "Optimizer.step");
}

struct gather {
	struct slu_prof_merged *m;
	struct stretches compute, wait;
};

static int gather(void *arg, struct slu_foreign_event *e)
{
	struct gather *g = arg;
	double begin = e->us * 1e3 + g->m->base_ns + g->m->shift_ns, end = begin + e->dur_us * 1e3;
	bool wait = is_wait(e);

	if (!e->timed || strcmp(e->ph, "X") != 0 || !(end > 0) || !(end < 1e18) || !(wait || is_compute(e)))
		return 0;
	if (wait)
		g->m->wait_spans++;
	else
		g->m->compute_spans++;
	return add_stretch(wait ? &g->wait : &g->compute, (uint64_t)fmax(begin, 0), (uint64_t)end);
}

/* What is left of computing without waiting: operators inside of a loader's next() decode. */
static int without(const struct stretches *all, const struct stretches *less, struct stretches *ret)
{
	for (size_t i = 0, k = 0; i < all->n; i++) {
		uint64_t at = all->list[i].begin, end = all->list[i].end;

		while (k < less->n && less->list[k].end <= at)
			k++;
		for (size_t j = k; at < end; j++) {
			bool last = j >= less->n || less->list[j].begin >= end;
			uint64_t to = last ? end : slu_max(at, less->list[j].begin);
			int r = to > at ? add_stretch(ret, at, to) : 0;

			if (r < 0)
				return r;
			if (last)
				break;
			at = slu_max(at, less->list[j].end);
		}
	}
	return 0;
}

static bool has_own(const struct slu_prof *p, int32_t rank)
{
	for (size_t i = 0; i < p->n_spans; i++)
		if (p->spans[i].rank == rank &&
		    (p->spans[i].kind == SLU_SPAN_COMPUTE || p->spans[i].kind == SLU_SPAN_WAIT))
			return true;
	return false;
}

static int add_sum(struct slu_prof *p, const struct slu_prof_merged *m, uint32_t kind, uint64_t count,
                   const struct stretches *s)
{
	struct slu_prof_span sum = { .rank = m->rank, .name = m->path, .kind = kind, .count = count };
	int r = s->n ? slu_room(&p->spans, p->n_spans, sizeof(*p->spans)) : 0;

	if (r < 0 || !s->n)
		return r;
	for (size_t i = 0; i < s->n; i++)
		sum.ns += s->list[i].end - s->list[i].begin;
	sum.first = s->list[0].begin;
	sum.last = s->list[s->n - 1].end;
	p->spans[p->n_spans++] = sum;
	return 0;
}

static int compare_edges(const void *a, const void *b)
{
	const struct slu_iv_edge *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->density > 0) - (y->density > 0); /* ends first */
}

static void add_edges(struct slu_thread *t, const struct stretches *s, enum slu_iv_span_kind kind)
{
	for (size_t i = 0; i < s->n; i++) {
		t->edges[t->n_edges++] = (struct slu_iv_edge){ s->list[i].begin, 1, (uint8_t)kind, 0 };
		t->edges[t->n_edges++] = (struct slu_iv_edge){ s->list[i].end, -1, (uint8_t)kind, 0 };
	}
}

/* A thread more, of the rank's first process; threads stay in order of processes. */
static int add_lane(struct slu_build *b, int32_t rank, const struct stretches *compute, const struct stretches *wait)
{
	struct slu_thread t = { 0 };
	size_t at = b->n_threads;
	int r = slu_room(&b->threads, b->n_threads, sizeof(*b->threads));

	if (r < 0)
		return r;
	while (b->p->processes[t.process].rank != rank)
		t.process++;
	t.edges = calloc(2 * (compute->n + wait->n) + 1, sizeof(*t.edges));
	if (!t.edges)
		return slu_fail_memory();
	add_edges(&t, compute, SLU_IV_COMPUTE);
	add_edges(&t, wait, SLU_IV_WAIT);
	slu_sort(t.edges, t.n_edges, sizeof(*t.edges), compare_edges);
	for (; at > 0 && b->threads[at - 1].process > t.process; at--)
		b->threads[at] = b->threads[at - 1];
	b->threads[at] = t;
	b->n_threads++;
	return 0;
}

static int take_spans(struct slu_build *b, struct slu_prof_merged *m, struct gather *g, struct stretches *compute)
{
	char text[1024];
	int r;

	join(&g->compute);
	join(&g->wait);
	r = without(&g->compute, &g->wait, compute);
	if (r == 0)
		r = add_sum(b->p, m, SLU_SPAN_COMPUTE, m->compute_spans, compute);
	if (r == 0)
		r = add_sum(b->p, m, SLU_SPAN_WAIT, m->wait_spans, &g->wait);
	if (r == 0 && compute->n + g->wait.n)
		r = add_lane(b, m->rank, compute, &g->wait);
	if (r < 0)
		return r;
	(void)snprintf(text, sizeof(text),
	               "computing of rank %d is known from %s: %llu operators, those less than 1 ms apart as one",
	               m->rank, m->path, (unsigned long long)m->compute_spans); /* cut off at worst */
	return m->compute_spans ? slu_build_note(b, SLU_NOTE_MERGED, text) : 0;
}

/* The rank if there is only one. */
static int32_t only_rank(const struct slu_prof *p)
{
	int32_t rank = SLU_NO_RANK;

	for (size_t i = 0; i < p->n_processes; i++) {
		if (p->processes[i].rank == SLU_NO_RANK || p->processes[i].rank == rank)
			continue;
		if (rank != SLU_NO_RANK)
			return SLU_NO_RANK;
		rank = p->processes[i].rank;
	}
	return rank;
}

static int merge_one(struct slu_build *b, const struct slu_merge *given)
{
	struct slu_prof_merged *m = &b->p->merged[b->p->n_merged];
	struct slu_foreign_head head;
	struct look l = { .p = b->p, .m = m, .rank = SLU_NO_RANK };
	struct gather g = { .m = m, .compute.gap = GAP };
	struct stretches compute = { 0 };
	int r;

	m->lengths = calloc(1, sizeof(*m->lengths));
	if (!m->lengths)
		return slu_fail_memory();
	b->p->n_merged++;
	SLU_STORE(b, m->path, given->path);
	r = slu_foreign_scan(m->path, &head, look_at, &l);
	if (r < 0)
		return r;
	if (!m->events)
		return slu_fail(-EBADMSG, "%s has no event with a time: it is not a trace in Chrome's JSON", m->path);
	slu_thin_choose(m->lengths, SLU_CHROME_CALLS);
	m->base_ns = head.base_ns;
	r = find_clock(&l, given);
	m->rank = l.rank != SLU_NO_RANK ? l.rank : only_rank(b->p);
	if (r < 0 || m->rank == SLU_NO_RANK || has_own(b->p, m->rank))
		return r;
	r = slu_foreign_scan(m->path, &head, gather, &g);
	if (r == 0)
		r = take_spans(b, m, &g, &compute);
	free(g.compute.list);
	free(g.wait.list);
	free(compute.list);
	return r;
}

int slu_build_foreign(struct slu_build *b, const struct slu_merge *merges, size_t n)
{
	int r = 0;

	if (!n)
		return 0;
	b->p->merged = calloc(n, sizeof(*b->p->merged));
	if (!b->p->merged)
		return slu_fail_memory();
	for (size_t i = 0; r == 0 && i < n; i++)
		r = merge_one(b, &merges[i]);
	return r;
}
