/* SPDX-License-Identifier: MIT */
/*
 * Going on from an interrupted run: what its journal tells is taken over only as far as the
 * bytes in the shards still have their checksums.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/macros.h"
#include "pack/writer.h"

enum { PIECE = 1 << 20 };

void slu_write_place(const struct slu_writer_job *job, struct slu_cursor *ret_cursor)
{
	struct slu_contents *c = job->c;

	slu_cursor_init(ret_cursor);
	for (uint32_t s = 0; s < c->nshards; s++)
		c->shards[s].data_end = SLU_BLOCK;
	for (uint64_t i = 0; i < job->done; i++) {
		(void)slu_cursor_lay(ret_cursor, c, i); /* only the end is wanted */
		c->shards[ret_cursor->shard].data_end = ret_cursor->at;
	}
}

struct checker {
	struct slu_writer_job *job;
	int fd; /* of shard @shard, or -1 */
	uint32_t shard;
	uint8_t *piece;
	struct slu_hash_state *hash;
};

/* Whether the sample's bytes are there: 1, or 0, whatever the reason. */
static int is_there(struct checker *k, uint32_t shard, uint64_t start, const struct slu_stored *s)
{
	char name[SLU_SHARD_NAME_MAX];

	if (k->fd < 0 || k->shard != shard) {
		if (k->fd >= 0)
			close(k->fd);
		k->fd = slu_openat(k->job->dirfd, slu_shard_name(shard, name), O_RDONLY, 0);
		k->shard = shard;
	}
	slu_hash_reset(k->hash);
	for (uint64_t at = 0; at < s->stored; at += PIECE) {
		size_t n = slu_min(PIECE, s->stored - at);
		if (k->fd < 0 || slu_pread(k->fd, k->piece, n, start + at) != (ssize_t)n)
			return 0;
		slu_hash_add(k->hash, k->piece, n);
	}
	return slu_hash_end(k->hash) == s->hash;
}

/* How many samples, from the first on, are there. */
static uint64_t count_there(struct checker *k)
{
	struct slu_contents *c = k->job->c;
	struct slu_cursor cur;

	slu_cursor_init(&cur);
	for (uint64_t i = 0; i < k->job->done; i++) {
		uint64_t start = slu_cursor_lay(&cur, c, i);
		if (!is_there(k, cur.shard, start, &c->stored[i]))
			return i;
	}
	return k->job->done;
}

/* What is beyond the samples taken over would else shine through the gaps between later ones. */
static int cut_shards(const struct slu_writer_job *job)
{
	char name[SLU_SHARD_NAME_MAX];

	for (uint32_t s = 0; s < job->c->nshards; s++) {
		uint64_t end = job->c->shards[s].data_end;
		SLU_AUTO(fd) int fd = slu_openat(job->dirfd, slu_shard_name(s, name), O_RDWR, 0);
		if (fd == -ENOENT)
			continue;
		if (fd < 0)
			return slu_fail_sys(fd, "cannot open %s of %s", name, job->dest);
		if (ftruncate(fd, (off_t)(end > SLU_BLOCK ? end : 0)) < 0)
			return slu_fail_sys(-errno, "cannot cut %s of %s", name, job->dest);
	}
	return 0;
}

int slu_write_take_over(struct slu_writer_job *job)
{
	struct checker k = { .job = job, .fd = -1, .piece = malloc(PIECE) };
	struct slu_cursor cur;
	int r = k.piece ? slu_hash_new(&k.hash) : slu_fail_memory();

	if (r == 0) {
		job->done = count_there(&k);
		slu_write_place(job, &cur);
		r = cut_shards(job);
	}
	if (k.fd >= 0)
		close(k.fd);
	slu_hash_free(k.hash);
	free(k.piece);
	return r;
}
