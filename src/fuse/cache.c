/* SPDX-License-Identifier: MIT */
/*
 * Open files of a mount. See cache.h.
 *
 * One lock for all: it is held for the time of a few pointers, once for a piece of 128 KiB or so. Small files, which
 * are read whole by one request, never come here.
 */
#include "fuse/cache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"

void slu_cache_init(struct slu_cache *c, struct slu_pack *p, uint64_t bound)
{
	memset(c, 0, sizeof(*c));
	pthread_mutex_init(&c->lock, NULL); /* cannot fail without attributes */
	c->pack = p;
	c->bound = bound;
}

static struct slu_open **bucket_of(struct slu_cache *c, uint64_t sample)
{
	return &c->bucket[sample * UINT64_C(0x9E3779B97F4A7C15) >> 56];
}

static_assert(SLU_CACHE_BUCKETS == 1 << 8, "bucket_of() takes the upper 8 bits");

static void open_free(struct slu_open *o)
{
	slu_file_done(&o->file);
	pthread_mutex_destroy(&o->first);
	free(o);
}

/* ---- the list, by last use ------------------------------------------------------------- */

static void unlink_use(struct slu_cache *c, struct slu_open *o)
{
	*(o->older ? &o->older->newer : &c->oldest) = o->newer;
	*(o->newer ? &o->newer->older : &c->newest) = o->older;
}

static void link_newest(struct slu_cache *c, struct slu_open *o)
{
	o->newer = NULL;
	o->older = c->newest;
	*(c->newest ? &c->newest->newer : &c->oldest) = o;
	c->newest = o;
}

static void forget(struct slu_cache *c, struct slu_open *o)
{
	struct slu_open **at = bucket_of(c, o->file.sample);

	while (*at != o)
		at = &(*at)->chain;
	*at = o->chain;
	unlink_use(c, o);
	c->cost -= o->cost;
	c->files--;
}

/* Takes what is too much out, and gives it as a list, to be freed without the lock. */
static struct slu_open *trim(struct slu_cache *c)
{
	struct slu_open *gone = NULL, *o = c->oldest;

	while (o && (c->cost > c->bound || c->files > SLU_CACHE_FILES)) {
		struct slu_open *newer = o->newer;
		if (o->refs == 0) {
			forget(c, o);
			o->chain = gone;
			gone = o;
		}
		o = newer;
	}
	return gone;
}

static void free_list(struct slu_open *o)
{
	while (o) {
		struct slu_open *next = o->chain;
		open_free(o);
		o = next;
	}
}

void slu_cache_done(struct slu_cache *c)
{
	if (!c->pack)
		return;
	c->bound = 0;
	free_list(trim(c));
	/* Empty files cost nothing and may be left over. */
	while (c->oldest) {
		struct slu_open *o = c->oldest;
		forget(c, o);
		open_free(o);
	}
	pthread_mutex_destroy(&c->lock);
	c->pack = NULL;
}

/* ---- getting and putting ----------------------------------------------------------------- */

static struct slu_open *find(struct slu_cache *c, uint64_t sample)
{
	struct slu_open *o = *bucket_of(c, sample);

	while (o && o->file.sample != sample)
		o = o->chain;
	if (o) {
		o->refs++;
		unlink_use(c, o);
		link_newest(c, o);
	}
	return o;
}

static int open_new(struct slu_pack *p, uint64_t sample, struct slu_open **ret_open)
{
	SLU_AUTO(mem) struct slu_open *o = calloc(1, sizeof(*o));
	int r = o ? slu_file_init(&o->file, p, sample) : slu_fail_memory();

	if (r < 0)
		return r;
	pthread_mutex_init(&o->first, NULL);
	o->refs = 1;
	o->cost = o->file.large ? o->file.size / SLU_FILE_BLOCK * sizeof(uint64_t) : o->file.size;
	*ret_open = SLU_TAKE(o);
	return 0;
}

static void add(struct slu_cache *c, struct slu_open *o)
{
	o->chain = *bucket_of(c, o->file.sample);
	*bucket_of(c, o->file.sample) = o;
	link_newest(c, o);
	c->cost += o->cost;
	c->files++;
}

int slu_cache_get(struct slu_cache *c, uint64_t sample, struct slu_open **ret_open)
{
	struct slu_open *o, *made = NULL, *gone = NULL;
	int r;

	pthread_mutex_lock(&c->lock);
	o = find(c, sample);
	pthread_mutex_unlock(&c->lock);
	if (!o) {
		if ((r = open_new(c->pack, sample, &made)) < 0)
			return r;
		pthread_mutex_lock(&c->lock);
		o = find(c, sample); /* another thread may have been faster */
		if (!o) {
			add(c, o = SLU_TAKE(made));
			gone = trim(c);
		}
		pthread_mutex_unlock(&c->lock);
		free_list(gone);
		if (made)
			open_free(made);
	}
	*ret_open = o;
	return 0;
}

void slu_cache_put(struct slu_cache *c, struct slu_open *o)
{
	struct slu_open *gone = NULL;

	pthread_mutex_lock(&c->lock);
	if (--o->refs == 0)
		gone = trim(c);
	pthread_mutex_unlock(&c->lock);
	free_list(gone);
}

/* ---- reading ------------------------------------------------------------------------------ */

static ssize_t read_part(struct slu_file *f, void *buf, size_t len, uint64_t offset, const void **ret_data)
{
	const uint8_t *bytes;
	int r;

	if (offset >= f->size) {
		*ret_data = buf;
		return 0;
	}
	if (f->large) {
		*ret_data = buf;
		return slu_file_pread(f, buf, len, offset);
	}
	if ((r = slu_file_bytes(f, &bytes)) < 0)
		return r;
	*ret_data = bytes + offset;
	return (ssize_t)slu_min(len, f->size - offset);
}

ssize_t slu_open_read(struct slu_open *o, void *buf, size_t len, uint64_t offset, const void **ret_data)
{
	bool ready = atomic_load_explicit(&o->file.bytes, memory_order_relaxed) ||
	             atomic_load_explicit(&o->file.sums, memory_order_relaxed);
	ssize_t n;

	if (ready)
		return read_part(&o->file, buf, len, offset, ret_data);
	pthread_mutex_lock(&o->first);
	n = read_part(&o->file, buf, len, offset, ret_data);
	pthread_mutex_unlock(&o->first);
	return n;
}
