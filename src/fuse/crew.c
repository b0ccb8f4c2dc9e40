/* SPDX-License-Identifier: MIT */
/* The threads that answer a mount's requests. See crew.h. */
#include "fuse/crew.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macros.h"

enum {
	/* How long to look for a next request before sleeping: a few times what being woken took where it was tried. */
	LOOK_NS = 50 * 1000,
	/* An answer that took longer waited for something. */
	SLOW_NS = 200 * 1000,
	/* How long helpers stay after there was work for them. */
	STAY_NS = 50 * 1000 * 1000,
	/* How long all may wait for an answer that hangs, on a disk that does not respond. */
	TICK_NS = 100 * 1000 * 1000,
};

/* ---- helpers come and go ----------------------------------------------------------------- */

void slu_crew_call(struct slu_crew *c)
{
	pthread_mutex_lock(&c->lock);
	atomic_store_explicit(&c->until_ns, slu_now_ns() + STAY_NS, memory_order_relaxed);
	/* One more for each call that finds the others busy. */
	if (atomic_load(&c->want) <= c->active && c->active + 1 < c->threads) {
		atomic_store(&c->want, c->active + 1);
		pthread_cond_signal(&c->call);
	}
	pthread_mutex_unlock(&c->lock);
}

static bool helpers_wanted(struct slu_crew *c, uint64_t now)
{
	bool wanted;

	if (SLU_LIKELY(atomic_load_explicit(&c->want, memory_order_relaxed) == 0))
		return false;
	if (now < atomic_load_explicit(&c->until_ns, memory_order_relaxed))
		return true;
	pthread_mutex_lock(&c->lock);
	wanted = now < atomic_load(&c->until_ns);
	if (!wanted)
		atomic_store(&c->want, 0);
	pthread_mutex_unlock(&c->lock);
	return wanted;
}

/* Waits until called. False: it is all over. */
static bool join_in(struct slu_crew *c)
{
	bool over;

	pthread_mutex_lock(&c->lock);
	while (!(over = atomic_load(&c->over)) && c->active >= atomic_load(&c->want))
		pthread_cond_wait(&c->call, &c->lock);
	c->active += !over;
	pthread_mutex_unlock(&c->lock);
	return !over;
}

static void leave(struct slu_crew *c)
{
	pthread_mutex_lock(&c->lock);
	c->active--;
	pthread_mutex_unlock(&c->lock);
}

/* ---- requests -------------------------------------------------------------------------------- */

static bool is_waiting(const struct slu_crew *c)
{
	struct pollfd p = { .fd = c->fd, .events = POLLIN };

	return poll(&p, 1, 0) != 0; /* an error too is for the one that reads */
}

/* Looks for a request without sleeping. Whoever else wants the CPU gets it. */
static void look(const struct slu_crew *c, uint64_t from)
{
	while (!is_waiting(c) && slu_now_ns() - from < LOOK_NS)
		sched_yield();
}

/* False: there will be no more. */
static bool receive(struct slu_member *m)
{
	int n;

	do {
		n = fuse_session_receive_buf(m->crew->session, &m->buf);
	} while ((n == -EINTR || n == -EAGAIN) && !atomic_load(&m->crew->over));
	return n > 0 && !atomic_load(&m->crew->over);
}

static void process(struct slu_member *m, uint64_t since, uint64_t *ret_done)
{
	struct slu_crew *c = m->crew;
	uint64_t start = slu_now_ns(), done;

	if (!m->helper) {
		atomic_store_explicit(&c->busy_ns, start, memory_order_relaxed);
		if (start - since > TICK_NS / 2)
			pthread_kill(c->main, SIGUSR1); /* see watch() */
	}
	if (is_waiting(c))
		slu_crew_call(c);
	fuse_session_process_buf(c->session, &m->buf);
	done = slu_now_ns();
	if (done - start > SLOW_NS)
		slu_crew_call(c);
	if (!m->helper) {
		atomic_store_explicit(&c->done_ns, done, memory_order_relaxed);
		atomic_store_explicit(&c->busy_ns, 0, memory_order_relaxed);
	}
	*ret_done = done;
}

/* Answers requests; a helper, as long as it is wanted. False: there will be no more. */
static bool answer(struct slu_member *m)
{
	uint64_t done = 0, asked = UINT64_MAX; /* when the last one was done, and how long after it the next came */

	do {
		uint64_t before = done;
		if (!m->helper && asked < LOOK_NS && !helpers_wanted(m->crew, done))
			look(m->crew, done);
		if (!receive(m))
			return false;
		asked = slu_now_ns() - before;
		process(m, before, &done);
	} while (!m->helper || helpers_wanted(m->crew, done));
	return true;
}

static void *member_main(void *arg)
{
	struct slu_member *m = arg;
	bool more = true;

	while (more && (!m->helper || join_in(m->crew))) {
		more = answer(m);
		if (m->helper)
			leave(m->crew);
	}
	atomic_store(&m->crew->over, true); /* the mount is gone, or everybody knows already */
	pthread_kill(m->crew->main, SIGUSR1);
	return NULL;
}

/* ---- beginning and end ------------------------------------------------------------------------- */

static void start(struct slu_crew *c)
{
	/* No thread but the first is a must: without memory for more it is just slower. */
	for (unsigned i = 0; i < SLU_CREW_MAX; i++) {
		struct slu_member *m = &c->member[i];
		*m = (struct slu_member){ .crew = c, .helper = i > 0 };
		if (pthread_create(&m->thread, NULL, member_main, m) != 0)
			break;
		pthread_mutex_lock(&c->lock);
		c->threads++;
		pthread_mutex_unlock(&c->lock);
	}
}

/*
 * Waits for a signal to end. Meanwhile, as long as there are requests, looks now and then whether the first thread
 * hangs in one, and then calls a helper. The first request after a pause sends SIGUSR1, so that an unused mount costs
 * nothing.
 */
static void watch(struct slu_crew *c, const sigset_t *signals)
{
	const struct timespec tick = { .tv_nsec = TICK_NS };
	bool idle = false;

	for (;;) {
		int sig = idle ? sigwaitinfo(signals, NULL) : sigtimedwait(signals, NULL, &tick);
		uint64_t now = slu_now_ns(), busy = atomic_load(&c->busy_ns);
		if ((sig > 0 && sig != SIGUSR1) || atomic_load(&c->over))
			return;
		if (busy && now > busy && now - busy > TICK_NS / 2)
			slu_crew_call(c);
		idle = sig != SIGUSR1 && !busy && atomic_load(&c->done_ns) + 2 * (uint64_t)TICK_NS < now;
	}
}

static void on_kick(int sig)
{
}

/* Joins a thread that may sleep in read(): a signal wakes it, again and again, since it may have come just before. (Not
 * pthread_cancel(), which address sanitizers do not understand.) */
static void kick_and_join(pthread_t thread)
{
	struct timespec until;

	do {
		(void)pthread_kill(thread, SIGUSR2);
		(void)clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 10 * 1000 * 1000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
	} while (pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT);
}

static void finish(struct slu_crew *c)
{
	struct sigaction old, kick = { .sa_handler = on_kick };

	(void)sigaction(SIGUSR2, &kick, &old); /* no SA_RESTART: read() is to end */
	fuse_session_exit(c->session);
	pthread_mutex_lock(&c->lock);
	atomic_store(&c->over, true);
	pthread_cond_broadcast(&c->call);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < c->threads; i++) {
		kick_and_join(c->member[i].thread);
		free(c->member[i].buf.mem);
	}
	(void)sigaction(SIGUSR2, &old, NULL);
}

int slu_crew_run(struct slu_crew *c, struct fuse_session *se)
{
	static const int watched[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1 };
	sigset_t signals, old;

	memset(c, 0, sizeof(*c));
	c->session = se;
	c->fd = fuse_session_fd(se);
	c->main = pthread_self();
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->call, NULL);
	sigemptyset(&signals);
	for (size_t i = 0; i < SLU_ARRAY_SIZE(watched); i++)
		sigaddset(&signals, watched[i]);
	pthread_sigmask(SIG_BLOCK, &signals, &old); /* the threads inherit it: signals come to watch() */
	start(c);
	if (c->threads)
		watch(c, &signals);
	finish(c);
	while (sigtimedwait(&signals, NULL, &(struct timespec){ 0 }) > 0)
		; /* what came too late */
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_cond_destroy(&c->call);
	pthread_mutex_destroy(&c->lock);
	return c->threads ? 0 : slu_fail(-EAGAIN, "cannot start a thread");
}
