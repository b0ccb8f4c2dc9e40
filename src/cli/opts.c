/* SPDX-License-Identifier: MIT */
/*
 * Options that mean the same in every command, and the one line that a mistake gets.
 * Everything goes through getopt_long, with opterr off and ":" in front of the letters,
 * so that the wording is ours.
 */
#include "cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/size.h"

/* More threads than this are a slip of the finger. */
#define MAX_THREADS 256 /* what the library starts at most */

/* getopt gave '?'. optopt is 0 for a long option that it does not know (or that is the
 * beginning of several), the letter of an unknown short one, or the value of a known
 * long one that was given an argument it does not take. */
static int unknown_option(const struct slu_cli *c, char **argv)
{
	const char *arg = argv[optind - 1];

	if (optopt == 0)
		return slu_cli_usage(c, "unknown or ambiguous option '%s'", arg);
	if (optopt >= SLU_OPT_HELP || strchr(c->shorts, optopt))
		return slu_cli_usage(c, "option '%s' takes no argument", arg);
	return slu_cli_usage(c, "unknown option '-%c'", optopt);
}

static int missing_argument(const struct slu_cli *c, char **argv)
{
	const char *arg = argv[optind - 1];

	if (strncmp(arg, "--", 2) == 0)
		return slu_cli_usage(c, "option '%s' needs an argument", arg);
	return slu_cli_usage(c, "option '-%c' needs an argument", optopt);
}

int slu_cli_option(struct slu_cli *c, int o, char **argv)
{
	switch (o) {
	case 'j':
		return slu_cli_number(c, "-j", optarg, 0, MAX_THREADS, &c->threads);
	case 'q':
		c->quiet = true;
		return SLU_GO_ON;
	case 'v':
		c->verbose = true;
		return SLU_GO_ON;
	case SLU_OPT_JSON:
		c->json = true;
		return SLU_GO_ON;
	case SLU_OPT_PROGRESS:
		c->progress = SLU_PROGRESS;
		return SLU_GO_ON;
	case SLU_OPT_NO_PROGRESS:
		c->progress = SLU_NO_PROGRESS;
		return SLU_GO_ON;
	case SLU_OPT_HELP:
		fputs(c->help, stdout);
		return SLU_EXIT_OK;
	case ':':
		return missing_argument(c, argv);
	default:
		return unknown_option(c, argv);
	}
}

int slu_cli_operands(const struct slu_cli *c, int argc, int min, int max, const char *what)
{
	if (argc - optind < min)
		return slu_cli_usage(c, "no %s given", what);
	if (argc - optind > max)
		return slu_cli_usage(c, "too many operands");
	return SLU_GO_ON;
}

int slu_cli_number(const struct slu_cli *c, const char *name, const char *text, uint32_t min, uint32_t max,
                   uint32_t *ret_value)
{
	unsigned long long v = 0;
	char *end = NULL;

	errno = 0;
	if (isdigit((unsigned char)text[0]))
		v = strtoull(text, &end, 10);
	if (!end || *end || errno || v < min || v > max)
		return slu_cli_usage(c, "%s takes a number from %u to %u, not '%s'", name, min, max, text);
	*ret_value = (uint32_t)v;
	return SLU_GO_ON;
}

int slu_cli_size(const struct slu_cli *c, const char *name, const char *text, uint64_t *ret_bytes)
{
	uint64_t v;

	if (slu_size_parse(text, &v) < 0 || v == 0)
		return slu_cli_usage(c, "%s takes a size such as 4096, 64K, 8M or 2G, not '%s'", name, text);
	*ret_bytes = v;
	return SLU_GO_ON;
}
