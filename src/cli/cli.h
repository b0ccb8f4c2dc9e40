/* SPDX-License-Identifier: MIT */
/*
 * What the subcommands share: options that mean the same everywhere, messages, the
 * progress line, interruption, and the care that standard output needs.
 *
 * stdout carries the result only; everything else goes to stderr, one line a message.
 * A command returns its exit code and prints nothing after that.
 */
#ifndef SLU_CLI_CLI_H
#define SLU_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <sluice/create.h>
#include <sluice/pack.h>

#include "base/escape.h"
#include "base/json.h"
#include "prof/text.h"

enum {
	SLU_EXIT_OK = 0,
	SLU_EXIT_NO = 1,      /* looked, and the answer is no: damaged */
	SLU_EXIT_TROUBLE = 2, /* usage, or something that could not be done */
	SLU_EXIT_SIGNAL = 128 /* plus the number of the signal that ended the run */
};

/* "No exit code yet": what the parsing of options gives when there is work to do. */
#define SLU_GO_ON (-1)

/* Options without a letter. Commands number their own from SLU_OPT_OWN on. */
enum { SLU_OPT_HELP = 256, SLU_OPT_JSON, SLU_OPT_PROGRESS, SLU_OPT_NO_PROGRESS, SLU_OPT_OWN };

enum slu_when { SLU_AUTO_PROGRESS = 0, SLU_PROGRESS, SLU_NO_PROGRESS };

/* One run of a command. Filled by slu_cli_option(). */
struct slu_cli {
	const char *name;   /* the command's */
	const char *help;   /* whole text of --help */
	const char *shorts; /* the command's letters, as getopt has them */
	bool quiet, verbose, json;
	enum slu_when progress;
	uint32_t threads;
};

/* ---- opts.c: options ---- */

/* Deals with an option that the command itself does not: a common one, --help, or a
 * mistake, of which it tells. SLU_GO_ON or an exit code. */
int slu_cli_option(struct slu_cli *c, int o, char **argv);

/* Whether there are @min to @max operands from argv[optind] on; @what they are.
 * SLU_GO_ON or an exit code. */
int slu_cli_operands(const struct slu_cli *c, int argc, int min, int max, const char *what);

/* The value of option @name: SLU_GO_ON or an exit code. */
int slu_cli_number(const struct slu_cli *c, const char *name, const char *text, uint32_t min, uint32_t max,
                   uint32_t *ret_value);
int slu_cli_size(const struct slu_cli *c, const char *name, const char *text, uint64_t *ret_bytes);

/* ---- out.c: messages and standard output ---- */

/* "sluice NAME: ..." on stderr, always one line. @c NULL: "sluice: ...". */
void slu_cli_error(const struct slu_cli *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same and where to look; gives SLU_EXIT_TROUBLE. */
int slu_cli_usage(const struct slu_cli *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints the library's sentence for @err and gives the exit code that goes with it. */
int slu_cli_fail(const struct slu_cli *c, int err);

/* A name on stdout: escaped on a terminal, its bytes elsewhere. */
void slu_cli_put_name(const char *s);

/* Whether stdout has failed; worth asking now and then in a long output. */
bool slu_cli_out_failed(void);

/* Flushes and closes stdout. Gives @code, or SLU_EXIT_TROUBLE if the output is not whole. */
int slu_cli_close_out(const struct slu_cli *c, int code);

/* Begins the object of a command that looks at the pack @path. */
void slu_cli_json_start(struct slu_json *j, const char *path);

/* The end of a command: tells of @err if it is negative, ends the object at @j if the
 * command writes one, and gives the exit code. */
int slu_cli_end(const struct slu_cli *c, struct slu_json *j, int err);

/* A pack's identity in hexadecimal. */
void slu_cli_hex(const uint8_t identity[16], char ret_text[33]);

/* MB (10^6 bytes) a second. */
double slu_cli_rate(uint64_t bytes, uint64_t ns);
/* The plural's "s", unless @n is 1. */
const char *slu_cli_s(uint64_t n);
/* @a / @b, 1 for 0 / 0. */
double slu_cli_ratio(uint64_t a, uint64_t b);

/* ---- look.c: where text goes ---- */

/* How wide the terminal at @fd is; 80 for none. At most SLU_MAX_COLUMNS. */
enum { SLU_MAX_COLUMNS = 512 };
int slu_cli_columns(int fd);

/* Width, colours (a terminal, and no NO_COLOR) and whether UTF-8 can be shown. */
void slu_cli_look(int fd, struct slu_look *ret_look);

/* ---- progress.c: one line on stderr, drawn over itself ---- */

struct slu_bar {
	bool on;
	int drawn;            /* columns on the screen now */
	const char *what;     /* the phase, whose name begins the line */
	uint64_t start_ns;    /* of the phase */
	uint64_t start_bytes; /* done when it began: an earlier run's */
	uint64_t last_ns;     /* when it was drawn last */
};

void slu_bar_init(struct slu_bar *b, const struct slu_cli *c);

/* Draws, at most ten times a second. Not from two threads at once. @what is compared by
 * address and kept. */
void slu_bar_draw(struct slu_bar *b, const char *what, const struct slu_progress *pr);

/* Takes the line away, so that something else can be printed. */
void slu_bar_clear(struct slu_bar *b);

/* ---- report.c: what sluice pack tells ---- */

struct slu_report {
	const struct slu_cli *cli; /* borrowed */
	struct slu_bar bar;
	struct slu_json json;
	bool table;       /* show the choices as text */
	unsigned choices; /* rows so far */
	enum slu_phase phase;
	uint64_t phase_ns; /* when it began */
};

/* @codec as in struct slu_create_options. */
void slu_report_init(struct slu_report *rep, const struct slu_cli *c, const char *codec);
void slu_report_json_start(struct slu_report *rep, const char *source, const char *pack, const char *codec);
/* Callbacks for slu_create(), with a struct slu_report as their argument. */
void slu_report_progress(void *arg, const struct slu_progress *pr);
void slu_report_choice(void *arg, const struct slu_choice *c);
void slu_report_result(struct slu_report *rep, const char *pack, const struct slu_create_result *res, uint64_t ns);

/* ---- cancel.c: SIGINT and SIGTERM ---- */

/* From now on these signals set the flag returned, the first time; a second one kills. */
const volatile int *slu_cli_cancel(void);

/* The number of the signal that came, or 0. */
int slu_cli_signal(void);

/* ---- dirs.c: the entries of a directory, by name ---- */

struct slu_run {
	uint64_t next, end; /* positions */
	uint64_t node;
	ssize_t len;
	char name[SLU_NAME_MAX];
};

struct slu_dir_iter {
	struct slu_pack *pack; /* borrowed */
	uint64_t dir;
	struct slu_run run[3]; /* directories, samples, links: each is sorted already */
	struct slu_run *taken; /* the one whose head was given out last */
};

SLU_MUST_USE int slu_dir_iter_init(struct slu_dir_iter *it, struct slu_pack *p, uint64_t dir);

/* The next entry: 1; 0 at the end; or a negative errno. *@ret_name is valid until the next call. */
SLU_MUST_USE int slu_dir_iter_next(struct slu_dir_iter *it, uint64_t *ret_node, const char **ret_name);

/* ---- defect.c: one defect of a pack ---- */

void slu_defect_json(struct slu_json *j, const struct slu_defect *d);
void slu_defect_text(const struct slu_defect *d);

/* ---- main.c ---- */

/* Gives SIGPIPE back the meaning that it had when we were started, for a program that takes our place. */
void slu_cli_sigpipe_back(void);

/* ---- the commands: cmd-NAME.c ---- */

int slu_cmd_pack(int argc, char **argv);
int slu_cmd_info(int argc, char **argv);
int slu_cmd_ls(int argc, char **argv);
int slu_cmd_cat(int argc, char **argv);
int slu_cmd_verify(int argc, char **argv);
int slu_cmd_unpack(int argc, char **argv);
int slu_cmd_run(int argc, char **argv);
int slu_cmd_report(int argc, char **argv);
int slu_cmd_trace(int argc, char **argv);
int slu_cmd_check(int argc, char **argv);
int slu_cmd_mount(int argc, char **argv);
int slu_cmd_umount(int argc, char **argv);

#endif
