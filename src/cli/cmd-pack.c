/* SPDX-License-Identifier: MIT */
/* sluice pack: a directory becomes a pack. The work is slu_create()'s. */
#include "cli/cli.h"

#include <getopt.h>

#include "base/clock.h"

static const char help[] = "Example: sluice pack train/ -o train.slu\n"
			   "\n"
			   "Usage: sluice pack DIR -o PACK [OPTION...]\n"
			   "\n"
			   "  -o, --output PACK      the pack to make; it appears when it is complete\n"
			   "  -j, --threads N        threads (one per CPU)\n"
			   "      --codec CODEC      auto, auto:space, none, lz4, zstd or zstd:LEVEL (auto)\n"
			   "      --shards N         make N shards with about as many bytes of files each\n"
			   "      --shard-size SIZE  shards for about SIZE bytes of files each (8G)\n"
			   "      --labels dir|FILE  labels: the root's directories, or a CSV file of path,label\n"
			   "      --force            replace PACK if it exists\n"
			   "      --resume           go on from an interrupted run\n"
			   "      --checkpoint SIZE  what an interruption may cost, at most (256M)\n"
			   "      --skip-special     leave out sockets, fifos and devices\n"
			   "      --json             tell the result as JSON\n"
			   "  -q, --quiet            print errors only\n"
			   "  -v, --verbose          tell the time of each phase, and more of the result\n"
			   "      --progress, --no-progress\n"
			   "                         show progress, or not (if stderr is a terminal)\n"
			   "      --help             show this\n"
			   "\n"
			   "SIZE takes K, M, G or T (powers of 1024). See sluice-pack(1).\n";

enum {
	OPT_CODEC = SLU_OPT_OWN,
	OPT_SHARDS,
	OPT_SHARD_SIZE,
	OPT_LABELS,
	OPT_FORCE,
	OPT_RESUME,
	OPT_CHECKPOINT,
	OPT_SKIP_SPECIAL
};

static const struct option longs[] = {
	{ "output", 1, NULL, 'o' },
	{ "threads", 1, NULL, 'j' },
	{ "codec", 1, NULL, OPT_CODEC },
	{ "shards", 1, NULL, OPT_SHARDS },
	{ "shard-size", 1, NULL, OPT_SHARD_SIZE },
	{ "labels", 1, NULL, OPT_LABELS },
	{ "force", 0, NULL, OPT_FORCE },
	{ "resume", 0, NULL, OPT_RESUME },
	{ "checkpoint", 1, NULL, OPT_CHECKPOINT },
	{ "skip-special", 0, NULL, OPT_SKIP_SPECIAL },
	{ "json", 0, NULL, SLU_OPT_JSON },
	{ "quiet", 0, NULL, 'q' },
	{ "verbose", 0, NULL, 'v' },
	{ "progress", 0, NULL, SLU_OPT_PROGRESS },
	{ "no-progress", 0, NULL, SLU_OPT_NO_PROGRESS },
	{ "help", 0, NULL, SLU_OPT_HELP },
	{ 0 },
};

struct args {
	struct slu_cli cli;
	struct slu_create_options opt;
	const char *source, *output;
};

static int take_option(struct args *a, int o, char **argv)
{
	switch (o) {
	case 'o':
		a->output = optarg;
		return SLU_GO_ON;
	case OPT_CODEC:
		a->opt.codec = optarg;
		return SLU_GO_ON;
	case OPT_SHARDS:
		return slu_cli_number(&a->cli, "--shards", optarg, 1, 1 << 20, &a->opt.shards);
	case OPT_SHARD_SIZE:
		return slu_cli_size(&a->cli, "--shard-size", optarg, &a->opt.shard_bytes);
	case OPT_LABELS:
		a->opt.labels = optarg;
		return SLU_GO_ON;
	case OPT_FORCE:
		a->opt.force = true;
		return SLU_GO_ON;
	case OPT_RESUME:
		a->opt.resume = true;
		return SLU_GO_ON;
	case OPT_CHECKPOINT:
		return slu_cli_size(&a->cli, "--checkpoint", optarg, &a->opt.checkpoint_bytes);
	case OPT_SKIP_SPECIAL:
		a->opt.skip_special = true;
		return SLU_GO_ON;
	default:
		return slu_cli_option(&a->cli, o, argv);
	}
}

static int parse(struct args *a, int argc, char **argv)
{
	int o, code;

	while ((o = getopt_long(argc, argv, a->cli.shorts, longs, NULL)) != -1) {
		code = take_option(a, o, argv);
		if (code != SLU_GO_ON)
			return code;
	}
	if (!a->output && argc - optind == 2)
		return slu_cli_usage(&a->cli, "two operands; the pack to make is given with -o");
	code = slu_cli_operands(&a->cli, argc, 1, 1, "directory to pack");
	if (code != SLU_GO_ON)
		return code;
	a->source = argv[optind];
	if (!a->output)
		return slu_cli_usage(&a->cli, "no pack to make given (-o PACK)");
	if (a->opt.shards && a->opt.shard_bytes)
		return slu_cli_usage(&a->cli, "--shards and --shard-size exclude each other");
	return SLU_GO_ON;
}

int slu_cmd_pack(int argc, char **argv)
{
	struct args a = { .cli = { .name = "pack", .help = help, .shorts = ":o:j:qv" } };
	struct slu_create_result result;
	struct slu_report rep;
	uint64_t start = slu_now_ns();
	int r = parse(&a, argc, argv);

	if (r != SLU_GO_ON)
		return r;
	slu_report_init(&rep, &a.cli, a.opt.codec);
	if (a.cli.json)
		slu_report_json_start(&rep, a.source, a.output, a.opt.codec);
	a.opt.size = sizeof(a.opt);
	a.opt.threads = a.cli.threads;
	a.opt.progress = slu_report_progress;
	a.opt.choice = slu_report_choice;
	a.opt.arg = &rep;
	a.opt.cancel = slu_cli_cancel();
	r = slu_create(a.source, a.output, &a.opt, &result);
	slu_bar_clear(&rep.bar);
	if (r == 0)
		slu_report_result(&rep, a.output, &result, slu_now_ns() - start);
	if (r == 0 && result.files == 0)
		fprintf(stderr, "sluice pack: warning: %s has no files, so the pack is empty%s\n", a.source,
		        result.links ? "; links are packed as links, not as what they point to" : "");
	return slu_cli_end(&a.cli, &rep.json, r);
}
