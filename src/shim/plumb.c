/* SPDX-License-Identifier: MIT */
/*
 * Descriptors as such: dup, fcntl, ioctl, locks, terminals.
 *
 * All descriptors of ours are duplicates of one placeholder, so what the kernel keeps for an open file (flags,
 * locks) would be shared by all files: it is kept in the slab instead.
 */
#include "shim/shim.h"

#include "pack/pack.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* ---- dup ---------------------------------------------------------------------------------------------------- */

/* @copy, which the kernel has made of @fd, is what @fd is. */
static int bind_copy(int fd, int copy)
{
	struct slu_open *o;

	if (copy < 0 || slu_in_vfork)
		return copy;
	o = slu_get(fd);
	if (!o) {
		slu_fds_drop(&slu_shim.fds, copy);
		return copy;
	}
	if (slu_fds_bind(&slu_shim.fds, copy, o) == 0)
		return copy; /* with the hold */
	slu_put(o);
	close(copy);
	errno = EMFILE;
	return -1;
}

static bool is_ours(int fd)
{
	return slu_fds_slot(&slu_shim.fds, fd) && !slu_in_vfork;
}

/* A kernel call that copies @fd, or closes what @to was, with the table in step. */
#define IN_STEP(fd, to, call)                                                                                          \
	({                                                                                                             \
		bool gated_ = is_ours(fd) || is_ours(to);                                                              \
		unsigned gate_ = gated_ ? slu_fds_begin(&slu_shim.fds) : 0;                                            \
		int copy_ = bind_copy(fd, call);                                                                       \
		if (gated_)                                                                                            \
			slu_fds_end(&slu_shim.fds, gate_);                                                             \
		copy_;                                                                                                 \
	})

int slu_view_dup(int fd)
{
	if (slu_is_hidden(fd))
		return -1;
	return IN_STEP(fd, -1, NEXT(dup)(fd));
}

/* A descriptor of our own is in the way of @to, which the program may choose: move it. */
static void make_way(int to)
{
	int other = fcntl(to, F_DUPFD_CLOEXEC, to + 1);

	for (unsigned i = 0; i < slu_shim.vfs.n; i++) {
		struct slu_pack *p = atomic_load(&slu_shim.vfs.mounts[i].pack);
		if (p && p->dirfd == to)
			p->dirfd = other;
	}
	if (to == atomic_load(&slu_shim.placeholder))
		atomic_store(&slu_shim.placeholder, other);
	for (uint32_t k = 0; k < SLU_MAX_KEPT; k++)
		if (atomic_load(&slu_shim.vfs.kept[k]) == to)
			atomic_store(&slu_shim.vfs.kept[k], other);
}

/* In a vfork child, for what was too large to be made real before: a copy of its own. */
static int dup_in_vfork(int fd, int to, int flags)
{
	struct slu_open *o = slu_fds_get(&slu_shim.fds, fd);
	int real = -1, r;

	if (o && o->kind == SLU_OPEN_FILE && !atomic_load(&o->real) && (real = slu_real_copy(&o->file)) >= 0)
		(void)lseek(real, (off_t)slu_position(atomic_load(&slu_fds_shared(&slu_shim.fds, o)->position)),
		            SEEK_SET);
	if (o)
		slu_put(o);
	if (real < 0)
		return NEXT(dup3)(fd, to, flags);
	r = NEXT(dup3)(real, to, flags);
	close(real);
	return r;
}

static bool ready_to_dup(int fd, int to)
{
	if (SLU_UNLIKELY(slu_shim.fds.table && !slu_in_vfork && slu_vfs_keeps(&slu_shim.vfs, to)))
		make_way(to);
	/* Onto standard input and output: surely for a program that will not know us. */
	return (unsigned)to > 2 || slu_real_fd(fd, SLU_REAL_OR_BROKEN);
}

int slu_view_dup2(int fd, int to)
{
	if (SLU_UNLIKELY(slu_in_vfork) && fd != to && slu_fds_slot(&slu_shim.fds, fd))
		return dup_in_vfork(fd, to, 0);
	if (!ready_to_dup(fd, to))
		return -1;
	return fd == to ? NEXT(dup2)(fd, to) : IN_STEP(fd, to, NEXT(dup2)(fd, to));
}

int slu_view_dup3(int fd, int to, int flags)
{
	if (SLU_UNLIKELY(slu_in_vfork) && fd != to && slu_fds_slot(&slu_shim.fds, fd))
		return dup_in_vfork(fd, to, flags);
	if (!ready_to_dup(fd, to))
		return -1;
	return fd == to ? NEXT(dup3)(fd, to, flags) : IN_STEP(fd, to, NEXT(dup3)(fd, to, flags));
}

/* ---- fcntl -------------------------------------------------------------------------------------------------- */

/* Nobody can write, so that a lock for reading is always to be had and one for writing never. */
static int lock_record(const struct slu_open *o, int cmd, struct flock *lock)
{
	if (o->path_only)
		return -EBADF;
	if (lock->l_type != F_RDLCK && lock->l_type != F_WRLCK && lock->l_type != F_UNLCK)
		return -EINVAL;
	if (cmd == F_GETLK || cmd == F_OFD_GETLK) {
		lock->l_type = F_UNLCK;
		return 0;
	}
	return lock->l_type == F_WRLCK ? -EBADF : 0;
}

static int set_flags(struct slu_open *o, int flags)
{
	enum { CHANGEABLE = O_APPEND | O_ASYNC | O_DIRECT | O_NOATIME | O_NONBLOCK };
	struct slu_shared *s = slu_fds_shared(&slu_shim.fds, o);

	if (o->path_only)
		return -EBADF;
	atomic_store(&s->flags, (atomic_load(&s->flags) & ~(uint32_t)CHANGEABLE) | ((uint32_t)flags & CHANGEABLE));
	return 0;
}

static int fcntl_file(struct slu_open *o, int cmd, void *arg)
{
	enum { KERNEL_LARGEFILE = 0100000 }; /* what the kernel shows of any 64-bit program's file */

	switch (cmd) {
	case F_GETFL:
		return (int)atomic_load(&slu_fds_shared(&slu_shim.fds, o)->flags) |
		       (o->path_only ? 0 : KERNEL_LARGEFILE);
	case F_SETFL:
		return set_flags(o, (int)(intptr_t)arg);
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		return lock_record(o, cmd, arg);
	case F_GET_SEALS:
	case F_ADD_SEALS:
		return -EINVAL; /* not a file in memory, as far as the program knows */
	default:
		return INT_MIN;
	}
}

static int fcntl_ours(int fd, struct slu_open *o, int cmd, void *arg)
{
	int r = fcntl_file(o, cmd, arg);

	if (r == INT_MIN)
		r = NEXT(fcntl)(fd, cmd, arg);
	else if (r < 0)
		r = slu_shim_fail(r);
	return r;
}

int slu_view_fcntl(int fd, int cmd, ...)
{
	struct slu_open *o;
	va_list ap;
	void *arg;
	int r;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (slu_is_hidden(fd))
		return -1;
	if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC)
		return IN_STEP(fd, -1, NEXT(fcntl)(fd, cmd, arg));
	o = slu_get(fd);
	if (!o)
		return NEXT(fcntl)(fd, cmd, arg);
	r = fcntl_ours(fd, o, cmd, arg);
	slu_put(o);
	return r;
}

/* ---- locks --------------------------------------------------------------------------------------------------- */

int slu_view_flock(int fd, int how)
{
	struct slu_open *o = slu_get(fd);
	int what = how & ~LOCK_NB, r = -EINVAL;

	if (!o)
		return NEXT(flock)(fd, how);
	if (o->path_only)
		r = -EBADF;
	else if (what == LOCK_SH || what == LOCK_EX || what == LOCK_UN)
		/* Waiting is asking again: a killed holder can wake nobody. */
		while ((r = slu_fds_lock(&slu_shim.fds, o, (unsigned)what)) == -EWOULDBLOCK && !(how & LOCK_NB))
			if (nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL) < 0) {
				r = -EINTR;
				break;
			}
	slu_put(o);
	return r < 0 ? slu_shim_fail(r) : 0;
}

int slu_view_lockf(int fd, int cmd, off_t len)
{
	struct slu_open *o = slu_get(fd);

	if (!o)
		return NEXT(lockf)(fd, cmd, len);
	slu_put(o);
	if (cmd == F_ULOCK || cmd == F_TEST)
		return 0;
	errno = cmd == F_LOCK || cmd == F_TLOCK ? EBADF : EINVAL;
	return -1;
}

/* ---- ioctl and terminals --------------------------------------------------------------------------------------- */

static int ioctl_file(struct slu_open *o, unsigned long request, void *arg)
{
	int64_t left;

	if (o->path_only)
		return -EBADF;
	if (request == FIONREAD && o->kind == SLU_OPEN_FILE) {
		left = (int64_t)o->file.size -
		       (int64_t)slu_position(atomic_load(&slu_fds_shared(&slu_shim.fds, o)->position));
		*(int *)arg = (int)left;
		return 0;
	}
	if (request == FIONBIO)
		return set_flags(o, ((int)atomic_load(&slu_fds_shared(&slu_shim.fds, o)->flags) & ~O_NONBLOCK) |
		                            (*(int *)arg ? O_NONBLOCK : 0));
	if (request == FIGETBSZ) {
		*(int *)arg = 4096;
		return 0;
	}
	return request == FS_IOC_GETFLAGS || request == FS_IOC_SETFLAGS || request == FICLONE || request == FICLONERANGE
	               ? -EOPNOTSUPP
	               : -ENOTTY;
}

SHIM int ioctl(int fd, unsigned long request, ...)
{
	struct slu_open *o;
	va_list ap;
	void *arg;
	int r;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (request == FICLONE && !slu_real_fd((int)(intptr_t)arg, SLU_REAL))
		return -1;
	if (request == FIOCLEX || request == FIONCLEX || !(o = slu_get(fd)))
		return NEXT(ioctl)(fd, request, arg);
	r = ioctl_file(o, request, arg);
	slu_put(o);
	return r < 0 ? slu_shim_fail(r) : r;
}

SHIM int isatty(int fd)
{
	if (!is_ours(fd))
		return NEXT(isatty)(fd);
	errno = ENOTTY;
	return 0;
}

SHIM int tcgetattr(int fd, struct termios *t)
{
	if (!is_ours(fd))
		return NEXT(tcgetattr)(fd, t);
	errno = ENOTTY;
	return -1;
}
