/* SPDX-License-Identifier: MIT */
/* sluice unpack: the tree in a pack, as files again. The work is slu_extract()'s. */
#include "cli/cli.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>

#include "base/clock.h"
#include "base/size.h"

static const char help[] = "Example: sluice unpack train.slu -C train\n"
			   "\n"
			   "Usage: sluice unpack PACK -C DIR [PATH...] [OPTION...]\n"
			   "\n"
			   "  -C, --directory DIR  where to write; made if need be\n"
			   "  -j, --threads N      threads (one per CPU)\n"
			   "      --force          replace files that are there\n"
			   "      --outside-links  make links that point out of DIR as well\n"
			   "      --owner          give files their owners (needs privilege)\n"
			   "      --json           tell the result as JSON\n"
			   "  -q, --quiet          print errors only\n"
			   "      --progress, --no-progress\n"
			   "                       show progress, or not (if stderr is a terminal)\n"
			   "      --help           show this\n"
			   "\n"
			   "Without PATH, everything. See sluice-unpack(1).\n";

enum { OPT_FORCE = SLU_OPT_OWN, OPT_OUTSIDE_LINKS, OPT_OWNER };

static const struct option longs[] = {
	{ "directory", 1, NULL, 'C' },
	{ "threads", 1, NULL, 'j' },
	{ "force", 0, NULL, OPT_FORCE },
	{ "outside-links", 0, NULL, OPT_OUTSIDE_LINKS },
	{ "owner", 0, NULL, OPT_OWNER },
	{ "json", 0, NULL, SLU_OPT_JSON },
	{ "quiet", 0, NULL, 'q' },
	{ "progress", 0, NULL, SLU_OPT_PROGRESS },
	{ "no-progress", 0, NULL, SLU_OPT_NO_PROGRESS },
	{ "help", 0, NULL, SLU_OPT_HELP },
	{ 0 },
};

struct args {
	struct slu_cli cli;
	struct slu_extract_options opt;
	const char *pack, *dir;
	struct slu_bar bar;
	struct slu_json json;
};

static int parse(struct args *a, int argc, char **argv)
{
	int o, code;

	while ((o = getopt_long(argc, argv, a->cli.shorts, longs, NULL)) != -1) {
		if (o == 'C')
			a->dir = optarg;
		else if (o == OPT_FORCE)
			a->opt.force = true;
		else if (o == OPT_OUTSIDE_LINKS)
			a->opt.outside_links = true;
		else if (o == OPT_OWNER)
			a->opt.owner = true;
		else if ((code = slu_cli_option(&a->cli, o, argv)) != SLU_GO_ON)
			return code;
	}
	code = slu_cli_operands(&a->cli, argc, 1, INT_MAX, "pack");
	if (code != SLU_GO_ON)
		return code;
	if (!a->dir)
		return slu_cli_usage(&a->cli, "no directory to write to given (-C DIR)");
	a->pack = argv[optind];
	a->opt.npaths = (size_t)(argc - optind - 1);
	a->opt.paths = a->opt.npaths ? (const char *const *)&argv[optind + 1] : NULL;
	return SLU_GO_ON;
}

static void on_progress(void *arg, const struct slu_progress *pr)
{
	struct args *a = arg;

	slu_bar_draw(&a->bar, "unpack", pr);
}

static void tell_result(struct args *a, const struct slu_progress *done, uint64_t ns)
{
	char size[16];

	if (a->cli.json) {
		slu_json_str(&a->json, "directory", a->dir);
		slu_json_u64(&a->json, "files", done->done_files);
		slu_json_u64(&a->json, "bytes", done->done_bytes);
		slu_json_double(&a->json, "seconds", (double)ns / 1e9);
		slu_json_double(&a->json, "mb_per_s", slu_cli_rate(done->done_bytes, ns));
	} else if (!a->cli.quiet) {
		slu_cli_put_name(a->dir);
		printf(": %" PRIu64 " file%s, %s, %.2f s, %.1f MB/s\n", done->done_files, slu_cli_s(done->done_files),
		       slu_size_format(done->done_bytes, size), (double)ns / 1e9, slu_cli_rate(done->done_bytes, ns));
	}
}

int slu_cmd_unpack(int argc, char **argv)
{
	struct args a = { .cli = { .name = "unpack", .help = help, .shorts = ":C:j:q" } };
	struct slu_pack *p = NULL;
	struct slu_progress done = { 0 };
	uint64_t start = slu_now_ns();
	int r = parse(&a, argc, argv);

	if (r != SLU_GO_ON)
		return r;
	slu_bar_init(&a.bar, &a.cli);
	if (a.cli.json)
		slu_cli_json_start(&a.json, a.pack);
	a.opt.size = sizeof(a.opt);
	a.opt.threads = a.cli.threads;
	a.opt.progress = on_progress;
	a.opt.arg = &a;
	a.opt.cancel = slu_cli_cancel();
	r = slu_pack_open(a.pack, NULL, &p);
	if (r == 0)
		r = slu_extract(p, a.dir, &a.opt, &done);
	slu_pack_close(p);
	slu_bar_clear(&a.bar);
	if (r == 0)
		tell_result(&a, &done, slu_now_ns() - start);
	return slu_cli_end(&a.cli, &a.json, r);
}
