/* SPDX-License-Identifier: MIT */
/* Touching mapped files without dying. See guard.h. */
#include "base/guard.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>

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
/*
 * Circles. The host may call our handler from its own, or its handler may put ours back and
 * return to the same fault. The first shows as an entry with the same context, deeper on the
 * stack; the second as the same fault over and over. (A handler that leaves by a jump is no
 * circle: it may fault again at the same place as often as it likes.)
 */
static _Thread_local struct {
	void *context, *frame; /* of the entry that chains */
	void *address;         /* of the fault whose handler came back */
	unsigned times;
} chaining __attribute__((tls_model("initial-exec")));

enum { MAX_SAME_FAULT = 1000 };

/* The handler before ours: one of those in slu_guard_install(), which never change once set. */
static _Atomic(struct sigaction *) before;
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;
static int installs; /* under install_lock */

/* A host that fights for the signal wins after this many rounds. */
enum { MAX_INSTALLS = 16 };

/* Two system calls in so many guarded calls, from the first on: their cost is spread thin. */
enum { LOOK_EVERY = 512 };

static void take_default_action(siginfo_t *info)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };

	sigaction(SIGBUS, &dfl, NULL);
	if (info->si_code <= 0)
		raise(SIGBUS); /* sent, not caused: returning would not raise it again */
}

static bool is_circle(const siginfo_t *info, const void *context, const void *frame)
{
	if (context == chaining.context && frame < chaining.frame)
		return true;
	return info->si_code > 0 && info->si_addr == chaining.address && chaining.times >= MAX_SAME_FAULT;
}

static void chain(int sig, siginfo_t *info, void *context)
{
	const struct sigaction *old = atomic_load(&before);
	void *frame = __builtin_frame_address(0);

	if (old && old->sa_handler == SIG_IGN && info->si_code <= 0)
		return; /* sent by somebody, and the host does not care */
	if (!old || old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN || is_circle(info, context, frame)) {
		take_default_action(info);
		return;
	}
	chaining.context = context;
	chaining.frame = frame;
	if (old->sa_flags & SA_SIGINFO)
		old->sa_sigaction(sig, info, context);
	else
		old->sa_handler(sig);
	chaining.context = NULL;
	if (info->si_code <= 0)
		return;
	chaining.times = info->si_addr == chaining.address ? chaining.times + 1 : 1;
	chaining.address = info->si_addr;
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

/* In the child of a fork() the lock may be one that nobody will ever give back: then the handler that was inherited
 * must do. */
static bool lock_for_install(void)
{
	for (int i = 0; i < 1000; i++) {
		if (pthread_mutex_trylock(&install_lock) == 0)
			return true;
		sched_yield();
	}
	return false;
}

void slu_guard_install(void)
{
	static struct sigaction replaced[MAX_INSTALLS]; /* under install_lock */
	struct sigaction ours = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
	struct sigaction now;

	sigemptyset(&ours.sa_mask);
	if (!lock_for_install())
		return;
	if (installs < MAX_INSTALLS && sigaction(SIGBUS, NULL, &now) == 0 &&
	    !((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_sigbus)) {
		replaced[installs] = now;
		atomic_store(&before, &replaced[installs]); /* first: a fault may come at once */
		installs++;
		sigaction(SIGBUS, &ours, NULL);
	}
	pthread_mutex_unlock(&install_lock);
}

bool slu_guard_host_action(const struct sigaction *action, struct sigaction *ret_old)
{
	/* Two, used in turn: a fault in another thread may be reading the one that is in use. */
	static struct sigaction set[2]; /* under install_lock */
	static unsigned turn;
	bool installed;

	if (!lock_for_install())
		return false;
	installed = installs > 0;
	if (installed && ret_old)
		*ret_old = *atomic_load(&before);
	if (installed && action) {
		set[++turn % 2] = *action;
		atomic_store(&before, &set[turn % 2]);
	}
	pthread_mutex_unlock(&install_lock);
	return installed;
}

/* In this thread: a fault whose signal is blocked kills the process, whatever the handler. */
static void make_ready(void)
{
	sigset_t bus;

	sigemptyset(&bus);
	sigaddset(&bus, SIGBUS);
	pthread_sigmask(SIG_UNBLOCK, &bus, NULL);
	slu_guard_install();
}

int slu_guarded(slu_guarded_fn *fn, void *arg, slu_owns_fn *owns, const void *owner)
{
	struct guard g;
	int r;

	if (SLU_UNLIKELY(calls++ % LOOK_EVERY == 0))
		make_ready();
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
