/* SPDX-License-Identifier: MIT */
/* The first line of a report: where the time goes; and the last ones: what is not known. */
#include "prof/build.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sluice/trace.h>

#include "base/macros.h"

const char *slu_prof_stall_name(unsigned stall)
{
	static const char *const names[] = { "measured", "exposed", "bound" };

	return stall < SLU_ARRAY_SIZE(names) ? names[stall] : "unknown";
}

static double mean_share(const struct slu_prof *p, size_t offset)
{
	double sum = 0;

	for (size_t i = 0; i < p->n_ranks; i++) {
		double v = *(const double *)((const char *)&p->ranks[i] + offset);

		sum += isnan(v) ? 0 : v;
	}
	return slu_share(sum, (double)p->n_ranks);
}

#define MEAN(p, member) mean_share(p, offsetof(struct slu_prof_rank, member))

static bool has_spans(const struct slu_prof *p, uint32_t kind)
{
	for (size_t i = 0; i < p->n_spans; i++)
		if (p->spans[i].kind == kind)
			return true;
	return false;
}

static const char *sentence(struct slu_prof *p)
{
	const struct slu_prof_answer *a = &p->answer;
	struct slu_prof_store *s = p->store;
	const char *each = p->n_ranks > 1 ? "each rank" : "the job";

	if (p->n_ranks == 0)
		return slu_store_str(s, "No rank was traced: only launchers.");
	if (a->how == SLU_STALL_BOUND)
		return slu_store_fmt(
			s,
			"Of its time %s spent %.1f %% in I/O; how much of that it waited for cannot be told "
			"without spans, so it is an upper bound.",
			each, 100 * a->union_share);
	if (a->how == SLU_STALL_MEASURED)
		return slu_store_fmt(
			s,
			"Of its time %s waited %.1f %% for data and computed %.1f %%; I/O that nothing hid took "
			"%.1f %%, hidden I/O %.1f %%.",
			each, 100 * a->stall_share, 100 * a->compute_share, 100 * a->exposed_share,
			100 * a->hidden_share);
	return slu_store_fmt(s,
	                     "Of its time %s computed %.1f %%; I/O that nothing hid took %.1f %%, hidden I/O %.1f %%.",
	                     each, 100 * a->compute_share, 100 * a->exposed_share, 100 * a->hidden_share);
}

int slu_build_answer(struct slu_build *b)
{
	struct slu_prof *p = b->p;
	struct slu_prof_answer *a = &p->answer;

	a->exposed_share = MEAN(p, exposed_share);
	a->hidden_share = MEAN(p, hidden_share);
	a->compute_share = MEAN(p, compute_share);
	a->union_share = MEAN(p, union_share);
	a->wait_share = MEAN(p, wait_share);
	a->starved_share = MEAN(p, starved_share);
	a->other_share = MEAN(p, other_share);
	if (has_spans(p, SLU_SPAN_WAIT)) {
		a->how = SLU_STALL_MEASURED;
		a->stall_share = a->wait_share;
	} else if (has_spans(p, SLU_SPAN_COMPUTE)) {
		a->how = SLU_STALL_EXPOSED;
		a->stall_share = a->exposed_share;
	} else {
		a->how = SLU_STALL_BOUND;
		a->stall_share = a->union_share;
	}
	a->sentence = sentence(p);
	return a->sentence ? 0 : -ENOMEM;
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

static int note(struct slu_build *b, enum slu_note_id id, uint64_t n, const char *one, const char *many)
{
	char text[512];

	if (!n)
		return 0;
	if (n == 1)
		(void)snprintf(text, sizeof(text), "1 %s", one);
	else
		(void)snprintf(text, sizeof(text), "%" PRIu64 " %s", n, many);
	return slu_build_note(b, id, text);
}

static int compare_notes(const void *a, const void *b)
{
	const struct slu_prof_note *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return strcmp(x->text, y->text);
}

int slu_build_notes(struct slu_build *b)
{
	struct slu_prof *p = b->p;
	uint64_t missed = 0, running = 0;
	int r = 0;

	for (size_t i = 0; i < p->n_processes; i++) {
		missed += p->processes[i].missed;
		running += p->processes[i].state == SLU_PROF_RUNNING;
	}
	const struct {
		enum slu_note_id id;
		uint64_t n;
		const char *one, *many;
	} list[] = {
		{ SLU_NOTE_KILLED, b->killed, "process was killed; what it had done until then is here",
		  "processes were killed; what they had done until then is here" },
		{ SLU_NOTE_RUNNING, running, "process still runs: these are the numbers so far",
		  "processes still run: these are the numbers so far" },
		{ SLU_NOTE_FULL, b->full,
		  "process reached its memory bound: further files are counted by directory (sluice trace --memory)",
		  "processes reached their memory bounds: further files are counted by directory (sluice trace --memory)" },
		{ SLU_NOTE_NO_SPACE, b->no_space,
		  "process found no space for its log: further files are counted by directory",
		  "processes found no space for their logs: further files are counted by directory" },
		{ SLU_NOTE_EVENTS_LOST, b->events_lost,
		  "process could not keep all events: its intervals come from runs of calls",
		  "processes could not keep all events: their intervals come from runs of calls" },
		{ SLU_NOTE_MISSED, missed, "call in a signal handler was not recorded",
		  "calls in signal handlers were not recorded" },
		{ SLU_NOTE_THREADS, b->other_threads, "thread shares another's record",
		  "threads share another's record" },
		{ SLU_NOTE_CUT, b->cut, "record made no sense and was left out",
		  "records made no sense and were left out" },
	};
	for (size_t i = 0; r == 0 && i < SLU_ARRAY_SIZE(list); i++)
		r = note(b, list[i].id, list[i].n, list[i].one, list[i].many);
	if (r == 0 && b->mapped)
		r = slu_build_note(b, SLU_NOTE_MAPPED, "bytes read by mappings are estimates, from the pages touched");
	if (r == 0 && p->job.n_hosts > 1)
		r = slu_build_note(b, SLU_NOTE_CLOCKS, "times of different hosts are compared by their clocks of day");
	if (r == 0 && p->n_spans == 0)
		r = slu_build_note(
			b, SLU_NOTE_NO_SPANS,
			"there are no spans, so compute is not known: mark it (sluice/trace.h, sluice.span) to "
			"tell waiting from hidden I/O");
	slu_sort(p->notes, p->n_notes, sizeof(*p->notes), compare_notes);
	return r;
}
