/* SPDX-License-Identifier: MIT */
/* Touching mapped files without dying. See guard.h. */
#include "base/guard.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/macros.h"

struct guard {
	sigjmp_buf env;
	slu_owns_fn *owns;
	const void *owner;
	struct guard *outer;
};

/*
 * initial-exec: the handler must not be the one to allocate this thread's storage,
 * which the dynamic model may do at first touch, with malloc.
 */
static _Thread_local struct guard *current __attribute__((tls_model("initial-exec")));
static _Thread_local unsigned calls __attribute__((tls_model("initial-exec")));
static _Thread_local void *chaining __attribute__((tls_model("initial-exec")));

/* The handler before ours; replaced as a whole, never changed, never freed. */
static _Atomic(struct sigaction *) before;
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;
static int installs; /* under install_lock */

/* A host that fights for the signal wins after this many rounds. */
enum { MAX_INSTALLS = 16 };

/* One sigaction call in so many guarded calls: about a nanosecond each. */
enum { LOOK_EVERY = 512 };

static void take_default_action(siginfo_t *info)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };

	sigaction(SIGBUS, &dfl, NULL);
	if (info->si_code <= 0)
		raise(SIGBUS); /* sent, not caused: returning would not raise it again */
}

/* The host may have kept our handler as the one to call after its own: a second entry
 * deeper on the stack, while the first still chains, is that circle. */
static void chain(int sig, siginfo_t *info, void *context)
{
	const struct sigaction *old = atomic_load(&before);
	void *frame = __builtin_frame_address(0), *outer = chaining;

	if ((outer && frame < outer) || !old || old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN) {
		take_default_action(info);
		return;
	}
	chaining = frame;
	if (old->sa_flags & SA_SIGINFO)
		old->sa_sigaction(sig, info, context);
	else
		old->sa_handler(sig);
	chaining = outer;
}

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	struct guard *g = current;
	int saved = errno;

	if (g && info->si_code > 0 && g->owns(g->owner, info->si_addr)) {
		errno = saved;
		siglongjmp(g->env, 1);
	}
	chain(sig, info, context);
	errno = saved;
}

int slu_guard_install(void)
{
	struct sigaction ours = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
	struct sigaction now, *old;
	int r = 0;

	sigemptyset(&ours.sa_mask);
	pthread_mutex_lock(&install_lock);
	if (installs < MAX_INSTALLS && sigaction(SIGBUS, NULL, &now) == 0 &&
	    !((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_sigbus)) {
		old = malloc(sizeof(*old));
		if (old) {
			*old = now;
			atomic_store(&before, old); /* first: a fault may come at once */
			sigaction(SIGBUS, &ours, NULL);
			installs++;
		} else {
			r = slu_fail_memory();
		}
	}
	pthread_mutex_unlock(&install_lock);
	return r;
}

int slu_guarded(slu_guarded_fn *fn, void *arg, slu_owns_fn *owns, const void *owner)
{
	struct guard g;
	int r;

	if (SLU_UNLIKELY(++calls % LOOK_EVERY == 0) && slu_guard_install() < 0)
		calls--; /* no memory to note the host's handler: look again next time */
	g.owns = owns;
	g.owner = owner;
	g.outer = current;
	if (sigsetjmp(g.env, 0)) {
		current = current->outer;
		return -EIO;
	}
	current = &g;
	r = fn(arg);
	current = g.outer;
	return r;
}
