/* SPDX-License-Identifier: MIT */
/*
 * The table of epochs. A rank's epochs are those of one of its threads, the one that has most (the first, where several
 * do): workers may mark theirs too. They do not overlap; one inside another is left out.
 */
#include "prof/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

int slu_epochs_find(struct slu_build *b, size_t r)
{
	const struct slu_thread *best = NULL;
	uint64_t end = 0;
	int64_t count = 0;

	for (size_t i = 0; i < b->n_threads; i++)
		if (b->p->processes[b->threads[i].process].rank == b->p->ranks[r].rank &&
		    b->threads[i].n_epochs > (best ? best->n_epochs : 0))
			best = &b->threads[i];
	for (size_t i = 0; best && i < best->n_epochs; i++) {
		const struct slu_epoch_span *s = &best->epochs[i];
		int err;

		if (s->begin < end)
			continue;
		err = slu_room(&b->p->epochs, b->p->n_epochs, sizeof(*b->p->epochs));
		if (err < 0)
			return err;
		b->p->epochs[b->p->n_epochs++] = (struct slu_prof_epoch){ .rank = b->p->ranks[r].rank,
			                                                  .name = s->name,
			                                                  .index = s->index >= 0 ? s->index : count,
			                                                  .begin = s->begin,
			                                                  .end = s->end,
			                                                  .wall_ns = s->end - s->begin };
		end = s->end;
		count++;
	}
	return 0;
}

/* As a whole number, at most @left. */
static uint64_t part(double ns, uint64_t left)
{
	uint64_t n = ns > 0 ? (uint64_t)(ns + 0.5) : 0;

	return slu_min(n, left);
}

static void finish(struct slu_prof_epoch *e)
{
	e->read_bandwidth = slu_share((double)e->read_bytes * 1e9, (double)e->read_union_ns);
}

void slu_epoch_fill(struct slu_prof_epoch *e, const struct slu_iv_window *w)
{
	uint64_t left = e->wall_ns;

	left -= e->train_ns = part(w->ns[SLU_COL_COMPUTE], left);
	left -= e->read_ns = part(w->ns[SLU_COL_EXPOSED_READ], left);
	left -= e->load_ns = part(w->ns[SLU_COL_LOAD], left);
	e->other_ns = left;
	e->read_union_ns = part(w->ns[SLU_COL_READ_UNION], e->wall_ns);
	finish(e);
}

/* Adds @e to the mean of its number and name; there is one for each epoch of the first rank that has any. */
static void add_to_mean(struct slu_prof_epoch *mean, const struct slu_prof_epoch *e)
{
	mean->begin = slu_min(mean->begin, e->begin);
	mean->end = slu_max(mean->end, e->end);
	mean->train_ns += e->train_ns;
	mean->read_ns += e->read_ns;
	mean->load_ns += e->load_ns;
	mean->other_ns += e->other_ns;
	mean->read_union_ns += e->read_union_ns;
	mean->read_bytes += e->read_bytes;
	mean->calls += e->calls;
}

static void divide(struct slu_prof_epoch *mean, uint64_t n)
{
	mean->train_ns /= n;
	mean->read_ns /= n;
	mean->load_ns /= n;
	mean->other_ns /= n;
	mean->wall_ns = mean->train_ns + mean->read_ns + mean->load_ns + mean->other_ns;
	mean->read_union_ns /= n;
	mean->read_bytes /= n;
	mean->calls /= n;
	finish(mean);
}

/* Whether @e is the same epoch of another rank. */
static bool same(const struct slu_prof_epoch *a, const struct slu_prof_epoch *e)
{
	return a->index == e->index && strcmp(a->name, e->name) == 0;
}

int slu_epochs_means(struct slu_prof *p)
{
	size_t n = 0;
	struct slu_prof_epoch *all;

	while (n < p->n_epochs && p->epochs[n].rank == p->epochs[0].rank)
		n++;
	if (n == 0)
		return 0;
	all = calloc(n + p->n_epochs, sizeof(*all));
	if (!all)
		return slu_fail_memory();
	memcpy(all + n, p->epochs, p->n_epochs * sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		uint64_t found = 0;

		all[i] = (struct slu_prof_epoch){
			.rank = SLU_NO_RANK, .name = p->epochs[i].name, .index = p->epochs[i].index, .begin = UINT64_MAX
		};
		for (size_t k = 0, last = SIZE_MAX; k < p->n_epochs; k++) {
			/* Of several of one name and number in a rank, the first counts. */
			if (!same(&all[i], &p->epochs[k]) ||
			    (last != SIZE_MAX && p->epochs[last].rank == p->epochs[k].rank))
				continue;
			last = k;
			add_to_mean(&all[i], &p->epochs[k]);
			found++;
		}
		divide(&all[i], found);
	}
	free(p->epochs);
	p->epochs = all;
	p->n_epochs += n;
	p->epoch_mean =
		(struct slu_prof_epoch){ .rank = SLU_NO_RANK, .name = "mean", .index = -1, .begin = UINT64_MAX };
	for (size_t i = 0; i < n; i++)
		add_to_mean(&p->epoch_mean, &all[i]);
	divide(&p->epoch_mean, n);
	return 0;
}
