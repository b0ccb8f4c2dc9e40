/* SPDX-License-Identifier: MIT */
/* A pack of a few hundred files of all sizes, some of which compress, in three classes; and a copy of its bytes. */
#ifndef LOAD_FIXTURE_H
#define LOAD_FIXTURE_H

#include <sluice/create.h>
#include <sluice/load.h>
#include <sluice/pack.h>

#define T_ERRMSG() slu_errmsg()
#include "test.h"

enum { LOAD_SAMPLES = 311 };

struct load_fixture {
	const char *dir;
	char path[512];
	struct slu_pack *pack;
	uint8_t *data[LOAD_SAMPLES];
	size_t len[LOAD_SAMPLES];
};

static inline uint64_t load_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

static inline void load_write_tree(const char *dir)
{
	uint64_t random = 88172645463325252u;
	static uint8_t bytes[70000];

	for (int i = 0; i < LOAD_SAMPLES; i++) {
		char name[600];
		size_t n = i % 50 == 7 ? 0 : i % 40 == 3 ? 60000 + (size_t)i : load_random(&random) % 3000;
		FILE *f;
		snprintf(name, sizeof(name), "%s/class-%d", dir, i % 3);
		(void)mkdir(name, 0755);
		for (size_t k = 0; k < n; k++)
			bytes[k] = (uint8_t)(i % 4 ? load_random(&random) : (uint64_t)(i + (int)(k / 100)));
		snprintf(name, sizeof(name), "%s/class-%d/%04d.%s", dir, i % 3, i, i % 4 ? "bin" : "txt");
		T_TRUE((f = fopen(name, "w")) != NULL);
		T_EQ(fwrite(bytes, 1, n, f), n);
		T_EQ(fclose(f), 0);
	}
}

static inline void load_fixture_make(struct load_fixture *f)
{
	char tree[500];

	f->dir = T_TMPDIR();
	snprintf(tree, sizeof(tree), "%s/tree", f->dir);
	snprintf(f->path, sizeof(f->path), "%s/p.slu", f->dir);
	T_EQ(mkdir(tree, 0755), 0);
	load_write_tree(tree);
	T_EQ(T_RUN(t_env("SLUICE"), "pack", "-q", tree, "-o", f->path, "--labels", "dir", "--shards", "3"), 0);
	T_OK(slu_pack_open(f->path, NULL, &f->pack));
	T_EQ(slu_pack_count(f->pack), LOAD_SAMPLES);
	for (uint64_t i = 0; i < LOAD_SAMPLES; i++) {
		struct slu_sample s;
		T_OK(slu_pack_sample(f->pack, i, &s));
		f->len[i] = s.size;
		f->data[i] = malloc(s.size + 1);
		T_EQ(slu_pack_read(f->pack, i, f->data[i], s.size), s.size);
	}
}

static inline void load_fixture_done(struct load_fixture *f)
{
	slu_pack_close(f->pack);
	for (int i = 0; i < LOAD_SAMPLES; i++)
		free(f->data[i]);
}

/* Every byte, offset and label of a batch against the copy. */
static inline void load_check(const struct load_fixture *f, const struct slu_batch *b)
{
	const struct slu_batch_info *info = slu_batch_info(b);

	T_EQ(info->offsets[0], 0);
	T_EQ((uintptr_t)info->data % 64, 0);
	T_TRUE(info->labels != NULL);
	for (uint64_t k = 0; k < info->count; k++) {
		int64_t i = info->samples[k];
		struct slu_column c;
		int64_t label;
		T_TRUE(i >= 0 && i < LOAD_SAMPLES);
		T_EQ(info->offsets[k + 1] - info->offsets[k], f->len[i]);
		T_MEM((const uint8_t *)info->data + info->offsets[k], f->data[i], f->len[i]);
		T_OK(slu_pack_column(f->pack, "label", &c));
		T_OK(slu_pack_value(f->pack, &c, (uint64_t)i, &label));
		T_EQ(info->labels[k], label);
	}
	T_EQ(info->bytes, info->offsets[info->count]);
}

/* Takes up to @most batches (0: all), checks them, and appends their samples to @list; how many samples. */
static inline size_t load_take(const struct load_fixture *f, struct slu_loader *l, uint64_t most, int64_t *list)
{
	struct slu_batch *b;
	size_t n = 0;
	int r = 0;

	for (uint64_t k = 0; (!most || k < most) && (r = slu_loader_next(l, 20000, &b)) > 0; k++) {
		const struct slu_batch_info *info = slu_batch_info(b);
		load_check(f, b);
		memcpy(list + n, info->samples, info->count * sizeof(*list));
		n += info->count;
		slu_batch_unref(b);
	}
	T_OK(r);
	return n;
}

/* Where it is forbidden, the other way is tried twice. */
static inline uint32_t load_uring_if_allowed(const struct load_fixture *f)
{
	struct slu_loader_options opt = { .io = SLU_LOAD_IO_URING };
	struct slu_loader *l;
	int r;

	T_OK(slu_loader_new(f->pack, &opt, &l));
	r = slu_loader_start(l, 0, 0);
	slu_loader_free(l);
	T_TRUE(r == 0 || r == -EOPNOTSUPP);
	return r == 0 ? SLU_LOAD_IO_URING : SLU_LOAD_IO_PREAD;
}

#endif
