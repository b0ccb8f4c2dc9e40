/* SPDX-License-Identifier: MIT */
/* Ranks: each one's threads go through the sweep once, which fills its row, its bins and its epochs; then all are
 * compared. */
#include "prof/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

static int compare_ranks(const void *a, const void *b)
{
	const struct slu_prof_rank *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static struct slu_prof_rank *find_rank(struct slu_prof *p, int32_t rank)
{
	struct slu_prof_rank key = { .rank = rank };

	return p->n_ranks ? bsearch(&key, p->ranks, p->n_ranks, sizeof(key), compare_ranks) : NULL;
}

static int list_ranks(struct slu_prof *p)
{
	int32_t last = SLU_NO_RANK;

	for (size_t i = 0; i < p->n_processes; i++) {
		const struct slu_prof_process *proc = &p->processes[i];
		int r;

		if (proc->rank == SLU_NO_RANK || proc->rank == last || find_rank(p, proc->rank))
			continue;
		r = slu_room(&p->ranks, p->n_ranks, sizeof(*p->ranks));
		if (r < 0)
			return r;
		p->ranks[p->n_ranks++] =
			(struct slu_prof_rank){ .rank = proc->rank, .host = proc->host, .begin = UINT64_MAX };
		slu_sort(p->ranks, p->n_ranks, sizeof(*p->ranks), compare_ranks);
	}
	return 0;
}

/* Two logs are of one process if the second goes on where the first became another program. */
static bool goes_on(const struct slu_prof *p, const struct slu_prof_process *proc)
{
	return proc->part && proc->parent >= 0 && p->processes[proc->parent].pid == proc->pid;
}

static void add_processes(struct slu_prof *p)
{
	uint64_t end = 0;

	for (size_t i = 0; i < p->n_processes; i++) {
		const struct slu_prof_process *proc = &p->processes[i];
		struct slu_prof_rank *r = find_rank(p, proc->rank);

		end = slu_max(end, proc->end);
		p->job.running |= proc->state == SLU_PROF_RUNNING;
		p->job.n_processes += !goes_on(p, proc);
		p->job.n_threads += proc->n_threads;
		if (!r)
			continue;
		r->n_processes += !goes_on(p, proc);
		r->n_threads += proc->n_threads;
		r->begin = slu_min(r->begin, proc->begin);
		r->end = slu_max(r->end, proc->end);
		r->opens += proc->opens;
		r->reads += proc->reads;
		r->writes += proc->writes;
		r->read_bytes += proc->read_bytes;
		r->written_bytes += proc->written_bytes;
		r->calls += proc->calls;
	}
	p->job.wall_ns = end;
	for (size_t i = 0; i < p->n_ranks; i++)
		p->ranks[i].wall_ns = p->ranks[i].end - p->ranks[i].begin;
}

/* A process that reads a configuration file is no reader of data. */
static void count_readers(struct slu_prof *p)
{
	for (size_t i = 0; i < p->n_processes; i++) {
		struct slu_prof_process *proc = &p->processes[i];
		struct slu_prof_rank *r = find_rank(p, proc->rank);

		if (r && proc->reads_data && proc->read_bytes < r->read_bytes / 100)
			proc->reads_data = false;
		if (r)
			r->n_readers += proc->reads_data;
	}
}

static struct slu_lane lane_of(const struct slu_thread *t)
{
	return (struct slu_lane){ t->runs, t->n_runs, t->events, t->n_events, t->edges, t->n_edges };
}

/* The lanes of the threads of one rank, or of one process. */
static int lanes_of(const struct slu_build *b, int32_t rank, int64_t process, struct slu_lane **ret_lanes,
                    size_t *ret_n)
{
	*ret_lanes = calloc(b->n_threads + 1, sizeof(**ret_lanes));
	if (!*ret_lanes)
		return slu_fail_memory();
	*ret_n = 0;
	for (size_t i = 0; i < b->n_threads; i++)
		if (process >= 0 ? b->threads[i].process == process
		                 : b->p->processes[b->threads[i].process].rank == rank)
			(*ret_lanes)[(*ret_n)++] = lane_of(&b->threads[i]);
	return 0;
}

static uint64_t whole(double ns)
{
	return ns > 0 ? (uint64_t)(ns + 0.5) : 0;
}

static void fill_rank(struct slu_prof_rank *k, const double ns[SLU_N_COLUMNS])
{
	double wall = (double)k->wall_ns;

	k->compute_ns = whole(ns[SLU_COL_COMPUTE]);
	k->wait_ns = whole(ns[SLU_COL_WAIT]);
	k->decode_ns = whole(ns[SLU_COL_DECODE]);
	k->checkpoint_ns = whole(ns[SLU_COL_CHECKPOINT]);
	k->io_span_ns = whole(ns[SLU_COL_IO_SPAN]);
	k->union_ns = whole(ns[SLU_COL_UNION]);
	k->exposed_ns = slu_min(whole(ns[SLU_COL_EXPOSED]), k->union_ns);
	k->hidden_ns = k->union_ns - k->exposed_ns;
	k->starved_ns = whole(ns[SLU_COL_STARVED]);
	k->other_ns = k->wall_ns - slu_min(k->wall_ns, k->compute_ns + k->exposed_ns + k->starved_ns);
	k->exposed_read_ns = whole(ns[SLU_COL_EXPOSED_READ]);
	k->exposed_checkpoint_ns = whole(ns[SLU_COL_EXPOSED_CHECKPOINT]);
	k->exposed_write_ns = whole(ns[SLU_COL_EXPOSED_WRITE]);
	k->read_bandwidth = slu_share((double)k->read_bytes * 1e9, (double)k->union_ns);
	k->read_throughput = slu_share((double)k->read_bytes * 1e9, wall);
	k->iops = slu_share((double)(k->reads + k->writes) * 1e9, (double)k->union_ns);
	k->wait_share = slu_share((double)k->wait_ns, wall);
	k->exposed_share = slu_share((double)k->exposed_ns, wall);
	k->hidden_share = slu_share((double)k->hidden_ns, wall);
	k->union_share = slu_share((double)k->union_ns, wall);
	k->compute_share = slu_share((double)k->compute_ns, wall);
	k->starved_share = slu_share((double)k->starved_ns, wall);
	k->other_share = slu_share((double)k->other_ns, wall);
	k->hidden_part = slu_share((double)k->hidden_ns, (double)k->union_ns);
}

/* Windows of all bins; of the epochs from @first on. */
static struct slu_iv_window *make_windows(const struct slu_prof *p, size_t first)
{
	size_t n = p->timeline.n_bins + p->n_epochs - first;
	struct slu_iv_window *w = calloc(n, sizeof(*w));

	for (size_t i = 0; w && i < n; i++) {
		if (i < p->timeline.n_bins) {
			w[i].begin = i * p->timeline.bin_ns;
			w[i].end = w[i].begin + p->timeline.bin_ns;
		} else {
			w[i].begin = p->epochs[first + i - p->timeline.n_bins].begin;
			w[i].end = p->epochs[first + i - p->timeline.n_bins].end;
		}
	}
	return w;
}

static int sweep_rank(struct slu_build *b, size_t r)
{
	struct slu_prof *p = b->p;
	struct slu_prof_rank *k = &p->ranks[r];
	size_t first = p->n_epochs, n_bins = p->timeline.n_bins, n_lanes = 0;
	SLU_AUTO(mem) struct slu_lane *lanes = NULL;
	SLU_AUTO(mem) struct slu_iv_window *w = NULL;
	struct slu_iv_window all = { .begin = k->begin, .end = k->end };
	int err = slu_epochs_find(b, r);

	if (err < 0)
		return err;
	w = make_windows(p, first);
	if (!w)
		return slu_fail_memory();
	err = lanes_of(b, k->rank, -1, &lanes, &n_lanes);
	if (err < 0)
		return err;
	struct slu_iv_row rows[] = { { &all, 1, 0 }, { w, n_bins, 0 }, { w + n_bins, p->n_epochs - first, 0 } };
	err = slu_sweep(lanes, n_lanes, rows, SLU_ARRAY_SIZE(rows));
	if (err < 0)
		return err;
	slu_timeline_shares(p, r, w);
	for (size_t i = 0; i < b->n_threads; i++) {
		const struct slu_thread *t = &b->threads[i];

		if (p->processes[t->process].rank != k->rank)
			continue;
		slu_timeline_bytes(p, r, t, p->n_epochs > first ? &p->epochs[first] : NULL, p->n_epochs - first);
		k->io_ns += t->io_ns;
		k->io_read_ns += t->read_ns;
		k->io_write_ns += t->write_ns;
		k->io_meta_ns += t->meta_ns;
	}
	for (size_t i = first; i < p->n_epochs; i++)
		slu_epoch_fill(&p->epochs[i], &w[n_bins + i - first]);
	fill_rank(k, all.ns);
	return 0;
}

/* How busy each process was: by its runs, which are few, also where there are events. */
static int sweep_processes(struct slu_build *b)
{
	for (size_t i = 0, t = 0; i < b->p->n_processes; i++) {
		struct slu_iv_window all = { .begin = 0, .end = UINT64_MAX };
		struct slu_iv_row row = { &all, 1, 0 };
		SLU_AUTO(mem) struct slu_lane *lanes = NULL;
		size_t n = 0;
		int r;

		while (t < b->n_threads && b->threads[t].process < i)
			t++;
		size_t end = t;
		while (end < b->n_threads && b->threads[end].process == i)
			end++;
		lanes = calloc(end - t + 1, sizeof(*lanes));
		if (!lanes)
			return slu_fail_memory();
		for (size_t k = t; k < end; k++) {
			lanes[n] = lane_of(&b->threads[k]);
			if (lanes[n].n_runs)
				lanes[n].n_events = 0;
			n++;
		}
		r = slu_sweep(lanes, n, &row, 1);
		if (r < 0)
			return r;
		b->p->processes[i].busy_ns = whole(all.ns[SLU_COL_BUSY]);
	}
	return 0;
}

/* ---- over all ranks ---------------------------------------------------------------------------------------------- */

static double metric(const struct slu_prof_rank *r, enum slu_prof_metric m)
{
	switch (m) {
	case SLU_METRIC_WALL:
		return (double)r->wall_ns / 1e9;
	case SLU_METRIC_COMPUTE:
		return (double)r->compute_ns / 1e9;
	case SLU_METRIC_WAIT:
		return (double)r->wait_ns / 1e9;
	case SLU_METRIC_IO:
		return (double)r->io_ns / 1e9;
	case SLU_METRIC_UNION:
		return (double)r->union_ns / 1e9;
	case SLU_METRIC_EXPOSED:
		return (double)r->exposed_ns / 1e9;
	case SLU_METRIC_HIDDEN:
		return (double)r->hidden_ns / 1e9;
	case SLU_METRIC_READ:
		return (double)r->read_bytes;
	case SLU_METRIC_BANDWIDTH:
		return isnan(r->read_bandwidth) ? 0 : r->read_bandwidth;
	case SLU_METRIC_IOPS:
		return isnan(r->iops) ? 0 : r->iops;
	case SLU_N_METRICS:
		break;
	}
	return 0;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void compare_all(const struct slu_prof *p, enum slu_prof_metric m, double *sorted, struct slu_prof_stat *s)
{
	bool low = m == SLU_METRIC_BANDWIDTH || m == SLU_METRIC_IOPS;
	size_t n = p->n_ranks, worst = 0;
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		sorted[i] = metric(&p->ranks[i], m);
		sum += sorted[i];
		if (low ? sorted[i] < sorted[worst] : sorted[i] > sorted[worst])
			worst = i;
	}
	s->worst = sorted[worst];
	s->worst_rank = p->ranks[worst].rank;
	slu_sort(sorted, n, sizeof(*sorted), compare_doubles);
	s->mean = sum / (double)n;
	s->median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	s->min = sorted[0];
	s->max = sorted[n - 1];
	s->imbalance = slu_share(s->max, s->mean);
}

static int compare_spans(const void *a, const void *b)
{
	const struct slu_prof_span *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->ns < y->ns) - (x->ns > y->ns);
}

static void count_hosts(struct slu_prof *p)
{
	for (size_t i = 0; i < p->n_processes; i++) {
		size_t k = 0;

		while (k < i && strcmp(p->processes[k].host, p->processes[i].host) != 0)
			k++;
		p->job.n_hosts += k == i;
	}
}

int slu_build_ranks(struct slu_build *b)
{
	struct slu_prof *p = b->p;
	SLU_AUTO(mem) double *sorted = NULL;
	int r = list_ranks(p);

	if (r < 0)
		return r;
	add_processes(p);
	count_readers(p);
	count_hosts(p);
	r = slu_timeline_init(p);
	for (size_t i = 0; r == 0 && i < p->n_ranks; i++)
		r = sweep_rank(b, i);
	if (r == 0)
		r = slu_epochs_means(p);
	if (r == 0)
		r = sweep_processes(b);
	if (r < 0)
		return r;
	sorted = calloc(p->n_ranks + 1, sizeof(*sorted));
	if (!sorted)
		return slu_fail_memory();
	for (int m = 0; m < SLU_N_METRICS && p->n_ranks; m++)
		compare_all(p, (enum slu_prof_metric)m, sorted, &p->stats[m]);
	slu_sort(p->spans, p->n_spans, sizeof(*p->spans), compare_spans);
	p->job.events = p->job.n_events > 0 && !b->events_lost;
	return 0;
}
