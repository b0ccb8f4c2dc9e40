/* SPDX-License-Identifier: MIT */
/*
 * sluice ls: the tree in a pack, one entry a line, as ls(1) shows it when it writes to a
 * pipe; or as JSON. Written as it is read: a pack of any size costs no memory.
 */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>

#include "base/err.h"
#include "cli/entry.h"

static const char help[] = "Example: sluice ls -l train.slu cats\n"
			   "\n"
			   "Usage: sluice ls PACK [PATH] [OPTION...]\n"
			   "\n"
			   "  -l              mode, owner, group, size, time and name\n"
			   "  -R, --recursive directories below as well\n"
			   "  -h, --human     sizes such as 1.2 MB\n"
			   "  -1              one entry a line (always so)\n"
			   "      --json      tell it as JSON\n"
			   "      --help      show this\n"
			   "\n"
			   "See sluice-ls(1).\n";

static const struct option longs[] = {
	{ "recursive", 0, NULL, 'R' },
	{ "human", 0, NULL, 'h' },
	{ "json", 0, NULL, SLU_OPT_JSON },
	{ "help", 0, NULL, SLU_OPT_HELP },
	{ 0 },
};

struct listing {
	struct slu_cli cli;
	struct slu_entry_style style;
	bool recursive;
	struct slu_pack *pack;
	struct slu_json json;
	unsigned depth;
};

/* A damaged pack must not lead us in a circle: numbers of directories rise downwards, and
 * the format has no more than 255 levels. */
#define MAX_DEPTH 256

static int list_dir(struct listing *l, uint64_t dir);

static int list_entries(struct listing *l, uint64_t dir)
{
	struct slu_dir_iter it;
	const char *name;
	uint64_t node;
	int r = slu_dir_iter_init(&it, l->pack, dir);

	if (r < 0)
		return r;
	while ((r = slu_dir_iter_next(&it, &node, &name)) > 0) {
		r = l->cli.json ? slu_entry_json(&l->json, l->pack, node)
		                : slu_entry_text(&l->style, l->pack, node, name);
		if (r < 0 || slu_cli_out_failed())
			return r;
	}
	return r;
}

/* The subdirectories stand first among a directory's entries, by name. */
static int list_below(struct listing *l, uint64_t dir)
{
	uint64_t count, node;
	int r = slu_pack_entries(l->pack, dir, &count);

	for (uint64_t i = 0; r == 0 && i < count; i++) {
		r = slu_pack_entry(l->pack, dir, i, &node);
		if (r == 0)
			r = slu_node_kind(l->pack, node);
		if (r != SLU_DIR)
			return r < 0 ? r : 0;
		if (node <= dir || l->depth >= MAX_DEPTH)
			return slu_fail(-EBADMSG, "the directories of the pack form a circle");
		r = list_dir(l, node);
	}
	return r;
}

static int list_dir(struct listing *l, uint64_t dir)
{
	int r = l->recursive && !l->cli.json ? slu_entry_heading(l->pack, dir, l->depth == 0) : 0;

	if (r == 0)
		r = list_entries(l, dir);
	if (r < 0 || !l->recursive || slu_cli_out_failed())
		return r;
	l->depth++;
	r = list_below(l, dir);
	l->depth--;
	return r;
}

static int list(struct listing *l, const char *path)
{
	uint64_t node;
	int r = slu_pack_lookup(l->pack, path, &node);

	if (r == 0)
		r = slu_node_kind(l->pack, node);
	if (l->cli.json)
		slu_json_array(&l->json, "entries");
	if (r < 0)
		return r;
	if (r == SLU_DIR)
		return list_dir(l, node);
	return l->cli.json ? slu_entry_json(&l->json, l->pack, node) : slu_entry_text(&l->style, l->pack, node, path);
}

static int parse(struct listing *l, int argc, char **argv)
{
	int o, code;

	while ((o = getopt_long(argc, argv, l->cli.shorts, longs, NULL)) != -1) {
		if (o == 'l')
			l->style.details = true;
		else if (o == 'h')
			l->style.human = true;
		else if (o == 'R')
			l->recursive = true;
		else if (o != '1' && (code = slu_cli_option(&l->cli, o, argv)) != SLU_GO_ON)
			return code;
	}
	return slu_cli_operands(&l->cli, argc, 1, 2, "pack");
}

int slu_cmd_ls(int argc, char **argv)
{
	struct listing l = { .cli = { .name = "ls", .help = help, .shorts = ":lRh1" } };
	int r = parse(&l, argc, argv);

	if (r != SLU_GO_ON)
		return r;
	if (l.cli.json)
		slu_cli_json_start(&l.json, argv[optind]);
	r = slu_pack_open(argv[optind], NULL, &l.pack);
	if (r == 0)
		r = list(&l, argc - optind > 1 ? argv[optind + 1] : "");
	slu_pack_close(l.pack);
	return slu_cli_end(&l.cli, &l.json, r);
}
