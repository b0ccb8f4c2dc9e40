/* SPDX-License-Identifier: MIT */
/*
 * Spans of a thread: edges for the sweep, epochs for the table, sums for the list. Those that had not ended (the
 * process runs, or was killed in them) end with what is known of the process.
 */
#include "prof/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sluice/trace.h>

#include "base/macros.h"

static int iv_kind(uint32_t kind)
{
	switch (kind) {
	case SLU_SPAN_COMPUTE:
		return SLU_IV_COMPUTE;
	case SLU_SPAN_WAIT:
		return SLU_IV_WAIT;
	case SLU_SPAN_DECODE:
		return SLU_IV_DECODE;
	case SLU_SPAN_CHECKPOINT:
		return SLU_IV_CHECKPOINT;
	case SLU_SPAN_IO:
		return SLU_IV_IO_SPAN;
	default:
		return -1;
	}
}

/* Adds to the sums by name, kind and rank. Few names: a search from the latest on. */
static int sum_up(struct slu_build *b, int32_t rank, const struct slu_log_span *s, const char *name, size_t len,
                  uint64_t begin, uint64_t end, const char **ret_name)
{
	struct slu_prof *p = b->p;
	struct slu_prof_span *sum = NULL;
	int r;

	for (size_t i = p->n_spans; i-- > 0 && !sum;)
		if (p->spans[i].rank == rank && p->spans[i].kind == s->kind &&
		    strncmp(p->spans[i].name, name, len) == 0 && !p->spans[i].name[len])
			sum = &p->spans[i];
	if (!sum) {
		r = slu_room(&p->spans, p->n_spans, sizeof(*p->spans));
		if (r < 0)
			return r;
		sum = &p->spans[p->n_spans];
		*sum = (struct slu_prof_span){ .rank = rank, .kind = s->kind, .first = UINT64_MAX };
		sum->name = slu_store_strn(p->store, name, len);
		if (!sum->name)
			return -ENOMEM;
		p->n_spans++;
	}
	sum->count += s->count;
	sum->ns += slu_min(s->ns, end - begin);
	sum->first = slu_min(sum->first, begin);
	sum->last = slu_max(sum->last, end);
	*ret_name = sum->name;
	return 0;
}

static void add_edges(struct slu_thread *t, uint64_t begin, uint64_t end, double density, int kind, uint32_t depth)
{
	uint8_t d = (uint8_t)slu_min(depth, SLU_IV_DEPTHS - 1);

	t->edges[t->n_edges++] = (struct slu_iv_edge){ begin, (float)density, (uint8_t)kind, d };
	t->edges[t->n_edges++] = (struct slu_iv_edge){ end, -(float)density, (uint8_t)kind, d };
}

/* One span on the job's clock. */
static int add_span(struct slu_build *b, struct slu_thread *t, const struct slu_image *img,
                    const struct slu_log_span *s)
{
	struct slu_prof_process *p = &b->p->processes[t->process];
	uint64_t begin = slu_job_time(p, s->begin), end = slu_job_time(p, s->end);
	int kind = iv_kind(s->kind), r;
	size_t len = 0;
	const char *name = slu_image_name(img, s->name, &len);

	if (s->begin == 0)
		return 0; /* not filled in */
	if (s->end < s->begin) {
		b->cut++;
		return 0;
	}
	p->end = slu_max(p->end, end);
	r = sum_up(b, p->rank, s, name ? name : "", len, begin, end, &name);
	if (r < 0 || end == begin)
		return r;
	if (s->kind == SLU_SPAN_COMPUTE)
		p->has_compute = true;
	if (kind >= 0 && s->ns)
		add_edges(t, begin, end, (double)slu_min(s->ns, end - begin) / (double)(end - begin), kind, s->depth);
	if (s->kind == SLU_SPAN_EPOCH)
		t->epochs[t->n_epochs++] =
			(struct slu_epoch_span){ .begin = begin, .end = end, .index = s->index, .name = name };
	return 0;
}

static int compare_edges(const void *a, const void *b)
{
	const struct slu_iv_edge *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->density > 0) - (y->density > 0); /* ends first */
}

static int compare_epochs(const void *a, const void *b)
{
	const struct slu_epoch_span *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

int slu_build_spans(struct slu_build *b, struct slu_thread *t, const struct slu_image *img,
                    const struct slu_log_thread *log)
{
	struct slu_prof_process *p = &b->p->processes[t->process];
	size_t n, open = slu_min(log->depth, SLU_SPAN_DEPTH);
	const struct slu_log_span *spans = slu_image_spans(img, log, &n);
	int r = 0;

	t->edges = calloc(2 * (n + open) + 1, sizeof(*t->edges));
	t->epochs = calloc(n + open + 1, sizeof(*t->epochs));
	if (!t->edges || !t->epochs)
		return slu_fail_memory();
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_span(b, t, img, &spans[i]);
	for (size_t i = 0; r == 0 && i < open; i++) {
		const struct slu_log_open_span *o = &log->open_spans[i];
		struct slu_log_span s = { .begin = o->begin,
			                  .name = o->name,
			                  .kind = o->kind,
			                  .index = o->index,
			                  .count = 1,
			                  .depth = (uint32_t)i };

		s.end = p->end - (uint64_t)p->shift; /* back on the log's clock */
		if (s.end < s.begin)
			s.end = s.begin;
		s.ns = s.end - s.begin;
		r = add_span(b, t, img, &s);
	}
	slu_sort(t->edges, t->n_edges, sizeof(*t->edges), compare_edges);
	slu_sort(t->epochs, t->n_epochs, sizeof(*t->epochs), compare_epochs);
	return r;
}
