/* SPDX-License-Identifier: MIT */
/*
 * Open files of a mount, by node, for a while after they were read.
 *
 * The kernel reads a mount without telling when a file is opened and closed (see ops.c), and a file that is larger
 * than one request in many pieces. What a piece costs to prepare (a sample decoded, a large one's checksums) is kept
 * here for the next one: the least recently used go when there is more than a bound.
 */
#ifndef SLU_FUSE_CACHE_H
#define SLU_FUSE_CACHE_H

#include <pthread.h>

#include "vfs/file.h"

enum { SLU_CACHE_BUCKETS = 256, SLU_CACHE_FILES = 1024 };

struct slu_open {
	struct slu_file file;
	pthread_mutex_t first; /* held by the one that decodes, so that others wait for it instead of doing the same */
	/* The rest belongs to the cache, under its lock. */
	uint64_t cost; /* bytes of memory */
	unsigned refs;
	struct slu_open *chain;         /* of the bucket */
	struct slu_open *older, *newer; /* by last use */
};

struct slu_cache {
	pthread_mutex_t lock; /* guards all below; never held while a file is read */
	struct slu_pack *pack;
	uint64_t bound, cost; /* bytes: at most, now */
	unsigned files;
	struct slu_open *bucket[SLU_CACHE_BUCKETS];
	struct slu_open *oldest, *newest;
};

/* @bound: bytes that may be kept; what is being read comes on top. */
void slu_cache_init(struct slu_cache *c, struct slu_pack *p, uint64_t bound);
/* Nothing is in use any more. Harmless on one that is all zero. */
void slu_cache_done(struct slu_cache *c);

/* The file of @sample, which stays until slu_cache_put(). */
SLU_MUST_USE int slu_cache_get(struct slu_cache *c, uint64_t sample, struct slu_open **ret_open);
void slu_cache_put(struct slu_cache *c, struct slu_open *o);

/*
 * @len bytes at @offset, short at the end only: in *@ret_data, which is @buf or memory of the file itself, valid until
 * slu_cache_put(). @buf has room for @len bytes.
 */
SLU_MUST_USE ssize_t slu_open_read(struct slu_open *o, void *buf, size_t len, uint64_t offset, const void **ret_data);

#endif
