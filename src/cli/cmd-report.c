/* SPDX-License-Identifier: MIT */
/* sluice report: what a trace tells, as text or as JSON. The work is in src/prof/. */
#include <getopt.h>

#include "base/macros.h"
#include "cli/cli.h"
#include "prof/out.h"

static const char help[] = "Example: sluice report sluice-trace-python3-1234\n"
			   "\n"
			   "Usage: sluice report [OPTION...] DIRECTORY\n"
			   "\n"
			   "      --json           everything, every file included, as JSON\n"
			   "      --help           show this\n"
			   "\n"
			   "See sluice-report(1).\n";

static const struct option longs[] = {
	{ "json", 0, NULL, SLU_OPT_JSON },
	{ "help", 0, NULL, SLU_OPT_HELP },
	{ 0 },
};

enum { MOST_CALLS = 12 };

static void show(const struct slu_prof *p)
{
	printf("%s\n\n", p->answer.sentence);
	printf("%s\n%.2f s, %llu process%s, %llu rank%s, %llu files of data and output\n", p->job.command,
	       (double)p->job.wall_ns * 1e-9, (unsigned long long)p->job.n_processes,
	       p->job.n_processes == 1 ? "" : "es", (unsigned long long)p->n_ranks, slu_cli_s(p->n_ranks),
	       (unsigned long long)p->access.files);
	for (size_t i = 0; i < p->n_advice; i++)
		printf("\n%s\n  %s\n  %s\n%s%s%s", p->advice[i].title, p->advice[i].evidence, p->advice[i].action,
		       *p->advice[i].command ? "  " : "", p->advice[i].command, *p->advice[i].command ? "\n" : "");
	printf("\n%-12s %12s %10s %12s %14s\n", "call", "count", "errors", "seconds", "MB");
	for (size_t i = 0; i < p->n_calls && i < MOST_CALLS; i++)
		printf("%-12s %12llu %10llu %12.3f %14.1f\n", p->calls[i].name, (unsigned long long)p->calls[i].count,
		       (unsigned long long)p->calls[i].errors, (double)p->calls[i].ns * 1e-9,
		       (double)p->calls[i].bytes * 1e-6);
	for (size_t i = 0; i < p->n_notes; i++)
		printf("%snote: %s\n", i ? "" : "\n", p->notes[i].text);
}

int slu_cmd_report(int argc, char **argv)
{
	struct slu_cli c = { .name = "report", .help = help, .shorts = ":" };
	struct slu_json j;
	struct slu_prof *p;
	int o, r, code;

	while ((o = getopt_long(argc, argv, c.shorts, longs, NULL)) != -1)
		if ((code = slu_cli_option(&c, o, argv)) != SLU_GO_ON)
			return code;
	if ((code = slu_cli_operands(&c, argc, 1, 1, "DIRECTORY")) != SLU_GO_ON)
		return code;
	r = slu_prof_load(argv[optind], &p);
	if (r < 0) {
		slu_cli_error(&c, "%s", slu_errmsg());
		return SLU_EXIT_TROUBLE;
	}
	if (c.json) {
		slu_json_init(&j, stdout);
		slu_json_object(&j, NULL);
		slu_json_u64(&j, "schema", 1); /* docs/report-json.md */
		slu_out_json(&j, p);
		slu_json_end_all(&j);
	} else {
		show(p);
	}
	slu_prof_free(p);
	return SLU_EXIT_OK;
}
