/* SPDX-License-Identifier: MIT */
/* Packs made from nothing. See synthetic.h. */
#include "synthetic.h"

#include <errno.h>
#include <fcntl.h>
#include <sluice/pack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/macros.h"
#include "pack/catalog.h"
#include "pack/contents.h"

void bench_check(int r, const char *what)
{
	if (r >= 0)
		return;
	fprintf(stderr, "bench: %s: %s\n", what, slu_errmsg());
	exit(1);
}

static void add_entry(struct slu_listing *l, struct slu_entry *e, const char *name)
{
	e->name = l->names.len;
	bench_check(slu_buf_add(&l->names, name, strlen(name) + 1), "memory");
}

/* A tree of n files with modification times that vary; @bytes 0: of several sizes, and no meaningful bytes. */
static void fill(struct slu_contents *c, uint64_t n, uint32_t bytes)
{
	struct slu_listing *l = &c->l;
	uint64_t ndirs = (n + SYNTHETIC_PER_DIR - 1) / SYNTHETIC_PER_DIR;
	void *zeros = calloc(1, bytes + 1);
	uint64_t hash = slu_hash64(zeros, bytes);
	char name[64];

	free(zeros);
	l->dirs = calloc(ndirs + 1, sizeof(*l->dirs));
	l->samples = calloc(n, sizeof(*l->samples));
	l->attrs = calloc(2, sizeof(*l->attrs));
	c->stored = calloc(n, sizeof(*c->stored));
	c->shards = calloc(1, sizeof(*c->shards));
	l->attrs[0].mode = S_IFDIR | 0755;
	l->attrs[1].mode = S_IFREG | 0644;
	l->nattrs = 2;
	l->ndirs = ndirs + 1;
	l->nsamples = n;
	add_entry(l, &l->dirs[0], "");
	for (uint64_t d = 0; d < ndirs; d++) {
		snprintf(name, sizeof(name), "class_%06llu", (unsigned long long)d);
		add_entry(l, &l->dirs[d + 1], name);
	}
	for (uint64_t i = 0; i < n; i++) {
		l->samples[i] = (struct slu_entry){ .size = bytes ? bytes : 900 + i % 100,
			                            .attr = 1,
			                            .parent = (uint32_t)(i / SYNTHETIC_PER_DIR + 1),
			                            .mtime_ns = (int64_t)(1600000000000000000 +
			                                                  i * 1234567891 % 10000000000000000) };
		snprintf(name, sizeof(name), "img_%03llu.jpg", (unsigned long long)(i % SYNTHETIC_PER_DIR));
		add_entry(l, &l->samples[i], name);
		c->stored[i] = (struct slu_stored){ .hash = bytes ? hash : i * 0x9e3779b97f4a7c15u,
			                            .stored = l->samples[i].size };
	}
	c->nshards = 1;
	struct slu_cursor cur;
	slu_cursor_init(&cur);
	for (uint64_t i = 0; i < n; i++)
		(void)slu_cursor_lay(&cur, c, i);
	c->shards[0].data_end = cur.at;
	c->shards[0].file_bytes = slu_up(cur.at, SLU_BLOCK) + 4096;
}

static void write_file(const char *dir, const char *name, const void *data, size_t len, uint64_t size)
{
	char path[8192];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	bench_check(fd < 0 ? -errno : slu_pwrite(fd, data, len, 0, path), path);
	bench_check(ftruncate(fd, (off_t)size) < 0 ? -errno : 0, path);
	close(fd);
}

static void make(const char *dir, uint64_t n, uint32_t bytes)
{
	struct slu_contents c = { 0 };
	struct slu_buf file = { 0 };
	uint8_t identity[16], block[SLU_BLOCK];

	fill(&c, n, bytes);
	bench_check(slu_index_build(&c, &file, identity), "index");
	(void)mkdir(dir, 0777);
	write_file(dir, "index", file.data, file.len, file.len);
	if (bytes) {
		slu_shard_header(&c, 0, identity, block);
		write_file(dir, "shard-00000", block, sizeof(block), c.shards[0].file_bytes);
	}
	slu_buf_done(&file);
	slu_contents_done(&c);
}

void synthetic_index(const char *dir, uint64_t n)
{
	make(dir, n, 0);
}

void synthetic_pack(const char *dir, uint64_t n, uint32_t bytes)
{
	make(dir, n, bytes);
}
