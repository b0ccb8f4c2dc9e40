/* SPDX-License-Identifier: MIT */
/*
 * sluice verify: every byte of a pack checked. The answer is the exit code (0 sound, 1
 * damaged, 2 could not look); the lines say what is damaged, and which samples.
 */
#include "cli/cli.h"

#include <getopt.h>
#include <inttypes.h>

#include "base/clock.h"
#include "base/size.h"

static const char help[] = "Example: sluice verify train.slu && echo sound\n"
			   "\n"
			   "Usage: sluice verify PACK [OPTION...]\n"
			   "\n"
			   "  -j, --threads N      threads (one per CPU)\n"
			   "      --rebuild-index  write the index anew from the shards, then check\n"
			   "      --json           tell the result as JSON, with all defects\n"
			   "  -q, --quiet          print errors only: the exit code is the answer\n"
			   "  -v, --verbose        print all defects, not just the first 100\n"
			   "      --progress, --no-progress\n"
			   "                       show progress, or not (if stderr is a terminal)\n"
			   "      --help           show this\n"
			   "\n"
			   "Exit code: 0 sound, 1 damaged, 2 could not look. See sluice-verify(1).\n";

enum { OPT_REBUILD_INDEX = SLU_OPT_OWN };

static const struct option longs[] = {
	{ "threads", 1, NULL, 'j' },
	{ "rebuild-index", 0, NULL, OPT_REBUILD_INDEX },
	{ "json", 0, NULL, SLU_OPT_JSON },
	{ "quiet", 0, NULL, 'q' },
	{ "verbose", 0, NULL, 'v' },
	{ "progress", 0, NULL, SLU_OPT_PROGRESS },
	{ "no-progress", 0, NULL, SLU_OPT_NO_PROGRESS },
	{ "help", 0, NULL, SLU_OPT_HELP },
	{ 0 },
};

/* Defects told without -v. */
#define MAX_TOLD 100

struct checking {
	struct slu_cli cli;
	struct slu_bar bar;
	struct slu_json json;
	uint64_t defects;
	bool rebuild;
};

static void on_defect(void *arg, const struct slu_defect *d)
{
	struct checking *k = arg;

	k->defects++;
	if (k->cli.json) {
		slu_defect_json(&k->json, d);
	} else if (!k->cli.quiet && (k->cli.verbose || k->defects <= MAX_TOLD)) {
		slu_bar_clear(&k->bar);
		slu_defect_text(d);
	}
}

static void on_progress(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
	struct checking *k = arg;

	struct slu_progress pr = { .done_bytes = done_bytes, .total_bytes = total_bytes };

	slu_bar_draw(&k->bar, "verify", &pr);
}

static void result_json(struct slu_json *j, const struct slu_check_result *res, uint64_t ns)
{
	slu_json_end(j); /* of the defects */
	slu_json_bool(j, "sound", res->defects == 0);
	slu_json_u64(j, "samples", res->samples);
	slu_json_u64(j, "bytes", res->bytes);
	slu_json_u64(j, "bad_samples", res->bad_samples);
	slu_json_u64(j, "defect_count", res->defects);
	slu_json_double(j, "seconds", (double)ns / 1e9);
	slu_json_double(j, "mb_per_s", slu_cli_rate(res->bytes, ns));
}

static void result_text(const struct checking *k, const char *path, const struct slu_check_result *res, uint64_t ns)
{
	char size[16];

	if (!k->cli.verbose && k->defects > MAX_TOLD)
		printf("... and %" PRIu64 " more\n", k->defects - MAX_TOLD);
	slu_cli_put_name(path);
	if (res->defects)
		printf(": damaged, %" PRIu64 " defect%s, %" PRIu64 " bad sample%s", res->defects,
		       slu_cli_s(res->defects), res->bad_samples, slu_cli_s(res->bad_samples));
	else
		printf(": sound");
	printf(": %" PRIu64 " sample%s, %s checked, %.2f s, %.1f MB/s\n", res->samples, slu_cli_s(res->samples),
	       slu_size_format(res->bytes, size), (double)ns / 1e9, slu_cli_rate(res->bytes, ns));
}

static int check(struct checking *k, const char *path)
{
	struct slu_check_options opt = {
		.size = sizeof(opt),
		.threads = k->cli.threads,
		.defect = on_defect,
		.progress = on_progress,
		.arg = k,
	};
	struct slu_check_result res = { 0 };
	uint64_t start = slu_now_ns();
	int r = k->rebuild ? slu_pack_rebuild_index(path) : 0;

	if (r == 0)
		r = slu_pack_verify(path, &opt, &res);
	slu_bar_clear(&k->bar);
	if (r < 0)
		return slu_cli_end(&k->cli, &k->json, r);
	if (k->cli.json)
		result_json(&k->json, &res, slu_now_ns() - start);
	else if (!k->cli.quiet)
		result_text(k, path, &res, slu_now_ns() - start);
	(void)slu_cli_end(&k->cli, &k->json, 0);
	return res.defects ? SLU_EXIT_NO : SLU_EXIT_OK;
}

int slu_cmd_verify(int argc, char **argv)
{
	struct checking k = { .cli = { .name = "verify", .help = help, .shorts = ":j:qv" } };
	int o, r;

	while ((o = getopt_long(argc, argv, k.cli.shorts, longs, NULL)) != -1) {
		if (o == OPT_REBUILD_INDEX)
			k.rebuild = true;
		else if ((r = slu_cli_option(&k.cli, o, argv)) != SLU_GO_ON)
			return r;
	}
	if ((r = slu_cli_operands(&k.cli, argc, 1, 1, "pack")) != SLU_GO_ON)
		return r;
	slu_bar_init(&k.bar, &k.cli);
	if (k.cli.json) {
		slu_cli_json_start(&k.json, argv[optind]);
		slu_json_array(&k.json, "defects");
	}
	return check(&k, argv[optind]);
}
