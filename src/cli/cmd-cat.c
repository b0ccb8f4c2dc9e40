/* SPDX-License-Identifier: MIT */
/*
 * sluice cat: bytes of samples to stdout, and nothing else.
 *
 * A sample that fails its check writes nothing, since the library checks before it gives
 * bytes out; the samples after it are still written, as cat(1) does.
 */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/macros.h"

static const char help[] = "Example: sluice cat train.slu cats/0001.jpg > 0001.jpg\n"
			   "\n"
			   "Usage: sluice cat PACK PATH...\n"
			   "\n"
			   "      --help  show this\n"
			   "\n"
			   "See sluice-cat(1).\n";

static const struct option longs[] = { { "help", 0, NULL, SLU_OPT_HELP }, { 0 } };

static int find_sample(struct slu_pack *p, const char *path, uint64_t *ret_i)
{
	char target[SLU_PATH_MAX];
	uint64_t node;
	int r = slu_pack_lookup(p, path, &node);

	if (r < 0)
		return r;
	r = slu_node_kind(p, node);
	if (r == SLU_DIR)
		return slu_fail(-EISDIR, "'%s' is a directory", path);
	if (r == SLU_LINK) {
		ssize_t n = slu_pack_readlink(p, node, target);

		return n < 0 ? (int)n : slu_fail(-ELOOP, "'%s' is a symbolic link to '%s'", path, target);
	}
	return r < 0 ? r : slu_node_sample(p, node, ret_i);
}

static int write_piece(void *arg, const void *data, size_t n)
{
	(void)arg;
	fwrite(data, 1, n, stdout);
	return slu_cli_out_failed() ? -EPIPE : 0; /* what is wrong with the output is told at the end */
}

static int write_sample(struct slu_pack *p, const char *path)
{
	uint64_t i = 0;
	char first;
	int r = find_sample(p, path, &i);

	if (r < 0)
		return r;
	/* Checks all of a large sample, of which the stream would know only at the end. */
	r = (int)slu_pack_pread(p, i, &first, 1, 0);
	if (r < 0)
		return r;
	r = slu_pack_stream(p, i, write_piece, NULL);
	return slu_cli_out_failed() ? 0 : r;
}

int slu_cmd_cat(int argc, char **argv)
{
	struct slu_cli c = { .name = "cat", .help = help, .shorts = ":" };
	struct slu_pack *p;
	int o, r, worst = SLU_EXIT_OK;

	while ((o = getopt_long(argc, argv, c.shorts, longs, NULL)) != -1)
		if ((r = slu_cli_option(&c, o, argv)) != SLU_GO_ON)
			return r;
	if ((r = slu_cli_operands(&c, argc, 1, INT_MAX, "pack")) != SLU_GO_ON)
		return r;
	if (argc - optind < 2)
		return slu_cli_usage(&c, "no path of a file in the pack given");
	r = slu_pack_open(argv[optind], NULL, &p);
	if (r < 0)
		return slu_cli_fail(&c, r);
	for (int i = optind + 1; i < argc && !slu_cli_out_failed(); i++) {
		int code = SLU_EXIT_OK;

		r = write_sample(p, argv[i]);
		if (r < 0)
			code = slu_cli_fail(&c, r);
		worst = code > worst ? code : worst;
	}
	slu_pack_close(p);
	return worst;
}
