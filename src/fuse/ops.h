/* SPDX-License-Identifier: MIT */
/* What the kernel asks of a mount, answered out of a pack. Inside fuse/ only: its users see mount.h. */
#ifndef SLU_FUSE_OPS_H
#define SLU_FUSE_OPS_H

#include <pthread.h>
#include <stdatomic.h>

#include "fuse/cache.h"
#include "fuse/crew.h"
#include "fuse/prime.h"

/* The user data of the session: set before it starts, and then read by all threads without a lock. */
struct slu_served {
	struct slu_pack *pack; /* borrowed */
	struct slu_cache cache;
	struct slu_crew crew;
	struct slu_prime prime;
	pthread_key_t buffer; /* each thread's, for what it reads */
	bool no_open, no_opendir;
	int ready_fd; /* gets a byte when the kernel has begun to ask, or -1 */
	/* A file could not be read: the sentence. From any thread. */
	void (*trouble)(void *arg, const char *sentence);
	void *arg;
};

extern const struct fuse_lowlevel_ops slu_fuse_ops;

SLU_MUST_USE int slu_served_init(struct slu_served *s, struct slu_pack *p);
void slu_served_done(struct slu_served *s);

#endif
