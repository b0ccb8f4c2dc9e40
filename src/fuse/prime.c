/* SPDX-License-Identifier: MIT */
/* Filling the kernel's cache of names ahead of a reader. See prime.h. */
#include "fuse/prime.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/macros.h"

enum {
	/* Names asked for after which the others are expected too. */
	ENOUGH = 16,
	/* A directory of more entries is left alone: each that the kernel knows costs it about 1 KiB of memory. */
	MOST = 1 << 18,
	LIST_BYTES = 256 << 10,
};

void slu_prime_asked(struct slu_prime *pr, uint64_t dir)
{
	unsigned i = (unsigned)(dir % SLU_PRIME_SLOTS), asked = 0;

	if (!pr->started)
		return;
	if (atomic_load_explicit(&pr->slot[i].dir, memory_order_relaxed) == dir)
		asked = atomic_load_explicit(&pr->slot[i].asked, memory_order_relaxed);
	else
		atomic_store_explicit(&pr->slot[i].dir, dir, memory_order_relaxed);
	/* Two threads may count one for two; it is a guess anyway. */
	atomic_store_explicit(&pr->slot[i].asked, asked + 1, memory_order_relaxed);
	if (asked + 1 != ENOUGH)
		return;
	pthread_mutex_lock(&pr->lock);
	if (pr->count < SLU_PRIME_QUEUE && !(pr->done[dir / 8] >> dir % 8 & 1)) {
		pr->done[dir / 8] |= (uint8_t)(1u << dir % 8);
		pr->queue[(pr->head + pr->count++) % SLU_PRIME_QUEUE] = dir;
		pthread_cond_signal(&pr->call);
	}
	pthread_mutex_unlock(&pr->lock);
}

/* Lists the directory; what is read is thrown away, since it is the kernel that is to see it. */
static void list(struct slu_prime *pr, uint64_t dir, void *buf)
{
	char path[PATH_MAX], below[SLU_PATH_MAX];
	SLU_AUTO(fd) int fd = -1;
	uint64_t count;

	if (slu_pack_entries(pr->pack, dir, &count) < 0 || count > MOST || slu_pack_path(pr->pack, dir, below) < 0 ||
	    snprintf(path, sizeof(path), "%s/%s", pr->point, below) >= (int)sizeof(path))
		return;
	fd = slu_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	while (fd >= 0 && !atomic_load(&pr->over) && getdents64(fd, buf, LIST_BYTES) > 0)
		;
}

static void *work(void *arg)
{
	struct slu_prime *pr = arg;
	SLU_AUTO(mem) void *buf = malloc(LIST_BYTES);

	pthread_mutex_lock(&pr->lock);
	while (buf && !atomic_load(&pr->over)) {
		if (pr->count == 0) {
			pthread_cond_wait(&pr->call, &pr->lock);
			continue;
		}
		uint64_t dir = pr->queue[pr->head];
		pr->head = (pr->head + 1) % SLU_PRIME_QUEUE;
		pr->count--;
		pthread_mutex_unlock(&pr->lock);
		list(pr, dir, buf);
		pthread_mutex_lock(&pr->lock);
	}
	pthread_mutex_unlock(&pr->lock);
	return NULL;
}

void slu_prime_start(struct slu_prime *pr, struct slu_pack *p, const char *point)
{
	struct slu_pack_info info;
	sigset_t all, old;

	memset(pr, 0, sizeof(*pr));
	pr->pack = p;
	if (slu_pack_info(p, &info) < 0 ||
	    snprintf(pr->point, sizeof(pr->point), "%s", point) >= (int)sizeof(pr->point))
		return;
	pr->done = calloc(info.dirs / 8 + 1, 1);
	if (!pr->done)
		return;
	pthread_mutex_init(&pr->lock, NULL);
	pthread_cond_init(&pr->call, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old); /* they are for the main thread */
	pr->started = pthread_create(&pr->thread, NULL, work, pr) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void slu_prime_stop(struct slu_prime *pr)
{
	if (pr->started) {
		pthread_mutex_lock(&pr->lock);
		atomic_store(&pr->over, true);
		pthread_cond_signal(&pr->call);
		pthread_mutex_unlock(&pr->lock);
		(void)pthread_join(pr->thread, NULL);
		pthread_cond_destroy(&pr->call);
		pthread_mutex_destroy(&pr->lock);
	}
	free(SLU_TAKE(pr->done));
	pr->started = false;
}
