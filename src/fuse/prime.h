/* SPDX-License-Identifier: MIT */
/*
 * Filling the kernel's cache of names ahead of a reader.
 *
 * A reader that opens files by names it knows makes the kernel ask for each name, and being asked costs far more than
 * answering. Who has opened a few files of a directory will mostly open the others too: then the server lists that
 * directory through its own mount, once, and the kernel learns all names and attributes in a few requests.
 *
 * It is about speed only: where it fails, the kernel asks for names one by one.
 */
#ifndef SLU_FUSE_PRIME_H
#define SLU_FUSE_PRIME_H

#include <limits.h>
#include <pthread.h>
#include <sluice/pack.h>
#include <stdatomic.h>

enum { SLU_PRIME_SLOTS = 4096, SLU_PRIME_QUEUE = 256 };

struct slu_prime {
	struct slu_pack *pack; /* borrowed */
	char point[PATH_MAX];
	/* How often names of a directory were asked for, in the slot of its number. Collisions lose, no more. */
	struct {
		_Atomic uint64_t dir;
		_Atomic unsigned asked;
	} slot[SLU_PRIME_SLOTS];
	pthread_t thread;
	bool started;
	_Atomic bool over;
	pthread_mutex_t lock; /* guards the rest */
	pthread_cond_t call;
	uint64_t queue[SLU_PRIME_QUEUE];
	unsigned head, count;
	uint8_t *done; /* a bit for each directory */
};

/* Starts a thread that lists directories below @point, where @p is mounted. */
void slu_prime_start(struct slu_prime *pr, struct slu_pack *p, const char *point);

/* To be called when the mount does not answer any more: then the thread cannot be waiting for it. Harmless on one
 * that is all zero. */
void slu_prime_stop(struct slu_prime *pr);

/* A name in directory @dir was asked for. */
void slu_prime_asked(struct slu_prime *pr, uint64_t dir);

#endif
