/* SPDX-License-Identifier: MIT */
/*
 * Interruption: the first SIGINT or SIGTERM asks the work to stop where it can go on
 * later; a second one of the same kind kills, as it does without us.
 */
#include "cli/cli.h"

#include <signal.h>

/* The number of the signal that came. */
static volatile int cancelled;

static void on_signal(int sig)
{
	cancelled = sig;
}

/* A signal that was ignored when we started (a background job's SIGINT) stays ignored. */
static void catch_signal(int sig)
{
	struct sigaction old, act = { .sa_handler = on_signal, .sa_flags = SA_RESTART | (int)SA_RESETHAND };

	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
		return;
	(void)sigaction(sig, &act, NULL); /* fails for no signal that we pass */
}

int slu_cli_signal(void)
{
	return cancelled;
}

const volatile int *slu_cli_cancel(void)
{
	catch_signal(SIGINT);
	catch_signal(SIGTERM);
	return &cancelled;
}
