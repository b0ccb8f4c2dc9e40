/* SPDX-License-Identifier: MIT */
/*
 * What traced-*.c are made of: a wrapper looks at the clock, lets the view answer, and tells the recorder. Where
 * nothing is recorded it costs a load and a branch.
 */
#ifndef SLU_SHIM_TRACED_H
#define SLU_SHIM_TRACED_H

#include "shim/shim.h"
#include "trace/record.h"

extern _Thread_local struct slu_rec_tls slu_rec_tls __attribute__((tls_model("initial-exec")));

/*
 * A second name for a wrapper within the library, where the plain one would go to inner.c: for calls that are the
 * program's, as syscall(2) makes them.
 */
#define SHIM_OWN(name)                                                                                                 \
	__asm__(".globl slu_own_" #name "\n.hidden slu_own_" #name "\n.set slu_own_" #name ", " #name "\n")

int slu_own_close(int fd);
int slu_own_dup3(int fd, int to, int flags);
int slu_own_fcntl(int fd, int cmd, ...);
int slu_own_fstat(int fd, struct stat *st);
off_t slu_own_lseek(int fd, off_t offset, int whence);
void *slu_own_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset);
int slu_own_munmap(void *at, size_t len);
ssize_t slu_own_pread(int fd, void *buf, size_t n, off_t offset);
ssize_t slu_own_pwrite(int fd, const void *buf, size_t n, off_t offset);
/* open(2) in all its forms. */
int slu_own_open_at(int dirfd, const char *path, int flags, mode_t mode);

/* When a call begins; 0: it is not recorded. A vfork child's memory is its parent's: what it does is not. */
static inline uint64_t slu_traced_begin(void)
{
	if (SLU_LIKELY(!atomic_load_explicit(&slu_shim.rec.on, memory_order_relaxed)) || slu_in_vfork)
		return 0;
	return slu_rec_now(&slu_shim.rec);
}

static inline struct slu_rec_call slu_traced_call(uint64_t begin, enum slu_call call, bool failed)
{
	return (struct slu_rec_call){
		.call = call, .begin = begin, .error = failed ? errno : 0, .offset = SLU_AT_POSITION
	};
}

static inline void slu_traced_path(uint64_t begin, enum slu_call call, int dirfd, const char *path, bool failed)
{
	struct slu_rec_call c;

	if (SLU_LIKELY(!begin))
		return;
	c = slu_traced_call(begin, call, failed);
	slu_rec_path(&slu_shim.rec, &slu_rec_tls, &c, dirfd, path, 0);
}

static inline void slu_traced_fd(uint64_t begin, enum slu_call call, int fd, bool failed)
{
	struct slu_rec_call c;

	if (SLU_LIKELY(!begin))
		return;
	c = slu_traced_call(begin, call, failed);
	slu_rec_fd(&slu_shim.rec, &slu_rec_tls, &c, fd);
}

/* A read or write that gave @got; @offset: where, or SLU_AT_POSITION. */
static inline void slu_traced_io(uint64_t begin, enum slu_call call, int fd, ssize_t got, uint64_t offset)
{
	struct slu_rec_call c;

	if (SLU_LIKELY(!begin))
		return;
	c = slu_traced_call(begin, call, got < 0);
	c.bytes = got < 0 ? 0 : (uint64_t)got;
	c.offset = offset;
	slu_rec_fd(&slu_shim.rec, &slu_rec_tls, &c, fd);
}

void slu_traced_opened(uint64_t begin, enum slu_call call, int dirfd, const char *path, int fd, uint32_t flags);

/* A descriptor that is about to be closed: what it was. */
static inline slu_ref slu_traced_closing(uint64_t begin, int fd)
{
	return SLU_LIKELY(!begin) ? 0 : slu_rec_close(&slu_shim.rec, &slu_rec_tls, fd);
}

static inline void slu_traced_closed(uint64_t begin, enum slu_call call, slu_ref file, bool failed)
{
	struct slu_rec_call c;

	if (SLU_LIKELY(!begin))
		return;
	c = slu_traced_call(begin, call, failed);
	slu_rec_on_file(&slu_shim.rec, &slu_rec_tls, &c, file);
}

/* Submitted past the names: by syscall(2). */
void slu_traced_submitted(uint64_t begin, long n, struct iocb **list);
void slu_traced_uring(uint64_t begin, long n);

/* Wrappers that need no more than this: their arguments, and which of them is the path or descriptor. */
#define TRACED_AT(type, name, call, dirfd, path, params, args)                                                         \
	SHIM type name params                                                                                          \
	{                                                                                                              \
		uint64_t begin = slu_traced_begin();                                                                   \
		type r = slu_view_##name args;                                                                         \
		slu_traced_path(begin, SLU_CALL_##call, dirfd, path, r < 0);                                           \
		return r;                                                                                              \
	}

#define TRACED_PATH(type, name, call, path, params, args) TRACED_AT(type, name, call, AT_FDCWD, path, params, args)

#define TRACED_FD(type, name, call, fd, params, args)                                                                  \
	SHIM type name params                                                                                          \
	{                                                                                                              \
		uint64_t begin = slu_traced_begin();                                                                   \
		type r = slu_view_##name args;                                                                         \
		slu_traced_fd(begin, SLU_CALL_##call, fd, r < 0);                                                      \
		return r;                                                                                              \
	}

#define TRACED_IO(name, call, offset, params, args)                                                                    \
	SHIM ssize_t name params                                                                                       \
	{                                                                                                              \
		uint64_t begin = slu_traced_begin();                                                                   \
		ssize_t r = slu_view_##name args;                                                                      \
		slu_traced_io(begin, SLU_CALL_##call, fd, r, offset);                                                  \
		return r;                                                                                              \
	}

/* ---- the life of the process: traced.c ---- */

/* Begins recording if the environment asks for it. */
void slu_traced_start(void);
/* A descriptor that comes from elsewhere: what was known of its number is not true any more. */
void slu_traced_forget(int fd);
/* Before this process becomes another program; and if it could not. */
void slu_traced_leave(void);
void slu_traced_stay(void);
/* At the end. */
void slu_traced_exit(void);
/* In a forked child. */
void slu_traced_forked(void);
/* The working directory has changed. */
void slu_traced_moved(void);

#endif
