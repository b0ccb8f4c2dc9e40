/* SPDX-License-Identifier: MIT */
/* See compare.h. Where two jobs do not tell the same (one has spans, the other has none), there is nothing to compare.
 */
#include "prof/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "prof/build.h"

static double mean(const struct slu_prof *p, enum slu_prof_metric m)
{
	return p->n_ranks ? p->stats[m].mean : NAN;
}

/* Of what only spans tell. */
static double spanned(const struct slu_prof *p, double v)
{
	return p->n_ranks && p->answer.how != SLU_STALL_BOUND ? v : NAN;
}

static double epoch(const struct slu_prof *p, uint64_t ns)
{
	return p->n_epochs ? (double)ns / 1e9 : NAN;
}

/* X(what, label, unit, better, value of p) */
#define METRICS(X)                                                                                                     \
	X("wall_s", "wall time", "s", SLU_LOWER, (double)p->job.wall_ns / 1e9)                                         \
	X("epoch_s", "an epoch", "s", SLU_LOWER, epoch(p, p->epoch_mean.wall_ns))                                      \
	X("stall_share", "stalled", "share", SLU_LOWER, p->n_ranks ? p->answer.stall_share : NAN)                      \
	X("compute_s", "computing", "s", SLU_NEITHER, spanned(p, mean(p, SLU_METRIC_COMPUTE)))                         \
	X("wait_s", "waiting", "s", SLU_LOWER, spanned(p, mean(p, SLU_METRIC_WAIT)))                                   \
	X("exposed_s", "exposed I/O", "s", SLU_LOWER, spanned(p, mean(p, SLU_METRIC_EXPOSED)))                         \
	X("hidden_s", "hidden I/O", "s", SLU_NEITHER, spanned(p, mean(p, SLU_METRIC_HIDDEN)))                          \
	X("union_s", "in I/O", "s", SLU_LOWER, mean(p, SLU_METRIC_UNION))                                              \
	X("seconds", "in calls on data", "s", SLU_LOWER, (double)p->access.ns / 1e9)                                   \
	X("meta_s", "in metadata calls", "s", SLU_LOWER, (double)p->access.meta_ns / 1e9)                              \
	X("read_s", "in reads", "s", SLU_LOWER, (double)p->access.read_ns / 1e9)                                       \
	X("write_s", "in writes", "s", SLU_LOWER, (double)p->access.write_ns / 1e9)                                    \
	X("read_bandwidth", "read bandwidth", "bytes/s", SLU_HIGHER, mean(p, SLU_METRIC_BANDWIDTH))                    \
	X("iops", "IOPS", "1/s", SLU_HIGHER, mean(p, SLU_METRIC_IOPS))                                                 \
	X("read_bytes", "read", "bytes", SLU_NEITHER, (double)p->access.read_bytes)                                    \
	X("written_bytes", "written", "bytes", SLU_NEITHER, (double)p->access.written_bytes)                           \
	X("rereads", "read over", "1", SLU_LOWER, p->access.rereads)                                                   \
	X("files", "files", "1", SLU_NEITHER, (double)p->access.files)                                                 \
	X("opens", "opens", "1", SLU_LOWER, (double)p->access.opens)                                                   \
	X("meta_share", "metadata", "share", SLU_LOWER, p->access.meta_share)                                          \
	X("small_reads_share", "small reads", "share", SLU_LOWER, p->access.small_reads_share)                         \
	X("ranks", "ranks", "1", SLU_NEITHER, (double)p->n_ranks)                                                      \
	X("processes", "processes", "1", SLU_NEITHER, (double)p->job.n_processes)

#define ONE(what, label, unit, better, value) +1
enum { N_CHANGES = 0 METRICS(ONE) };
#undef ONE

static void values(const struct slu_prof *p, double ret_values[N_CHANGES])
{
	size_t i = 0;

#define VALUE(what, label, unit, better, value) ret_values[i++] = value;
	METRICS(VALUE)
#undef VALUE
}

/* Changes smaller than this are noise; of seconds, also those that are a smaller part of the longer job. */
#define NOISE 0.02
#define NOISE_OF_WALL 0.005

static int verdict(const struct slu_change *k, double wall)
{
	if (k->better == SLU_NEITHER || !(fabs(k->ratio - 1) > NOISE) ||
	    (strcmp(k->unit, "s") == 0 && fabs(k->after - k->before) < NOISE_OF_WALL * wall))
		return 0;
	return (k->after < k->before) == (k->better == SLU_LOWER) ? 1 : -1;
}

const char *slu_better_name(enum slu_better better)
{
	return better == SLU_LOWER ? "lower" : better == SLU_HIGHER ? "higher" : NULL;
}

/* "1.97 times as fast", "1.20 times as long". */
static void tell(struct slu_compare *c)
{
	double before = (double)c->before->job.wall_ns / 1e9, after = (double)c->after->job.wall_ns / 1e9;
	double a = c->before->answer.stall_share, b = c->after->answer.stall_share;
	int n = snprintf(c->sentence, sizeof(c->sentence), "The second job took %.2f s, the first %.2f s", after,
	                 before);

	if (before > 0 && fabs(after / before - 1) <= NOISE)
		n += snprintf(c->sentence + n, sizeof(c->sentence) - (size_t)n, ": about the same");
	else if (before > 0 && after > 0)
		n += snprintf(c->sentence + n, sizeof(c->sentence) - (size_t)n, ": %.2f times as %s",
		              after <= before ? before / after : after / before, after <= before ? "fast" : "long");
	if (c->before->answer.how != c->after->answer.how || isnan(a) || isnan(b))
		(void)snprintf(c->sentence + n, sizeof(c->sentence) - (size_t)n,
		               ". Their stalls do not compare: one was %s, the other %s.",
		               slu_prof_stall_name(c->before->answer.how), slu_prof_stall_name(c->after->answer.how));
	else
		(void)snprintf(c->sentence + n, sizeof(c->sentence) - (size_t)n,
		               ". It %s for %.1f %% of its time, the first %.1f %%.",
		               c->before->answer.how == SLU_STALL_BOUND ? "was in I/O" : "stalled", 100 * b, 100 * a);
}

int slu_compare_init(struct slu_compare *c, const struct slu_prof *before, const struct slu_prof *after)
{
	static const struct slu_change metrics[N_CHANGES] = {
#define ROW(what, label, unit, better, value) { what, label, unit, better, 0, 0, 0, 0 },
		METRICS(ROW)
#undef ROW
	};
	double a[N_CHANGES], b[N_CHANGES];

	*c = (struct slu_compare){ .before = before, .after = after, .n_changes = N_CHANGES };
	c->changes = calloc(N_CHANGES, sizeof(*c->changes));
	if (!c->changes)
		return slu_fail_memory();
	values(before, a);
	values(after, b);
	for (size_t i = 0; i < N_CHANGES; i++) {
		struct slu_change *k = &c->changes[i];

		*k = metrics[i];
		/* Numbers of different meaning must not stand beside each other. */
		if (before->answer.how != after->answer.how && strcmp(k->what, "stall_share") == 0)
			a[i] = b[i] = NAN;
		k->before = a[i];
		k->after = b[i];
		k->ratio = isnan(a[i]) || isnan(b[i]) ? NAN : slu_share(b[i], a[i]);
		k->verdict = verdict(k, (double)slu_max(before->job.wall_ns, after->job.wall_ns) / 1e9);
	}
	tell(c);
	return 0;
}

void slu_compare_done(struct slu_compare *c)
{
	free(c->changes);
	*c = (struct slu_compare){ 0 };
}
