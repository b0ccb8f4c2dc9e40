/* SPDX-License-Identifier: MIT */
/*
 * The threads that answer a mount's requests.
 *
 * One thread answers as long as one reader asks, one thing after the other: it is then never another
 * thread that is woken, and for a moment after each answer it looks for the next request before it
 * sleeps, since a reader in a loop asks again at once and being woken costs more than all the rest.
 * Helpers come when there is more to do than that: requests that wait, or one that takes its time (a large
 * file to be checked, a disk to be waited for). They leave when that is over.
 */
#ifndef SLU_FUSE_CREW_H
#define SLU_FUSE_CREW_H

#define FUSE_USE_VERSION 35
#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { SLU_CREW_MAX = 16 };

struct slu_crew {
	struct fuse_session *session;
	int fd;
	pthread_t main; /* who waits for the end */
	/* Helpers: how many are wanted, and until when if nothing more happens. Written under the lock. */
	_Atomic unsigned want;
	_Atomic uint64_t until_ns;
	/* The first thread's: when it began what it does now, or 0; and when it was last done. */
	_Atomic uint64_t busy_ns, done_ns;
	_Atomic bool over;
	pthread_mutex_t lock; /* guards the rest */
	pthread_cond_t call;
	unsigned active;
	unsigned threads;
	struct slu_member {
		struct slu_crew *crew;
		pthread_t thread;
		struct fuse_buf buf;
		bool helper;
	} member[SLU_CREW_MAX];
};

/* Answers until the mount is gone or SIGINT, SIGTERM or SIGHUP comes (where these are not ignored). */
SLU_MUST_USE int slu_crew_run(struct slu_crew *c, struct fuse_session *se);

/* Says, while a request is answered, that it may take long: somebody else must look after the others. */
void slu_crew_call(struct slu_crew *c);

#endif
