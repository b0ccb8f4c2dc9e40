/* SPDX-License-Identifier: MIT */
/* Work shared out to threads. See parallel.h. */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/macros.h"

enum { MAX_THREADS = SLU_MAX_THREADS };

struct job {
	slu_item_fn *fn;
	void *arg;
	uint64_t n;
	_Atomic uint64_t next;
	pthread_mutex_t lock; /* below */
	uint64_t failed_item;
	int error;
	char message[4096];
};

struct worker {
	struct job *job;
	unsigned number;
	pthread_t thread;
};

unsigned slu_threads(unsigned threads)
{
	cpu_set_t set;

	if (!threads)
		threads = sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
	return (unsigned)slu_min(slu_max(threads, 1), MAX_THREADS);
}

static void job_failed(struct job *j, uint64_t item, int error)
{
	pthread_mutex_lock(&j->lock);
	if (!j->error || item < j->failed_item) {
		j->error = error;
		j->failed_item = item;
		(void)snprintf(j->message, sizeof(j->message), "%s", slu_errmsg()); /* cut off at worst */
	}
	pthread_mutex_unlock(&j->lock);
	atomic_store(&j->next, j->n); /* nobody takes another item */
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct job *j = w->job;

	for (;;) {
		uint64_t item = atomic_fetch_add(&j->next, 1);
		if (item >= j->n)
			return NULL;
		int r = j->fn(j->arg, w->number, item);
		if (r < 0)
			job_failed(j, item, r);
	}
}

int slu_thread_start(pthread_t *ret_thread, void *(*fn)(void *arg), void *arg)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGSEGV);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(ret_thread, NULL, fn, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -r;
}

int slu_parallel(unsigned threads, uint64_t n, slu_item_fn *fn, void *arg)
{
	struct job j = { .fn = fn, .arg = arg, .n = n, .lock = PTHREAD_MUTEX_INITIALIZER };
	struct worker workers[MAX_THREADS];
	unsigned want = (unsigned)slu_min(slu_threads(threads), slu_max(n, 1)), have = 1;

	for (; have < want; have++) {
		workers[have] = (struct worker){ .job = &j, .number = have };
		if (slu_thread_start(&workers[have].thread, work, &workers[have]) < 0)
			break; /* fewer threads do the same work */
	}

	workers[0] = (struct worker){ .job = &j, .number = 0 };
	work(&workers[0]);
	for (unsigned i = 1; i < have; i++)
		pthread_join(workers[i].thread, NULL);
	pthread_mutex_destroy(&j.lock);
	return j.error ? slu_fail(j.error, "%s", j.message) : 0;
}
