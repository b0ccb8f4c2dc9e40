/* SPDX-License-Identifier: MIT */
/*
 * sluice trace: a program is run and what it does with files is recorded, in one directory for all its processes.
 *
 * The processes record by themselves (the shim, src/trace/). What is left for us: the directory, the environment, and
 * when the program has ended, the logs, which are packed. Several of us, one for each rank of a job, share a
 * directory: they know each other by the job's name, which the launcher gives.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/macros.h"
#include "cli/child.h"
#include "cli/program.h"
#include "cli/run.h"
#include "cli/trace-dir.h"
#include "trace/record.h"

static const char help[] = "Example: sluice trace -- python3 train.py\n"
			   "\n"
			   "Usage: sluice trace [-o DIRECTORY] [OPTION...] -- COMMAND [ARGUMENT...]\n"
			   "\n"
			   "  -o, --output DIR     where to record; a new directory\n"
			   "      --events         keep every call, not only counts and times\n"
			   "      --memory SIZE    how much a process may record (512M; 2G with --events)\n"
			   "  -q, --quiet          do not tell where the trace is, nor warn\n"
			   "      --help           show this\n"
			   "\n"
			   "'sluice report DIRECTORY' tells what was recorded. See sluice-trace(1).\n";

enum { OPT_EVENTS = SLU_OPT_OWN, OPT_MEMORY };
#define EVENTS_BOUND (2ull << 30)
#define LARGEST_BOUND                                                                                                  \
	(16ull << 30) /* places in the log are 32 bits of 8 bytes, and the index needs bits of its own                 \
	               */

static const struct option longs[] = {
	{ "output", 1, NULL, 'o' }, { "events", 0, NULL, OPT_EVENTS }, { "memory", 1, NULL, OPT_MEMORY },
	{ "quiet", 0, NULL, 'q' },  { "help", 0, NULL, SLU_OPT_HELP }, { 0 },
};

struct trace {
	struct slu_cli cli;
	const char *output;
	bool events;
	uint64_t bound; /* 0: the default */
	struct slu_trace_dir dir;
};

static int parse(struct trace *t, int argc, char **argv)
{
	int o, code;

	while ((o = getopt_long(argc, argv, t->cli.shorts, longs, NULL)) != -1) {
		if (o == 'o')
			t->output = optarg;
		else if (o == OPT_EVENTS)
			t->events = true;
		else if (o == OPT_MEMORY)
			code = slu_cli_size(&t->cli, "--memory", optarg, &t->bound);
		else
			code = slu_cli_option(&t->cli, o, argv);
		if (o != 'o' && o != OPT_EVENTS && code != SLU_GO_ON)
			return code;
	}
	if (optind >= argc)
		return slu_cli_usage(&t->cli, "no command given");
	if (t->bound && (t->bound < SLU_TRACE_LEAST_BOUND || t->bound > LARGEST_BOUND))
		return slu_cli_usage(&t->cli, "--memory must be from %lluM to %lluG", SLU_TRACE_LEAST_BOUND >> 20,
		                     LARGEST_BOUND >> 30);
	return SLU_GO_ON;
}

/* What the processes need to know. */
static int export_settings(const struct trace *t)
{
	uint64_t bound = t->bound ? t->bound : t->events ? EVENTS_BOUND : SLU_TRACE_DEFAULT_BOUND;
	char number[32];

	(void)snprintf(number, sizeof(number), "%llu", (unsigned long long)bound);
	if (setenv(SLU_ENV_TRACE, t->dir.path, 1) < 0 || setenv(SLU_ENV_TRACE_BOUND, number, 1) < 0 ||
	    (t->events ? setenv(SLU_ENV_TRACE_EVENTS, "1", 1) : unsetenv(SLU_ENV_TRACE_EVENTS)) < 0)
		return slu_fail_memory();
	return slu_preload_export();
}

/* Tells if the shim will not be in the program. */
static void warn_of(const struct slu_cli *c, const char *name)
{
	struct slu_program p;
	char path[PATH_MAX];
	const char *why;

	if (c->quiet || slu_program_find(name, path) < 0 || slu_program_look(path, &p) < 0)
		return;
	why = slu_program_why(p.kind);
	if (why)
		slu_cli_error(c, "warning: '%s' %s: what it does itself will not be recorded", p.path, why);
	slu_program_done(&p);
}

static void tell(const struct trace *t)
{
	struct slu_trace_sum sum;
	int r = slu_trace_dir_pack(&t->dir, &sum);

	if (r < 0)
		slu_cli_error(&t->cli, "the logs in '%s' are left as they are: %s", t->dir.path, slu_errmsg());
	else if (sum.logs == 0)
		slu_cli_error(&t->cli, "nothing was recorded: the program made no call that could be seen");
	else if (!t->cli.quiet)
		slu_cli_error(&t->cli, "%llu process%s recorded in '%s'; 'sluice report %s' tells what",
		              (unsigned long long)sum.logs, sum.logs == 1 ? "" : "es", t->dir.path, t->dir.shown);
	if (r == 0 && sum.bad && !t->cli.quiet)
		slu_cli_error(&t->cli, "warning: %llu log%s cannot be read: %s", (unsigned long long)sum.bad,
		              slu_cli_s(sum.bad), sum.why);
}

int slu_cmd_trace(int argc, char **argv)
{
	struct trace t = { .cli = { .name = "trace", .help = help, .shorts = "+:o:q" } };
	struct slu_child child = { .sock = -1 };
	int r, status, code = parse(&t, argc, argv);

	if (code != SLU_GO_ON)
		return code;
	r = slu_trace_dir_make(&t.dir, t.output, argv + optind);
	if (r == 0)
		r = export_settings(&t);
	if (r == 0) {
		warn_of(&t.cli, argv[optind]);
		slu_cli_sigpipe_back();
		r = slu_child_start(&child, &t.cli, argv + optind, NULL, NULL);
	}
	if (r < 0) {
		slu_cli_error(&t.cli, "%s", slu_errmsg());
		slu_trace_dir_unmake(&t.dir);
		return SLU_EXIT_TROUBLE;
	}
	status = slu_child_wait(&child);
	if (slu_child_ran(&child))
		tell(&t);
	else
		slu_trace_dir_unmake(&t.dir);
	slu_child_done(&child);
	return slu_child_exit_code(&child, status);
}
