/* SPDX-License-Identifier: MIT */
/* A program run as our child: see child.h. */
#include "cli/child.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/macros.h"
#include "cli/run.h"

static const int forwarded[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };

static void watched_signals(sigset_t *set)
{
	(void)sigemptyset(set);
	(void)sigaddset(set, SIGCHLD);
	for (size_t i = 0; i < SLU_ARRAY_SIZE(forwarded); i++)
		(void)sigaddset(set, forwarded[i]);
}

int slu_child_start(struct slu_child *ch, const struct slu_cli *c, char **argv, void (*prepare)(void *arg, int sock),
                    void *arg)
{
	sigset_t mask;
	int pair[2], r;

	watched_signals(&mask);
	(void)sigprocmask(SIG_BLOCK, &mask, &ch->old_mask);
	(void)signal(SIGCHLD, SIG_DFL); /* whoever started us may have ignored it; then there would be no status */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return slu_fail_sys(-errno, "cannot make a socket");
	fflush(NULL);
	ch->pid = fork();
	if (ch->pid == 0) {
		int code;
		close(pair[0]);
		if (prepare)
			prepare(arg, pair[1]);
		(void)sigprocmask(SIG_SETMASK, &ch->old_mask, NULL);
		code = slu_run_exec(c, argv);
		(void)!write(pair[1], "", 1); /* we are back: slu_child_ran() */
		_exit(code);
	}
	r = ch->pid < 0 ? slu_fail_sys(-errno, "cannot start a process") : 0;
	close(pair[1]);
	ch->sock = pair[0];
	return r;
}

/* What the terminal sends goes to the child too, as one of the foreground; only what was sent to us alone is passed on.
 */
static void forward(const struct slu_child *ch, const siginfo_t *si)
{
	if (si->si_code <= 0 || (si->si_signo != SIGINT && si->si_signo != SIGQUIT))
		(void)kill(ch->pid, si->si_signo);
}

int slu_child_wait(const struct slu_child *ch)
{
	sigset_t set;
	siginfo_t si;
	int status;

	watched_signals(&set);
	for (;;) {
		pid_t pid = waitpid(ch->pid, &status, WNOHANG);

		if (pid == ch->pid)
			return status;
		if (pid < 0 && errno != EINTR)
			return 0; /* cannot be: nobody else waits for it */
		if (sigwaitinfo(&set, &si) > 0 && si.si_signo != SIGCHLD)
			forward(ch, &si);
	}
}

bool slu_child_ran(const struct slu_child *ch)
{
	char failed;

	return recv(ch->sock, &failed, 1, MSG_DONTWAIT) != 1;
}

int slu_child_exit_code(const struct slu_child *ch, int status)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : SLU_EXIT_TROUBLE;

	if (WIFSIGNALED(status)) {
		/* main() ends by the signal; one core, the program's, is enough. */
		(void)setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
		(void)sigprocmask(SIG_SETMASK, &ch->old_mask, NULL);
		return SLU_EXIT_SIGNAL + WTERMSIG(status);
	}
	if (code > SLU_EXIT_SIGNAL) {
		fflush(NULL);
		_exit(code); /* a status that main() would take for a signal */
	}
	return code;
}

void slu_child_done(struct slu_child *ch)
{
	if (ch->sock >= 0)
		close(ch->sock);
	ch->sock = -1;
}
