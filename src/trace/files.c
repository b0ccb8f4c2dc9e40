/* SPDX-License-Identifier: MIT */
/*
 * From a name to its record. The index is open addressing over 32-bit slots: the record's place in units of 16 bytes,
 * and above it as many bits of the hash as are left, so that hardly ever a wrong record is looked at. It is private
 * memory; the record holds the whole hash. Two names with one 64-bit hash would be taken for one file.
 *
 * Found without the lock, entered under it. An index that was too small stays mapped while there are other threads, who
 * may be reading it: all of them together take as much as the last one.
 *
 * When there is not much room left, a new file is counted for its directory, which may still get a record: there is
 * some room for those, also on a disk that is full. Where that has gone too, it is counted for `rest`.
 */
#include "trace/record.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>

#include "base/hash.h"

enum { FIRST_BITS = 10, FIRST_FILES = 64, MOST_FILES = 4096, NAMES_CHUNK = 32 << 10 };
enum { SPARE_FILES = 128, SPARE_NAMES = 16 << 10 };
enum { AHEAD = 16 }; /* slots: records are far apart, and none is in a cache */

struct slu_rec_index {
	uint32_t bits;
	uint32_t slots[];
};

static size_t index_bytes(uint32_t bits)
{
	return sizeof(struct slu_rec_index) + (sizeof(uint32_t) << bits);
}

static uint64_t hash_name(const char *name, size_t len)
{
	uint64_t hash = slu_hash64(name, len);

	return hash ? hash : 1;
}

static struct slu_log_file *file_at(const struct slu_recorder *r, uint32_t slot)
{
	return (struct slu_log_file *)(atomic_load_explicit(&r->base, memory_order_relaxed) +
	                               16 * (uint64_t)(slot & ((1u << r->place_bits) - 1)));
}

static struct slu_log_file *find(const struct slu_recorder *r, uint64_t hash)
{
	const struct slu_rec_index *ix = atomic_load_explicit(&r->index, memory_order_acquire);
	uint32_t mask, tag = (uint32_t)(hash >> 32) >> r->place_bits;

	if (!ix)
		return NULL;
	mask = (1u << ix->bits) - 1;
	for (uint32_t i = (uint32_t)hash & mask;; i = (i + 1) & mask) {
		uint32_t slot = __atomic_load_n(&ix->slots[i], __ATOMIC_ACQUIRE);
		if (!slot)
			return NULL;
		if (slot >> r->place_bits == tag && file_at(r, slot)->hash == hash)
			return file_at(r, slot);
	}
}

static void enter_slot(struct slu_rec_index *ix, uint64_t hash, uint32_t slot)
{
	uint32_t mask = (1u << ix->bits) - 1, i = (uint32_t)hash & mask;

	while (ix->slots[i])
		i = (i + 1) & mask;
	__atomic_store_n(&ix->slots[i], slot, __ATOMIC_RELEASE);
}

/* At most three quarters of an index are in use. */
static bool make_room_in_index(struct slu_recorder *r)
{
	struct slu_rec_index *old = atomic_load(&r->index), *ix;

	if (old && r->index_used < (3u << old->bits) / 4)
		return true;
	ix = slu_rec_memory(index_bytes(old ? old->bits + 1 : FIRST_BITS));
	if (!ix)
		return false;
	ix->bits = old ? old->bits + 1 : FIRST_BITS;
	for (uint32_t i = 0; old && i < 1u << old->bits; i++) {
		if (i + AHEAD < 1u << old->bits && old->slots[i + AHEAD])
			__builtin_prefetch(file_at(r, old->slots[i + AHEAD]));
		if (old->slots[i])
			enter_slot(ix, file_at(r, old->slots[i])->hash, old->slots[i]);
	}
	atomic_store_explicit(&r->index, ix, memory_order_release);
	if (old && __libc_single_threaded)
		munmap(old, index_bytes(old->bits));
	return true;
}

void slu_rec_files_done(struct slu_recorder *r)
{
	struct slu_rec_index *ix = atomic_exchange(&r->index, NULL);

	if (ix)
		munmap(ix, index_bytes(ix->bits));
	r->index_used = 0;
}

slu_ref slu_rec_name(struct slu_recorder *r, const char *name, size_t len)
{
	uint64_t bytes = slu_up(sizeof(uint16_t) + len + 1, 8);
	struct slu_log_chunk *c = r->names;
	struct slu_log_name *n;

	if (!c || sizeof(*c) + c->used + bytes > c->bytes) {
		c = slu_rec_chunk(r, SLU_CHUNK_NAMES, slu_max(NAMES_CHUNK, bytes), 0);
		if (!c && r->spare_names && bytes < SPARE_NAMES)
			c = SLU_TAKE(r->spare_names);
		if (!c)
			return 0;
		r->names = c;
	}
	n = (struct slu_log_name *)((char *)(c + 1) + c->used);
	n->len = (uint16_t)len;
	memcpy(n->bytes, name, len);
	__atomic_store_n(&c->used, c->used + bytes, __ATOMIC_RELEASE);
	return slu_rec_ref(r, n);
}

/* An empty record. */
static struct slu_log_file *new_record(struct slu_recorder *r)
{
	struct slu_log_chunk *c = r->files;
	struct slu_log_file *f;

	if (!c || sizeof(*c) + c->used + sizeof(*f) > c->bytes) {
		uint64_t n = c ? slu_min(2 * (c->bytes / sizeof(*f)), MOST_FILES) : FIRST_FILES;
		c = slu_rec_chunk(r, SLU_CHUNK_FILES, n * sizeof(*f), 0);
		if (!c && r->spare_files)
			c = SLU_TAKE(r->spare_files);
		if (!c)
			return NULL;
		r->files = c;
	}
	f = (struct slu_log_file *)((char *)(c + 1) + c->used);
	__atomic_store_n(&c->used, c->used + sizeof(*f), __ATOMIC_RELEASE);
	for (size_t at = 0; at < sizeof(*f); at += 64) /* the next file's, which is not in a cache yet */
		__builtin_prefetch((char *)(f + 1) + at, 1);
	return f;
}

/* A new record, under the lock; NULL: there is no room. */
static struct slu_log_file *enter(struct slu_recorder *r, const char *name, size_t len, uint64_t hash, uint32_t flags)
{
	struct slu_log_header *h = (struct slu_log_header *)atomic_load(&r->base);
	struct slu_log_file *f;
	slu_ref ref;

	if (!make_room_in_index(r) || !(ref = slu_rec_name(r, name, len)) || !(f = new_record(r)))
		return NULL;
	f->hash = hash;
	f->name = ref;
	f->first = f->last = (uint32_t)((slu_rec_now(r) - h->begin) >> 20);
	__atomic_store_n(&f->flags, flags | SLU_FILE_VALID, __ATOMIC_RELEASE);
	enter_slot(atomic_load(&r->index), hash,
	           (uint32_t)(hash >> 32) >> r->place_bits << r->place_bits | (slu_rec_ref(r, f) / 2));
	r->index_used++;
	h->files++;
	return f;
}

/* "DIR/" for a file of it. */
static size_t directory_part(const char *name, size_t len)
{
	while (len > 0 && name[len - 1] != '/')
		len--;
	return len;
}

static struct slu_log_file *find_or_enter(struct slu_recorder *r, const char *name, size_t len, uint32_t flags)
{
	uint64_t hash = hash_name(name, len);
	struct slu_log_file *f = find(r, hash);

	return f ? f : enter(r, name, len, hash, flags);
}

/* The last sixteenth of the room is for directories. */
static bool has_room_for_files(struct slu_recorder *r)
{
	struct slu_log_header *h = (struct slu_log_header *)atomic_load(&r->base);

	if (!r->full && h->end > r->reserved - r->reserved / 16) {
		r->full = true;
		h->flags |= SLU_LOG_FULL;
	}
	return !r->full;
}

/* A file that was not found, without the lock at least. */
static struct slu_log_file *enter_new(struct slu_recorder *r, const char *name, size_t len, uint64_t hash,
                                      uint32_t flags)
{
	struct slu_log_file *f = NULL;

	slu_rec_lock(&r->lock);
	if (!__libc_single_threaded)
		f = find(r, hash); /* another thread may have been faster */
	if (!f && has_room_for_files(r))
		f = enter(r, name, len, hash, flags);
	if (!f)
		f = find_or_enter(r, name, directory_part(name, len), SLU_FILE_MANY);
	if (!f)
		f = slu_rec_at(r, r->rest);
	slu_rec_unlock(&r->lock);
	return f;
}

slu_ref slu_rec_file(struct slu_recorder *r, const char *name, size_t len, uint32_t flags)
{
	uint64_t hash = hash_name(name, len);
	struct slu_log_file *f = find(r, hash);

	if (SLU_UNLIKELY(!f))
		f = enter_new(r, name, len, hash, flags);
	if (SLU_UNLIKELY((f->flags & flags) != flags) && !(f->flags & SLU_FILE_MANY))
		__atomic_fetch_or(&f->flags, flags, __ATOMIC_RELAXED);
	return slu_rec_ref(r, f);
}

const char *slu_rec_file_name(const struct slu_recorder *r, slu_ref file, size_t *ret_len)
{
	const struct slu_log_file *f = slu_rec_at(r, file);
	const struct slu_log_name *n = slu_rec_at(r, f->name);

	if (ret_len)
		*ret_len = n->len;
	return n->bytes;
}

bool slu_rec_files_start(struct slu_recorder *r)
{
	static const char rest[] = "(all other files)";
	struct slu_log_file *f = enter(r, rest, sizeof(rest) - 1, hash_name(rest, sizeof(rest) - 1), SLU_FILE_MANY);

	r->rest = f ? slu_rec_ref(r, f) : 0;
	r->spare_files = slu_rec_chunk(r, SLU_CHUNK_FILES, SPARE_FILES * sizeof(*f), 0);
	r->spare_names = slu_rec_chunk(r, SLU_CHUNK_NAMES, SPARE_NAMES, 0);
	return f != NULL;
}

/* The record here of one in the parent's log. */
static slu_ref adopt(struct slu_recorder *r, const char *parent, slu_ref file)
{
	const struct slu_log_file *f = (const struct slu_log_file *)(parent + (uint64_t)file * 8);
	const struct slu_log_name *n = (const struct slu_log_name *)(parent + (uint64_t)f->name * 8);
	struct slu_log_file *mine = find_or_enter(r, n->bytes, n->len, f->flags & ~(uint32_t)SLU_FILE_CREATED);

	return mine ? slu_rec_ref(r, mine) : r->rest;
}

void slu_rec_adopt(struct slu_recorder *r, const char *parent)
{
	for (int fd = 0; fd <= atomic_load(&r->max_fd); fd++) {
		slu_ref file = atomic_load(&r->fds[fd].file);
		if (file)
			atomic_store(&r->fds[fd].file, adopt(r, parent, file));
	}
	for (uint32_t i = 0; i < atomic_load(&r->n_maps); i++)
		if (r->maps[i].file) {
			r->maps[i].file = adopt(r, parent, r->maps[i].file);
			r->maps[i].counted = 0;
		}
}
