/* SPDX-License-Identifier: MIT */
/*
 * sluice run, in parts: the view that the program will have (run-view.c), the environment that carries it there
 * (run-env.c), and, for --why, the run under watch (run-why.c) and its report (run-report.c).
 */
#ifndef SLU_CLI_RUN_H
#define SLU_CLI_RUN_H

#include <limits.h>

#include "cli/cli.h"
#include "cli/watch.h"
#include "vfs/ledger.h"
#include "vfs/vfs.h"

struct slu_view_mount {
	char *pack;            /* absolute */
	char *point;           /* absolute and simple */
	struct slu_pack *open; /* NULL: one from the environment that cannot be opened */
	uint64_t nodes;
};

/* The mounts in the order of SLUICE_MOUNTS. Owns all of it; all zero is an empty one. */
struct slu_view {
	unsigned n;
	struct slu_view_mount mount[SLU_MAX_MOUNTS];
};

void slu_view_done(struct slu_view *v);

/* Adds the mounts of the environment, which an outer run has put there. */
SLU_MUST_USE int slu_view_inherit(struct slu_view *v);

/* Adds what the operand @text says, and opens the packs: -EINVAL if it is not PACK:DIRECTORY. */
SLU_MUST_USE int slu_view_add(struct slu_view *v, const char *text);

/* Sets SLUICE_MOUNTS and LD_PRELOAD in our own environment. */
SLU_MUST_USE int slu_view_export(const struct slu_view *v);

/*
 * @old with the library @shim put in front, but behind the runtimes of sanitizers, which must be first, and without
 * others of its name. To be freed.
 */
SLU_MUST_USE int slu_preload_join(const char *old, const char *shim, char **ret_text);

/* Puts the shim into LD_PRELOAD of our own environment. */
SLU_MUST_USE int slu_preload_export(void);

struct slu_why {
	bool text;        /* the report for people, on stderr */
	const char *json; /* the file for the other one, or NULL */
	bool no_watch;    /* leave system calls alone */
};

/*
 * Becomes the program @argv. Comes back only if it cannot: with the exit code that tells so.
 */
int slu_run_exec(const struct slu_cli *c, char **argv);

/* Runs it as a child, under watch, and reports. The exit code. */
int slu_run_why(const struct slu_cli *c, const struct slu_why *w, struct slu_view *v, char **argv);

/* What a run was, for the report. */
struct slu_outcome {
	const struct slu_cli *cli;
	const struct slu_view *view;
	const struct slu_ledger *ledger;
	const struct slu_watch *watch; /* or NULL */
	const char *unwatched;         /* then: why */
	const char *program;
	int status; /* as wait() has it */
};

void slu_report_why_text(const struct slu_outcome *o, FILE *out);
void slu_report_why_json(const struct slu_outcome *o, FILE *out);

#endif
