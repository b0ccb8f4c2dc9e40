/* SPDX-License-Identifier: MIT */
/*
 * Descriptors: which of a process's are ours, and what is open behind them.
 *
 * As in the kernel there are two levels. A table says for each descriptor which open file it is (0: not
 * ours); dup() makes two descriptors of one open file, fork() two processes with the same open files. What
 * POSIX lets them share (position, status flags, flock) lies in a slab of shared memory that forked
 * processes inherit; all else is private to the process and copied by fork().
 *
 * Invariants
 *  (1) a position is changed by compare-and-swap alone: no lock that a killed process could leave behind
 *  (2) an open file is used between slu_fds_get() and slu_fds_put(), so that a close in another thread cannot
 *      take it away
 *  (3) between slu_fds_begin() and slu_fds_end() the table and the kernel's descriptors may differ; who makes a file
 *      real waits until nobody is there. fork() waits for nobody (a handler over a thread that has malloc's lock may be
 *      at a gate, and libc's fork() wants that lock): its child puts its table right instead
 *  (4) the slab counts processes ("holders"), a process counts its descriptors. A killed process leaves its
 *      holders behind: such slots are lost, 32 bytes each; when all are taken new files are made real at once
 */
#ifndef SLU_VFS_FDS_H
#define SLU_VFS_FDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "vfs/file.h"
#include "vfs/vfs.h"

enum { SLU_GATES = 16 };

enum slu_open_kind { SLU_OPEN_FILE = 1, SLU_OPEN_DIR, SLU_OPEN_LINK /* O_PATH|O_NOFOLLOW */, SLU_OPEN_MADE };

/* Shared between forked processes. */
struct slu_shared {
	_Atomic uint64_t position; /* with its era: see slu_position() */
	_Atomic uint32_t holders;
	_Atomic uint32_t flags; /* as F_GETFL gives them */
	_Atomic uint32_t lock;  /* LOCK_SH, LOCK_EX or 0 */
	_Atomic uint32_t next;  /* of the free slots */
	uint64_t file;          /* which file, for locks: mount << 48 | node */
};

/* Private to a process. */
struct slu_open {
	_Atomic uint32_t users;    /* descriptors, and calls under way */
	_Atomic uint64_t left_era; /* the era that this process has left the position to the others with */
	_Atomic bool real;         /* the kernel has a file with the bytes behind the descriptors */
	uint8_t kind;              /* enum slu_open_kind */
	bool path_only;            /* O_PATH */
	struct slu_mount *mount;
	uint64_t node;
	struct slu_file file; /* of SLU_OPEN_FILE */
	char *path;           /* of SLU_OPEN_MADE */
	_Atomic bool kept;    /* by the child of a fork(), while it looks through its table */
};

struct slu_fds {
	_Atomic uint32_t *table; /* by descriptor: slot + 1, or 0 */
	uint32_t size;           /* of the table */
	_Atomic uint32_t top;    /* no descriptor of ours is above */
	struct slu_shared *shared;
	struct slu_open *opens;
	uint32_t slots;
	_Atomic uint64_t *free;   /* in shared memory: tag << 32 | first free slot + 1 */
	_Atomic uint32_t *used;   /* likewise: slots that were ever given out */
	_Atomic uint32_t stopped; /* somebody keeps all others out */
	struct {
		_Atomic int32_t busy; /* threads between begin and end */
		char apart[60];       /* one cache line each */
	} gate[SLU_GATES];
};

/* Maps the tables. Until then (all zero) no descriptor is ours. */
SLU_MUST_USE int slu_fds_init(struct slu_fds *t);

/* The slot of @fd plus 1, or 0. */
static inline uint32_t slu_fds_slot(const struct slu_fds *t, int fd)
{
	return (unsigned)fd < t->size ? atomic_load_explicit(&t->table[fd], memory_order_acquire) : 0;
}

/* The open file behind @fd, held until slu_fds_put(); NULL: not ours. */
struct slu_open *slu_fds_get(struct slu_fds *t, int fd);
void slu_fds_put(struct slu_fds *t, struct slu_open *o);
/* Once more, for one who holds it already. */
void slu_fds_hold(struct slu_open *o);

static inline struct slu_shared *slu_fds_shared(struct slu_fds *t, const struct slu_open *o)
{
	return &t->shared[o - t->opens];
}

/* A new open file, held by one user (the caller). -ENFILE: no slot is left. */
SLU_MUST_USE int slu_fds_new(struct slu_fds *t, uint32_t flags, struct slu_open **ret_open);

/* @fd is @o from now on; takes the caller's hold. -EMFILE: @fd is beyond the table. */
SLU_MUST_USE int slu_fds_bind(struct slu_fds *t, int fd, struct slu_open *o);

/* @fd is not ours any more. Whether it was. */
bool slu_fds_drop(struct slu_fds *t, int fd);

/*
 * A handler may call us over its own thread: it goes in where the thread is in already, and signals are blocked where
 * others are kept out.
 *
 * Around every step that changes both the table and the kernel's descriptors. Waits while a fork() is under way.
 * The result is to be given to slu_fds_end().
 */
unsigned slu_fds_begin(struct slu_fds *t);
void slu_fds_end(struct slu_fds *t, unsigned gate);

/* Whether this thread is behind a gate itself: then we are in a signal handler over it. */
bool slu_fds_is_inside(void);

/* Closes the gates and waits until nobody is behind them; opens them. */
void slu_fds_stop(struct slu_fds *t);
void slu_fds_go(struct slu_fds *t);

/* Before fork(): the child will hold everything too. Several threads may do so at once. */
void slu_fds_hold_all(struct slu_fds *t);

/* In the parent. Without a child (fork() failed) what it would have held is given back. */
void slu_fds_forked(struct slu_fds *t, bool has_child);

/*
 * In the child: what other threads were opening or closing meanwhile is not ours. @dev is the device of our
 * placeholders and real files.
 */
void slu_fds_after_fork(struct slu_fds *t, dev_t dev);

/* At the end of the process: no descriptor is ours any more. */
void slu_fds_release_all(struct slu_fds *t);

/* ---- positions ---- */

/*
 * A position is kept with the era that it belongs to, in the upper bits: a new one begins when a process takes the
 * file to the kernel and leaves the position to the others who share it. So a reader can tell whether what it took was
 * still its own.
 */
enum { SLU_POSITION_BITS = 56 };
#define SLU_MAX_POSITION ((UINT64_C(1) << SLU_POSITION_BITS) - 1)
#define SLU_MOVED UINT64_MAX /* somebody is taking it */

static inline uint64_t slu_position(uint64_t word)
{
	return word == SLU_MOVED ? SLU_MOVED : word & SLU_MAX_POSITION;
}

static inline uint64_t slu_era(uint64_t word)
{
	return word & ~SLU_MAX_POSITION;
}

/*
 * Takes @len bytes at the position, as many as there are before @size: moves the position behind them, gives the count
 * in *@ret_len and the word as it was. SLU_MOVED: nothing was taken.
 */
uint64_t slu_fds_advance(struct slu_shared *s, uint64_t size, uint64_t len, uint64_t *ret_len);

/* flock(2) among the open files of this slab. -EWOULDBLOCK: another has it. */
SLU_MUST_USE int slu_fds_lock(struct slu_fds *t, struct slu_open *o, unsigned how);

#endif
