/* SPDX-License-Identifier: MIT */
/*
 * mmap of a file of ours.
 *
 * A large raw sample is mapped from its shard, where it stands alone in its pages: checked whole first, never
 * copied. Any other that is private and not to be written is decoded into memory of the mapping's own: neither
 * file nor mapping changes, so that nobody can tell the difference. All else (shared, writable, executable, longer
 * than the file) is made of a real file, with which the kernel does what it always does.
 *
 * The first two are remembered: what follows in the shard is another sample, so that they must not grow there
 * by mremap; and a copy's pages must not be let go by madvise.
 */
#include "shim/shim.h"

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pack/pack.h"

static size_t page_size(void)
{
	static _Atomic size_t bytes;

	if (!atomic_load(&bytes))
		atomic_store(&bytes, (size_t)sysconf(_SC_PAGESIZE));
	return atomic_load(&bytes);
}

/* ---- mappings that the kernel takes for something else ----------------------------------------------------- */

enum { MAX_MAPS = 1024 };

struct mapping {
	uintptr_t start;
	size_t len;  /* of the mapping; 0: free */
	size_t room; /* from start to the end of the file's last page */
	struct slu_pack *pack;
	uint64_t sample;
	off_t offset;
	int prot, flags;
	bool copy; /* memory of its own, not a shard */
};

static struct mapping maps[MAX_MAPS]; /* under maps_lock */
static _Atomic unsigned maps_top;     /* none is in use from here on */
static _Atomic bool maps_lock;

/* Memory is not mapped in signal handlers: whoever has it will give it back. */
static void lock_maps(void)
{
	while (atomic_exchange_explicit(&maps_lock, true, memory_order_acquire))
		sched_yield();
}

static void unlock_maps(void)
{
	atomic_store_explicit(&maps_lock, false, memory_order_release);
}

void slu_map_after_fork(void)
{
	unlock_maps();
}

static struct mapping *free_mapping(void)
{
	for (unsigned i = 0; i < MAX_MAPS; i++)
		if (maps[i].len == 0) {
			if (i >= atomic_load(&maps_top))
				atomic_store(&maps_top, i + 1);
			return &maps[i];
		}
	return NULL;
}

static bool remember(const struct mapping *m)
{
	struct mapping *place;

	lock_maps();
	place = free_mapping();
	if (place)
		*place = *m;
	unlock_maps();
	return place != NULL;
}

/* A copy of the one that has @at in it. */
static bool find_mapping(const void *at, struct mapping *ret_mapping)
{
	bool found = false;

	if (SLU_LIKELY(!atomic_load_explicit(&maps_top, memory_order_relaxed)))
		return false;
	lock_maps();
	for (unsigned i = 0; i < maps_top && !found; i++)
		if ((uintptr_t)at - maps[i].start < maps[i].len) {
			*ret_mapping = maps[i];
			found = true;
		}
	unlock_maps();
	return found;
}

/* @m begins @by bytes later. */
static void cut_front(struct mapping *m, size_t by)
{
	m->start += by;
	m->len -= by;
	m->room -= by;
	m->offset += (off_t)by;
}

static void forget_part(struct mapping *m, uintptr_t from, uintptr_t to)
{
	uintptr_t end = m->start + m->len;
	struct mapping *rest;

	if (from >= end || to <= m->start)
		return;
	if (from <= m->start) {
		if (to >= end)
			m->len = 0;
		else
			cut_front(m, to - m->start);
		return;
	}
	if (to < end && (rest = free_mapping())) { /* a hole */
		*rest = *m;
		cut_front(rest, to - m->start);
	}
	m->len = from - m->start;
}

/* Memory that is given back, or mapped anew. */
static void forget(const void *at, size_t len)
{
	unsigned top = atomic_load_explicit(&maps_top, memory_order_relaxed);

	if (SLU_LIKELY(!top))
		return;
	lock_maps();
	for (unsigned i = 0; i < top; i++)
		if (maps[i].len)
			forget_part(&maps[i], (uintptr_t)at, (uintptr_t)at + slu_up(len, page_size()));
	unlock_maps();
}

/* ---- ways to map ---------------------------------------------------------------------------------------------- */

struct request {
	void *at;
	size_t len;
	int prot, flags;
	off_t offset;
};

/* Straight from the shard. -EAGAIN: not possible for this one. */
static int map_shard(struct slu_open *o, const struct request *q, void **ret_map)
{
	struct slu_sample s;
	const void *data;
	size_t len;
	void *m;
	int fd, r = slu_pack_sample(o->file.pack, o->file.sample, &s);

	if (r < 0)
		return r;
	if (s.codec != SLU_CODEC_RAW || s.size < SLU_ALIGNED_SIZE || s.offset % page_size() || !s.size)
		return -EAGAIN;
	if ((r = slu_pack_view(o->file.pack, o->file.sample, &data, &len)) < 0)
		return r;
	fd = slu_pack_shard_fd(o->file.pack, s.shard);
	if (fd < 0)
		return -EAGAIN; /* the pack was replaced meanwhile: what we have mapped is still good for a copy */
	m = slu_view_mmap(q->at, q->len, q->prot, q->flags, fd, (off_t)s.offset + q->offset);
	r = m == MAP_FAILED ? -errno : 0;
	close(fd);
	*ret_map = m;
	return r;
}

/* Into memory of its own. */
static int map_copy(struct slu_open *o, const struct request *q, void **ret_map)
{
	void *m = slu_view_mmap(q->at, q->len, PROT_READ | PROT_WRITE,
	                        MAP_PRIVATE | MAP_ANONYMOUS | (q->flags & ~MAP_TYPE), -1, 0);
	ssize_t n;

	if (m == MAP_FAILED)
		return -errno;
	n = slu_file_pread(&o->file, m, q->len, (uint64_t)q->offset);
	if (n < 0) {
		if (q->flags & MAP_FIXED) /* what was there is gone already; leave a hole that nobody can read */
			(void)slu_view_mmap(m, q->len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		else
			(void)slu_view_munmap(m, q->len);
		return (int)n;
	}
	if (q->prot != (PROT_READ | PROT_WRITE))
		(void)mprotect(m, q->len, q->prot); /* memory that we have just mapped */
	*ret_map = m;
	return 0;
}

static int map_real(struct slu_file *f, const struct request *q, void **ret_map)
{
	int fd = slu_real_copy(f), r;
	void *m;

	if (fd < 0)
		return fd;
	m = slu_view_mmap(q->at, q->len, q->prot, q->flags, fd, q->offset);
	r = m == MAP_FAILED ? -errno : 0;
	close(fd);
	if (r == 0)
		*ret_map = m;
	return r;
}

static int check_request(const struct slu_open *o, const struct request *q)
{
	int type = q->flags & MAP_TYPE;

	if (o->path_only)
		return -EBADF;
	if (o->kind != SLU_OPEN_FILE)
		return -ENODEV;
	if (q->len == 0 || q->offset % (off_t)page_size() || q->offset < 0)
		return -EINVAL;
	if (type != MAP_PRIVATE && type != MAP_SHARED && type != MAP_SHARED_VALIDATE)
		return -EINVAL;
	return type != MAP_PRIVATE && (q->prot & PROT_WRITE) ? -EACCES : 0;
}

/* A shard or a copy, remembered; -EAGAIN: neither will do, or there is no room to remember it. */
static int map_remembered(struct slu_open *o, const struct request *q, void **ret_map)
{
	struct mapping m = {
		.len = slu_up(q->len, page_size()),
		.room = slu_up(o->file.size, page_size()) - (uint64_t)q->offset,
		.pack = o->file.pack,
		.sample = o->file.sample,
		.offset = q->offset,
		.prot = q->prot,
		.flags = q->flags & MAP_TYPE,
	};
	int r = map_shard(o, q, ret_map);

	if (r == -EAGAIN && !(q->prot & PROT_WRITE) && (q->flags & MAP_TYPE) == MAP_PRIVATE) {
		m.copy = true;
		r = map_copy(o, q, ret_map);
	}
	if (r < 0)
		return r;
	m.start = (uintptr_t)*ret_map;
	if (remember(&m))
		return 0;
	(void)NEXT(munmap)(*ret_map, q->len);
	return -EAGAIN;
}

static int map_file(struct slu_open *o, const struct request *q, void **ret_map)
{
	uint64_t pages_end = slu_up(o->file.size, page_size());
	int r = check_request(o, q);

	if (r < 0)
		return r;
	if ((uint64_t)q->offset > pages_end || slu_up(q->len, page_size()) > pages_end - (uint64_t)q->offset ||
	    (q->prot & PROT_EXEC))
		return map_real(&o->file, q, ret_map);
	r = map_remembered(o, q, ret_map);
	return r == -EAGAIN ? map_real(&o->file, q, ret_map) : r;
}

static void *mmap_ours(struct slu_open *o, const struct request *q)
{
	int saved = errno;
	void *m = NULL;
	int r = map_file(o, q, &m);

	if (r < 0) {
		(void)slu_shim_fail_open(o, r);
		return MAP_FAILED;
	}
	if (slu_shim.vfs.ledger)
		slu_ledger_tally(slu_shim.vfs.ledger, o->mount->number, SLU_TALLY_MAP, 1);
	errno = saved;
	return m;
}

void *slu_view_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	struct slu_open *o = fd >= 0 && !(flags & MAP_ANONYMOUS) ? slu_get_unreal(fd) : NULL;
	void *m;

	if (SLU_UNLIKELY(flags & MAP_FIXED))
		forget(at, len);
	if (SLU_LIKELY(!o))
		return NEXT(mmap)(at, len, prot, flags, fd, offset);
	m = mmap_ours(o, &(struct request){ at, len, prot, flags, offset });
	slu_put(o);
	return m;
}

int slu_view_munmap(void *at, size_t len)
{
	forget(at, len);
	return NEXT(munmap)(at, len);
}

/* A mapping that is to grow beyond the file: a new one, of a real file. */
static void *grow(const struct mapping *m, void *old, size_t old_len, size_t len, int flags)
{
	struct request q = { NULL, len, m->prot, m->flags, m->offset + (off_t)((uintptr_t)old - m->start) };
	struct slu_file f = { 0 };
	void *at = NULL;
	int r = flags & MREMAP_MAYMOVE && !(flags & MREMAP_FIXED) ? slu_file_init(&f, m->pack, m->sample) : -ENOMEM;

	if (r == 0)
		r = map_real(&f, &q, &at);
	slu_file_done(&f);
	if (r < 0) {
		(void)slu_shim_fail(r);
		return MAP_FAILED;
	}
	(void)slu_view_munmap(old, old_len);
	return at;
}

void *slu_view_mremap(void *old, size_t old_len, size_t len, int flags, ...)
{
	struct mapping m;
	va_list ap;
	void *at, *moved;

	va_start(ap, flags);
	at = va_arg(ap, void *);
	va_end(ap);
	if (flags & MREMAP_FIXED)
		forget(at, len);
	if (!find_mapping(old, &m))
		return NEXT(mremap)(old, old_len, len, flags, at);
	if ((uintptr_t)old - m.start > 0)
		cut_front(&m, (uintptr_t)old - m.start);
	len = slu_up(len, page_size());
	if (len > m.room || (m.copy && len > slu_up(old_len, page_size())))
		return grow(&m, old, old_len, len, flags);
	moved = NEXT(mremap)(old, old_len, len, flags, at);
	if (moved == MAP_FAILED)
		return moved;
	if (old_len)
		forget(old, old_len);
	m.start = (uintptr_t)moved;
	m.len = len;
	(void)remember(&m); /* without room it is as good as before, but must not grow */
	return moved;
}

/* Pages that are let go come back with the file's bytes: those of a copy would come back empty, so they stay. */
SHIM int madvise(void *at, size_t len, int advice)
{
	struct mapping m;

	if ((advice == MADV_DONTNEED || advice == MADV_FREE) && find_mapping(at, &m) && m.copy)
		return 0;
	return NEXT(madvise)(at, len, advice);
}
