/* SPDX-License-Identifier: MIT */
/*
 * sluice check: which file functions programs use that the shim does not cover.
 *
 * What the shim covers is read from its own symbol table, so that this cannot say more than is true. Files
 * are only read; nothing of them is run.
 */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <string.h>

#include "base/macros.h"
#include "cli/program.h"
#include "cli/uses.h"

static const char help[] = "Example: sluice check python3\n"
			   "\n"
			   "Usage: sluice check PROGRAM... [OPTION...]\n"
			   "\n"
			   "  -v, --verbose  list every file function that is used\n"
			   "  -q, --quiet    print nothing but errors: the exit status is the answer\n"
			   "      --json     tell it as JSON\n"
			   "      --help     show this\n"
			   "\n"
			   "See sluice-check(1).\n";

static const struct option longs[] = {
	{ "verbose", 0, NULL, 'v' },
	{ "quiet", 0, NULL, 'q' },
	{ "json", 0, NULL, SLU_OPT_JSON },
	{ "help", 0, NULL, SLU_OPT_HELP },
	{ 0 },
};

struct check {
	struct slu_cli cli;
	struct slu_elf shim;
	struct slu_json json;
	const char *name; /* as the user gave it */
	struct slu_program program;
	struct slu_libs libs;
	struct slu_buf uses;
};

static const char *const state_names[] = {
	[SLU_USE_COVERED] = "covered",
	[SLU_USE_BY_ITSELF] = "works by itself",
	[SLU_USE_NOT_SERVED] = "not served",
	[SLU_USE_GAP] = "uncovered",
};

static const char *const kind_names[] = {
	[SLU_PROGRAM_PLAIN] = "plain",     [SLU_PROGRAM_STATIC] = "static",
	[SLU_PROGRAM_GO] = "go",           [SLU_PROGRAM_PRIVILEGED] = "privileged",
	[SLU_PROGRAM_FOREIGN] = "foreign", [SLU_PROGRAM_OTHER_LIBC] = "other-libc",
};

/* ---- text ---- */

/* Lists uses, each symbol once with those who use it. */
static void list(const struct check *c, bool gaps)
{
	for (size_t i = 0, n = slu_uses_count(&c->uses); i < n;) {
		const struct slu_use *u = slu_uses_get(&c->uses, i), *next = u;
		bool shown = (slu_use_state(u) == SLU_USE_GAP) == gaps;

		if (shown)
			printf("  %-24s %-15s ", u->symbol, state_names[slu_use_state(u)]);
		for (const char *between = ""; i < n && strcmp(next->symbol, u->symbol) == 0; between = ", ") {
			if (shown) {
				fputs(between, stdout);
				slu_cli_put_name(next->user);
			}
			next = ++i < n ? slu_uses_get(&c->uses, i) : next;
		}
		if (shown)
			putchar('\n');
	}
}

/* The counts are those of the lists below: of gaps, and with -v of all that is fine and of what is not served. */
static void tell_counts(const struct check *c)
{
	size_t libs = slu_libs_count(&c->libs) - 1, n[SLU_USE_STATES], fine;
	const char *few = libs == 1 ? "y" : "ies";

	slu_uses_tally(&c->uses, n);
	fine = n[SLU_USE_COVERED] + n[SLU_USE_BY_ITSELF];
	if (n[SLU_USE_GAP])
		printf(": %zu file function%s not covered; 'sluice mount' serves all of them\n", n[SLU_USE_GAP],
		       n[SLU_USE_GAP] == 1 ? " is" : "s are");
	else if (!fine && !n[SLU_USE_NOT_SERVED])
		printf(": uses no file functions of libc\n");
	else if (!n[SLU_USE_NOT_SERVED])
		printf(": all %zu file functions that it and its %zu librar%s use are covered\n", fine, libs, few);
	else
		printf(": all %zu file functions that it and its %zu librar%s use are covered, but for %zu that do not "
		       "read data\n",
		       fine + n[SLU_USE_NOT_SERVED], libs, few, n[SLU_USE_NOT_SERVED]);
}

static void tell_text(const struct check *c)
{
	slu_cli_put_name(c->name);
	if (c->program.script[0]) {
		fputs(" (a script, run by ", stdout);
		slu_cli_put_name(c->program.path);
		putchar(')');
	}
	tell_counts(c);
	list(c, true);
	if (c->cli.verbose)
		list(c, false);
	for (size_t i = 0; i < slu_libs_missing_count(&c->libs); i++) {
		fputs("  not found, so not looked at: ", stdout);
		slu_cli_put_name(slu_libs_missing(&c->libs, i)->name);
		fputs(", which is needed by ", stdout);
		slu_cli_put_name(slu_libs_missing(&c->libs, i)->by);
		putchar('\n');
	}
}

static void tell_kind_text(const struct check *c)
{
	slu_cli_put_name(c->program.script[0] ? c->program.path : c->name);
	printf(" %s: use 'sluice mount'\n", slu_program_why(c->program.kind));
}

/* ---- JSON ---- */

static void json_uses(struct check *c)
{
	slu_json_array(&c->json, "functions");
	for (size_t i = 0, n = slu_uses_count(&c->uses); i < n;) {
		const struct slu_use *u = slu_uses_get(&c->uses, i), *next = u;

		slu_json_object(&c->json, NULL);
		slu_json_str(&c->json, "name", u->symbol);
		slu_json_str(&c->json, "state", state_names[slu_use_state(u)]);
		slu_json_array(&c->json, "users");
		while (i < n && strcmp(next->symbol, u->symbol) == 0) {
			slu_json_str(&c->json, NULL, next->user);
			next = ++i < n ? slu_uses_get(&c->uses, i) : next;
		}
		slu_json_end(&c->json);
		slu_json_end(&c->json);
	}
	slu_json_end(&c->json);
	slu_json_array(&c->json, "missing_libraries");
	for (size_t i = 0; i < slu_libs_missing_count(&c->libs); i++) {
		slu_json_object(&c->json, NULL);
		slu_json_str(&c->json, "name", slu_libs_missing(&c->libs, i)->name);
		slu_json_str(&c->json, "needed_by", slu_libs_missing(&c->libs, i)->by);
		slu_json_end(&c->json);
	}
	slu_json_end(&c->json);
}

static void tell_json(struct check *c, int code, int err)
{
	slu_json_object(&c->json, NULL);
	slu_json_str(&c->json, "program", c->name);
	if (err < 0) {
		slu_json_str(&c->json, "error", slu_errmsg());
	} else {
		slu_json_str(&c->json, "path", c->program.path);
		if (c->program.script[0])
			slu_json_str(&c->json, "script", c->program.script);
		slu_json_str(&c->json, "kind", kind_names[c->program.kind]);
		slu_json_bool(&c->json, "covered", code == SLU_EXIT_OK);
		json_uses(c);
	}
	slu_json_end(&c->json);
}

/* ---- the check ---- */

static int answer(const struct check *c)
{
	size_t n[SLU_USE_STATES];

	slu_uses_tally(&c->uses, n);
	if (c->program.kind != SLU_PROGRAM_PLAIN || n[SLU_USE_GAP])
		return SLU_EXIT_NO;
	return slu_libs_missing_count(&c->libs) ? SLU_EXIT_TROUBLE : SLU_EXIT_OK;
}

/* Finds the file: as a program, or, such as a library, by its path alone. */
static int look(struct check *c)
{
	char path[PATH_MAX];
	int r = slu_program_find(c->name, path);

	if (r < 0 && strlen(c->name) < sizeof(path) && access(c->name, R_OK) == 0) {
		strcpy(path, c->name);
		r = 0;
	}
	if (r == 0)
		r = slu_program_look(path, &c->program);
	if (r == 0 && c->program.kind == SLU_PROGRAM_PLAIN)
		r = slu_libs_open(&c->libs, c->program.path, &c->program.elf);
	if (r == 0 && c->program.kind == SLU_PROGRAM_PLAIN)
		r = slu_uses_gather(&c->libs, &c->shim, &c->uses);
	return r;
}

static int check_one(struct check *c, const char *name)
{
	int r, code;

	c->name = name;
	r = look(c);
	code = r < 0 ? SLU_EXIT_TROUBLE : answer(c);
	if (c->cli.json)
		tell_json(c, code, r);
	if (r < 0)
		slu_cli_error(&c->cli, "%s", slu_errmsg());
	else if (!c->cli.json && !c->cli.quiet && c->program.kind == SLU_PROGRAM_PLAIN)
		tell_text(c);
	else if (!c->cli.json && !c->cli.quiet)
		tell_kind_text(c);
	slu_buf_done(&c->uses);
	slu_libs_done(&c->libs);
	slu_program_done(&c->program);
	c->program = (struct slu_program){ 0 };
	return code;
}

static int read_shim(struct check *c, char path[PATH_MAX])
{
	int r = slu_shim_find(path);

	if (r == 0)
		r = slu_elf_open(path, &c->shim);
	if (r == 0 && (c->shim.foreign || !slu_elf_symbol_count(&c->shim)))
		r = slu_fail(-ENOEXEC, "the shim '%s' is not a shared library of this machine", path);
	return r;
}

int slu_cmd_check(int argc, char **argv)
{
	struct check c = { .cli = { .name = "check", .help = help, .shorts = ":qv" } };
	char shim[PATH_MAX];
	int o, r, worst = SLU_EXIT_OK;

	while ((o = getopt_long(argc, argv, c.cli.shorts, longs, NULL)) != -1)
		if ((r = slu_cli_option(&c.cli, o, argv)) != SLU_GO_ON)
			return r;
	if ((r = slu_cli_operands(&c.cli, argc, 1, INT_MAX, "program")) != SLU_GO_ON)
		return r;
	r = read_shim(&c, shim);
	if (r < 0) {
		slu_cli_error(&c.cli, "%s", slu_errmsg());
		return SLU_EXIT_TROUBLE;
	}
	if (c.cli.json) {
		slu_json_init(&c.json, stdout);
		slu_json_object(&c.json, NULL);
		slu_json_u64(&c.json, "schema", 1);
		slu_json_str(&c.json, "shim", shim);
		slu_json_array(&c.json, "programs");
	}
	for (int i = optind; i < argc && !slu_cli_out_failed(); i++) {
		int code = check_one(&c, argv[i]);

		worst = code > worst ? code : worst;
	}
	if (c.cli.json)
		slu_json_end_all(&c.json);
	slu_elf_done(&c.shim);
	return worst;
}
