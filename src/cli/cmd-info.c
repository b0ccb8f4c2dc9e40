/* SPDX-License-Identifier: MIT */
/* sluice info: what a pack holds, and what it costs to hold it. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>

#include "cli/describe.h"

static const char help[] = "Example: sluice info train.slu\n"
			   "\n"
			   "Usage: sluice info PACK [OPTION...]\n"
			   "\n"
			   "      --json  tell it as JSON\n"
			   "      --help  show this\n"
			   "\n"
			   "See sluice-info(1).\n";

static const struct option longs[] = {
	{ "json", 0, NULL, SLU_OPT_JSON },
	{ "help", 0, NULL, SLU_OPT_HELP },
	{ 0 },
};

static int gather(struct slu_pack *p, struct slu_facts *f)
{
	const char *name;
	int r;

	*f = (struct slu_facts){ 0 };
	r = slu_pack_info(p, &f->info);
	if (r < 0)
		return r;
	slu_cli_hex(f->info.identity, f->identity);
	f->columns = slu_pack_columns(p);
	if (f->columns < 0)
		return f->columns;
	while ((r = slu_pack_label_name(p, (int64_t)f->labels, &name)) == 0)
		f->labels++;
	if (r != -ENOENT)
		return r;
	r = slu_pack_schema(p, &f->schema);
	if (r < 0 && r != -ENOENT)
		return r;
	f->has_schema = r == 0;
	return slu_pack_notes(p, &f->notes, &f->notes_len);
}

static int show(const struct slu_cli *c, struct slu_pack *p, struct slu_json *j, const char *path)
{
	struct slu_facts f;
	int r = gather(p, &f);

	if (r < 0)
		return r;
	if (c->json)
		return slu_describe_json(j, p, &f);
	slu_cli_put_name(path);
	putchar('\n');
	return slu_describe_text(p, &f);
}

int slu_cmd_info(int argc, char **argv)
{
	struct slu_cli c = { .name = "info", .help = help, .shorts = ":" };
	struct slu_pack *p = NULL;
	struct slu_json j;
	int o, r;

	while ((o = getopt_long(argc, argv, c.shorts, longs, NULL)) != -1)
		if ((r = slu_cli_option(&c, o, argv)) != SLU_GO_ON)
			return r;
	if ((r = slu_cli_operands(&c, argc, 1, 1, "pack")) != SLU_GO_ON)
		return r;
	if (c.json)
		slu_cli_json_start(&j, argv[optind]);
	r = slu_pack_open(argv[optind], NULL, &p);
	if (r == 0)
		r = show(&c, p, &j, argv[optind]);
	slu_pack_close(p);
	return slu_cli_end(&c, &j, r);
}
