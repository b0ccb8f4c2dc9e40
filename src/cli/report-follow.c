/* SPDX-License-Identifier: MIT */
/*
 * sluice report --follow: the text of a job that runs, again every two seconds until it has ended. A terminal is drawn
 * over; elsewhere each text that differs from the one before follows it, after a line with the time.
 *
 * Whether processes of other hosts go on cannot be seen from here: they are taken to, as long as their logs grow.
 */
#include "cli/report.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "prof/out.h"

enum { SECONDS = 2, STILL_ROUNDS = 15 };

/* What tells that something has happened. */
struct state {
	uint64_t calls, end;
	size_t processes;
	bool running, unknown;
};

static struct state state_of(const struct slu_prof *p)
{
	struct state s = { .running = p->job.running, .processes = p->n_processes };

	for (size_t i = 0; i < p->n_processes; i++) {
		const struct slu_prof_process *proc = &p->processes[i];

		s.calls += proc->calls;
		s.unknown |= proc->state == SLU_PROF_UNKNOWN;
		if (proc->state != SLU_PROF_RUNNING && proc->end > s.end) /* of those that run, it is now */
			s.end = proc->end;
	}
	return s;
}

static bool same(const struct state *a, const struct state *b)
{
	return a->calls == b->calls && a->end == b->end && a->processes == b->processes && a->running == b->running;
}

static void draw(const struct slu_prof *p, const struct slu_look *look, bool terminal)
{
	if (terminal)
		fputs("\033[H\033[2J", stdout);
	else
		printf("==== after %.1f s ====\n", (double)p->job.wall_ns / 1e9);
	slu_out_text(stdout, p, look);
	if (!terminal)
		putchar('\n');
	fflush(stdout);
}

/* A trace that has just begun has no logs yet; 1: so it is. */
static int load(const char *directory, struct slu_prof **ret_prof)
{
	int r = slu_prof_load(directory, ret_prof);

	return r == -ENOENT && access(directory, F_OK) == 0 ? 1 : r;
}

int slu_report_follow(const char *directory)
{
	struct state before = { 0 };
	struct slu_look look;
	bool terminal;
	unsigned still = 0;

	slu_cli_look(STDOUT_FILENO, &look);
	terminal = look.colour || isatty(STDOUT_FILENO);
	for (bool first = true;; first = false) {
		struct slu_prof *p = NULL;
		struct state now;
		int r = load(directory, &p);

		if (r < 0)
			return r;
		if (r > 0) {
			if (++still > STILL_ROUNDS)
				return slu_prof_load(directory, &p); /* which says what is missing */
			sleep(SECONDS);
			continue;
		}
		now = state_of(p);
		still = same(&before, &now) ? still + 1 : 0;
		if (first || terminal || still == 0)
			draw(p, &look, terminal);
		before = now;
		slu_prof_free(p);
		if (slu_cli_out_failed() || (!now.running && (!now.unknown || still >= STILL_ROUNDS)))
			return 0;
		sleep(SECONDS);
	}
}
