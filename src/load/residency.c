/* SPDX-License-Identifier: MIT */
/*
 * Whether a sample's bytes are in memory.
 *
 * A mapped page that is not there makes the thread wait for storage, one page after the other; then it is better to
 * have many reads in flight. The kernel is asked with a read that refuses to wait (RWF_NOWAIT), or, on file systems
 * that do not know that, with mincore(). An answer is a system call, which a small sample in memory does not need, so
 * it is asked of a few only while all answers were yes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "load/loader.h"

enum { SURE = 512, ONE_IN = 32, PAGE = 4096 };

int slu_residency_init(struct slu_residency *r, const struct slu_pack *p)
{
	*r = (struct slu_residency){ .shard_fds = malloc(slu_max(p->nshards, 1) * sizeof(int)) };
	if (!r->shard_fds)
		return slu_fail_memory();
	for (uint32_t k = 0; k < p->nshards; k++)
		r->shard_fds[k] = -1;
	return 0;
}

void slu_residency_done(struct slu_residency *r, const struct slu_pack *p)
{
	for (uint32_t k = 0; r->shard_fds && k < p->nshards; k++)
		if (r->shard_fds[k] >= 0)
			close(r->shard_fds[k]);
	free(r->shard_fds);
	r->shard_fds = NULL;
}

int slu_residency_fd(struct slu_residency *r, struct slu_pack *p, uint32_t k)
{
	if (r->shard_fds[k] < 0)
		r->shard_fds[k] = slu_pack_shard_fd(p, k);
	return r->shard_fds[k];
}

/* 1 yes, 0 no, negative: it cannot be told this way. */
static int ask_by_read(int fd, uint64_t offset)
{
	char byte;
	struct iovec iov = { &byte, 1 };
	ssize_t n = preadv2(fd, &iov, 1, (off_t)offset, RWF_NOWAIT);

	if (n >= 0)
		return 1;
	return errno == EAGAIN ? 0 : -errno;
}

static bool ask_by_mapping(struct slu_pack *p, const struct slu_sample *s)
{
	struct slu_shard_map *m;
	unsigned char pages[64];
	uint64_t at = s->offset & ~(uint64_t)(PAGE - 1), end = slu_up(s->offset + s->stored, PAGE);

	if (slu_pack_open_shard(p, s->shard, &m) < 0 || !m->data)
		return true; /* whoever reads it will say what is wrong */
	end = slu_min(end, at + sizeof(pages) * PAGE);
	if (mincore((void *)(uintptr_t)(m->data + at), end - at, pages) < 0)
		return true;
	for (uint64_t k = 0; k < (end - at) / PAGE; k++)
		if (!(pages[k] & 1))
			return false;
	return true;
}

bool slu_is_resident(struct slu_residency *r, struct slu_pack *p, const struct slu_sample *s)
{
	int fd = slu_residency_fd(r, p, s->shard), yes;

	if (fd < 0 || s->stored == 0)
		return true;
	yes = ask_by_read(fd, s->offset);
	if (yes > 0 && s->stored > PAGE)
		yes = ask_by_read(fd, s->offset + s->stored - 1);
	return yes < 0 ? ask_by_mapping(p, s) : yes;
}

bool slu_seems_resident(struct slu_residency *r, struct slu_pack *p, const struct slu_sample *s)
{
	if (r->all_right >= SURE && r->turn++ % ONE_IN)
		return true;
	if (slu_is_resident(r, p, s)) {
		r->all_right += r->all_right < SURE;
		return true;
	}
	r->all_right = 0;
	return false;
}
