/* SPDX-License-Identifier: MIT */
/*
 * sluice run: a program sees packs as directories.
 *
 * Without --why we become the program: its signals, its exit status and its place in the job are its own. All that
 * can be wrong with packs, mounts and the shim is found out before.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "cli/cli.h"
#include "cli/program.h"
#include "cli/run.h"
#include "vfs/spec.h"

static const char help[] = "Example: sluice run train.slu:/data/train -- python3 train.py\n"
			   "\n"
			   "Usage: sluice run PACK:DIRECTORY... [OPTION...] -- COMMAND [ARGUMENT...]\n"
			   "\n"
			   "      --why            after the run, tell which files were served and which\n"
			   "                       were not, and why\n"
			   "  -v, --verbose        with --why, list every file that was served\n"
			   "      --why-json FILE  write what --why tells to FILE, as JSON\n"
			   "      --no-watch       with --why, leave system calls alone\n"
			   "  -q, --quiet          do not warn of programs that will not see the mounts\n"
			   "      --help           show this\n"
			   "\n"
			   "See sluice-run(1).\n";

enum { OPT_WHY = SLU_OPT_OWN, OPT_WHY_JSON, OPT_NO_WATCH };

enum { EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 }; /* as env(1) and the shells have them */

static const struct option longs[] = {
	{ "why", 0, NULL, OPT_WHY },
	{ "why-json", 1, NULL, OPT_WHY_JSON },
	{ "no-watch", 0, NULL, OPT_NO_WATCH },
	{ "verbose", 0, NULL, 'v' },
	{ "quiet", 0, NULL, 'q' },
	{ "help", 0, NULL, SLU_OPT_HELP },
	{ 0 },
};

int slu_run_exec(const struct slu_cli *c, char **argv)
{
	int err;

	execvp(argv[0], argv);
	err = errno;
	slu_cli_error(c, "cannot run '%s': %s", argv[0], strerror(err));
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

/* Tells if the shim will not help; what is wrong with the file itself is told by exec. */
static void warn_of(const struct slu_cli *c, const char *name)
{
	struct slu_program p;
	char path[PATH_MAX];
	const char *why;

	if (c->quiet || slu_program_find(name, path) < 0)
		return;
	if (slu_program_look(path, &p) < 0)
		return;
	why = slu_program_why(p.kind);
	if (why)
		slu_cli_error(c, "warning: '%s' %s: it will not see the packs; use 'sluice mount'", p.path, why);
	slu_program_done(&p);
}

static bool is_spec(const char *operand)
{
	struct slu_spec spec;

	return slu_spec_next(&operand, &spec) > 0;
}

static int option(struct slu_cli *c, struct slu_why *w, int o, char **argv)
{
	if (o == OPT_WHY)
		w->text = true;
	else if (o == OPT_WHY_JSON)
		w->json = optarg;
	else if (o == OPT_NO_WATCH)
		w->no_watch = true;
	else
		return slu_cli_option(c, o, argv);
	return SLU_GO_ON;
}

/*
 * Options and mounts, in any order, up to where the command begins: behind "--", or, where that is left out, at the
 * first operand that cannot be a mount. One between mounts and a "--" is a mount written wrongly. The mounts are moved
 * to the front of argv, behind its first; the command is at optind afterwards. SLU_GO_ON or an exit code.
 */
static int parse(struct slu_cli *c, struct slu_why *w, int argc, char **argv, int *ret_specs)
{
	int specs = 0, code;

	for (;;) {
		int before = optind, o = getopt_long(argc, argv, c->shorts, longs, NULL);
		if (o != -1) {
			if ((code = option(c, w, o, argv)) != SLU_GO_ON)
				return code;
			continue;
		}
		if (optind >= argc || optind > before) /* the end, or "--" */
			break;
		if (!is_spec(argv[optind])) {
			if (!specs || (optind + 1 < argc && strcmp(argv[optind + 1], "--") == 0))
				return slu_cli_usage(c, "'%s' is not PACK:DIRECTORY", argv[optind]);
			break;
		}
		argv[++specs] = argv[optind++];
	}
	if (!specs)
		return slu_cli_usage(c, "no PACK:DIRECTORY given");
	if (optind >= argc)
		return slu_cli_usage(c, "no command given");
	*ret_specs = specs;
	return SLU_GO_ON;
}

int slu_cmd_run(int argc, char **argv)
{
	struct slu_cli c = { .name = "run", .help = help, .shorts = "+:qv" };
	struct slu_why why = { 0 };
	struct slu_view v = { 0 };
	int specs = 0, r, code = parse(&c, &why, argc, argv, &specs);

	if (code != SLU_GO_ON)
		return code;
	r = slu_view_inherit(&v);
	for (int i = 1; r == 0 && i <= specs; i++)
		r = slu_view_add(&v, argv[i]);
	if (r == 0)
		r = slu_view_export(&v);
	if (r < 0) {
		slu_cli_error(&c, "%s", slu_errmsg());
		code = SLU_EXIT_TROUBLE; /* a damaged pack too: 1 would be taken for the program's */
	} else {
		warn_of(&c, argv[optind]);
		slu_cli_sigpipe_back();
		code = why.text || why.json ? slu_run_why(&c, &why, &v, argv + optind)
		                            : slu_run_exec(&c, argv + optind);
	}
	slu_view_done(&v);
	return code;
}
