/* SPDX-License-Identifier: MIT */
/* Recorded: descriptors. Opening, closing, reading, writing, positions, copies. */
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "shim/traced.h"

/* ---- opening --------------------------------------------------------------------------------------------------------
 */

static uint32_t flags_of_open(int flags)
{
	return (flags & (O_CREAT | O_TRUNC) ? SLU_FILE_CREATED : 0) |
	       ((flags & O_DIRECTORY) && (flags & O_TMPFILE) != O_TMPFILE ? SLU_FILE_IS_DIR : 0);
}

int slu_own_open_at(int dirfd, const char *path, int flags, mode_t mode)
{
	uint64_t begin = slu_traced_begin();
	int fd = slu_open_at(dirfd, path, flags, mode);

	slu_traced_opened(begin, SLU_CALL_OPEN, dirfd, path, fd, flags_of_open(flags));
	return fd;
}

static mode_t take_mode(int flags, va_list ap)
{
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(ap, mode_t) : 0;
}

SHIM int openat(int dirfd, const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = take_mode(flags, ap);
	va_end(ap);
	return slu_own_open_at(dirfd, path, flags, mode);
}
SHIM_ALIAS(openat64, openat);

SHIM int open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = take_mode(flags, ap);
	va_end(ap);
	return slu_own_open_at(AT_FDCWD, path, flags, mode);
}
SHIM_ALIAS(open64, open);
SHIM_ALIAS(__open, open);
SHIM_ALIAS(__open64, open);

SHIM int creat(const char *path, mode_t mode)
{
	return slu_own_open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
SHIM_ALIAS(creat64, creat);

/* What _FORTIFY_SOURCE calls: without a mode, which glibc checks to be right. */
int __openat_2(int dirfd, const char *path, int flags);
SHIM int __openat_2(int dirfd, const char *path, int flags)
{
	return slu_own_open_at(dirfd, path, flags & ~O_CREAT, 0);
}
SHIM_ALIAS(__openat64_2, __openat_2);

int __open_2(const char *path, int flags);
SHIM int __open_2(const char *path, int flags)
{
	return slu_own_open_at(AT_FDCWD, path, flags & ~O_CREAT, 0);
}
SHIM_ALIAS(__open64_2, __open_2);

SHIM int openat2(int dirfd, const char *path, const struct open_how *how, size_t size)
{
	uint64_t begin = slu_traced_begin();
	int fd = slu_view_openat2(dirfd, path, how, size);

	slu_traced_opened(begin, SLU_CALL_OPEN, dirfd, path, fd, how ? flags_of_open((int)how->flags) : 0);
	return fd;
}

/* The name is known only afterwards. */
static int made(uint64_t begin, const char *path, int fd)
{
	slu_traced_opened(begin, SLU_CALL_MKSTEMP, AT_FDCWD, path, fd, SLU_FILE_CREATED);
	return fd;
}

SHIM int mkstemp(char *path)
{
	uint64_t begin = slu_traced_begin();

	return made(begin, path, slu_view_mkstemp(path));
}
SHIM_ALIAS(mkstemp64, mkstemp);

SHIM int mkostemp(char *path, int flags)
{
	uint64_t begin = slu_traced_begin();

	return made(begin, path, slu_view_mkostemp(path, flags));
}
SHIM_ALIAS(mkostemp64, mkostemp);

SHIM int mkstemps(char *path, int suffix)
{
	uint64_t begin = slu_traced_begin();

	return made(begin, path, slu_view_mkstemps(path, suffix));
}
SHIM_ALIAS(mkstemps64, mkstemps);

SHIM int mkostemps(char *path, int suffix, int flags)
{
	uint64_t begin = slu_traced_begin();

	return made(begin, path, slu_view_mkostemps(path, suffix, flags));
}
SHIM_ALIAS(mkostemps64, mkostemps);

/* ---- closing --------------------------------------------------------------------------------------------------------
 */

/* What it was is taken before: as soon as it is closed, another thread may be given its number. */
SHIM int close(int fd)
{
	uint64_t begin = slu_traced_begin();
	slu_ref file = slu_traced_closing(begin, fd);
	int r = slu_view_close(fd);

	slu_traced_closed(begin, SLU_CALL_CLOSE, file, r < 0);
	return r;
}
SHIM_OWN(close);
SHIM_ALIAS(__close, close);

SHIM int close_range(unsigned first, unsigned last, int flags)
{
	uint64_t begin = slu_traced_begin();
	unsigned top = begin ? (unsigned)atomic_load(&slu_shim.rec.max_fd) : 0;

	for (unsigned fd = first; begin && !(flags & CLOSE_RANGE_CLOEXEC) && fd <= last && fd <= top; fd++) {
		slu_ref file = slu_traced_closing(begin, (int)fd);
		if (file)
			slu_traced_closed(SLU_UNTIMED, SLU_CALL_CLOSE, file, false);
	}
	return slu_view_close_range(first, last, flags);
}

SHIM void closefrom(int from)
{
	(void)close_range(from < 0 ? 0 : (unsigned)from, ~0u, 0);
}

/* ---- reading and writing
 * --------------------------------------------------------------------------------------------- */

/* A file that begins as HDF5 says: reports have advice for those. */
static void look_at_start(uint64_t begin, int fd, const void *buf, ssize_t got, uint64_t offset)
{
	struct slu_rec_fd *e;

	if (SLU_LIKELY(!begin) || got < 8 || memcmp(buf, "\x89HDF\r\n\x1a\n", 8) != 0)
		return;
	e = slu_rec_fd_entry(&slu_shim.rec, fd);
	if (e && (offset == 0 || (offset == SLU_AT_POSITION && atomic_load(&e->at) == (uint64_t)got)))
		slu_rec_flag(&slu_shim.rec, fd, SLU_FILE_HDF5);
}

SHIM ssize_t read(int fd, void *buf, size_t n)
{
	uint64_t begin = slu_traced_begin();
	ssize_t got = slu_view_read(fd, buf, n);

	slu_traced_io(begin, SLU_CALL_READ, fd, got, SLU_AT_POSITION);
	look_at_start(begin, fd, buf, got, SLU_AT_POSITION);
	return got;
}
SHIM_ALIAS(__read, read);

SHIM ssize_t pread(int fd, void *buf, size_t n, off_t offset)
{
	uint64_t begin = slu_traced_begin();
	ssize_t got = slu_view_pread(fd, buf, n, offset);

	slu_traced_io(begin, SLU_CALL_PREAD, fd, got, (uint64_t)offset);
	look_at_start(begin, fd, buf, got, (uint64_t)offset);
	return got;
}
SHIM_OWN(pread);
SHIM_ALIAS(pread64, pread);
SHIM_ALIAS(__pread64, pread);

/* What preadv2() takes for "at the position". */
static uint64_t offset_of(off_t offset)
{
	return offset == -1 ? SLU_AT_POSITION : (uint64_t)offset;
}

TRACED_IO(__read_chk, READ, SLU_AT_POSITION, (int fd, void *buf, size_t n, size_t room), (fd, buf, n, room))
TRACED_IO(__pread_chk, PREAD, (uint64_t)offset, (int fd, void *buf, size_t n, off_t offset, size_t room),
          (fd, buf, n, offset, room))
SHIM_ALIAS(__pread64_chk, __pread_chk);
TRACED_IO(readv, READV, SLU_AT_POSITION, (int fd, const struct iovec *iov, int n), (fd, iov, n))
TRACED_IO(preadv, READV, (uint64_t)offset, (int fd, const struct iovec *iov, int n, off_t offset), (fd, iov, n, offset))
SHIM_ALIAS(preadv64, preadv);
TRACED_IO(preadv2, READV, offset_of(offset), (int fd, const struct iovec *iov, int n, off_t offset, int flags),
          (fd, iov, n, offset, flags))
SHIM_ALIAS(preadv64v2, preadv2);
TRACED_IO(write, WRITE, SLU_AT_POSITION, (int fd, const void *buf, size_t n), (fd, buf, n))
SHIM_ALIAS(__write, write);
TRACED_IO(pwrite, PWRITE, (uint64_t)offset, (int fd, const void *buf, size_t n, off_t offset), (fd, buf, n, offset))
SHIM_OWN(pwrite);
SHIM_ALIAS(pwrite64, pwrite);
SHIM_ALIAS(__pwrite64, pwrite);
TRACED_IO(writev, WRITEV, SLU_AT_POSITION, (int fd, const struct iovec *iov, int n), (fd, iov, n))
TRACED_IO(pwritev, WRITEV, (uint64_t)offset, (int fd, const struct iovec *iov, int n, off_t offset),
          (fd, iov, n, offset))
SHIM_ALIAS(pwritev64, pwritev);
TRACED_IO(pwritev2, WRITEV, offset_of(offset), (int fd, const struct iovec *iov, int n, off_t offset, int flags),
          (fd, iov, n, offset, flags))
SHIM_ALIAS(pwritev64v2, pwritev2);

/* ---- positions
 * ------------------------------------------------------------------------------------------------------- */

SHIM off_t lseek(int fd, off_t offset, int whence)
{
	uint64_t begin = slu_traced_begin();
	off_t at = slu_view_lseek(fd, offset, whence);
	struct slu_rec_call c;

	if (SLU_UNLIKELY(begin)) {
		c = slu_traced_call(begin, SLU_CALL_LSEEK, at < 0);
		slu_rec_seeked(&slu_shim.rec, &slu_rec_tls, &c, fd, (uint64_t)at);
	}
	return at;
}
SHIM_OWN(lseek);
SHIM_ALIAS(lseek64, lseek);
SHIM_ALIAS(__lseek, lseek);
SHIM_ALIAS(llseek, lseek);

/* ---- copies
 * ---------------------------------------------------------------------------------------------------------- */

/* A copy is a read of one and a write of the other, at the same time; where there is an offset it is not the position.
 */
static ssize_t copied(uint64_t begin, int in, const off64_t *in_offset, int out, const off64_t *out_offset, ssize_t n)
{
	uint64_t bytes = n < 0 ? 0 : (uint64_t)n;

	if (SLU_LIKELY(!begin))
		return n;
	slu_traced_io(begin, SLU_CALL_COPY_IN, in, n, in_offset ? (uint64_t)*in_offset - bytes : SLU_AT_POSITION);
	slu_traced_io(SLU_UNTIMED, SLU_CALL_COPY_OUT, out, n,
	              out_offset ? (uint64_t)*out_offset - bytes : SLU_AT_POSITION);
	return n;
}

SHIM ssize_t sendfile(int out, int in, off_t *offset, size_t n)
{
	uint64_t begin = slu_traced_begin();

	return copied(begin, in, offset, out, NULL, slu_view_sendfile(out, in, offset, n));
}
SHIM_ALIAS(sendfile64, sendfile);

SHIM ssize_t splice(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t n, unsigned flags)
{
	uint64_t begin = slu_traced_begin();

	return copied(begin, in, in_offset, out, out_offset, slu_view_splice(in, in_offset, out, out_offset, n, flags));
}

SHIM ssize_t copy_file_range(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t n, unsigned flags)
{
	uint64_t begin = slu_traced_begin();

	return copied(begin, in, in_offset, out, out_offset,
	              slu_view_copy_file_range(in, in_offset, out, out_offset, n, flags));
}

/* ---- descriptors as such: not recorded, but what they are is followed
 * ------------------------------------------------- */

static int duplicated(int fd, int to)
{
	if (SLU_UNLIKELY(atomic_load_explicit(&slu_shim.rec.on, memory_order_relaxed)) && to >= 0 && fd != to &&
	    !slu_in_vfork)
		slu_rec_dup(&slu_shim.rec, fd, to);
	return to;
}

SHIM int dup(int fd)
{
	return duplicated(fd, slu_view_dup(fd));
}

SHIM int dup2(int fd, int to)
{
	return duplicated(fd, slu_view_dup2(fd, to));
}
SHIM_ALIAS(__dup2, dup2);

SHIM int dup3(int fd, int to, int flags)
{
	return duplicated(fd, slu_view_dup3(fd, to, flags));
}
SHIM_OWN(dup3);

SHIM int fcntl(int fd, int cmd, ...)
{
	va_list ap;
	void *arg;
	int r;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	r = slu_view_fcntl(fd, cmd, arg);
	return cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC ? duplicated(fd, r) : r;
}
SHIM_OWN(fcntl);
SHIM_ALIAS(fcntl64, fcntl);
SHIM_ALIAS(__fcntl, fcntl);

/* ---- others on descriptors
 * -------------------------------------------------------------------------------------------- */

TRACED_FD(int, fstat, FSTAT, fd, (int fd, struct stat *st), (fd, st))
SHIM_OWN(fstat);
SHIM_ALIAS(fstat64, fstat);
TRACED_FD(int, __fxstat, FSTAT, fd, (int version, int fd, struct stat *st), (version, fd, st))
SHIM_ALIAS(__fxstat64, __fxstat);
TRACED_FD(int, fstatfs, STATFS, fd, (int fd, struct statfs *fs), (fd, fs))
SHIM_ALIAS(fstatfs64, fstatfs);
TRACED_FD(int, fstatvfs, STATFS, fd, (int fd, struct statvfs *vfs), (fd, vfs))
SHIM_ALIAS(fstatvfs64, fstatvfs);
TRACED_FD(long, fpathconf, STATFS, fd, (int fd, int name), (fd, name))
TRACED_FD(ssize_t, fgetxattr, XATTR, fd, (int fd, const char *name, void *value, size_t size), (fd, name, value, size))
TRACED_FD(ssize_t, flistxattr, XATTR, fd, (int fd, char *list, size_t size), (fd, list, size))
TRACED_FD(int, fsetxattr, CHMOD, fd, (int fd, const char *name, const void *value, size_t size, int flags),
          (fd, name, value, size, flags))
TRACED_FD(int, fremovexattr, CHMOD, fd, (int fd, const char *name), (fd, name))
TRACED_FD(int, fchmod, CHMOD, fd, (int fd, mode_t mode), (fd, mode))
TRACED_FD(int, fchown, CHMOD, fd, (int fd, uid_t uid, gid_t gid), (fd, uid, gid))
TRACED_FD(int, futimens, CHMOD, fd, (int fd, const struct timespec times[2]), (fd, times))
TRACED_FD(int, futimes, CHMOD, fd, (int fd, const struct timeval times[2]), (fd, times))
TRACED_FD(int, ftruncate, TRUNCATE, fd, (int fd, off_t len), (fd, len))
SHIM_ALIAS(ftruncate64, ftruncate);
TRACED_FD(int, fallocate, TRUNCATE, fd, (int fd, int mode, off_t offset, off_t len), (fd, mode, offset, len))
SHIM_ALIAS(fallocate64, fallocate);
TRACED_FD(int, posix_fallocate, TRUNCATE, fd, (int fd, off_t offset, off_t len), (fd, offset, len))
SHIM_ALIAS(posix_fallocate64, posix_fallocate);
TRACED_FD(int, fsync, FSYNC, fd, (int fd), (fd))
TRACED_FD(int, fdatasync, FDATASYNC, fd, (int fd), (fd))
TRACED_FD(int, syncfs, SYNC, fd, (int fd), (fd))
TRACED_FD(int, sync_file_range, SYNC, fd, (int fd, off64_t offset, off64_t n, unsigned flags), (fd, offset, n, flags))
TRACED_FD(int, posix_fadvise, HINT, fd, (int fd, off_t offset, off_t len, int advice), (fd, offset, len, advice))
SHIM_ALIAS(posix_fadvise64, posix_fadvise);
TRACED_FD(ssize_t, readahead, HINT, fd, (int fd, off64_t offset, size_t n), (fd, offset, n))
TRACED_FD(int, flock, LOCK, fd, (int fd, int how), (fd, how))
TRACED_FD(int, lockf, LOCK, fd, (int fd, int cmd, off_t len), (fd, cmd, len))
SHIM_ALIAS(lockf64, lockf);
TRACED_FD(ssize_t, getdents64, GETDENTS, fd, (int fd, void *buf, size_t room), (fd, buf, room))
TRACED_FD(ssize_t, getdirentries, GETDENTS, fd, (int fd, char *buf, size_t room, off_t *base), (fd, buf, room, base))
SHIM_ALIAS(getdirentries64, getdirentries);

SHIM void sync(void)
{
	uint64_t begin = slu_traced_begin();

	NEXT(sync)();
	slu_traced_closed(begin, SLU_CALL_SYNC, 0, false); /* of no file */
}
