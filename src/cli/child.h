/* SPDX-License-Identifier: MIT */
/*
 * A program that is run as our child and must not notice: its signals, its exit status and its standard streams are as
 * they would be without us.
 */
#ifndef SLU_CLI_CHILD_H
#define SLU_CLI_CHILD_H

#include <signal.h>
#include <sys/types.h>

#include "base/err.h"
#include "cli/cli.h"

/* .sock is -1 before the start. */
struct slu_child {
	pid_t pid;
	int sock; /* to the child, until it has become the program */
	sigset_t old_mask;
};

/* Starts @argv. @prepare, if not NULL, is called in the child just before. */
SLU_MUST_USE int slu_child_start(struct slu_child *ch, const struct slu_cli *c, char **argv,
                                 void (*prepare)(void *arg, int sock), void *arg);

/* Waits for its end, and passes signals on to it. The status, as wait() has it. */
int slu_child_wait(const struct slu_child *ch);

/* After its end: whether it was the program at all, and not only our attempt to become it. */
bool slu_child_ran(const struct slu_child *ch);

/* Its end as our own: the exit code for main(). */
int slu_child_exit_code(const struct slu_child *ch, int status);

void slu_child_done(struct slu_child *ch);

#endif
