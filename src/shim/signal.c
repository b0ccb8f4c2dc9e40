/* SPDX-License-Identifier: MIT */
/*
 * SIGBUS: our handler (base/guard.h) stays in the kernel's table; what the program sets or asks for is the handler
 * behind it, which gets all that is not ours.
 */
#include <signal.h>

#include "base/guard.h"
#include "shim/shim.h"

SHIM int sigaction(int sig, const struct sigaction *action, struct sigaction *old)
{
	if (SLU_UNLIKELY(sig == SIGBUS) && slu_guard_host_action(action, old))
		return 0;
	return NEXT(sigaction)(sig, action, old);
}
SHIM_ALIAS(__sigaction, sigaction);

typedef void handler_fn(int);

static handler_fn *set_handler(handler_fn *handler, int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags }, old;

	sigemptyset(&action.sa_mask);
	return slu_guard_host_action(&action, &old) ? old.sa_handler : SIG_ERR;
}

SHIM handler_fn *signal(int sig, handler_fn *handler)
{
	handler_fn *before;

	if (SLU_UNLIKELY(sig == SIGBUS) && (before = set_handler(handler, SA_RESTART)) != SIG_ERR)
		return before;
	return NEXT(signal)(sig, handler);
}
SHIM_ALIAS(bsd_signal, signal);
SHIM_ALIAS(ssignal, signal);

handler_fn *__sysv_signal(int sig, handler_fn *handler);
SHIM handler_fn *__sysv_signal(int sig, handler_fn *handler)
{
	handler_fn *before;

	if (SLU_UNLIKELY(sig == SIGBUS) && (before = set_handler(handler, SA_RESETHAND | SA_NODEFER)) != SIG_ERR)
		return before;
	return NEXT(__sysv_signal)(sig, handler);
}
SHIM_ALIAS(sysv_signal, __sysv_signal);
