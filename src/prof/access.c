/* SPDX-License-Identifier: MIT */
/* How the job's files are used: the numbers that advice is made of. */
#include "prof/build.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"

/*
 * How many different bytes of a file were read: an estimate, since offsets are not recorded. Files of a dataset are
 * read whole by each open, so that what one open reads on average is what there is.
 */
static uint64_t distinct(const struct slu_prof_file *f)
{
	return f->read.bytes / slu_max(f->count[SLU_FAMILY_OPEN], 1);
}

static void sum_files(struct slu_prof *p)
{
	struct slu_prof_access *a = &p->access;

	for (size_t i = 0; i < p->n_files; i++) {
		const struct slu_prof_file *f = &p->files[i];

		if (!slu_class_counts(f->cls))
			continue;
		a->files++;
		if (!f->read.bytes && !f->mapped_bytes)
			continue;
		a->data_files++;
		a->distinct_bytes += distinct(f);
		if (f->flags & SLU_FILE_SERVED)
			a->served_files++;
		else if (distinct(f) <= SLU_SMALL_FILE && f->mapped_bytes <= SLU_SMALL_FILE)
			a->small_files++;
	}
}

static void sum_classes(struct slu_prof *p)
{
	struct slu_prof_access *a = &p->access;
	uint64_t reads = 0, small = 0, sequential = 0, consecutive = 0;

	for (unsigned c = 0; c < SLU_N_CLASSES; c++) {
		const struct slu_prof_group *g = &p->classes[c];

		if (!slu_class_counts(c))
			continue;
		a->opens += g->opens;
		a->stats += g->stats;
		a->read_bytes += g->read_bytes;
		a->written_bytes += g->written_bytes;
		a->mapped_bytes += g->mapped_bytes;
		a->read_ns += g->read_ns;
		a->write_ns += g->write_ns;
		a->meta_ns += g->meta_ns;
		reads += g->reads;
		small += g->read_sizes[0] + g->read_sizes[1];
		sequential += g->sequential;
		consecutive += g->consecutive;
	}
	a->ns = a->read_ns + a->write_ns + a->meta_ns;
	a->meta_share = slu_share((double)a->meta_ns, (double)a->ns);
	a->small_reads_share = slu_share((double)small, (double)reads);
	a->sequential_share = slu_share((double)sequential, (double)reads);
	a->consecutive_share = slu_share((double)consecutive, (double)reads);
	a->random_share = 1 - a->sequential_share;
	a->reads_per_open = slu_share((double)reads, (double)a->opens);
	a->bytes_per_open = slu_share((double)a->read_bytes, (double)a->opens);
	a->opens_per_file = slu_share((double)a->opens, (double)a->files);
}

static void per_epoch(struct slu_prof *p)
{
	struct slu_prof_access *a = &p->access;

	for (size_t i = 0; i < p->n_epochs && p->epochs[i].rank == SLU_NO_RANK; i++)
		a->epochs++;
	a->rereads = slu_share((double)a->read_bytes, (double)a->distinct_bytes);
	a->opens_per_epoch = slu_share((double)a->opens, (double)a->epochs);
	a->rereads_per_epoch = slu_share(a->rereads, (double)a->epochs);
}

/* How unevenly the bytes come: over all ranks, from the first bin with any to the last. */
static void burstiness(struct slu_prof *p)
{
	const struct slu_prof_timeline *t = &p->timeline;
	double sum = 0, squares = 0, n;
	uint32_t first = t->n_bins, last = 0;

	for (uint32_t i = 0; i < t->n_bins; i++) {
		double bytes = 0;

		for (size_t r = 0; r < p->n_ranks; r++)
			bytes += (double)t->bins[r * t->n_bins + i].read_bytes;
		if (bytes > 0) {
			first = (uint32_t)slu_min(first, i);
			last = i;
		}
		sum += bytes;
		squares += bytes * bytes;
	}
	n = first <= last ? last - first + 1 : 0;
	p->access.burstiness = n > 1 ? sqrt(fmax(0, squares / n - sum / n * sum / n)) / (sum / n) : NAN;
}

/* How many readers of a rank lived at the same time: as each one begins, those that had begun and not ended. */
static unsigned at_once(const struct slu_prof *p, int32_t rank)
{
	unsigned most = 0;

	for (size_t i = 0; i < p->n_processes; i++) {
		uint64_t now = p->processes[i].begin;
		unsigned n = 0;

		if (p->processes[i].rank != rank || !p->processes[i].reads_data)
			continue;
		for (size_t k = 0; k <= i; k++) /* in order of begin */
			n += p->processes[k].rank == rank && p->processes[k].reads_data && p->processes[k].end > now;
		most = (unsigned)slu_max(most, n);
	}
	return most;
}

/* Readers of each rank: how many, how evenly, how busy. */
static void readers(struct slu_prof *p)
{
	struct slu_prof_access *a = &p->access;
	double busy = 0;
	uint64_t n = 0;

	a->reader_imbalance = NAN;
	a->imbalance_rank = SLU_NO_RANK;
	for (size_t r = 0; r < p->n_ranks; r++) {
		const struct slu_prof_rank *k = &p->ranks[r];
		uint64_t most = 0, sum = 0;

		a->readers = (uint32_t)slu_max(a->readers, at_once(p, k->rank));
		for (size_t i = 0; i < p->n_processes; i++) {
			const struct slu_prof_process *proc = &p->processes[i];

			if (proc->rank != k->rank || !proc->reads_data)
				continue;
			most = slu_max(most, proc->read_bytes);
			sum += proc->read_bytes;
			busy += proc->end > proc->begin
			                ? fmin(1, (double)proc->busy_ns / (double)(proc->end - proc->begin))
			                : 0;
			n++;
		}
		double imbalance = k->n_readers > 1 ? slu_share((double)most * k->n_readers, (double)sum) : NAN;

		if (!isnan(imbalance) && !(imbalance <= a->reader_imbalance)) {
			a->reader_imbalance = imbalance;
			a->imbalance_rank = k->rank;
		}
	}
	a->reader_busy = slu_share(busy, (double)n);
}

/* The deepest directory with nine tenths of the time on data files: the sums of directories, one level up at a time. */
static int find_root(struct slu_prof *p)
{
	uint64_t all = 0, len = 0;
	const char *best = "";

	p->access.root = "";
	for (size_t i = 0; i < p->n_directories; i++)
		all += p->directories[i].read_ns + p->directories[i].meta_ns;
	if (!p->n_directories || !all)
		return 0;
	best = p->directories[0].name;
	for (len = strlen(best); len > 1;) {
		uint64_t below = 0;

		for (size_t i = 0; i < p->n_directories; i++) {
			const struct slu_prof_group *g = &p->directories[i];

			if (strncmp(g->name, best, len) == 0 && (!g->name[len] || g->name[len] == '/'))
				below += g->read_ns + g->meta_ns;
		}
		if ((double)below >= 0.9 * (double)all)
			break;
		while (len > 0 && best[--len] != '/')
			;
	}
	p->access.root = len > 1 ? slu_store_strn(p->store, best, len) : "";
	return p->access.root ? 0 : -ENOMEM;
}

int slu_build_access(struct slu_build *b)
{
	struct slu_prof *p = b->p;
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	p->access.memory_bytes = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
	sum_files(p);
	sum_classes(p);
	per_epoch(p);
	burstiness(p);
	readers(p);
	return find_root(p);
}
