/* SPDX-License-Identifier: MIT */
/*
 * Checking every byte of a pack.
 *
 *  (1) every block of the index against the checksum tree, and the identity
 *  (2) every table of the index: the shards' catalogs say the same things in another form,
 *      so the index is built anew from them and must come out the same, byte for byte
 *  (3) every shard's header and catalog
 *  (4) every sample: checksum, decoding, length; and zero in every gap between samples
 *
 * A defect is reported and the work goes on; only what cannot be read ends it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/options.h"
#include "base/parallel.h"
#include "pack/pack.h"
#include "pack/rebuild.h"

enum { BLOCKS_AN_ITEM = 1024, SAMPLES_AN_ITEM = 256 };

struct check {
	const struct slu_check_options *opt;
	struct slu_pack *p;
	pthread_mutex_t lock; /* below */
	struct slu_check_result res;
	uint64_t total_bytes;
};

/* ---- reporting ---------------------------------------------------------------------------- */

static void report(struct check *ck, const struct slu_defect *d)
{
	pthread_mutex_lock(&ck->lock);
	ck->res.defects++;
	ck->res.bad_samples += d->sample != UINT64_MAX;
	if (ck->opt->defect)
		ck->opt->defect(ck->opt->arg, d);
	pthread_mutex_unlock(&ck->lock);
}

static void defect_in(struct check *ck, const char *file, uint64_t offset, const char *message)
{
	report(ck, &(struct slu_defect){ file, offset, UINT64_MAX, NULL, message });
}

static void advance(struct check *ck, uint64_t bytes, uint64_t samples)
{
	pthread_mutex_lock(&ck->lock);
	ck->res.bytes += bytes;
	ck->res.samples += samples;
	if (ck->opt->progress)
		ck->opt->progress(ck->opt->arg, ck->res.bytes, ck->total_bytes);
	pthread_mutex_unlock(&ck->lock);
}

/* Damage is a defect to report; anything else is trouble that ends the check. */
static int defect_or_trouble(struct check *ck, int r, const char *file)
{
	if (!slu_err_is_damage(r))
		return r;
	defect_in(ck, file, UINT64_MAX, slu_errmsg());
	return 0;
}

/* ---- the index -------------------------------------------------------------------------------- */

struct blocks {
	struct slu_pack *p;
	uint64_t block;
};

static int check_block(void *arg)
{
	const struct blocks *b = arg;

	return slu_tree_check_block(&b->p->tree, b->block);
}

static int check_blocks_item(void *arg, unsigned worker, uint64_t item)
{
	struct check *ck = arg;
	uint64_t first = item * BLOCKS_AN_ITEM, last = slu_min((item + 1) * BLOCKS_AN_ITEM, ck->p->tree.total);

	(void)worker;
	for (uint64_t b = slu_max(first, 1); b < last; b++) { /* block 0, the header, was checked at opening */
		struct blocks bl = { ck->p, b };
		int r = slu_pack_guard(ck->p, check_block, &bl);
		if (slu_err_is_damage(r))
			defect_in(ck, SLU_INDEX_NAME, b * SLU_BLOCK, slu_errmsg());
		else if (r < 0)
			return r;
	}
	advance(ck, (last - first) * SLU_BLOCK, 0);
	return 0;
}

struct comparison {
	struct slu_pack *p;
	const struct slu_buf *built;
	uint64_t differs; /* offset, or UINT64_MAX */
	bool identity_ok;
};

static int compare(void *arg)
{
	struct comparison *cmp = arg;
	uint64_t n = slu_min(cmp->p->file_bytes, cmp->built->len);
	uint8_t identity[16];

	slu_hash128(cmp->p->file + SLU_BLOCK, (cmp->p->tree.blocks - 1) * SLU_BLOCK, identity);
	cmp->identity_ok = memcmp(identity, cmp->p->identity, 16) == 0;
	cmp->differs = UINT64_MAX;
	if (n == cmp->p->file_bytes && n == cmp->built->len && memcmp(cmp->p->file, cmp->built->data, n) == 0)
		return 0;
	for (cmp->differs = 0; cmp->differs < n && cmp->p->file[cmp->differs] == cmp->built->data[cmp->differs];)
		cmp->differs++;
	return 0;
}

/* (2) and (3): what the shards say of themselves, and whether the index says the same. */
static int check_tables(struct check *ck)
{
	SLU_AUTO(contents) struct slu_contents c = { 0 };
	SLU_AUTO(buf) struct slu_buf built = { 0 };
	struct comparison cmp = { .p = ck->p, .built = &built };
	char name[SLU_SHARD_NAME_MAX];
	uint8_t identity[16];
	uint32_t shard;
	int r = slu_gather_shards(ck->p->dirfd, ck->p->path, &c, identity, &shard);

	if (r < 0)
		return defect_or_trouble(ck, r, slu_shard_name(shard, name));
	if ((r = slu_index_build(&c, &built, identity)) < 0 || (r = slu_pack_guard(ck->p, compare, &cmp)) < 0)
		return r;
	if (!cmp.identity_ok)
		defect_in(ck, SLU_INDEX_NAME, SLU_H_IDENTITY, "the identity is not the hash of the index's content");
	/* A newer minor version may hold more than we would write; what we know of it was checked. */
	if (cmp.differs != UINT64_MAX && ck->p->minor <= SLU_MINOR && !ck->p->optional)
		defect_in(ck, SLU_INDEX_NAME, cmp.differs, "the index is not what the shards' catalogs say");
	return 0;
}

/* ---- samples ------------------------------------------------------------------------------------- */

static void bad_sample(struct check *ck, uint64_t i, int err)
{
	char message[512], path[SLU_PATH_MAX], name[SLU_SHARD_NAME_MAX];
	struct slu_defect d = { .file = SLU_INDEX_NAME, .offset = UINT64_MAX, .sample = i, .message = message };
	struct slu_sample s;

	if (err == -EILSEQ)
		strcpy(message, "its bytes do not match their checksum");
	else
		(void)snprintf(message, sizeof(message), "%s", slu_errmsg()); /* cut off at worst */
	if (slu_pack_sample(ck->p, i, &s) == 0) {
		d.file = slu_shard_name(s.shard, name);
		d.offset = s.offset;
	}
	if (slu_pack_path(ck->p, slu_pack_sample_node(ck->p, i), path) >= 0)
		d.path = path;
	report(ck, &d);
}

struct gap {
	struct slu_pack *p;
	uint32_t shard;
	uint64_t from, to;
};

static int check_gap(void *arg)
{
	const struct gap *g = arg;
	const uint8_t *data = atomic_load_explicit(&g->p->shards[g->shard].map, memory_order_acquire)->data;

	for (uint64_t i = g->from; i < g->to; i++)
		if (data[i])
			return slu_fail(-EBADMSG, "padding is not zero at offset %llu", (unsigned long long)i);
	return 0;
}

/* A gap that is no part of any sample. */
static int check_padding(struct check *ck, uint32_t shard, uint64_t from, uint64_t to)
{
	struct gap g = { ck->p, shard, from, to };
	char name[SLU_SHARD_NAME_MAX];
	int r = slu_pack_guard(ck->p, check_gap, &g);

	return r < 0 ? defect_or_trouble(ck, r, slu_shard_name(shard, name)) : 0;
}

/* Raw samples are checked where they lie; the others are decoded. */
static int check_sample(struct check *ck, const struct slu_sample *s, uint64_t i, struct slu_buf *room)
{
	const void *data;
	size_t len;
	ssize_t got;
	int r;

	if (s->codec == SLU_CODEC_RAW)
		return slu_pack_view(ck->p, i, &data, &len);
	if (s->size > SLU_COMPRESS_MAX)
		return slu_fail(-EBADMSG, "a sample of this size is never compressed");
	room->len = 0;
	if ((r = slu_buf_reserve(room, s->size + 1)) < 0)
		return r;
	got = slu_pack_read(ck->p, i, room->data, s->size);
	return got < 0 ? (int)got : 0;
}

static int check_samples(struct check *ck, uint64_t first, uint64_t last, struct slu_buf *room, uint64_t *bytes)
{
	uint64_t before = UINT64_MAX; /* the end of the sample before, where known */
	int r;

	for (uint64_t i = first; i < last; i++) {
		struct slu_sample s, prev;
		if ((r = slu_pack_sample(ck->p, i, &s)) == 0) {
			r = check_sample(ck, &s, i, room);
			*bytes += r == 0 ? s.stored : 0;
		}
		if (slu_err_is_damage(r)) {
			bad_sample(ck, i, r);
			before = UINT64_MAX;
			continue;
		}
		if (r < 0)
			return r;
		if (i == ck->p->shards[s.shard].first)
			before = SLU_BLOCK;
		else if (before == UINT64_MAX && slu_pack_sample(ck->p, i - 1, &prev) == 0)
			before = prev.offset + prev.stored;
		if (before < s.offset && (r = check_padding(ck, s.shard, before, s.offset)) < 0)
			return r;
		*bytes += before < s.offset ? s.offset - before : 0;
		before = s.offset + s.stored;
	}
	return 0;
}

static int check_samples_item(void *arg, unsigned worker, uint64_t item)
{
	struct check *ck = arg;
	uint64_t first = item * SAMPLES_AN_ITEM, last = slu_min(first + SAMPLES_AN_ITEM, ck->p->nsamples), bytes = 0;
	SLU_AUTO(buf) struct slu_buf room = { 0 };
	int r = check_samples(ck, first, last, &room, &bytes);

	(void)worker;
	advance(ck, bytes, last - first);
	return r;
}

/* Each shard can be opened; the end of its data is followed by zero. A shard that cannot be
 * opened because it is damaged is a defect, and all of its samples are, when their turn comes. */
static int check_shards(struct check *ck, bool *ret_usable)
{
	struct slu_shard_map *m;

	*ret_usable = true;
	for (uint32_t k = 0; k < ck->p->nshards; k++) {
		const struct slu_shard_place *s = &ck->p->shards[k];
		char name[SLU_SHARD_NAME_MAX];
		int r = slu_pack_open_shard(ck->p, k, &m);
		if (r < 0) {
			*ret_usable = false;
			if ((r = defect_or_trouble(ck, r, slu_shard_name(k, name))) < 0)
				return r;
			continue;
		}
		if ((r = check_padding(ck, k, s->data_end, slu_up(s->data_end, SLU_BLOCK))) < 0)
			return r;
		advance(ck, SLU_BLOCK + s->file_bytes - s->data_end, 0); /* header, last gap, catalog */
	}
	return 0;
}

static int check_all(struct check *ck)
{
	unsigned threads = ck->opt->threads;
	bool usable;
	int r;

	r = slu_parallel(threads, ck->p->tree.total / BLOCKS_AN_ITEM + 1, check_blocks_item, ck);
	if (r < 0 || (r = check_shards(ck, &usable)) < 0)
		return r;
	/* With sound shards at hand, say what is wrong with the tables and which samples are bad. */
	if (usable && (r = check_tables(ck)) < 0)
		return r;
	return slu_parallel(threads, (ck->p->nsamples + SAMPLES_AN_ITEM - 1) / SAMPLES_AN_ITEM, check_samples_item, ck);
}

/* Without an index that can be opened, the shards still tell whether they are whole. */
static int unusable_index(struct check *ck, const char *path, int err)
{
	SLU_AUTO(contents) struct slu_contents c = { 0 };
	SLU_AUTO(fd) int dirfd = -1;
	char name[SLU_SHARD_NAME_MAX];
	uint8_t identity[16];
	uint32_t shard;
	int r = defect_or_trouble(ck, err, SLU_INDEX_NAME);

	if (r < 0)
		return r;
	dirfd = slu_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
	r = dirfd < 0 ? dirfd : slu_gather_shards(dirfd, path, &c, identity, &shard);
	if (slu_err_is_damage(r))
		return defect_or_trouble(ck, r, slu_shard_name(shard, name));
	if (r < 0)
		return 0; /* no shards either: the index's defect has been told, and is the answer */
	defect_in(ck, SLU_INDEX_NAME, UINT64_MAX,
	          "without it the samples were not checked; --rebuild-index makes it anew from the shards");
	return 0;
}

int slu_pack_verify(const char *path, const struct slu_check_options *opt, struct slu_check_result *ret_result)
{
	struct slu_check_options o;
	struct check ck = { .opt = &o, .lock = PTHREAD_MUTEX_INITIALIZER };
	int r = slu_options_take(opt, sizeof(o), sizeof(o), &o);

	if (r < 0)
		return r;
	r = slu_pack_open(path, NULL, &ck.p);
	if (r < 0) {
		r = unusable_index(&ck, path, r);
	} else {
		ck.total_bytes = ck.p->file_bytes;
		for (uint32_t k = 0; k < ck.p->nshards; k++)
			ck.total_bytes += ck.p->shards[k].file_bytes;
		r = check_all(&ck);
		slu_pack_close(ck.p);
	}
	pthread_mutex_destroy(&ck.lock);
	if (r == 0)
		*ret_result = ck.res;
	return r;
}
