/* SPDX-License-Identifier: MIT */
/* Rebuilding a lost index from the shards. See rebuild.h and docs/format.md, section 8. */
#include "pack/rebuild.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/macros.h"
#include "pack/catalog.h"
#include "pack/codec.h"
#include "pack/schema.h"
#include "pack/staging.h"
#include <sluice/pack.h>

/* Reads a shard's header and its catalog, decoded. */
static int read_shard(int dirfd, const char *path, uint32_t k, struct slu_shard_head *ret_head,
                      struct slu_buf *ret_catalog)
{
	char name[SLU_SHARD_NAME_MAX], what[SLU_PATH_MAX + SLU_SHARD_NAME_MAX];
	SLU_AUTO(fd) int fd = slu_openat(dirfd, slu_shard_name(k, name), O_RDONLY | O_NONBLOCK, 0);
	SLU_AUTO(mem) uint8_t *stored = NULL;
	uint8_t block[SLU_BLOCK];
	struct stat st;
	ssize_t got;
	int r;

	(void)snprintf(what, sizeof(what), "%s/%s", path, name); /* cut off at worst */
	if (fd < 0)
		return slu_fail_sys(fd, "cannot open %s", what);
	if (fstat(fd, &st) < 0)
		return slu_fail_sys(-errno, "cannot look at %s", what);
	got = slu_pread(fd, block, sizeof(block), 0);
	if (got < 0)
		return slu_fail_sys((int)got, "cannot read %s", what);
	if (got < SLU_BLOCK || !S_ISREG(st.st_mode))
		return slu_fail(-EBADMSG, "%s is too short for a shard", what);
	if ((r = slu_shard_head_parse(block, (uint64_t)st.st_size, what, ret_head)) < 0)
		return r;
	stored = malloc(slu_max(ret_head->catalog_bytes, 1));
	if (!stored)
		return slu_fail_memory();
	got = slu_pread(fd, stored, ret_head->catalog_bytes, ret_head->catalog);
	if (got < 0)
		return slu_fail_sys((int)got, "cannot read %s", what);
	if ((uint64_t)got != ret_head->catalog_bytes)
		return slu_fail(-EBADMSG, "%s became shorter", what);
	return slu_catalog_decode(ret_head, stored, what, ret_catalog);
}

static int take_head(struct slu_contents *c, const struct slu_shard_head *h, uint32_t k, uint8_t identity[16])
{
	if (k == 0) {
		c->shards = calloc(h->shards, sizeof(*c->shards));
		if (!c->shards)
			return slu_fail_memory();
		c->nshards = h->shards;
		memcpy(identity, h->identity, 16);
	}
	if (h->shard != k || h->shards != c->nshards || memcmp(h->identity, identity, 16) != 0)
		return slu_fail(-EBADMSG, "shard %u belongs to another pack, or is another shard of this one", k);
	c->shards[k] = (struct slu_shard){ .first = h->first,
		                           .data_end = h->data_end,
		                           .file_bytes = h->file_bytes,
		                           .catalog_hash = h->catalog_hash,
		                           .catalog_raw = h->catalog_raw };
	return 0;
}

static bool stored_ok(const struct slu_contents *c, const struct slu_dicts *dicts, uint64_t i)
{
	const struct slu_stored *s = &c->stored[i];
	uint64_t size = c->l.samples[i].size;

	if (slu_code_codec(s->code) == SLU_CODEC_RAW)
		return s->code == 0 && s->stored == size;
	return slu_code_codec(s->code) <= SLU_CODEC_ZSTD && slu_code_dict(s->code) <= dicts->count && size > 0 &&
	       size <= SLU_COMPRESS_MAX && s->stored > 0 && s->stored < size;
}

/* A loader believes the schema: every sample must have its size. */
static int check_schema(const struct slu_contents *c)
{
	struct slu_schema schema;
	uint64_t bytes;
	int r;

	if (!c->schema.len)
		return 0;
	if (c->schema.len != SLU_SCHEMA_BYTES)
		return slu_fail(-EBADMSG, "the schema is not valid");
	r = slu_schema_parse(c->schema.data, &schema, &bytes);
	for (uint64_t i = 0; i < c->l.nsamples && r == 0; i++)
		if (c->l.samples[i].size != bytes)
			r = slu_fail(-EBADMSG, "the schema does not fit sample %llu", (unsigned long long)i);
	return r;
}

/* The samples must fill their shards exactly, and be stored in ways that exist. */
static int check_stored(const struct slu_contents *c)
{
	struct slu_dicts dicts;
	struct slu_cursor cur;
	int r = slu_dicts_init(&dicts, c->dicts.data, c->dicts.len);

	if (r < 0)
		return r;
	slu_cursor_init(&cur);
	for (uint64_t i = 0; i < c->l.nsamples; i++) {
		if (!stored_ok(c, &dicts, i))
			return slu_fail(-EBADMSG, "the catalog's entry of sample %llu is not valid",
			                (unsigned long long)i);
		(void)slu_cursor_lay(&cur, c, i); /* only the end is wanted */
		if (cur.at > SLU_LIMIT40 ||
		    (i + 1 == slu_shard_last(c, cur.shard) && cur.at != c->shards[cur.shard].data_end))
			return slu_fail(-EBADMSG, "the samples of shard %u do not fill it", cur.shard);
	}
	for (uint32_t k = 0; k < c->nshards; k++)
		if (c->shards[k].first == slu_shard_last(c, k) && c->shards[k].data_end != SLU_BLOCK)
			return slu_fail(-EBADMSG, "shard %u has no samples but is not empty", k);
	return 0;
}

int slu_gather_shards(int dirfd, const char *path, struct slu_contents *c, uint8_t ret_identity[16],
                      uint32_t *ret_shard)
{
	int r = 0;

	*ret_shard = 0;
	for (uint32_t k = 0; r == 0 && (k == 0 || k < c->nshards); k++) {
		SLU_AUTO(buf) struct slu_buf catalog = { 0 };
		struct slu_shard_head h;
		*ret_shard = k;
		if ((r = read_shard(dirfd, path, k, &h, &catalog)) == 0 && (r = take_head(c, &h, k, ret_identity)) == 0)
			r = slu_catalog_gather(c, &h, catalog.data, catalog.len);
	}
	if (r < 0 || (r = slu_listing_check(&c->l)) < 0)
		return r;
	if (c->claimed[0] != c->l.ndirs || c->claimed[1] != c->l.nsamples || c->claimed[2] != c->l.nlinks)
		return slu_fail(-EBADMSG, "the catalogs' totals are not what they list");
	r = check_schema(c);
	return r < 0 ? r : check_stored(c);
}

/* ---- replacing the index ------------------------------------------------------------------- */

static int replace_index(int dirfd, const char *path, const struct slu_buf *index)
{
	static const char temporary[] = SLU_INDEX_NAME ".new";
	char what[SLU_PATH_MAX];
	SLU_AUTO(fd) int fd = slu_openat(dirfd, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666);
	int r;

	(void)snprintf(what, sizeof(what), "the index of %s", path); /* cut off at worst */
	if (fd < 0)
		return slu_fail_sys(fd, "cannot make %s", what);
	r = slu_pwrite(fd, index->data, index->len, 0, what);
	if (r == 0)
		r = slu_sync(fd, what);
	if (r == 0 && renameat(dirfd, temporary, dirfd, SLU_INDEX_NAME) < 0)
		r = slu_fail_sys(-errno, "cannot put %s in place", what);
	if (r < 0) {
		(void)unlinkat(dirfd, temporary, 0); /* nothing more can be done about it */
		return r;
	}
	return slu_sync(dirfd, path);
}

int slu_pack_rebuild_index(const char *path)
{
	SLU_AUTO(fd) int dirfd = slu_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
	SLU_AUTO(contents) struct slu_contents c = { 0 };
	SLU_AUTO(buf) struct slu_buf index = { 0 };
	uint8_t identity[16], rebuilt[16];
	uint32_t shard;
	int r;

	if (dirfd < 0)
		return slu_fail_sys(dirfd, "cannot open the pack %s", path);
	if ((r = slu_lock_dir(dirfd, path)) < 0 || (r = slu_gather_shards(dirfd, path, &c, identity, &shard)) < 0 ||
	    (r = slu_index_build(&c, &index, rebuilt)) < 0)
		return r;
	if (memcmp(identity, rebuilt, 16) != 0)
		return slu_fail(-EBADMSG, "%s: the shards do not give back the pack that they say they belong to",
		                path);
	return replace_index(dirfd, path, &index);
}
