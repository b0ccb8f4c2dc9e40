/* SPDX-License-Identifier: MIT */
/*
 * All samples in shuffled order, one thread, warm:  bench-read DATADIR NONE.slu AUTO.slu NAME ROUNDS
 *
 * The rival is open, fstat, read, close of the plain files. The limit is a bare copy of the same
 * bytes, in the same order, out of the mapped shards.
 */
#include <fcntl.h>
#include <sluice/pack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "stats.h"

enum { BATCH = 256 };

struct set {
	int dirfd;
	char **paths;
	uint64_t *order, n;
	uint8_t *buf, *batch;
	size_t cap; /* of the largest sample */
};

struct reader {
	struct set *set;
	struct slu_pack *pack;
	const void **views; /* for the bare copy */
	size_t *sizes;
};

static volatile uint64_t sink;

static double read_files(void *arg)
{
	const struct set *s = arg;
	uint64_t t = slu_now_ns(), sum = 0;

	for (uint64_t k = 0; k < s->n; k++) {
		struct stat st;
		int fd = openat(s->dirfd, s->paths[s->order[k]], O_RDONLY);
		if (fd < 0 || fstat(fd, &st) < 0 || read(fd, s->buf, (size_t)st.st_size) != st.st_size)
			return -1;
		close(fd);
		sum += s->buf[0];
	}
	sink = sum;
	return (double)(slu_now_ns() - t) * 1e-9 / (double)s->n;
}

static double read_pack(void *arg)
{
	const struct reader *r = arg;
	uint64_t t = slu_now_ns(), sum = 0;

	for (uint64_t k = 0; k < r->set->n; k++) {
		if (slu_pack_read(r->pack, r->set->order[k], r->set->buf, r->set->cap) < 0)
			return -1;
		sum += r->set->buf[0];
	}
	sink = sum;
	return (double)(slu_now_ns() - t) * 1e-9 / (double)r->set->n;
}

static double read_batches(void *arg)
{
	const struct reader *r = arg;
	const struct set *s = r->set;
	uint64_t t = slu_now_ns(), sum = 0, offsets[BATCH + 1];

	for (uint64_t k = 0; k < s->n; k += BATCH) {
		size_t n = s->n - k < BATCH ? s->n - k : BATCH;
		if (slu_pack_read_batch(r->pack, s->order + k, n, s->batch, s->cap * BATCH, offsets) != (ssize_t)n)
			return -1;
		sum += s->batch[offsets[n - 1]];
	}
	sink = sum;
	return (double)(slu_now_ns() - t) * 1e-9 / (double)s->n;
}

static double copy_views(void *arg)
{
	const struct reader *r = arg;
	uint64_t t = slu_now_ns(), sum = 0;

	for (uint64_t k = 0; k < r->set->n; k++) {
		memcpy(r->set->buf, r->views[r->set->order[k]], r->sizes[r->set->order[k]]);
		sum += r->set->buf[0];
	}
	sink = sum;
	return (double)(slu_now_ns() - t) * 1e-9 / (double)r->set->n;
}

static void die(const char *what)
{
	fprintf(stderr, "bench-read: %s: %s\n", what, slu_errmsg());
	exit(1);
}

static struct slu_pack *open_pack(const char *path, enum slu_verify verify, enum slu_io io)
{
	struct slu_pack_options o = { .verify = verify, .io = io };
	struct slu_pack *p;

	if (slu_pack_open(path, &o, &p) < 0)
		die(path);
	return p;
}

/* Paths in the pack's order, so that every competitor visits the same samples in the same order. */
static void fill_set(struct set *s, struct slu_pack *p, const char *dir)
{
	uint64_t x = 88172645463325252u;

	s->dirfd = open(dir, O_RDONLY | O_DIRECTORY);
	s->n = slu_pack_count(p);
	s->paths = calloc(s->n, sizeof(*s->paths));
	s->order = calloc(s->n, sizeof(*s->order));
	for (uint64_t i = 0; i < s->n; i++) {
		char path[SLU_PATH_MAX];
		struct slu_sample sm;
		if (slu_pack_path(p, slu_pack_sample_node(p, i), path) < 0 || slu_pack_sample(p, i, &sm) < 0)
			die("path");
		s->paths[i] = strdup(path);
		s->order[i] = i;
		s->cap = sm.size > s->cap ? sm.size : s->cap;
	}
	for (uint64_t i = s->n; i > 1; i--) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		uint64_t j = x % i, swap = s->order[i - 1];
		s->order[i - 1] = s->order[j];
		s->order[j] = swap;
	}
	s->buf = malloc(s->cap + 1);
	s->batch = malloc(s->cap * BATCH);
}

int main(int argc, char **argv)
{
	if (argc != 6) {
		fprintf(stderr, "usage: bench-read DATADIR NONE.slu AUTO.slu NAME ROUNDS\n");
		return 2;
	}
	struct set s = { 0 };
	struct reader always = { &s, open_pack(argv[2], SLU_VERIFY_ALWAYS, SLU_IO_MMAP), NULL, NULL };
	struct reader once = { &s, open_pack(argv[2], SLU_VERIFY_ONCE, SLU_IO_MMAP), NULL, NULL };
	struct reader zipped = { &s, open_pack(argv[3], SLU_VERIFY_ALWAYS, SLU_IO_MMAP), NULL, NULL };
	struct reader preads = { &s, open_pack(argv[2], SLU_VERIFY_ALWAYS, SLU_IO_PREAD), NULL, NULL };
	struct reader bare = { &s, always.pack, NULL, NULL };
	char title[256];

	fill_set(&s, always.pack, argv[1]);
	bare.views = calloc(s.n, sizeof(*bare.views));
	bare.sizes = calloc(s.n, sizeof(*bare.sizes));
	for (uint64_t i = 0; i < s.n; i++)
		if (slu_pack_view(bare.pack, i, &bare.views[i], &bare.sizes[i]) < 0)
			die("view");
	enum { FILES, ONE_BY_ONE, BATCHES, BATCHES_ONCE, AUTO, AUTO_BATCHES, PREAD, BARE, RUNNERS };
	struct runner r[RUNNERS] = {
		[FILES] = { .name = "plain files: open fstat read close", .run = read_files, .arg = &s },
		[ONE_BY_ONE] = { .name = "pack, one by one, all verified", .run = read_pack, .arg = &always },
		[BATCHES] = { .name = "pack, batches, all verified", .run = read_batches, .arg = &always },
		[BATCHES_ONCE] = { .name = "pack, batches, verified once", .run = read_batches, .arg = &once },
		[AUTO] = { .name = "auto pack, one by one, all verified", .run = read_pack, .arg = &zipped },
		[AUTO_BATCHES] = { .name = "auto pack, batches, all verified", .run = read_batches, .arg = &zipped },
		[PREAD] = { .name = "pack, pread, one by one, all verified", .run = read_pack, .arg = &preads },
		[BARE] = { .name = "bare memcpy (the limit)", .run = copy_views, .arg = &bare },
	};
	if (bench_run(r, RUNNERS, atoi(argv[5])) < 0)
		return 1;
	snprintf(title, sizeof(title), "Reading %s, shuffled, warm, one thread", argv[4]);
	bench_table(title, r, RUNNERS, 1e-9, "ns a sample", 0);
	printf("  of a bare memcpy's speed: batches %.2f all verified, %.2f verified once; one by one %.2f\n",
	       bench_median(&r[BARE]) / bench_median(&r[BATCHES]),
	       bench_median(&r[BARE]) / bench_median(&r[BATCHES_ONCE]),
	       bench_median(&r[BARE]) / bench_median(&r[ONE_BY_ONE]));
	return 0;
}
