/* SPDX-License-Identifier: MIT */
/*
 * The sweep. See intervals.h for what it computes.
 *
 * Each lane has two sources of edges, both in order; a heap gives the earliest of all. Products over lanes are kept as
 * the number of factors that are 0 and the sum of the logarithms of the others, so that a change of one lane costs the
 * same for any number of lanes. Events have factors of 0 and 1 only, and so never come to a logarithm.
 */
#include "prof/intervals.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

enum factor {
	F_NO_COMPUTE,
	F_NO_IO,
	F_NOT_EITHER, /* compute, I/O */
	F_NO_READ,
	F_NO_COMPUTE_READ,
	F_NO_COMPUTE_READ_LOAD,
	F_NO_COMPUTE_IO_LOAD,
	F_NO_COMPUTE_CHECKPOINT,
	F_NO_COMPUTE_WRITE,
	F_NOT_BUSY,
	F_NO_WAIT,
	F_NO_DECODE,
	F_NO_CHECKPOINT,
	F_NO_IO_SPAN,
	N_FACTORS,
};

struct lane_state {
	const struct slu_lane *lane;
	size_t next_io; /* run or event */
	bool in_io;
	uint64_t io_end;
	float read, write, meta, own_compute; /* of the current run */
	size_t next_edge;
	float density[SLU_IV_SPAN_KINDS][SLU_IV_DEPTHS];
	uint16_t active[SLU_IV_SPAN_KINDS]; /* spans that are open: none means exactly no density */
	double factor[N_FACTORS];
};

struct product {
	uint64_t zeros;
	uint64_t fractions;
	double log_sum;
};

struct node {
	uint64_t time;
	uint32_t lane;
	uint32_t edges; /* 1: the source of span edges */
};

struct sweep {
	struct lane_state *lanes;
	struct node *heap;
	size_t n_heap;
	struct product products[N_FACTORS];
	double rates[SLU_N_COLUMNS];
	bool stale; /* rates do not follow from products */
};

/* ---- the heap ---------------------------------------------------------------------------------------------------- */

static void sift_down(struct sweep *s, size_t i)
{
	struct node x = s->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= s->n_heap)
			break;
		if (child + 1 < s->n_heap && s->heap[child + 1].time < s->heap[child].time)
			child++;
		if (s->heap[child].time >= x.time)
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = x;
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

static double unit(double x)
{
	return x < 1e-9 ? 0 : x > 1 - 1e-9 ? 1 : x;
}

static double span_density(const struct lane_state *l, enum slu_iv_span_kind kind)
{
	float most = 0;

	if (!l->active[kind])
		return 0;
	for (int d = 0; d < SLU_IV_DEPTHS; d++)
		if (l->density[kind][d] > most)
			most = l->density[kind][d];
	return most > 1 - 1e-5f ? 1 : most;
}

/* Probabilities of being in I/O given compute (@a) or not (@b): intervals.h. */
static void condition(const struct lane_state *l, double io, double *a, double *b)
{
	double k = l->own_compute, h = io + k - 1;

	if (h < 0)
		h = 0;
	*a = k > 0 ? h / k : io;
	*b = k < 1 ? (io - h) / (1 - k) : io;
}

static void lane_factors(const struct lane_state *l, double f[N_FACTORS])
{
	double io = 0, a = 0, b = 0, reads = 0, writes = 0;
	double c = span_density(l, SLU_IV_COMPUTE), wait = span_density(l, SLU_IV_WAIT);
	double decode = span_density(l, SLU_IV_DECODE), load, checkpoint = span_density(l, SLU_IV_CHECKPOINT);

	if (l->in_io) {
		io = unit((double)l->read + l->write + l->meta);
		if (c > 0 && c < 1)
			c = l->own_compute;
		condition(l, io, &a, &b);
		if (io > 0) {
			writes = l->write / ((double)l->read + l->write + l->meta);
			reads = 1 - writes;
		}
	}
	load = fmin(1 - c, wait + decode);
	f[F_NO_COMPUTE] = 1 - c;
	f[F_NO_IO] = 1 - c * a - (1 - c) * b;
	f[F_NOT_EITHER] = (1 - c) * (1 - b);
	f[F_NO_READ] = 1 - (c * a + (1 - c) * b) * reads;
	f[F_NO_COMPUTE_READ] = (1 - c) * (1 - b * reads);
	/* Waiting and the calls that it waits in are not independent: the one contains the other. */
	f[F_NO_COMPUTE_READ_LOAD] = fmin(f[F_NO_COMPUTE_READ], 1 - c - load);
	f[F_NO_COMPUTE_IO_LOAD] = fmin(f[F_NOT_EITHER], 1 - c - load);
	f[F_NO_COMPUTE_CHECKPOINT] = 1 - c - fmin(1 - c, checkpoint);
	f[F_NO_COMPUTE_WRITE] = (1 - c) * (1 - b * writes);
	f[F_NOT_BUSY] = fmin(f[F_NOT_EITHER], 1 - c - fmin(1 - c, decode));
	f[F_NO_WAIT] = 1 - wait;
	f[F_NO_DECODE] = 1 - decode;
	f[F_NO_CHECKPOINT] = 1 - checkpoint;
	f[F_NO_IO_SPAN] = 1 - span_density(l, SLU_IV_IO_SPAN);
}

static void product_take(struct product *p, double f, int sign)
{
	if (f == 0) {
		p->zeros += (uint64_t)sign;
	} else if (f < 1) {
		p->fractions += (uint64_t)sign;
		p->log_sum = p->fractions ? p->log_sum + sign * log(f) : 0;
	}
}

static double product_value(const struct product *p)
{
	return p->zeros ? 0 : p->fractions ? exp(fmin(p->log_sum, 0)) : 1;
}

static void lane_changed(struct sweep *s, struct lane_state *l)
{
	double f[N_FACTORS];

	lane_factors(l, f);
	for (int i = 0; i < N_FACTORS; i++) {
		double now = unit(f[i]);

		if (now == l->factor[i])
			continue;
		product_take(&s->products[i], l->factor[i], -1);
		product_take(&s->products[i], now, 1);
		l->factor[i] = now;
	}
	s->stale = true;
}

/* ---- sources ----------------------------------------------------------------------------------------------------- */

static size_t io_count(const struct slu_lane *l)
{
	return l->n_events ? l->n_events : l->n_runs;
}

static uint64_t io_begin(const struct slu_lane *l, size_t i)
{
	return l->n_events ? l->events[i].begin : l->runs[i].begin;
}

static uint64_t io_end(const struct slu_lane *l, size_t i)
{
	return l->n_events ? l->events[i].begin + l->events[i].ns : l->runs[i].end;
}

/* Takes the run or event number next_io as the current one. */
static void enter_io(struct lane_state *l)
{
	const struct slu_lane *lane = l->lane;
	size_t i = l->next_io++;

	l->in_io = true;
	l->io_end = io_end(lane, i);
	if (lane->n_events) {
		enum slu_iv_kind kind = slu_iv_kind_of(lane->events[i].what);

		l->read = kind == SLU_IV_READ;
		l->write = kind == SLU_IV_WRITE;
		l->meta = kind == SLU_IV_META;
		l->own_compute = 0;
	} else {
		l->read = lane->runs[i].read;
		l->write = lane->runs[i].write;
		l->meta = lane->runs[i].meta;
		l->own_compute = lane->runs[i].compute;
	}
}

/* The time of the next edge of a source; UINT64_MAX: there is none. */
static uint64_t next_io_time(struct lane_state *l)
{
	if (l->in_io)
		return l->io_end;
	return l->next_io < io_count(l->lane) ? io_begin(l->lane, l->next_io) : UINT64_MAX;
}

static uint64_t next_edge_time(const struct lane_state *l)
{
	return l->next_edge < l->lane->n_edges ? l->lane->edges[l->next_edge].time : UINT64_MAX;
}

/* A run's begin or end at time @now. What began before the end of the one before is cut off; what is left of nothing,
 * left out. */
static void pass_io(struct lane_state *l, uint64_t now)
{
	l->in_io = false;
	while (l->next_io < io_count(l->lane) && io_begin(l->lane, l->next_io) <= now) {
		if (io_end(l->lane, l->next_io) > now) {
			enter_io(l);
			return;
		}
		l->next_io++;
	}
}

static void pass_edges(struct lane_state *l, uint64_t now)
{
	for (; next_edge_time(l) == now; l->next_edge++) {
		const struct slu_iv_edge *e = &l->lane->edges[l->next_edge];
		float *d = &l->density[e->kind][e->depth < SLU_IV_DEPTHS ? e->depth : SLU_IV_DEPTHS - 1];

		*d += e->density;
		if (e->density > 0)
			l->active[e->kind]++;
		else if (--l->active[e->kind] == 0)
			memset(l->density[e->kind], 0, sizeof(l->density[0])); /* what rounding has left */
	}
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */

static void update_rates(struct sweep *s)
{
	double v[N_FACTORS], *r = s->rates;

	for (int i = 0; i < N_FACTORS; i++)
		v[i] = product_value(&s->products[i]);
	r[SLU_COL_COMPUTE] = 1 - v[F_NO_COMPUTE];
	r[SLU_COL_UNION] = 1 - v[F_NO_IO];
	r[SLU_COL_EXPOSED] = v[F_NO_COMPUTE] - v[F_NOT_EITHER];
	r[SLU_COL_READ_UNION] = 1 - v[F_NO_READ];
	r[SLU_COL_EXPOSED_READ] = v[F_NO_COMPUTE] - v[F_NO_COMPUTE_READ];
	r[SLU_COL_LOAD] = v[F_NO_COMPUTE_READ] - v[F_NO_COMPUTE_READ_LOAD];
	r[SLU_COL_STARVED] = v[F_NOT_EITHER] - v[F_NO_COMPUTE_IO_LOAD];
	r[SLU_COL_EXPOSED_CHECKPOINT] = v[F_NO_COMPUTE] - v[F_NO_COMPUTE_CHECKPOINT];
	r[SLU_COL_EXPOSED_WRITE] = v[F_NO_COMPUTE] - v[F_NO_COMPUTE_WRITE];
	r[SLU_COL_BUSY] = 1 - v[F_NOT_BUSY];
	r[SLU_COL_WAIT] = 1 - v[F_NO_WAIT];
	r[SLU_COL_DECODE] = 1 - v[F_NO_DECODE];
	r[SLU_COL_CHECKPOINT] = 1 - v[F_NO_CHECKPOINT];
	r[SLU_COL_IO_SPAN] = 1 - v[F_NO_IO_SPAN];
	s->stale = false;
}

static void add_segment(const struct sweep *s, struct slu_iv_row *row, uint64_t begin, uint64_t end)
{
	while (row->next < row->n && row->windows[row->next].end <= begin)
		row->next++;
	for (size_t i = row->next; i < row->n && row->windows[i].begin < end; i++) {
		struct slu_iv_window *w = &row->windows[i];
		uint64_t from = slu_max(begin, w->begin), to = slu_min(end, w->end);

		if (to <= from)
			continue;
		for (int c = 0; c < SLU_N_COLUMNS; c++)
			w->ns[c] += (double)(to - from) * s->rates[c];
	}
}

static void sweep_all(struct sweep *s, struct slu_iv_row *rows, size_t n_rows)
{
	uint64_t now = 0;

	while (s->n_heap) {
		struct node *top = &s->heap[0];
		struct lane_state *l = &s->lanes[top->lane];

		if (top->time > now) {
			if (s->stale)
				update_rates(s);
			for (size_t i = 0; i < n_rows; i++)
				add_segment(s, &rows[i], now, top->time);
			now = top->time;
		}
		if (top->edges)
			pass_edges(l, top->time);
		else
			pass_io(l, top->time);
		lane_changed(s, l);
		top->time = top->edges ? next_edge_time(l) : next_io_time(l);
		if (top->time == UINT64_MAX)
			*top = s->heap[--s->n_heap];
		sift_down(s, 0);
	}
}

static void add_source(struct sweep *s, uint64_t time, size_t lane, uint32_t edges)
{
	if (time != UINT64_MAX)
		s->heap[s->n_heap++] = (struct node){ .time = time, .lane = (uint32_t)lane, .edges = edges };
}

int slu_sweep(const struct slu_lane *lanes, size_t n_lanes, struct slu_iv_row *rows, size_t n_rows)
{
	SLU_AUTO(mem) struct lane_state *states = calloc(n_lanes + 1, sizeof(*states));
	SLU_AUTO(mem) struct node *heap = calloc(2 * n_lanes + 1, sizeof(*heap));
	struct sweep s = { .lanes = states, .heap = heap };

	if (!states || !heap)
		return slu_fail_memory();
	for (size_t i = 0; i < n_lanes; i++) {
		states[i].lane = &lanes[i];
		for (int f = 0; f < N_FACTORS; f++)
			states[i].factor[f] = 1;
		add_source(&s, next_io_time(&states[i]), i, 0);
		add_source(&s, next_edge_time(&states[i]), i, 1);
	}
	for (size_t i = s.n_heap; i-- > 0;)
		sift_down(&s, i);
	for (size_t i = 0; i < n_rows; i++)
		rows[i].next = 0;
	sweep_all(&s, rows, n_rows);
	return 0;
}
