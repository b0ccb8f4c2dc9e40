/* SPDX-License-Identifier: MIT */
/* The wall time of a job as a bar whose parts add up: computing, with I/O behind it or not, exposed I/O, waiting, the
 * rest. */
#include "prof/out.h"

#include <math.h>
#include <string.h>

#include "base/macros.h"

enum { PARTS = 5 };

struct part {
	const char *label, *block, *letter;
	enum slu_ink ink;
	double share;
};

/* How many there are. */
static size_t parts_of(const struct slu_prof *p, struct part ret_parts[PARTS])
{
	const struct slu_prof_answer *a = &p->answer;
	const struct part spans[PARTS] = {
		{ "compute", "\u2588", "#", SLU_GREEN, a->compute_share - a->hidden_share },
		{ "compute with I/O behind", "\u2593", "=", SLU_BLUE, a->hidden_share },
		{ "exposed I/O", "\u2592", "!", SLU_RED, a->exposed_share },
		{ "waiting, no I/O", "\u2591", "-", SLU_YELLOW, a->starved_share },
		{ "other", "\u00b7", ".", SLU_DIM, a->other_share },
	};
	const struct part plain[] = {
		{ "in I/O", "\u2592", "!", SLU_RED, a->union_share },
		{ "not in I/O", "\u00b7", ".", SLU_DIM, 1 - a->union_share },
	};
	bool bound = a->how == SLU_STALL_BOUND;

	memcpy(ret_parts, bound ? plain : spans, bound ? sizeof(plain) : sizeof(spans));
	return bound ? SLU_ARRAY_SIZE(plain) : PARTS;
}

void slu_put_bar(const struct slu_text *t, const struct slu_prof *p, uint64_t longest_ns)
{
	struct part parts[PARTS];
	size_t n = parts_of(p, parts);
	char wall[SLU_NUMBER];
	unsigned columns = t->width - 12, at = 0;
	double sum = 0, scale = longest_ns ? (double)p->job.wall_ns / (double)longest_ns : 0;

	fputs("  ", t->out);
	for (size_t i = 0; i < n; i++) {
		unsigned to;

		sum += parts[i].share;
		to = (unsigned)(fmin(fmax(sum, 0), 1) * scale * columns + 0.5);
		slu_ink(t, parts[i].ink);
		for (; at < to; at++)
			fputs(t->utf8 ? parts[i].block : parts[i].letter, t->out);
		slu_ink(t, SLU_PLAIN);
	}
	fprintf(t->out, "%*s %9s\n", (int)(columns - at), "", slu_time(p->job.wall_ns, wall));
}

void slu_put_legend(const struct slu_text *t, const struct slu_prof *p)
{
	struct part parts[PARTS];
	size_t n = parts_of(p, parts);
	unsigned at = 2;

	fputs("  ", t->out);
	for (size_t i = 0; i < n; i++) {
		char percent[SLU_NUMBER];
		unsigned columns;

		if (!(parts[i].share >= 0.0005))
			continue;
		(void)slu_percent(parts[i].share, percent);
		columns = (unsigned)(strlen(parts[i].label) + strlen(percent)) + 3;
		if (at > 2 && at + 2 + columns > t->width) {
			fputs("\n  ", t->out);
			at = 2;
		} else if (at > 2) {
			fputs("  ", t->out);
			at += 2;
		}
		slu_ink(t, parts[i].ink);
		fputs(t->utf8 ? parts[i].block : parts[i].letter, t->out);
		slu_ink(t, SLU_PLAIN);
		fprintf(t->out, " %s %s", parts[i].label, percent);
		at += columns;
	}
	putc('\n', t->out);
}
