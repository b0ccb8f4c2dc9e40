/* SPDX-License-Identifier: MIT */
/* sluice report: what a trace tells, in the form that is wanted. The work is in src/prof/. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "cli/cli.h"
#include "cli/out-file.h"
#include "cli/report.h"
#include "prof/out.h"

static const char help[] =
	"Example: sluice report sluice-trace-python3-1234\n"
	"\n"
	"Usage: sluice report [OPTION...] DIRECTORY [AFTER]\n"
	"\n"
	"Of two directories: before and after, side by side.\n"
	"\n"
	"      --json           everything, every file included, as JSON\n"
	"      --csv DIR        tables of files, calls, ranks, epochs, spans, processes and the timeline\n"
	"      --force          --csv into a directory that has files already\n"
	"      --chrome FILE    spans and calls for timeline viewers: Perfetto, chrome://tracing\n"
	"      --merge FILE[@S] a trace of torch.profiler or TensorFlow, on the same clock; S: when it began\n"
	"      --follow         of a job that runs: again every 2 seconds, until it has ended\n"
	"  -o, --output FILE    write there, not to standard output\n"
	"      --help           show this\n"
	"\n"
	"See sluice-report(1).\n";

enum { OPT_CSV = SLU_OPT_OWN, OPT_FORCE, OPT_CHROME, OPT_MERGE, OPT_FOLLOW };

static const struct option longs[] = {
	{ "json", 0, NULL, SLU_OPT_JSON }, { "csv", 1, NULL, OPT_CSV },       { "force", 0, NULL, OPT_FORCE },
	{ "chrome", 1, NULL, OPT_CHROME }, { "output", 1, NULL, 'o' },        { "help", 0, NULL, SLU_OPT_HELP },
	{ "merge", 1, NULL, OPT_MERGE },   { "follow", 0, NULL, OPT_FOLLOW }, { 0 },
};

/* A job of more files that know its ranks apart is merged in parts. */
enum { MOST_MERGES = 64 };

struct report {
	struct slu_cli cli;
	const char *output, *csv, *chrome;
	bool force, follow;
	struct slu_merge merges[MOST_MERGES];
	size_t n_merges;
	struct slu_prof *traces[2]; /* the second: after */
	struct slu_compare compare; /* of both */
};

/* FILE@SECONDS, or a FILE in whose name what follows an @ is no number. */
static int add_merge(struct report *r, char *text)
{
	char *at = strrchr(text, '@'), *end = NULL;
	struct slu_merge *m = &r->merges[r->n_merges];

	if (r->n_merges == MOST_MERGES)
		return slu_cli_usage(&r->cli, "--merge can be given %d times", MOST_MERGES);
	*m = (struct slu_merge){ .path = text };
	if (at && at[1]) {
		m->at = strtod(at + 1, &end);
		m->has_at = !*end && isfinite(m->at);
	}
	if (m->has_at)
		*at = 0;
	r->n_merges++;
	return SLU_GO_ON;
}

static int parse(struct report *r, int argc, char **argv)
{
	int o, code = SLU_GO_ON;

	while (code == SLU_GO_ON && (o = getopt_long(argc, argv, r->cli.shorts, longs, NULL)) != -1) {
		switch (o) {
		case 'o':
			r->output = optarg;
			break;
		case OPT_CSV:
			r->csv = optarg;
			break;
		case OPT_FORCE:
			r->force = true;
			break;
		case OPT_FOLLOW:
			r->follow = true;
			break;
		case OPT_MERGE:
			code = add_merge(r, optarg);
			break;
		case OPT_CHROME:
			r->chrome = optarg;
			break;
		default:
			code = slu_cli_option(&r->cli, o, argv);
		}
	}
	if (code == SLU_GO_ON)
		code = slu_cli_operands(&r->cli, argc, 1, 2, "DIRECTORY");
	if (code == SLU_GO_ON && argc - optind > 1 && (r->csv || r->chrome || r->n_merges || r->follow))
		return slu_cli_usage(&r->cli, "--csv, --chrome, --merge and --follow are of one trace, not of two");
	if (code == SLU_GO_ON && r->follow && (r->csv || r->chrome || r->n_merges || r->cli.json || r->output))
		return slu_cli_usage(&r->cli, "--follow shows text only");
	return code;
}

static void write_report(const struct report *r, FILE *out)
{
	bool two = r->traces[1];
	struct slu_look look;
	struct slu_json j;

	if (!r->cli.json) {
		slu_cli_look(r->output ? -1 : STDOUT_FILENO, &look);
		if (two)
			slu_out_compare_text(out, &r->compare, &look);
		else
			slu_out_text(out, r->traces[0], &look);
		return;
	}
	slu_json_init(&j, out);
	slu_json_object(&j, NULL);
	slu_json_u64(&j, "schema", 1); /* docs/report-json.md */
	if (two)
		slu_out_compare_json(&j, &r->compare);
	else
		slu_out_json(&j, r->traces[0]);
	slu_json_end_all(&j);
}

/* Text or JSON; not where only files were asked for. */
static int show(const struct report *r)
{
	struct slu_out_file file;
	int err;

	if ((r->csv || r->chrome) && !r->cli.json && !r->output)
		return 0;
	if (!r->output) {
		write_report(r, stdout);
		return 0;
	}
	err = slu_out_file_open(&file, r->output);
	if (err < 0)
		return err;
	write_report(r, file.f);
	return slu_out_file_keep(&file);
}

static int report(struct report *r, char **directories, int n)
{
	int err = 0;

	for (int i = 0; err == 0 && i < n; i++)
		err = slu_prof_load_merging(directories[i], r->merges, r->n_merges, &r->traces[i]);
	if (err == 0 && n > 1)
		err = slu_compare_init(&r->compare, r->traces[0], r->traces[1]);
	if (err == 0 && r->csv)
		err = slu_report_csv(r->csv, r->force, r->traces[0]);
	if (err == 0 && r->chrome)
		err = slu_report_chrome(&r->cli, r->chrome, r->traces[0]);
	return err < 0 ? err : show(r);
}

int slu_cmd_report(int argc, char **argv)
{
	struct report r = { .cli = { .name = "report", .help = help, .shorts = ":o:" } };
	int err, code = parse(&r, argc, argv);

	if (code != SLU_GO_ON)
		return code;
	err = r.follow ? slu_report_follow(argv[optind]) : report(&r, argv + optind, argc - optind);
	slu_compare_done(&r.compare);
	slu_prof_free(r.traces[0]);
	slu_prof_free(r.traces[1]);
	if (err < 0) {
		slu_cli_error(&r.cli, "%s", slu_errmsg());
		return SLU_EXIT_TROUBLE;
	}
	return SLU_EXIT_OK;
}
