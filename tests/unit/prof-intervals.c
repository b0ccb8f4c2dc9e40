/* SPDX-License-Identifier: MIT */
/*
 * prof: the sweep against brute force, on random input
 *
 * The oracle knows nothing of edges or products of factors: it looks at each unit of time by itself, at each thread
 * there, and enumerates all that the threads may be doing at once.
 */
#include "prof/intervals.h"

#include <math.h>

#define T_ERRMSG() slu_errmsg()
#include "test.h"

enum { T = 40, MAX_LANES = 4, MAX_RUNS = 8 };

static uint64_t state = 88172645463325252u;

static unsigned rnd(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state >> 11) % n);
}

struct moment {
	bool compute; /* exactly */
	double wait, decode, checkpoint;
	double read, write, k; /* densities of the run that is there */
	bool in_run;
};

static struct slu_iv_run runs[MAX_LANES][MAX_RUNS];
static struct slu_iv_event events[MAX_LANES][MAX_RUNS];
static struct slu_iv_edge edges[MAX_LANES][64];
static struct slu_lane lanes[MAX_LANES];
static struct moment truth[MAX_LANES][T];

static int by_time(const void *a, const void *b)
{
	const struct slu_iv_edge *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static void add_span(int l, unsigned kind, unsigned begin, unsigned end, unsigned depth)
{
	struct slu_lane *lane = &lanes[l];

	if (end > T)
		end = T;
	if (end <= begin)
		return;
	edges[l][lane->n_edges++] = (struct slu_iv_edge){ begin, 1, (uint8_t)kind, (uint8_t)depth };
	edges[l][lane->n_edges++] = (struct slu_iv_edge){ end, -1, (uint8_t)kind, (uint8_t)depth };
	for (unsigned t = begin; t < end; t++) {
		if (kind == SLU_IV_COMPUTE)
			truth[l][t].compute = true;
		else if (kind == SLU_IV_WAIT)
			truth[l][t].wait = 1;
		else if (kind == SLU_IV_DECODE)
			truth[l][t].decode = 1;
		else if (kind == SLU_IV_CHECKPOINT)
			truth[l][t].checkpoint = 1;
	}
}

/* I/O of a lane: whole events, or runs with densities. @exact: of density 1. */
static void add_io(int l, bool as_events, bool exact)
{
	struct slu_lane *lane = &lanes[l];
	unsigned at = 0;

	while (at < T && lane->n_runs < MAX_RUNS) {
		unsigned begin = at + rnd(8), end = begin + 1 + rnd(9), kind = rnd(2), ones = 0;

		if (end > T)
			break;
		struct slu_iv_run *r = &runs[l][lane->n_runs];

		*r = (struct slu_iv_run){ .begin = begin, .end = end };
		float d = exact ? 1 : (float)(1 + rnd(9)) / 10;
		r->read = kind ? d : d / 4;
		r->write = kind ? 0 : d - d / 4;
		if (exact) {
			r->read = kind;
			r->write = !kind;
		}
		for (unsigned t = begin; t < end; t++)
			ones += truth[l][t].compute;
		r->compute = exact ? 0 : (float)ones / (float)(end - begin);
		for (unsigned t = begin; t < end; t++) {
			truth[l][t].in_run = true;
			truth[l][t].read = r->read;
			truth[l][t].write = r->write;
			truth[l][t].k = r->compute;
		}
		events[l][lane->n_runs] =
			(struct slu_iv_event){ begin, end - begin, slu_iv_what(kind ? SLU_IV_READ : SLU_IV_WRITE, 10) };
		lane->n_runs++;
		at = end;
	}
	lane->runs = runs[l];
	if (as_events) {
		lane->events = events[l];
		lane->n_events = lane->n_runs;
		lane->n_runs = 0;
	}
}

/* What share of the unit @m's thread is in reads, in writes, given what it does about compute: the I/O of a run that
 * crosses compute spans fills the rest of the run first. */
static void io_given(const struct moment *m, double *reads, double *writes)
{
	double d = m->read + m->write, io;

	*reads = *writes = 0;
	if (!m->in_run || d == 0)
		return;
	if (m->k == 0 || m->k == 1)
		io = d;
	else if (d <= 1 - m->k)
		io = m->compute ? 0 : d / (1 - m->k);
	else
		io = m->compute ? (d - (1 - m->k)) / m->k : 1;
	*reads = io * m->read / d;
	*writes = io * m->write / d;
}

/* All that the lanes may do in the unit @t: each is reading, writing, or neither. */
static void enumerate(int n, int t, double ret[SLU_N_COLUMNS])
{
	int states = 1;

	for (int l = 0; l < n; l++)
		states *= 3;
	for (int s = 0; s < states; s++) {
		bool compute = false, read = false, write = false, load = false, checkpoint = false;
		double p = 1;

		for (int l = 0, x = s; l < n; l++, x /= 3) {
			const struct moment *m = &truth[l][t];
			double r, w;

			io_given(m, &r, &w);
			p *= x % 3 == 0 ? r : x % 3 == 1 ? w : 1 - r - w;
			compute |= m->compute;
			read |= x % 3 == 0;
			write |= x % 3 == 1;
			checkpoint |= m->checkpoint > 0;
			load |= m->wait > 0 || m->decode > 0;
		}
		ret[SLU_COL_COMPUTE] += compute * p;
		ret[SLU_COL_UNION] += (read || write) * p;
		ret[SLU_COL_EXPOSED] += ((read || write) && !compute) * p;
		ret[SLU_COL_READ_UNION] += read * p;
		ret[SLU_COL_EXPOSED_READ] += (read && !compute) * p;
		ret[SLU_COL_EXPOSED_WRITE] += (write && !compute) * p;
		ret[SLU_COL_EXPOSED_CHECKPOINT] += (checkpoint && !compute) * p;
		ret[SLU_COL_STARVED] += (load && !read && !write && !compute) * p;
		ret[SLU_COL_LOAD] += (load && !read && !compute) * p;
	}
}

static void once(bool as_events, bool exact)
{
	struct slu_iv_window windows[3] = { { .begin = 0, .end = 13 },
		                            { .begin = 13, .end = 29 },
		                            { .begin = 31, .end = T } };
	struct slu_iv_window all = { .begin = 0, .end = UINT64_MAX };
	struct slu_iv_row rows[2] = { { windows, 3, 0 }, { &all, 1, 0 } };
	double want[3][SLU_N_COLUMNS] = { 0 }, sum[SLU_N_COLUMNS] = { 0 };
	int n = 1 + (int)rnd(MAX_LANES);

	memset(lanes, 0, sizeof(lanes));
	memset(truth, 0, sizeof(truth));
	for (int l = 0; l < n; l++) {
		for (unsigned at = rnd(12), i = 0; i < 3; i++) {
			unsigned end = at + 1 + rnd(10);

			add_span(l, rnd(4), at, end, 0);
			if (rnd(2))
				add_span(l, SLU_IV_COMPUTE, at + 1, end, 1); /* one inside the other */
			at = end + rnd(5);
		}
		qsort(edges[l], lanes[l].n_edges, sizeof(edges[0][0]), by_time);
		lanes[l].edges = edges[l];
		add_io(l, as_events, exact);
	}
	for (int t = 0; t < T; t++) {
		double v[SLU_N_COLUMNS] = { 0 };

		enumerate(n, t, v);
		for (int c = 0; c < SLU_N_COLUMNS; c++) {
			sum[c] += v[c];
			for (int w = 0; w < 3; w++)
				if ((unsigned)t >= windows[w].begin && (unsigned)t < windows[w].end)
					want[w][c] += v[c];
		}
	}
	T_OK(slu_sweep(lanes, (size_t)n, rows, 2));
	for (int c = 0; c <= SLU_COL_EXPOSED_WRITE; c++) {
		if (fabs(all.ns[c] - sum[c]) > 1e-4)
			T_FAIL("column %d is %.9g, not %.9g (%d lanes)", c, all.ns[c], sum[c], n);
		for (int w = 0; w < 3; w++)
			if (fabs(windows[w].ns[c] - want[w][c]) > 1e-4)
				T_FAIL("column %d of window %d is %.9g, not %.9g", c, w, windows[w].ns[c], want[w][c]);
	}
	T_TRUE(all.ns[SLU_COL_EXPOSED] <= all.ns[SLU_COL_UNION] + 1e-9);
}

int main(void)
{
	int rounds = t_long() ? 200000 : 10000;

	for (int i = 0; i < rounds; i++) {
		once(false, true);
		once(true, true);
		once(false, false);
	}
	/* A thread that computes nine tenths and reads one: all of it is exposed, though it is one run. */
	struct slu_iv_run r = { .begin = 0, .end = 1000, .read = 0.1f, .compute = 0.9f };
	struct slu_iv_edge e[2] = { { 0, 0.9f, SLU_IV_COMPUTE, 0 }, { 1000, -0.9f, SLU_IV_COMPUTE, 0 } };
	struct slu_lane one = { .runs = &r, .n_runs = 1, .edges = e, .n_edges = 2 };
	struct slu_iv_window all = { .begin = 0, .end = 1000 };

	T_OK(slu_sweep(&one, 1, &(struct slu_iv_row){ &all, 1, 0 }, 1));
	T_TRUE(fabs(all.ns[SLU_COL_EXPOSED] - 100) < 0.1);
	T_TRUE(fabs(all.ns[SLU_COL_COMPUTE] - 900) < 0.1);
	return 0;
}
