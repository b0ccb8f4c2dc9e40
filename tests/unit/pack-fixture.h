/* SPDX-License-Identifier: MIT */
/* A small pack made by hand (tests/lib/smallpack.py), and its samples as they must read. */
#ifndef PACK_FIXTURE_H
#define PACK_FIXTURE_H

#include <sluice/pack.h>

#define T_ERRMSG() slu_errmsg()
#include "test.h"

enum { MAX_SAMPLES = 64 };

struct fixture {
	const char *dir;
	char pack[512];
	uint64_t n;
	unsigned char *data[MAX_SAMPLES];
	size_t len[MAX_SAMPLES];
	char path[MAX_SAMPLES][SLU_PATH_MAX];
};

/* Makes it in a private directory. It stays until the test ends. */
static inline void fixture_make(struct fixture *f, bool tiny)
{
	const char *python = t_env("PYTHON"), *script = t_env("SMALLPACK");
	struct slu_pack *p;
	char samples[512];

	f->dir = T_TMPDIR();
	snprintf(f->pack, sizeof(f->pack), "%s/p.slu", f->dir);
	snprintf(samples, sizeof(samples), "%s/samples", f->dir);
	T_EQ(T_RUN(python, script, "--samples", samples, f->pack, tiny ? "--tiny" : NULL), 0);
	/* SLU_IO_PREAD: a test may want to be the first to map a pack. */
	T_OK(slu_pack_open(f->pack, &(struct slu_pack_options){ .io = SLU_IO_PREAD }, &p));
	f->n = slu_pack_count(p);
	T_TRUE(f->n > 0 && f->n <= MAX_SAMPLES);
	for (uint64_t i = 0; i < f->n; i++) {
		char name[32];
		snprintf(name, sizeof(name), "%d", (int)i);
		f->data[i] = t_read_file(t_path(samples, name), &f->len[i]);
		T_OK(slu_pack_path(p, slu_pack_sample_node(p, i), f->path[i]));
	}
	slu_pack_close(p);
}

static inline void fixture_done(struct fixture *f)
{
	for (uint64_t i = 0; i < f->n; i++)
		free(f->data[i]);
}

/* Errors that mean: the pack is not what it was. */
static inline bool is_damage(int64_t r)
{
	return r == -EBADMSG || r == -EILSEQ || r == -EPROTONOSUPPORT;
}

/* All samples in one call, again and again from the one that failed; how many failed. */
static inline unsigned fixture_read_batch(const struct fixture *f, struct slu_pack *p)
{
	static char buf[1 << 18];
	uint64_t samples[MAX_SAMPLES], offsets[MAX_SAMPLES + 1];
	unsigned errors = 0;

	for (uint64_t i = 0; i < f->n; i++)
		samples[i] = f->n - 1 - i;
	for (uint64_t at = 0; at < f->n;) {
		ssize_t r = slu_pack_read_batch(p, samples + at, f->n - at, buf, sizeof(buf), offsets);
		for (ssize_t k = 0; k < r; k++) {
			uint64_t i = samples[at + (uint64_t)k];
			T_EQ(offsets[k + 1] - offsets[k], f->len[i]);
			T_MEM(buf + offsets[k], f->data[i], f->len[i]);
		}
		errors += r < 0;
		at += r < 0 ? 1 : (uint64_t)r;
		T_TRUE(r != 0);
	}
	return errors;
}

/* Reads all samples in all ways. Every answer is an error or the truth; how many errors. */
static inline unsigned fixture_read_all(const struct fixture *f, struct slu_pack *p)
{
	static char buf[1 << 17], path[SLU_PATH_MAX];
	unsigned errors = fixture_read_batch(f, p);

	for (uint64_t i = 0; i < f->n; i++) {
		ssize_t r = slu_pack_read(p, i, buf, sizeof(buf));
		uint64_t found;
		if (r >= 0) {
			T_EQ(r, f->len[i]);
			T_MEM(buf, f->data[i], f->len[i]);
		}
		errors += r < 0;
		r = slu_pack_pread(p, i, buf, 50, 10);
		if (r >= 0 && f->len[i] >= 60) {
			T_EQ(r, 50);
			T_MEM(buf, f->data[i] + 10, 50);
		}
		errors += r < 0;
		r = slu_pack_path(p, slu_pack_sample_node(p, i), path);
		if (r >= 0)
			T_STR(path, f->path[i]);
		errors += r < 0;
		r = slu_pack_find(p, f->path[i], &found);
		if (r >= 0)
			T_EQ(found, i);
		errors += r < 0;
	}
	return errors;
}

#endif
