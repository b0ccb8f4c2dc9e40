/* SPDX-License-Identifier: MIT */
/* One call, told when it is over: it is counted for its file and for its thread. See record.h. */
#include "trace/record.h"

#include <errno.h>
#include <string.h>
#include <sys/single_threaded.h>

enum { LOOK_AT_MAPS_EVERY_NS = 1000000000 };

/* Counters of files are shared by threads; while there is only one, an ordinary addition is cheaper. */
static inline void add32(uint32_t *p, uint32_t v, bool alone)
{
	if (SLU_LIKELY(alone))
		*p += v;
	else
		__atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}

static inline void add64(uint64_t *p, uint64_t v, bool alone)
{
	if (SLU_LIKELY(alone))
		*p += v;
	else
		__atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}

/* Classes of sizes: see struct slu_log_side. -1: the first, which is not counted. */
static int size_class(uint64_t n)
{
	if (n < 4096)
		return -1;
	return n < 64 << 10 ? 0 : n < 1 << 20 ? 1 : n < 16 << 20 ? 2 : n < 256 << 20 ? 3 : 4;
}

/* Where a transfer was, and what it tells of the order of accesses. */
struct place {
	uint64_t offset; /* SLU_AT_POSITION: not known */
	bool sequential, consecutive;
};

static struct place find_place(struct slu_rec_fd *e, const struct slu_rec_call *c)
{
	struct place p = { .offset = c->offset };
	uint64_t next;

	if (!e)
		return p;
	if (p.offset == SLU_AT_POSITION) {
		p.offset = atomic_load_explicit(&e->at, memory_order_relaxed);
		atomic_store_explicit(&e->at, p.offset + c->bytes, memory_order_relaxed);
	}
	next = atomic_load_explicit(&e->moved, memory_order_relaxed)
	               ? atomic_load_explicit(&e->next, memory_order_relaxed)
	               : 0;
	p.sequential = p.offset >= next;
	p.consecutive = p.offset == next;
	atomic_store_explicit(&e->next, p.offset + c->bytes, memory_order_relaxed);
	atomic_store_explicit(&e->moved, 1, memory_order_relaxed);
	return p;
}

static void count_transfer(struct slu_log_side *s, const struct slu_rec_call *c, const struct place *p, uint64_t ns,
                           bool alone)
{
	int class = size_class(c->bytes);

	add32(&s->calls, 1, alone);
	add32(&s->sequential, p->sequential, alone);
	add32(&s->consecutive, p->consecutive, alone);
	if (class >= 0)
		add32(&s->sizes[class], 1, alone);
	add64(&s->bytes, c->bytes, alone);
	add64(&s->ns, ns, alone);
}

/* @e: the descriptor, for transfers; or NULL. */
static void count(struct slu_recorder *r, struct slu_rec_thread *t, const struct slu_rec_call *c, slu_ref file,
                  struct slu_rec_fd *e)
{
	struct slu_log_header *h = (struct slu_log_header *)atomic_load_explicit(&r->base, memory_order_relaxed);
	struct slu_log_file *f = slu_rec_at(r, file);
	enum slu_family family = slu_call_family(c->call);
	struct place p = { .offset = SLU_AT_POSITION };
	bool timed = c->begin != SLU_UNTIMED;
	uint64_t end = timed ? slu_max(slu_rec_now(r), c->begin) : h->last, ns = timed ? end - c->begin : 0;
	bool alone = __libc_single_threaded;

	if (family == SLU_FAMILY_READ || family == SLU_FAMILY_WRITE) {
		p = find_place(e, c);
		count_transfer(family == SLU_FAMILY_READ ? &f->read : &f->write, c, &p, ns, alone);
	} else {
		add32(&f->count[family], 1, alone);
		add64(&f->meta_ns, ns, alone);
	}
	if (SLU_UNLIKELY(c->error))
		add32(&f->errors, 1, alone);
	f->last = (uint32_t)((end - h->begin) >> 20);
	slu_rec_thread_call(r, t, c, end, file, p.offset);
	if (SLU_UNLIKELY(atomic_load_explicit(&r->n_maps, memory_order_relaxed)) &&
	    end - atomic_load_explicit(&r->maps_looked, memory_order_relaxed) > LOOK_AT_MAPS_EVERY_NS) {
		atomic_store_explicit(&r->maps_looked, end, memory_order_relaxed);
		slu_rec_look_at_maps(r);
	}
}

void slu_rec_path(struct slu_recorder *r, struct slu_rec_tls *tls, const struct slu_rec_call *c, int dirfd,
                  const char *path, uint32_t flags)
{
	int saved = errno;
	struct slu_rec_thread *t = slu_rec_enter(r, tls);

	if (t) {
		count(r, t, c, path ? slu_rec_path_file(r, dirfd, path, flags) : r->rest, NULL);
		slu_rec_leave(r, tls, t);
	}
	errno = saved;
}

/* @fd is open on @file from now on. */
static void note_fd(struct slu_recorder *r, int fd, slu_ref file)
{
	struct slu_rec_fd *e = slu_rec_fd_entry(r, fd);
	int max = atomic_load_explicit(&r->max_fd, memory_order_relaxed);

	if (!e)
		return;
	atomic_store_explicit(&e->file, file, memory_order_relaxed);
	atomic_store_explicit(&e->moved, 0, memory_order_relaxed);
	atomic_store_explicit(&e->at, 0, memory_order_relaxed);
	while (SLU_UNLIKELY(fd > max) && !atomic_compare_exchange_weak(&r->max_fd, &max, fd))
		;
}

void slu_rec_opened(struct slu_recorder *r, struct slu_rec_tls *tls, const struct slu_rec_call *c, int dirfd,
                    const char *path, int fd, uint32_t flags)
{
	int saved = errno;
	struct slu_rec_thread *t = slu_rec_enter(r, tls);

	if (t) {
		slu_ref file = path ? slu_rec_path_file(r, dirfd, path, flags) : r->rest;
		count(r, t, c, file, NULL);
		if (fd >= 0)
			note_fd(r, fd, file);
		slu_rec_leave(r, tls, t);
	} else if (fd >= 0) {
		(void)slu_rec_close(r, tls, fd); /* what it was before is not what it is */
	}
	errno = saved;
}

void slu_rec_fd(struct slu_recorder *r, struct slu_rec_tls *tls, const struct slu_rec_call *c, int fd)
{
	int saved = errno;
	struct slu_rec_thread *t = slu_rec_enter(r, tls);

	if (t) {
		count(r, t, c, slu_rec_fd_file(r, fd), slu_rec_fd_entry(r, fd));
		slu_rec_leave(r, tls, t);
	}
	errno = saved;
}

void slu_rec_seeked(struct slu_recorder *r, struct slu_rec_tls *tls, const struct slu_rec_call *c, int fd, uint64_t at)
{
	struct slu_rec_fd *e = slu_rec_fd_entry(r, fd);

	slu_rec_fd(r, tls, c, fd);
	if (e && !c->error)
		atomic_store_explicit(&e->at, at, memory_order_relaxed);
}

void slu_rec_on_file(struct slu_recorder *r, struct slu_rec_tls *tls, const struct slu_rec_call *c, slu_ref file)
{
	int saved = errno;
	struct slu_rec_thread *t = slu_rec_enter(r, tls);

	if (t) {
		count(r, t, c, file ? file : r->rest, NULL);
		slu_rec_leave(r, tls, t);
	}
	errno = saved;
}

void slu_rec_named(struct slu_recorder *r, struct slu_rec_tls *tls, const struct slu_rec_call *c, const char *name)
{
	int saved = errno;
	struct slu_rec_thread *t = slu_rec_enter(r, tls);

	if (t) {
		count(r, t, c, slu_rec_file(r, name, strlen(name), SLU_FILE_NOT_A_FILE), NULL);
		slu_rec_leave(r, tls, t);
	}
	errno = saved;
}

slu_ref slu_rec_close(struct slu_recorder *r, struct slu_rec_tls *tls, int fd)
{
	struct slu_rec_fd *e = slu_rec_fd_entry(r, fd);
	struct slu_rec_thread *t;
	int saved = errno;

	/* In a child that has no log yet, what is known of descriptors are places in its parent's. */
	if (SLU_UNLIKELY(!atomic_load_explicit(&r->base, memory_order_relaxed)) && (t = slu_rec_enter(r, tls)))
		slu_rec_leave(r, tls, t);
	errno = saved;
	return e ? atomic_exchange_explicit(&e->file, 0, memory_order_relaxed) : 0;
}

void slu_rec_dup(struct slu_recorder *r, int fd, int to)
{
	struct slu_rec_fd *from = slu_rec_fd_entry(r, fd), *e = slu_rec_fd_entry(r, to);

	if (!e)
		return;
	note_fd(r, to, from ? atomic_load_explicit(&from->file, memory_order_relaxed) : 0);
	if (from) {
		atomic_store_explicit(&e->at, atomic_load_explicit(&from->at, memory_order_relaxed),
		                      memory_order_relaxed);
		atomic_store_explicit(&e->next, atomic_load_explicit(&from->next, memory_order_relaxed),
		                      memory_order_relaxed);
		atomic_store_explicit(&e->moved, atomic_load_explicit(&from->moved, memory_order_relaxed),
		                      memory_order_relaxed);
	}
}

void slu_rec_flag(struct slu_recorder *r, int fd, uint32_t flags)
{
	struct slu_rec_fd *e = slu_rec_fd_entry(r, fd);
	slu_ref file = e ? atomic_load_explicit(&e->file, memory_order_relaxed) : 0;
	struct slu_log_file *f = slu_rec_at(r, file);

	if (file && (f->flags & flags) != flags)
		__atomic_fetch_or(&f->flags, flags, __ATOMIC_RELAXED);
}
