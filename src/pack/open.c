/* SPDX-License-Identifier: MIT */
/*
 * Opening a pack: map the index, check its header, find the sections.
 *
 * Costs the same for any number of samples: one header, one row a shard, and the small
 * tables (dictionaries, label names, notes) that are copied out, so that they need no
 * guard later.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/le.h"
#include "base/options.h"
#include "pack/column.h"
#include "pack/header.h"
#include "pack/pack.h"
#include "pack/schema.h"

/* ---- the guard ----------------------------------------------------------------------- */

static bool owns(const void *owner, const void *address)
{
	const struct slu_pack *p = owner;
	const uint8_t *a = address;

	if (a >= p->file && a < p->file + p->file_bytes)
		return true;
	for (uint32_t k = 0; p->shards && k < p->nshards; k++) {
		const struct slu_shard_map *m = atomic_load_explicit(&p->shards[k].map, memory_order_acquire);
		if (m && m->data && a >= m->data && a < m->data + m->len)
			return true;
	}
	return false;
}

int slu_pack_guard(struct slu_pack *p, slu_guarded_fn *fn, void *arg)
{
	int r;

	if (p->pread)
		return fn(arg);
	r = slu_guarded(fn, arg, owns, p);
	if (SLU_UNLIKELY(r == -EIO))
		return slu_fail(-EIO, "%s: a mapped file became shorter or cannot be read", p->path);
	return r;
}

/* ---- decoders --------------------------------------------------------------------------- */

/* Threads start at different slots, by the address of something of their own. */
static unsigned decoder_slot(void)
{
	static _Thread_local char mine;

	return (unsigned)(((uintptr_t)&mine >> 12) * 2654435761u >> 16) % SLU_DECODER_POOL;
}

int slu_pack_get_decoder(struct slu_pack *p, struct slu_decoder **ret_decoder)
{
	struct slu_decoder *d = atomic_exchange(&p->decoders[decoder_slot()], NULL);

	if (d) {
		*ret_decoder = d;
		return 0;
	}
	return slu_decoder_new(ret_decoder);
}

void slu_pack_put_decoder(struct slu_pack *p, struct slu_decoder *d)
{
	slu_decoder_free(atomic_exchange(&p->decoders[decoder_slot()], d));
}

/* ---- opening ----------------------------------------------------------------------------- */

static int load_index(struct slu_pack *p)
{
	SLU_AUTO(fd) int fd = slu_openat(p->dirfd, SLU_INDEX_NAME, O_RDONLY | O_NONBLOCK, 0);
	struct stat st;
	ssize_t got;
	void *m;

	if (fd == -ENOENT)
		return slu_fail(fd,
		                "%s has no index, so it is not a pack; if it has shards, "
		                "`sluice verify --rebuild-index` makes one",
		                p->path);
	if (fd < 0)
		return slu_fail_sys(fd, "cannot open %s/%s", p->path, SLU_INDEX_NAME);
	if (fstat(fd, &st) < 0)
		return slu_fail_sys(-errno, "cannot look at %s/%s", p->path, SLU_INDEX_NAME);
	if (!S_ISREG(st.st_mode) || st.st_size < 3 * SLU_BLOCK || st.st_size % SLU_BLOCK)
		return slu_fail(-EBADMSG, "%s/%s is not the index of a pack: its size is wrong", p->path,
		                SLU_INDEX_NAME);
	m = mmap(NULL, (size_t)st.st_size, p->pread ? PROT_READ | PROT_WRITE : PROT_READ,
	         p->pread ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, p->pread ? -1 : fd, 0);
	if (m == MAP_FAILED)
		return slu_fail_sys(-errno, "cannot map %s/%s", p->path, SLU_INDEX_NAME);
	p->file = m;
	p->file_bytes = (uint64_t)st.st_size;
	if (!p->pread)
		return 0;
	got = slu_pread(fd, m, (size_t)st.st_size, 0);
	if (got < 0)
		return slu_fail_sys((int)got, "cannot read %s/%s", p->path, SLU_INDEX_NAME);
	return got == st.st_size ? 0 : slu_fail(-EBADMSG, "%s/%s became shorter", p->path, SLU_INDEX_NAME);
}

static int bad_header(const struct slu_pack *p, const char *what)
{
	return slu_fail(-EBADMSG, "the header of %s/%s is not valid (%s)", p->path, SLU_INDEX_NAME, what);
}

static int parse_sections(struct slu_pack *p, const uint8_t *h, uint64_t blocks)
{
	uint32_t n = slu_get32(h + SLU_IH_SECTIONS), last_type = 0;
	uint64_t at = SLU_BLOCK, end = blocks * SLU_BLOCK;

	if (n > SLU_IH_MAX_SECTIONS)
		return bad_header(p, "sections");
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *row = h + SLU_IH_TABLE + (size_t)i * SLU_IH_ROW;
		uint32_t type = slu_get32(row);
		struct slu_span s = { slu_get64(row + 8), slu_get64(row + 16) };
		if (type <= last_type || slu_get32(row + 4) || s.at != slu_up(at, SLU_SECTION_ALIGN) || s.at > end ||
		    s.len > end - s.at)
			return bad_header(p, "section table");
		if (type < SLU_S_COUNT)
			p->section[type] = s;
		at = s.at + s.len;
		last_type = type;
	}
	if (slu_up(at, SLU_BLOCK) != end)
		return bad_header(p, "section table");
	for (uint32_t i = SLU_IH_TABLE + n * SLU_IH_ROW; i < SLU_H_CHECKSUM; i++)
		if (h[i])
			return bad_header(p, "padding");
	return 0;
}

/* Each table must have exactly the length that the counts give it. */
static int check_lengths(struct slu_pack *p)
{
	const struct {
		enum slu_section s;
		uint64_t len;
	} want[] = {
		{ SLU_S_SHARDS, (uint64_t)p->nshards * SLU_SHARD_ROW },
		{ SLU_S_DIRS, (p->ndirs + 1) * SLU_DIR_ROW },
		{ SLU_S_RECORDS, p->nsamples * SLU_RECORD },
		{ SLU_S_GROUPS, ((p->nodes + SLU_GROUP - 1) / SLU_GROUP + 1) * SLU_GROUP_ROW },
		{ SLU_S_LOOKUP, p->lookup.buckets * SLU_BUCKET },
		{ SLU_S_LINKS, p->nlinks ? (p->nlinks + 1) * SLU_LINK_ROW : 0 },
	};

	for (size_t i = 0; i < SLU_ARRAY_SIZE(want); i++)
		if (p->section[want[i].s].len != want[i].len)
			return bad_header(p, "a section's length");
	if (p->section[SLU_S_ATTRS].len % SLU_ATTR_ROW || !p->section[SLU_S_ATTRS].len ||
	    p->section[SLU_S_COLUMNS].len % SLU_COLUMN_ROW ||
	    (p->section[SLU_S_SCHEMA].len && p->section[SLU_S_SCHEMA].len != SLU_SCHEMA_BYTES) ||
	    (p->nsamples && !p->section[SLU_S_COLUMNS].len))
		return bad_header(p, "a section's length");
	p->nattrs = p->section[SLU_S_ATTRS].len / SLU_ATTR_ROW;
	return 0;
}

static int parse_header(struct slu_pack *p, const uint8_t *h)
{
	uint64_t blocks = slu_get64(h + SLU_IH_BLOCKS);
	int r;

	memcpy(p->identity, h + SLU_H_IDENTITY, 16);
	p->minor = slu_get16(h + SLU_H_MINOR);
	p->optional = slu_get64(h + SLU_H_OPTIONAL);
	p->ndirs = slu_get64(h + SLU_IH_DIRS);
	p->nsamples = slu_get64(h + SLU_IH_SAMPLES);
	p->nlinks = slu_get64(h + SLU_IH_LINKS);
	p->raw_bytes = slu_get64(h + SLU_IH_RAW);
	p->stored_bytes = slu_get64(h + SLU_IH_STORED);
	p->nshards = slu_get32(h + SLU_IH_SHARDS);
	if (slu_get64(h + SLU_H_FILE_BYTES) != p->file_bytes)
		return bad_header(p, "the file's size");
	if (blocks < 2 || blocks > p->file_bytes / SLU_BLOCK ||
	    blocks + slu_tree_blocks(blocks) != p->file_bytes / SLU_BLOCK)
		return bad_header(p, "number of blocks");
	if (p->ndirs < 1 || p->ndirs > SLU_MAX_NODES || p->nsamples > SLU_MAX_NODES || p->nlinks > SLU_MAX_NODES ||
	    (p->nodes = p->ndirs + p->nsamples + p->nlinks) > SLU_MAX_NODES)
		return bad_header(p, "number of nodes");
	if (p->nshards < 1 || p->nshards > SLU_MAX_SHARDS)
		return bad_header(p, "number of shards");
	p->lookup = slu_lookup_shape(p->nodes);
	if ((r = parse_sections(p, h, blocks)) < 0 || (r = check_lengths(p)) < 0)
		return r;
	return slu_tree_init(&p->tree, p->path, p->file, blocks, slu_get64(h + SLU_IH_TREE));
}

struct copy_out {
	struct slu_pack *p;
	enum slu_section s;
	uint8_t *to;
};

static int copy_out(void *arg)
{
	struct copy_out *c = arg;
	uint64_t len = c->p->section[c->s].len;
	const uint8_t *at;
	int r = slu_pack_at(c->p, c->s, 0, len, &at);

	if (r == 0)
		memcpy(c->to, at, len);
	return r;
}

/* A small section, copied, with a NUL behind it; NULL if absent. */
static int copy_section(struct slu_pack *p, enum slu_section s, uint8_t **ret_copy)
{
	uint64_t len = p->section[s].len;
	struct copy_out c = { p, s, NULL };
	int r;

	if (!len)
		return 0;
	if (len > SLU_MAX_SMALL_SECTION)
		return slu_fail(-EBADMSG, "%s: section %d of the index is too large", p->path, (int)s);
	c.to = malloc(len + 1);
	if (!c.to)
		return slu_fail_memory();
	r = slu_pack_guard(p, copy_out, &c);
	c.to[len] = 0;
	if (r < 0)
		free(c.to);
	else
		*ret_copy = c.to;
	return r;
}

static int load_shards(struct slu_pack *p)
{
	SLU_AUTO(mem) uint8_t *rows = NULL;
	int r = copy_section(p, SLU_S_SHARDS, &rows);

	if (r < 0)
		return r;
	p->shards = calloc(p->nshards, sizeof(*p->shards));
	if (!p->shards)
		return slu_fail_memory();
	for (uint32_t k = 0; k < p->nshards; k++) {
		const uint8_t *row = rows + (size_t)k * SLU_SHARD_ROW;
		struct slu_shard_place *s = &p->shards[k];
		s->first = slu_get64(row);
		s->last = k + 1 < p->nshards ? slu_get64(row + SLU_SHARD_ROW) : p->nsamples;
		s->data_end = slu_get64(row + 8);
		s->file_bytes = slu_get64(row + 16);
		s->catalog_hash = slu_get64(row + 24);
		if ((k == 0 && s->first) || s->first > s->last || s->last > p->nsamples || s->data_end < SLU_BLOCK ||
		    s->data_end > SLU_LIMIT40 || s->file_bytes < slu_up(s->data_end, SLU_BLOCK) ||
		    s->file_bytes > 2 * SLU_LIMIT40)
			return slu_fail(-EBADMSG, "%s: shard %u is not described well in the index", p->path, k);
	}
	return 0;
}

static int load_labels(struct slu_pack *p)
{
	uint64_t len = p->section[SLU_S_LABEL_NAMES].len;
	int r = copy_section(p, SLU_S_LABEL_NAMES, &p->label_names);

	if (r < 0 || !len)
		return r;
	if (p->label_names[len - 1])
		return slu_fail(-EBADMSG, "%s: the names of labels are not valid", p->path);
	for (uint64_t i = 0; i < len; i++)
		p->nlabels += p->label_names[i] == 0;
	p->label_at = malloc(p->nlabels * sizeof(*p->label_at));
	if (!p->label_at)
		return slu_fail_memory();
	for (uint32_t i = 0, at = 0; i < p->nlabels; i++) {
		p->label_at[i] = at;
		at += (uint32_t)strlen((const char *)p->label_names + at) + 1;
	}
	return 0;
}

static int load_schema(struct slu_pack *p)
{
	SLU_AUTO(mem) uint8_t *s = NULL;
	uint64_t sample_bytes;
	int r = copy_section(p, SLU_S_SCHEMA, &s);

	if (r < 0 || !s)
		return r;
	r = slu_schema_parse(s, &p->schema, &sample_bytes);
	p->has_schema = r == 0;
	return r;
}

static int load_builtin(struct slu_pack *p, const char *name, struct slu_builtin_column *ret_column)
{
	struct slu_column c;
	int r;

	if (!p->nsamples)
		return 0;
	r = slu_pack_column(p, name, &c);
	if (r == -ENOENT)
		return slu_fail(-EBADMSG, "%s: the index has no column '%s'", p->path, name);
	if (r == 0)
		*ret_column = (struct slu_builtin_column){ c.offset, c.length, c.base, c.bits };
	return r;
}

static int load_tables(struct slu_pack *p)
{
	int r;

	if ((r = load_shards(p)) < 0 || (r = load_builtin(p, "attr", &p->attr)) < 0 ||
	    (r = load_builtin(p, "mtime", &p->mtime)) < 0 || (r = copy_section(p, SLU_S_DICTS, &p->dict_bytes)) < 0 ||
	    (r = slu_dicts_init(&p->dicts, p->dict_bytes, p->section[SLU_S_DICTS].len)) < 0 ||
	    (r = load_labels(p)) < 0 || (r = load_schema(p)) < 0)
		return r;
	return copy_section(p, SLU_S_NOTES, &p->notes);
}

struct header_copy {
	const struct slu_pack *p;
	uint8_t block[SLU_BLOCK];
};

static int copy_header(void *arg)
{
	struct header_copy *c = arg;

	memcpy(c->block, c->p->file, SLU_BLOCK);
	return 0;
}

static int open_into(struct slu_pack *p, const char *path)
{
	struct header_copy h = { .p = p };
	char what[SLU_PATH_MAX + 16];
	int r;

	p->path = strdup(path);
	if (!p->path)
		return slu_fail_memory();
	r = slu_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
	if (r < 0)
		return slu_fail_sys(r, "cannot open the pack %s", path);
	p->dirfd = r;
	if (!p->pread)
		slu_guard_install();
	if ((r = load_index(p)) < 0 || (r = slu_pack_guard(p, copy_header, &h)) < 0)
		return r;
	(void)snprintf(what, sizeof(what), "%s/%s", path, SLU_INDEX_NAME); /* cut off at worst */
	if ((r = slu_header_check(h.block, SLU_INDEX_MAGIC, SLU_IH_ZERO, SLU_IH_TABLE, what)) < 0 ||
	    (r = parse_header(p, h.block)) < 0)
		return r;
	return load_tables(p);
}

int slu_pack_open(const char *path, const struct slu_pack_options *opt, struct slu_pack **ret_pack)
{
	struct slu_pack_options o;
	struct slu_pack *p;
	int r = slu_options_take(opt, sizeof(o), sizeof(o), &o);

	if (r < 0)
		return r;
	if (o.io > SLU_IO_PREAD || o.verify > SLU_VERIFY_ONCE)
		return slu_fail(-EINVAL, "options that this version of the library does not know");
	p = calloc(1, sizeof(*p));
	if (!p)
		return slu_fail_memory();
	p->dirfd = -1;
	p->pread = o.io == SLU_IO_PREAD;
	p->verify_once = o.verify == SLU_VERIFY_ONCE;
	r = open_into(p, path);
	if (r < 0) {
		slu_pack_close(p);
		return r;
	}
	*ret_pack = p;
	return 0;
}

static void close_shard(struct slu_shard_map *m)
{
	if (!m)
		return;
	if (m->data)
		munmap((void *)(uintptr_t)m->data, m->len);
	if (m->fd >= 0)
		close(m->fd);
	free(m);
}

void slu_pack_close(struct slu_pack *p)
{
	if (!p)
		return;
	for (uint32_t k = 0; p->shards && k < p->nshards; k++)
		close_shard(p->shards[k].map);
	for (unsigned i = 0; i < SLU_DECODER_POOL; i++)
		slu_decoder_free(p->decoders[i]);
	slu_dicts_done(&p->dicts);
	slu_tree_done(&p->tree);
	if (p->file)
		munmap((void *)(uintptr_t)p->file, p->file_bytes);
	if (p->dirfd >= 0)
		close(p->dirfd);
	free(p->shards);
	free(p->dict_bytes);
	free(p->label_names);
	free(p->label_at);
	free(p->notes);
	free((void *)p->seen);
	free(p->path);
	free(p);
}

/* ---- shards -------------------------------------------------------------------------------- */

static int check_shard(struct slu_pack *p, uint32_t k, int fd, const char *what)
{
	struct slu_shard_place *s = &p->shards[k];
	uint8_t block[SLU_BLOCK];
	struct stat st;
	ssize_t got;
	int r;

	if (fstat(fd, &st) < 0)
		return slu_fail_sys(-errno, "cannot look at %s", what);
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != s->file_bytes)
		return slu_fail(-EBADMSG, "%s has %lld bytes and should have %llu", what, (long long)st.st_size,
		                (unsigned long long)s->file_bytes);
	got = slu_pread(fd, block, sizeof(block), 0);
	if (got != sizeof(block))
		return got < 0 ? slu_fail_sys((int)got, "cannot read %s", what)
		               : slu_fail(-EBADMSG, "%s became shorter", what);
	if ((r = slu_header_check(block, SLU_SHARD_MAGIC, SLU_SH_ZERO, SLU_H_CHECKSUM, what)) < 0)
		return r;
	if (memcmp(block + SLU_H_IDENTITY, p->identity, 16) != 0 || slu_get32(block + SLU_SH_SHARD) != k)
		return slu_fail(-EBADMSG, "%s belongs to another pack, or is another shard of this one", what);
	return 0;
}

int slu_pack_shard_fd(struct slu_pack *p, uint32_t k)
{
	char name[SLU_SHARD_NAME_MAX], what[SLU_PATH_MAX + SLU_SHARD_NAME_MAX];
	SLU_AUTO(fd) int fd = slu_openat(p->dirfd, slu_shard_name(k, name), O_RDONLY | O_NONBLOCK, 0);
	int r;

	(void)snprintf(what, sizeof(what), "%s/%s", p->path, name); /* cut off at worst */
	if (fd < 0)
		return slu_fail_sys(fd, "cannot open %s", what);
	r = check_shard(p, k, fd, what);
	return r < 0 ? r : slu_take_fd(&fd);
}

static int new_shard_map(struct slu_pack *p, uint32_t k, struct slu_shard_map **ret_map)
{
	SLU_AUTO(fd) int fd = slu_pack_shard_fd(p, k);
	SLU_AUTO(mem) struct slu_shard_map *m = NULL;
	void *data;

	if (fd < 0)
		return fd;
	m = malloc(sizeof(*m));
	if (!m)
		return slu_fail_memory();
	*m = (struct slu_shard_map){ .len = p->shards[k].file_bytes, .fd = -1 };
	if (p->pread) {
		m->fd = slu_take_fd(&fd);
	} else {
		data = mmap(NULL, m->len, PROT_READ, MAP_SHARED, fd, 0);
		if (data == MAP_FAILED)
			return slu_fail_sys(-errno, "%s: cannot map shard %u", p->path, k);
		m->data = data;
	}
	*ret_map = SLU_TAKE(m);
	return 0;
}

int slu_pack_open_shard(struct slu_pack *p, uint32_t k, struct slu_shard_map **ret_map)
{
	struct slu_shard_map *m = atomic_load_explicit(&p->shards[k].map, memory_order_acquire), *none = NULL;
	int r;

	if (!m) {
		if ((r = new_shard_map(p, k, &m)) < 0)
			return r;
		if (!atomic_compare_exchange_strong(&p->shards[k].map, &none, m)) {
			close_shard(m); /* another thread was faster */
			m = none;
		}
	}
	*ret_map = m;
	return 0;
}

/* ---- what is in it ---------------------------------------------------------------------------- */

int slu_pack_info(struct slu_pack *p, struct slu_pack_info *ret_info)
{
	*ret_info = (struct slu_pack_info){
		.version_major = SLU_MAJOR,
		.version_minor = p->minor,
		.features_optional = p->optional,
		.dirs = p->ndirs,
		.samples = p->nsamples,
		.links = p->nlinks,
		.raw_bytes = p->raw_bytes,
		.stored_bytes = p->stored_bytes,
		.index_bytes = p->file_bytes,
		.name_bytes = p->section[SLU_S_NAMES].len + p->section[SLU_S_GROUPS].len,
		.record_bytes =
			p->section[SLU_S_RECORDS].len + p->section[SLU_S_LOOKUP].len + p->attr.length + p->mtime.length,
		.disk_bytes = p->file_bytes,
		.shards = p->nshards,
		.dictionaries = p->dicts.count,
	};
	memcpy(ret_info->identity, p->identity, 16);
	for (uint32_t k = 0; k < p->nshards; k++)
		ret_info->disk_bytes += p->shards[k].file_bytes;
	return 0;
}

int slu_pack_notes(struct slu_pack *p, const char **ret_text, size_t *ret_len)
{
	*ret_text = p->notes ? (const char *)p->notes : "";
	*ret_len = p->section[SLU_S_NOTES].len;
	return 0;
}

uint64_t slu_pack_count(const struct slu_pack *p)
{
	return p->nsamples;
}
