/* SPDX-License-Identifier: MIT */
/* Descriptors and the open files behind them. See fds.h. */
#include "vfs/fds.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"

/*
 * While a process has one thread, what only its own threads share is changed without locked instructions, which
 * make up a good part of an open and a close. (A handler that comes between puts back what it takes.)
 */
#if defined(__has_include) && __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define ALONE SLU_LIKELY(__libc_single_threaded)
#else
#define ALONE 0
#endif

static inline uint32_t swap(_Atomic uint32_t *word, uint32_t value)
{
	uint32_t old;

	if (!ALONE)
		return atomic_exchange(word, value);
	old = atomic_load_explicit(word, memory_order_relaxed);
	atomic_store_explicit(word, value, memory_order_relaxed);
	return old;
}

/* Address space only: pages come with use. */
enum { MAX_FDS = 1 << 20, MAX_SLOTS = 1 << 20, HEAD = 4096 };

static void *map_zero(size_t bytes, int flags)
{
	void *m = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return m == MAP_FAILED ? NULL : m;
}

int slu_fds_init(struct slu_fds *t)
{
	uint8_t *shared = map_zero(HEAD + (size_t)MAX_SLOTS * sizeof(struct slu_shared), MAP_SHARED);
	struct slu_open *opens = map_zero((size_t)MAX_SLOTS * sizeof(*opens), MAP_PRIVATE);
	_Atomic uint32_t *table = map_zero((size_t)MAX_FDS * sizeof(*table), MAP_PRIVATE);

	if (!shared || !opens || !table)
		return slu_fail_memory(); /* what was mapped stays: the process has other worries */
	t->free = (_Atomic uint64_t *)shared;
	t->used = (_Atomic uint32_t *)(shared + 64);
	t->shared = (struct slu_shared *)(shared + HEAD);
	t->opens = opens;
	t->table = table;
	t->slots = MAX_SLOTS;
	t->size = MAX_FDS;
	return 0;
}

/* ---- slots ------------------------------------------------------------------------------------- */

static uint32_t pop_free(struct slu_fds *t)
{
	uint64_t head = atomic_load(t->free);

	while ((uint32_t)head) {
		uint32_t slot = (uint32_t)head - 1;
		uint64_t next =
			((head >> 32) + 1) << 32 | atomic_load_explicit(&t->shared[slot].next, memory_order_relaxed);
		if (atomic_compare_exchange_weak(t->free, &head, next))
			return slot + 1;
	}
	return 0;
}

static void push_free(struct slu_fds *t, uint32_t slot)
{
	uint64_t head = atomic_load(t->free), next;

	do {
		atomic_store_explicit(&t->shared[slot].next, (uint32_t)head, memory_order_relaxed);
		next = ((head >> 32) + 1) << 32 | (slot + 1);
	} while (!atomic_compare_exchange_weak(t->free, &head, next));
}

int slu_fds_new(struct slu_fds *t, uint32_t flags, struct slu_open **ret_open)
{
	uint32_t slot = pop_free(t);
	struct slu_shared *s;
	struct slu_open *o;

	if (!slot) {
		if (atomic_load(t->used) >= t->slots || (slot = atomic_fetch_add(t->used, 1) + 1) > t->slots)
			return -ENFILE;
	}
	s = &t->shared[slot - 1];
	o = &t->opens[slot - 1];
	atomic_store_explicit(&s->position, 0, memory_order_relaxed);
	atomic_store_explicit(&s->flags, flags, memory_order_relaxed);
	atomic_store_explicit(&s->lock, 0, memory_order_relaxed);
	atomic_store_explicit(&s->holders, 1, memory_order_relaxed);
	o->mount = NULL;
	o->node = 0;
	o->path = NULL;
	o->path_only = false;
	o->file = (struct slu_file){ 0 };
	atomic_store_explicit(&o->left_era, SLU_MOVED, memory_order_relaxed);
	atomic_store_explicit(&o->real, false, memory_order_relaxed);
	atomic_store_explicit(&o->users, 1, memory_order_release);
	*ret_open = o;
	return 0;
}

static void release_shared(struct slu_fds *t, struct slu_open *o)
{
	struct slu_shared *s = slu_fds_shared(t, o);

	if (atomic_fetch_sub(&s->holders, 1) == 1)
		push_free(t, (uint32_t)(o - t->opens));
}

void slu_fds_put(struct slu_fds *t, struct slu_open *o)
{
	uint32_t users = atomic_load_explicit(&o->users, memory_order_relaxed);

	if (ALONE)
		atomic_store_explicit(&o->users, users - 1, memory_order_relaxed);
	else
		users = atomic_fetch_sub_explicit(&o->users, 1, memory_order_acq_rel);
	if (users != 1)
		return;
	slu_file_done(&o->file);
	free(o->path);
	release_shared(t, o);
}

static bool hold(struct slu_open *o)
{
	uint32_t n = atomic_load_explicit(&o->users, memory_order_relaxed);

	if (ALONE && n) {
		atomic_store_explicit(&o->users, n + 1, memory_order_relaxed);
		return true;
	}
	while (n)
		if (atomic_compare_exchange_weak_explicit(&o->users, &n, n + 1, memory_order_acquire,
		                                          memory_order_relaxed))
			return true;
	return false;
}

void slu_fds_hold(struct slu_open *o)
{
	(void)hold(o); /* held, so that it is not 0 */
}

struct slu_open *slu_fds_get(struct slu_fds *t, int fd)
{
	uint32_t slot;

	while ((slot = slu_fds_slot(t, fd))) {
		struct slu_open *o = &t->opens[slot - 1];
		if (SLU_LIKELY(hold(o))) {
			if (SLU_LIKELY(slu_fds_slot(t, fd) == slot))
				return o;
			slu_fds_put(t, o); /* closed meanwhile, and perhaps opened as another */
		}
	}
	return NULL;
}

int slu_fds_bind(struct slu_fds *t, int fd, struct slu_open *o)
{
	uint32_t top = atomic_load_explicit(&t->top, memory_order_relaxed), old;

	if ((unsigned)fd >= t->size)
		return -EMFILE;
	while (top < (uint32_t)fd && !atomic_compare_exchange_weak(&t->top, &top, (uint32_t)fd))
		;
	old = swap(&t->table[fd], (uint32_t)(o - t->opens) + 1);
	if (old) /* the kernel gave the number anew: whoever closed it went past us */
		slu_fds_put(t, &t->opens[old - 1]);
	return 0;
}

bool slu_fds_drop(struct slu_fds *t, int fd)
{
	uint32_t old;

	if (!slu_fds_slot(t, fd) || !(old = swap(&t->table[fd], 0)))
		return false;
	slu_fds_put(t, &t->opens[old - 1]);
	return true;
}

/* ---- processes ------------------------------------------------------------------------------------- */

/* How often this thread is behind a gate: more than once in a signal handler over itself. */
static _Thread_local int inside __attribute__((tls_model("initial-exec")));
static _Thread_local sigset_t mask_before __attribute__((tls_model("initial-exec")));
static _Thread_local int stops __attribute__((tls_model("initial-exec")));

static unsigned own_gate(void)
{
	return (unsigned)(((uintptr_t)&inside >> 12) * 2654435761u >> 16) % SLU_GATES;
}

bool slu_fds_is_inside(void)
{
	return inside > 0;
}

unsigned slu_fds_begin(struct slu_fds *t)
{
	unsigned gate = own_gate();

	if (ALONE) {
		inside++;
		return SLU_GATES;
	}
	for (;;) {
		inside++; /* first: a handler that comes now must not wait for us */
		atomic_signal_fence(memory_order_seq_cst);
		atomic_fetch_add(&t->gate[gate].busy, 1);
		if (SLU_LIKELY(!atomic_load(&t->stopped)) || inside > 1 || stops)
			return gate;
		atomic_fetch_sub(&t->gate[gate].busy, 1);
		atomic_signal_fence(memory_order_seq_cst);
		inside--;
		while (atomic_load(&t->stopped))
			sched_yield();
	}
}

void slu_fds_end(struct slu_fds *t, unsigned gate)
{
	if (gate < SLU_GATES)
		atomic_fetch_sub_explicit(&t->gate[gate].busy, 1, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	inside--;
}

/* By the system call: the host may have a pthread_sigmask() of its own. */
static void set_mask(const sigset_t *mask, sigset_t *ret_before)
{
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, mask, ret_before, (size_t)8);
}

/* In case that a thread dies behind a gate: nothing waits for ever. */
enum { MAX_YIELDS = 1000000 };

void slu_fds_stop(struct slu_fds *t)
{
	unsigned mine = own_gate();
	uint32_t none = 0;
	sigset_t all, before;
	unsigned i = 0;

	memset(&all, 0xff, sizeof(all));
	set_mask(&all, &before);
	if (stops++ == 0)
		mask_before = before;
	if (stops > 1)
		return;
	while (!atomic_compare_exchange_weak(&t->stopped, &none, 1) && i++ < MAX_YIELDS) {
		none = 0;
		sched_yield();
	}
	for (unsigned g = 0; g < SLU_GATES; g++)
		while (atomic_load(&t->gate[g].busy) > (g == mine ? inside : 0) && i++ < MAX_YIELDS)
			sched_yield();
}

void slu_fds_go(struct slu_fds *t)
{
	if (--stops > 0)
		return;
	atomic_store(&t->stopped, 0);
	set_mask(&mask_before, NULL);
}

/*
 * What a thread has counted for the child that it is about to have: a bit a slot. Each thread has its own, since
 * several may fork at once, and the child has that of the thread it comes from. One in a handler lies over the one
 * before.
 */
struct counted {
	struct counted *below;
	size_t bytes; /* of this mapping */
	uint32_t slots;
	uint64_t bits[];
};

static _Thread_local struct counted *counted __attribute__((tls_model("initial-exec")));
static _Thread_local unsigned uncounted __attribute__((tls_model("initial-exec"))); /* for want of memory */

static struct counted *push_counted(uint32_t slots)
{
	size_t bytes = sizeof(struct counted) + (slots / 64 + 1) * sizeof(uint64_t);
	struct counted *c = map_zero(bytes, MAP_PRIVATE);

	if (!c) {
		uncounted++; /* the child gives up what it finds */
		return NULL;
	}
	c->below = counted;
	c->bytes = bytes;
	c->slots = slots;
	return counted = c;
}

/* What lies on top, or NULL if that was not counted. */
static struct counted *top_counted(void)
{
	return uncounted ? NULL : counted;
}

static void pop_counted(void)
{
	struct counted *c = top_counted();

	if (uncounted) {
		uncounted--;
	} else if (c) {
		counted = c->below;
		(void)munmap(c, c->bytes);
	}
}

static bool is_counted(const struct counted *c, uint32_t slot)
{
	return c && slot < c->slots && (c->bits[slot / 64] >> slot % 64 & 1);
}

void slu_fds_hold_all(struct slu_fds *t)
{
	struct counted *c = push_counted(t->table ? (uint32_t)slu_min(atomic_load(t->used), t->slots) : 0);
	uint32_t top = t->table ? atomic_load(&t->top) : 0;

	for (uint32_t fd = 0; t->table && c && fd <= top; fd++) {
		struct slu_open *o = slu_fds_get(t, (int)fd); /* held: else its slot might be another's by now */
		uint32_t slot = o ? (uint32_t)(o - t->opens) : 0;
		if (!o)
			continue;
		if (slot < c->slots && !is_counted(c, slot)) {
			c->bits[slot / 64] |= UINT64_C(1) << slot % 64;
			atomic_fetch_add(&slu_fds_shared(t, o)->holders, 1);
		}
		slu_fds_put(t, o);
	}
}

void slu_fds_forked(struct slu_fds *t, bool has_child)
{
	const struct counted *c = top_counted();

	for (uint32_t slot = 0; !has_child && c && slot < c->slots; slot++)
		if (is_counted(c, slot))
			release_shared(t, &t->opens[slot]);
	pop_counted();
}

/* Another thread may have been making @o real as the child was copied. Placeholders are open for writing only. */
static void settle(struct slu_open *o, int fd, bool first)
{
	int flags = fcntl(fd, F_GETFL);
	bool real = flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;

	if (o->kind != SLU_OPEN_FILE || o->path_only)
		return;
	if (!real)
		atomic_store(&o->left_era, SLU_MOVED);
	if (first || !real)
		atomic_store(&o->real, real);
}

/*
 * The child's descriptors were copied, and then its memory, page by page, while other threads went on: an entry of the
 * table may be there whose open file is gone, and the other way round. What counts is what was counted, since such a
 * slot can be nobody else's, and what the kernel says of the descriptor.
 */
void slu_fds_after_fork(struct slu_fds *t, dev_t dev)
{
	uint32_t top = t->table ? atomic_load(&t->top) : 0;
	const struct counted *c = top_counted();
	struct stat st;
	bool first;

	for (unsigned g = 0; g < SLU_GATES; g++)
		atomic_store(&t->gate[g].busy, g == own_gate() ? inside : 0);
	atomic_store(&t->stopped, stops > 0);
	for (uint32_t fd = 0; t->table && fd <= top; fd++) {
		uint32_t slot = slu_fds_slot(t, (int)fd);
		struct slu_open *o = slot ? &t->opens[slot - 1] : NULL;
		if (!o)
			continue;
		if (!is_counted(c, slot - 1) || !atomic_load(&o->users)) {
			atomic_store(&t->table[fd], 0); /* opened after all were counted, or closed since */
			continue;
		}
		first = !atomic_exchange(&o->kept, true);
		if (fstat((int)fd, &st) < 0 || st.st_dev != dev)
			slu_fds_drop(t, (int)fd);
		else
			settle(o, (int)fd, first);
	}
	for (uint32_t slot = 0; c && slot < c->slots; slot++)
		if (is_counted(c, slot) && !atomic_exchange(&t->opens[slot].kept, false))
			release_shared(t, &t->opens[slot]);
	pop_counted();
}

void slu_fds_release_all(struct slu_fds *t)
{
	uint32_t top = t->table ? atomic_load(&t->top) : 0;

	for (uint32_t fd = 0; t->table && fd <= top; fd++)
		slu_fds_drop(t, (int)fd); /* one by one: another thread may be closing too */
}

/* ---- what is shared ---------------------------------------------------------------------------------- */

uint64_t slu_fds_advance(struct slu_shared *s, uint64_t size, uint64_t len, uint64_t *ret_len)
{
	uint64_t word = atomic_load_explicit(&s->position, memory_order_relaxed), at, n;

	do {
		at = slu_position(word);
		n = at < size ? slu_min(len, size - at) : 0; /* SLU_MOVED is beyond any size */
	} while (n && !atomic_compare_exchange_weak(&s->position, &word, word + n));
	*ret_len = n;
	return word;
}

/* Whether another open file of the same file has a lock that forbids @how. */
static bool is_locked_out(struct slu_fds *t, const struct slu_shared *mine, unsigned how)
{
	uint32_t used = (uint32_t)slu_min(atomic_load(t->used), t->slots);

	for (uint32_t i = 0; i < used; i++) {
		const struct slu_shared *s = &t->shared[i];
		uint32_t lock = atomic_load(&s->lock);
		if (s != mine && lock && atomic_load(&s->holders) && s->file == mine->file &&
		    (lock == LOCK_EX || how == LOCK_EX))
			return true;
	}
	return false;
}

int slu_fds_lock(struct slu_fds *t, struct slu_open *o, unsigned how)
{
	struct slu_shared *s = slu_fds_shared(t, o);
	uint32_t before = atomic_load(&s->lock);

	if (how == LOCK_UN) {
		atomic_store(&s->lock, 0);
		return 0;
	}
	/* Shown first and looked around second: of two who want it at once at most one gets it. */
	atomic_store(&s->lock, how);
	if (!is_locked_out(t, s, how))
		return 0;
	atomic_store(&s->lock, before == LOCK_EX && how == LOCK_SH ? before : 0);
	return -EWOULDBLOCK;
}
