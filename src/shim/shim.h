/* SPDX-License-Identifier: MIT */
/*
 * The shim: one thin wrapper for each libc call that can meet a path or a descriptor of the view.
 *
 * A wrapper asks where its path or descriptor is; what is not ours goes on to the next definition of the
 * same name (libc, or another preloaded library) untouched, errno included. This folder holds the only process-wide
 * state of Sluice, in struct slu_shim.
 *
 * Invariants
 *  (1) the host's malloc is not used where it may be what calls us, or what a signal handler has interrupted:
 *      memory is our own (heap.c)
 *  (2) what we ourselves call in libc does not come back here: the linker sends the library's own open(), mmap() ...
 *      to inner.c (--wrap), which makes the system call
 *  (3) in a vfork child the tables are only read: its memory is its parent's (slu_in_vfork)
 *  (4) a descriptor of ours is a duplicate of a placeholder that cannot be read: a call that goes past us
 *      gets EBADF, never wrong bytes
 *  (5) nothing here prints, exits, or raises a signal
 */
#ifndef SLU_SHIM_SHIM_H
#define SLU_SHIM_SHIM_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/macros.h"
#include "shim/view.h"
#include "trace/record.h"
#include "vfs/fds.h"
#include "vfs/vfs.h"

#define SHIM __attribute__((visibility("default")))

/* A second name for a function of this file, which has the same arguments on 64-bit systems. */
#define SHIM_ALIAS(alias, name) __asm__(".globl " #alias "\n.type " #alias ", %function\n.set " #alias ", " #name "\n")

/* The next definition of @name after ours, with its own type. */
#define NEXT(name)                                                                                                     \
	({                                                                                                             \
		static _Atomic(void *) next_;                                                                          \
		void *f_ = atomic_load_explicit(&next_, memory_order_relaxed);                                         \
		(__typeof__(&name))(SLU_LIKELY(f_ != NULL) ? f_ : slu_next(&next_, #name));                            \
	})

void *slu_next(_Atomic(void *) *slot, const char *name);

enum slu_cwd_state {
	SLU_CWD_CLEAR = 0, /* a relative path without ".." cannot lead into a mount */
	SLU_CWD_ABOVE,     /* it can */
	SLU_CWD_INSIDE,    /* the working directory itself lies in a mount, or is made up */
};

struct slu_shim {
	_Atomic int state; /* enum slu_shim_state */
	struct slu_vfs vfs;
	struct slu_fds fds;
	_Atomic int placeholder;
	_Atomic int cwd_state;
	_Atomic bool any_real;    /* a file has been made real */
	_Atomic bool always_real; /* the program has an io_uring */
	char preload[PATH_MAX];   /* our own path */
	struct slu_recorder rec;  /* on by itself, with or without mounts */
};

enum slu_shim_state { SLU_SHIM_NEW = 0, SLU_SHIM_STARTING, SLU_SHIM_ON, SLU_SHIM_OFF };

extern struct slu_shim slu_shim;

/* In a child of vfork(), until it becomes another program. */
extern _Thread_local unsigned slu_vfork_depth __attribute__((tls_model("initial-exec")));
bool slu_vfork_is_child(void);
#define slu_in_vfork (SLU_UNLIKELY(slu_vfork_depth) && slu_vfork_is_child())

/* Reads the mounts, once. */
void slu_shim_start(void);

/* Whether there are mounts at all. */
static inline bool slu_shim_on(void)
{
	int state = atomic_load_explicit(&slu_shim.state, memory_order_acquire);

	if (SLU_LIKELY(state == SLU_SHIM_ON))
		return true;
	if (state == SLU_SHIM_NEW)
		slu_shim_start();
	return atomic_load_explicit(&slu_shim.state, memory_order_acquire) == SLU_SHIM_ON;
}

/* Whether new programs must get what we need: there are mounts, or it is recorded what they do. */
static inline bool slu_shim_carries(void)
{
	return slu_shim_on() || atomic_load_explicit(&slu_shim.rec.on, memory_order_relaxed);
}

/* errno for a failure of ours, noted in the ledger where the sample is to blame. Gives -1. */
int slu_shim_fail(int err);
int slu_shim_fail_open(const struct slu_open *o, int err);

/* Whether @fd is one of our own, which for the program is not there: errno is EBADF. */
static inline bool slu_is_hidden(int fd)
{
	if (SLU_LIKELY(!slu_vfs_keeps(&slu_shim.vfs, fd)) || slu_in_vfork)
		return false;
	errno = EBADF;
	return true;
}

/* ---- where.c: paths ---- */

struct slu_where {
	struct slu_place p;
	int err;          /* negative: ours, and this is what is wrong */
	int dirfd;        /* what to hand on, if it is not ours */
	const char *path; /* likewise */
	unsigned flags;
	struct slu_scratch *scratch; /* room for what needs it, or NULL */
};

/* One in a wrapper, which gives its scratch back at the end. */
#define SLU_WHERE(w) struct slu_where w __attribute__((cleanup(slu_where_done))) = { .scratch = NULL }
void slu_where_done(struct slu_where *w);

bool slu_where_slow(struct slu_where *w);

/* Whether it is NULL. libc's headers let the compiler believe that it cannot be: this makes it look. */
static inline bool slu_no_path(const char *path)
{
	__asm__("" : "+r"(path));
	return !path;
}

/* Whether relative paths from @dirfd stay outside: from a directory of the host that no mount covers. */
static inline bool slu_starts_outside(int dirfd)
{
	if (SLU_UNLIKELY(slu_shim.vfs.covers || slu_in_vfork))
		return false;
	if (dirfd == AT_FDCWD)
		return atomic_load_explicit(&slu_shim.cwd_state, memory_order_relaxed) == SLU_CWD_CLEAR;
	return !slu_fds_slot(&slu_shim.fds, dirfd);
}

/*
 * Whether (@dirfd, @path) is ours: then w->err and w->p tell what it is. If not, the call goes on with w->dirfd and
 * w->path, and where that fails slu_where_again() is asked.
 */
static inline bool slu_where(struct slu_where *w, int dirfd, const char *path, unsigned flags)
{
	w->dirfd = dirfd;
	w->path = path;
	w->flags = flags;
	if (SLU_UNLIKELY(!slu_shim_on()) || slu_no_path(path))
		return false;
	if (path[0] != '/' && SLU_LIKELY(slu_starts_outside(dirfd)))
		return false;
	return slu_where_slow(w);
}

/* After a call that went on has failed: whether the path was ours after all, by way of a link of the host. */
bool slu_where_again(struct slu_where *w);

/* The whole path of what was found. */
SLU_MUST_USE int slu_where_path(const struct slu_where *w, char ret_path[PATH_MAX]);

/* A note in the ledger, with the whole path where that is known. */
void slu_where_note(const struct slu_where *w, enum slu_note what, int err, const char *detail);

/* The errno (positive) of what was not found, or cannot be changed. */
int slu_where_error(const struct slu_where *w);
int slu_where_readonly(const struct slu_where *w);

/* The descriptor named by "/proc/self/fd/N", "/dev/fd/N" and the like if it is ours, or -1. */
int slu_where_fd_name(const char *path);

/* What is behind "/proc/self/cwd" and the like in @path; NULL: it is not such. */
const char *slu_cwd_name_rest(const char *path);

/* The path of the directory that an open file of ours is. */
SLU_MUST_USE int slu_open_path(const struct slu_open *o, char ret_path[PATH_MAX]);

/* ---- cwd.c ---- */

/* Whether the working directory is one that the kernel does not know. */
bool slu_cwd_is_inside(void);

/* The working directory as the program sees it. */
SLU_MUST_USE int slu_cwd_get(char ret_path[PATH_MAX]);
void slu_cwd_start(const char *from_env);
/* "SLUICE_CWD=..." for a new program, or NULL. */
const char *slu_cwd_env(char *buf, size_t cap);
/* In the parent after vfork(), which has its memory again. */
void slu_cwd_after_vfork(void);

/* ---- open.c ---- */

/* Opens what was found: a descriptor, or -1 and errno. */
int slu_open_where(struct slu_where *w, int flags);
/* SLU_NOFOLLOW for open flags that ask for it. */
unsigned slu_open_follow(int flags);
/* open(2) with every name that libc has for it comes here. */
int slu_open_at(int dirfd, const char *path, int flags, mode_t mode);

/* The open file behind @fd: held; NULL if it is not ours. */
static inline struct slu_open *slu_get(int fd)
{
	if (SLU_LIKELY(!slu_fds_slot(&slu_shim.fds, fd)) || SLU_UNLIKELY(slu_in_vfork))
		return NULL;
	return slu_fds_get(&slu_shim.fds, fd);
}

static inline void slu_put(struct slu_open *o)
{
	slu_fds_put(&slu_shim.fds, o);
}

/* The same, but only where the bytes are still ours to give. */
static inline struct slu_open *slu_get_unreal(int fd)
{
	struct slu_open *o = slu_get(fd);

	if (SLU_LIKELY(!o) || SLU_LIKELY(!atomic_load_explicit(&o->real, memory_order_acquire)))
		return o;
	slu_put(o);
	return NULL;
}

/* ---- real.c: making files real ---- */

/* A descriptor of a sealed file in memory with the bytes, read-only; or a negative errno. */
SLU_MUST_USE int slu_real_copy(struct slu_file *f);

enum slu_real_how {
	SLU_REAL,
	SLU_REAL_OR_BROKEN, /* a damaged one stays what cannot be read, also in another process */
};

/*
 * Puts such a file behind all descriptors of the open file that @fd is, at its position, if it is ours and not real
 * yet. False: it could not be, errno is set.
 */
bool slu_real_fd(int fd, enum slu_real_how how);

/* The same for all that a new program, or a child, may come by. What cannot be made real stays what it is. */
enum slu_inherit {
	SLU_INHERIT_EXEC, /* what a new program inherits now */
	SLU_INHERIT_FORK, /* and small files, which a child may let it inherit */
	SLU_INHERIT_ALL,  /* everything */
};
void slu_real_inherited(enum slu_inherit which);

/* ---- stat.c ---- */

SLU_MUST_USE int slu_stat_where(struct slu_where *w, struct stat *ret_st);

/* ---- dir.c ---- */

void slu_dir_start(void);

/* ---- map.c ---- */

/* In the child: the lock may be one of a thread that is not here. */
void slu_map_after_fork(void);

/* ---- exec.c ---- */

int execveat(int dirfd, const char *path, char *const argv[], char *const env[], int flags);

/* Whether the program at @path is one that the shim will not be in, noted in the ledger. */
void slu_exec_note(const char *path);

#endif
