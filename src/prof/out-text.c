/* SPDX-License-Identifier: MIT */
/*
 * A model on one screen: the answer and a bar first, then figures, epochs, ranks, where the time went, and what to do.
 * Lists are cut to what a screen holds; what is left out is counted, and JSON has it.
 */
#include "prof/out.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/macros.h"
#include "base/size.h"

enum { MOST_EPOCHS = 6, MOST_GROUPS = 4, MOST_ADVICE = 3, WIDE = 100 };

static const char *s_of(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static void put_answer(const struct slu_text *t, const struct slu_prof *p)
{
	slu_ink(t, SLU_BOLD);
	slu_put_words(t, "", p->answer.sentence);
	slu_ink(t, SLU_PLAIN);
	putc('\n', t->out);
	if (p->n_ranks) {
		slu_put_bar(t, p, p->job.wall_ns);
		slu_put_legend(t, p);
		putc('\n', t->out);
	}
}

static void put_job(const struct slu_text *t, const struct slu_prof *p)
{
	const struct slu_prof_job *j = &p->job;
	char events[SLU_NUMBER];

	slu_put_words(t, "  ", *j->command ? j->command : j->directory);
	fprintf(t->out, "  %s%s%" PRIu64 " process%s, %" PRIu64 " thread%s, %zu rank%s, %" PRIu64 " host%s%s", j->began,
	        *j->began ? ": " : "", j->n_processes, j->n_processes == 1 ? "" : "es", j->n_threads,
	        s_of(j->n_threads), p->n_ranks, s_of(p->n_ranks), j->n_hosts, s_of(j->n_hosts),
	        j->running ? ", still running" : "");
	if (j->events)
		fprintf(t->out, ", %s events", slu_count(j->n_events, events));
	fputs("\n\n", t->out);
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

struct grid {
	const struct slu_text *t;
	unsigned column, columns;
};

static void put_figure(struct grid *g, const char *label, const char *value)
{
	unsigned width = (g->t->width - 2) / g->columns;
	char cell[96];

	if (g->column == 0)
		fputs("  ", g->t->out);
	slu_ink(g->t, SLU_DIM);
	fprintf(g->t->out, "%-11s ", label);
	slu_ink(g->t, SLU_PLAIN);
	(void)snprintf(cell, sizeof(cell), "%s", value);
	if (++g->column < g->columns) {
		slu_put_cell(g->t, cell, width - 13, false);
		putc(' ', g->t->out);
		return;
	}
	fprintf(g->t->out, "%s\n", cell);
	g->column = 0;
}

/* Time in calls by what they were about. */
static void put_classes(const struct slu_text *t, const struct slu_prof *p)
{
	static const char *const labels[SLU_N_CLASSES] = { "data", "output", "libraries", "system", "pipes" };
	char text[512] = "";
	size_t n = 0;

	for (int i = 0; i < SLU_N_CLASSES; i++) {
		char time[SLU_NUMBER];

		if (p->classes[i].ns)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %s", n ? ", " : "", labels[i],
			                      slu_time(p->classes[i].ns, time)); /* five of them fit */
	}
	slu_put_words(t, "  in calls    ", text);
}

static void put_figures(const struct slu_text *t, const struct slu_prof *p)
{
	const struct slu_prof_access *a = &p->access;
	struct grid g = { .t = t, .columns = t->width >= WIDE ? 4 : 3 };
	char n[SLU_NUMBER], text[64 + SLU_NUMBER];

	put_figure(&g, "files", slu_count(a->files, n));
	put_figure(&g, "read", slu_size_format(a->read_bytes, n));
	put_figure(&g, "metadata", slu_percent(a->meta_share, n));
	put_figure(&g, "opens", slu_count(a->opens, n));
	put_figure(&g, "bandwidth", slu_rate(p->stats[SLU_METRIC_BANDWIDTH].mean, n));
	put_figure(&g, "small reads", slu_percent(a->small_reads_share, n));
	(void)snprintf(text, sizeof(text), "%s times", slu_number(a->rereads, n));
	put_figure(&g, "read over", isnan(a->rereads) ? "-" : text);
	put_figure(&g, "IOPS", slu_number(p->stats[SLU_METRIC_IOPS].mean, n));
	put_figure(&g, "random", slu_percent(a->random_share, n));
	put_figure(&g, "written", slu_size_format(a->written_bytes, n));
	put_figure(&g, "mapped", slu_size_format(a->mapped_bytes, n));
	(void)snprintf(text, sizeof(text), "%u, %.0f %% busy", a->readers, 100 * a->reader_busy);
	put_figure(&g, "readers", a->readers ? text : "-");
	put_classes(t, p);
}

/* ---- epochs and ranks -------------------------------------------------------------------------------------------- */

static void put_epoch(const struct slu_text *t, const struct slu_prof_epoch *e, bool mean)
{
	const uint64_t columns[] = { e->read_ns, e->load_ns, e->train_ns, e->other_ns };
	char n[SLU_NUMBER], number[24];

	(void)snprintf(number, sizeof(number), "%" PRId64, e->index);
	fprintf(t->out, "  %5s %8.2f", mean ? "mean" : number, (double)e->wall_ns / 1e9);
	for (size_t i = 0; i < SLU_ARRAY_SIZE(columns); i++)
		fprintf(t->out, " %7.2f %3.0f%%", (double)columns[i] / 1e9,
		        e->wall_ns ? 100 * (double)columns[i] / (double)e->wall_ns : 0);
	fprintf(t->out, " %10s\n", isnan(e->read_bandwidth) ? "-" : slu_number(e->read_bandwidth / 1e6, n));
}

/* The first ones, and the last; those between are counted. */
static void put_epochs(const struct slu_text *t, const struct slu_prof *p)
{
	size_t n = p->access.epochs, left_out = n > MOST_EPOCHS ? n - MOST_EPOCHS : 0;

	if (!n)
		return;
	slu_ink(t, SLU_DIM);
	fprintf(t->out, "\n  %5s %8s %12s %12s %12s %12s %10s\n", "epoch", "seconds", "read", "load", "train", "other",
	        "read MB/s");
	slu_ink(t, SLU_PLAIN);
	for (size_t i = 0; i < n; i++) {
		if (left_out && i == MOST_EPOCHS - 1) {
			fprintf(t->out, "     ... %zu more\n", left_out);
			i += left_out;
		}
		put_epoch(t, &p->epochs[i], false);
	}
	if (n > 1)
		put_epoch(t, &p->epoch_mean, true);
}

static void put_ranks(const struct slu_text *t, const struct slu_prof *p)
{
	static const struct {
		enum slu_prof_metric metric;
		const char *label;
		double unit;
	} rows[] = {
		{ SLU_METRIC_WALL, "wall time, s", 1 }, { SLU_METRIC_COMPUTE, "compute, s", 1 },
		{ SLU_METRIC_WAIT, "wait, s", 1 },      { SLU_METRIC_EXPOSED, "exposed I/O, s", 1 },
		{ SLU_METRIC_READ, "read, MB", 1e6 },   { SLU_METRIC_BANDWIDTH, "read, MB/s", 1e6 },
	};

	if (p->n_ranks < 2)
		return;
	slu_ink(t, SLU_DIM);
	fprintf(t->out, "\n  %-16s %11s %11s %11s %11s %9s\n", "ranks", "mean", "median", "worst", "in rank",
	        "imbalance");
	slu_ink(t, SLU_PLAIN);
	for (size_t i = 0; i < SLU_ARRAY_SIZE(rows); i++) {
		const struct slu_prof_stat *s = &p->stats[rows[i].metric];
		char mean[SLU_NUMBER], median[SLU_NUMBER], worst[SLU_NUMBER], imbalance[SLU_NUMBER];

		if (s->max == 0)
			continue;
		fprintf(t->out, "  %-16s %11s %11s %11s %11d %9s\n", rows[i].label,
		        slu_number(s->mean / rows[i].unit, mean), slu_number(s->median / rows[i].unit, median),
		        slu_number(s->worst / rows[i].unit, worst), s->worst_rank, slu_number(s->imbalance, imbalance));
	}
}

/* ---- where the time went ----------------------------------------------------------------------------------------- */

static void put_directory(const struct slu_text *t, const struct slu_prof *p, size_t i, unsigned name)
{
	const struct slu_prof_group *g = &p->directories[i];
	char time[SLU_NUMBER], bytes[16];

	slu_put_cell(t, g->name, name, true);
	fprintf(t->out, " %8s %9s", slu_time(g->ns, time), slu_size_format(g->read_bytes + g->mapped_bytes, bytes));
}

static void put_call(const struct slu_text *t, const struct slu_prof_call *c)
{
	char time[SLU_NUMBER], count[SLU_NUMBER];

	fprintf(t->out, "  %-10s %10s %9s", c->name, slu_count(c->count, count), slu_time(c->ns, time));
}

/* Directories and calls, side by side. */
static void put_places(const struct slu_text *t, const struct slu_prof *p)
{
	unsigned name = t->width - 2 - 19 - 33;
	size_t rows = slu_min(slu_max(p->n_directories, p->n_calls), MOST_GROUPS);

	if (!rows)
		return;
	slu_ink(t, SLU_DIM);
	fprintf(t->out, "\n  %-*s %8s %9s  %-10s %10s %9s\n", (int)name, "directory of data", "time", "read", "call",
	        "count", "time");
	slu_ink(t, SLU_PLAIN);
	for (size_t i = 0; i < rows; i++) {
		fputs("  ", t->out);
		if (i < p->n_directories)
			put_directory(t, p, i, name);
		else if (i < p->n_calls)
			fprintf(t->out, "%*s", (int)name + 19, "");
		if (i < p->n_calls)
			put_call(t, &p->calls[i]);
		putc('\n', t->out);
	}
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void put_severity(const struct slu_text *t, enum slu_prof_severity severity)
{
	static const enum slu_ink inks[] = { SLU_GREEN, SLU_DIM, SLU_YELLOW, SLU_RED };

	slu_ink(t, inks[severity]);
	fprintf(t->out, "  [%s]", slu_prof_severity_name(severity));
	slu_ink(t, SLU_PLAIN);
}

static void put_one_advice(const struct slu_text *t, const struct slu_prof_advice *a, bool whole)
{
	char gain[SLU_NUMBER], percent[SLU_NUMBER];

	put_severity(t, a->severity);
	putc(' ', t->out);
	slu_ink(t, SLU_BOLD);
	fputs(a->title, t->out);
	slu_ink(t, SLU_PLAIN);
	putc('\n', t->out);
	if (!whole)
		return;
	slu_put_words(t, "    ", a->evidence);
	slu_put_words(t, "    ", a->action);
	if (*a->command) {
		fputs("      ", t->out);
		slu_ink(t, SLU_BOLD);
		(void)slu_put_escaped(t->out, a->command); /* on one line, to be copied */
		slu_ink(t, SLU_PLAIN);
		putc('\n', t->out);
	}
	if (a->gain_ns)
		fprintf(t->out, "    Expected gain: about %s, %s of the time.\n", slu_time(a->gain_ns, gain),
		        slu_percent(a->gain_share, percent));
}

static void put_notes(const struct slu_text *t, const struct slu_prof *p)
{
	for (size_t i = 0; i < p->n_notes; i++) {
		if (i == 0)
			putc('\n', t->out);
		slu_ink(t, SLU_DIM);
		slu_put_words(t, "  note: ", p->notes[i].text);
		slu_ink(t, SLU_PLAIN);
	}
}

void slu_out_text(FILE *out, const struct slu_prof *p, const struct slu_look *look)
{
	struct slu_text t;

	slu_text_init(&t, out, look);
	put_answer(&t, p);
	put_job(&t, p);
	put_figures(&t, p);
	put_epochs(&t, p);
	put_ranks(&t, p);
	put_places(&t, p);
	for (size_t i = 0; i < p->n_advice; i++) {
		if (i <= MOST_ADVICE)
			putc('\n', out);
		put_one_advice(&t, &p->advice[i], i < MOST_ADVICE);
	}
	put_notes(&t, p);
}
