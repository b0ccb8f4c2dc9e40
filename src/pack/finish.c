/* SPDX-License-Identifier: MIT */
/*
 * After the last sample: catalogs and most of the index, side by side; then the rest of the
 * index, which has the catalogs' checksums; then the shards' headers, which have the index's
 * identity.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/macros.h"
#include "base/parallel.h"
#include "pack/catalog.h"
#include "pack/staging.h"
#include "pack/writer.h"
#include <sluice/pack.h>

struct finish {
	struct slu_writer_job *job;
	struct slu_buf index;
	const uint8_t *identity;
};

static int open_shard(const struct slu_writer_job *job, uint32_t shard, char what[SLU_PATH_MAX])
{
	char name[SLU_SHARD_NAME_MAX];
	int fd = slu_openat(job->dirfd, slu_shard_name(shard, name), O_RDWR | O_CREAT, 0666);

	(void)snprintf(what, SLU_PATH_MAX, "%s of %s", name, job->dest); /* cut off at worst */
	return fd < 0 ? slu_fail_sys(fd, "cannot open %s", what) : fd;
}

static int write_catalog(void *arg, unsigned worker, uint64_t item)
{
	const struct finish *f = arg;
	struct slu_contents *c = f->job->c;
	struct slu_shard *s = &c->shards[item];
	SLU_AUTO(buf) struct slu_buf catalog = { 0 };
	uint64_t at = slu_up(s->data_end, SLU_BLOCK);
	char what[SLU_PATH_MAX];
	SLU_AUTO(fd) int fd = open_shard(f->job, (uint32_t)item, what);
	int r;

	(void)worker;
	if (fd < 0)
		return fd;
	if ((r = slu_catalog_build(c, (uint32_t)item, &catalog)) < 0)
		return r;
	s->file_bytes = at + catalog.len;
	return slu_pwrite(fd, catalog.data, catalog.len, at, what);
}

/* The first item is the index, the others are the shards' catalogs. */
static int write_tables(void *arg, unsigned worker, uint64_t item)
{
	struct finish *f = arg;

	return item ? write_catalog(arg, worker, item - 1) : slu_index_begin(f->job->c, &f->index);
}

static int write_header(void *arg, unsigned worker, uint64_t item)
{
	const struct finish *f = arg;
	uint8_t block[SLU_BLOCK];
	char what[SLU_PATH_MAX];
	SLU_AUTO(fd) int fd = open_shard(f->job, (uint32_t)item, what);
	int r;

	(void)worker;
	if (fd < 0)
		return fd;
	slu_shard_header(f->job->c, (uint32_t)item, f->identity, block);
	if ((r = slu_pwrite(fd, block, sizeof(block), 0, what)) < 0)
		return r;
	return slu_sync(fd, what);
}

static int write_index(const struct slu_writer_job *job, const struct slu_buf *index)
{
	char what[SLU_PATH_MAX];
	SLU_AUTO(fd) int fd = slu_openat(job->dirfd, SLU_INDEX_NAME, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	int r;

	(void)snprintf(what, sizeof(what), "the index of %s", job->dest); /* cut off at worst */
	if (fd < 0)
		return slu_fail_sys(fd, "cannot make %s", what);
	if ((r = slu_pwrite(fd, index->data, index->len, 0, what)) < 0)
		return r;
	return slu_sync(fd, what);
}

static int write_all(struct finish *f, uint8_t ret_identity[16])
{
	struct slu_contents *c = f->job->c;
	unsigned threads = f->job->opt->threads;
	int r;

	if ((r = slu_parallel(threads, (uint64_t)c->nshards + 1, write_tables, f)) < 0 ||
	    (r = slu_index_end(c, &f->index, ret_identity)) < 0 ||
	    (r = slu_parallel(threads, c->nshards, write_header, f)) < 0)
		return r;
	return write_index(f->job, &f->index);
}

int slu_write_finish(struct slu_writer_job *job, uint64_t *ret_disk_bytes, uint8_t ret_identity[16])
{
	struct finish f = { .job = job, .identity = ret_identity };
	uint64_t total;
	int r = write_all(&f, ret_identity);

	total = f.index.len;
	slu_buf_done(&f.index);
	if (r < 0)
		return r;
	if (unlinkat(job->dirfd, SLU_JOURNAL_NAME, 0) < 0 && errno != ENOENT)
		return slu_fail_sys(-errno, "cannot remove the journal of %s", job->dest);
	for (uint32_t s = 0; s < job->c->nshards; s++)
		total += job->c->shards[s].file_bytes;
	*ret_disk_bytes = total;
	return 0;
}
