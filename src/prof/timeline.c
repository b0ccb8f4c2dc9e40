/* SPDX-License-Identifier: MIT */
/* The timeline: a few hundred bins of a round length over the whole job, for each rank. */
#include "prof/build.h"

#include <stdlib.h>

#include "base/macros.h"

int slu_timeline_init(struct slu_prof *p)
{
	struct slu_prof_timeline *t = &p->timeline;
	uint64_t least = slu_max(p->job.wall_ns / SLU_MAX_BINS, 1), bin = 1;
	static const unsigned steps[] = { 1, 2, 5 };

	/* 1, 2, 5, 10, ... ns: the first that needs no more bins than there may be. */
	for (unsigned i = 1; bin * SLU_MAX_BINS < p->job.wall_ns || bin < least; i++) {
		uint64_t ten = 1;

		for (unsigned k = 0; k < i / 3; k++)
			ten *= 10;
		bin = ten * steps[i % 3];
	}
	t->bin_ns = bin;
	t->n_bins = (uint32_t)slu_max((p->job.wall_ns + bin - 1) / bin, 1);
	t->bins = calloc(slu_max(p->n_ranks, 1) * t->n_bins, sizeof(*t->bins));
	return t->bins ? 0 : slu_fail_memory();
}

void slu_timeline_shares(struct slu_prof *p, size_t r, const struct slu_iv_window *windows)
{
	struct slu_prof_timeline *t = &p->timeline;

	for (uint32_t i = 0; i < t->n_bins; i++) {
		struct slu_prof_bin *bin = &t->bins[r * t->n_bins + i];
		const double *ns = windows[i].ns, len = (double)t->bin_ns;

		bin->compute = (float)(ns[SLU_COL_COMPUTE] / len);
		bin->exposed = (float)(ns[SLU_COL_EXPOSED] / len);
		bin->hidden = (float)((ns[SLU_COL_UNION] - ns[SLU_COL_EXPOSED]) / len);
		bin->wait = (float)(ns[SLU_COL_WAIT] / len);
	}
}

struct amount {
	uint64_t begin, end;
	double read_bytes, written_bytes, calls;
};

/* Evenly over the bins that it touches. */
static void to_bins(struct slu_prof_timeline *t, struct slu_prof_bin *bins, const struct amount *a)
{
	uint64_t last = t->n_bins - 1, len = a->end - a->begin;

	for (uint64_t i = slu_min(a->begin / t->bin_ns, last); i <= last && i * t->bin_ns < a->end; i++) {
		uint64_t from = slu_max(a->begin, i * t->bin_ns);
		uint64_t to = i == last ? a->end : slu_min(a->end, (i + 1) * t->bin_ns);
		double share = len ? (double)(to - from) / (double)len : 1;

		bins[i].read_bytes += (float)(a->read_bytes * share);
		bins[i].written_bytes += (float)(a->written_bytes * share);
		bins[i].calls += (float)(a->calls * share);
	}
}

static void to_epochs(struct slu_prof_epoch *epochs, size_t n, size_t *first, const struct amount *a)
{
	while (*first < n && epochs[*first].end <= a->begin)
		++*first;
	for (size_t i = *first; i < n && epochs[i].begin < a->end; i++) {
		uint64_t from = slu_max(a->begin, epochs[i].begin), to = slu_min(a->end, epochs[i].end);
		double share = to > from ? (double)(to - from) / (double)(a->end - a->begin) : 0;

		epochs[i].read_bytes += (uint64_t)(a->read_bytes * share + 0.5);
		epochs[i].calls += (uint64_t)(a->calls * share + 0.5);
	}
}

void slu_timeline_bytes(struct slu_prof *p, size_t r, const struct slu_thread *t, struct slu_prof_epoch *epochs,
                        size_t n_epochs)
{
	struct slu_prof_bin *bins = p->timeline.bins + r * p->timeline.n_bins;
	size_t first = 0, n = t->n_events ? t->n_events : t->n_runs;

	for (size_t i = 0; i < n; i++) {
		struct amount a;

		if (t->n_events) {
			const struct slu_iv_event *e = &t->events[i];
			double bytes = (double)slu_iv_bytes_of(e->what);
			enum slu_iv_kind kind = slu_iv_kind_of(e->what);

			a = (struct amount){ .begin = e->begin, .end = e->begin + e->ns, .calls = 1 };
			a.read_bytes = kind == SLU_IV_READ ? bytes : 0;
			a.written_bytes = kind == SLU_IV_WRITE ? bytes : 0;
		} else {
			const struct slu_iv_run *run = &t->runs[i];

			a = (struct amount){ .begin = run->begin,
				             .end = run->end,
				             .read_bytes = (double)run->read_bytes,
				             .written_bytes = (double)run->written_bytes,
				             .calls = run->calls };
		}
		to_bins(&p->timeline, bins, &a);
		to_epochs(epochs, n_epochs, &first, &a);
	}
}
