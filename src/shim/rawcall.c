/* SPDX-License-Identifier: MIT */
/*
 * syscall(2): calls by number go the way of their names. Only libc's own numbers are here that can meet a path or a
 * descriptor of ours; all others go on.
 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "shim/async.h"
#include "shim/traced.h"

#define P(i) ((void *)a[i])
#define S(i) ((const char *)a[i])
#define I(i) ((int)a[i])
#define Z(i) ((size_t)a[i])

/* Whether what was found lies below the directory that the path started from. */
static bool is_beneath(const struct slu_where *w, int dirfd)
{
	struct slu_open *o = slu_get(dirfd);
	char base[PATH_MAX], path[PATH_MAX];
	size_t n;
	int r = o ? slu_open_path(o, base) : slu_cwd_get(base);

	if (o)
		slu_put(o);
	n = r < 0 ? 0 : strlen(base);
	return r == 0 && slu_where_path(w, path) == 0 && strncmp(path, base, n) == 0 &&
	       (path[n] == '/' || path[n] == 0);
}

static long openat2_call(const long a[6])
{
	const struct open_how *how = P(2);
	const char *path = S(1);
	SLU_WHERE(w);
	unsigned flags;

	if (!how || Z(3) < sizeof(*how) || !path)
		return NEXT(syscall)(SYS_openat2, a[0], a[1], a[2], a[3]);
	flags = slu_open_follow((int)how->flags) | (how->resolve & RESOLVE_NO_SYMLINKS ? SLU_NOLINKS : 0);
	while ((how->resolve & RESOLVE_IN_ROOT) && (path[0] == '/' || strncmp(path, "../", 3) == 0))
		path += path[0] == '/' ? 1 : 3;
	if (!slu_where(&w, I(0), path, flags)) {
		if (w.path == path || !(how->resolve & (RESOLVE_BENEATH | RESOLVE_IN_ROOT)))
			return NEXT(syscall)(SYS_openat2, w.dirfd, w.path, a[2], a[3]);
		errno = EXDEV;
		return -1;
	}
	if ((how->mode && !(how->flags & (O_CREAT | O_TMPFILE))) || (how->flags >> 32)) {
		errno = EINVAL;
		return -1;
	}
	if ((how->resolve & (RESOLVE_BENEATH | RESOLVE_IN_ROOT)) &&
	    (path[0] == '/' || (w.err == 0 && !is_beneath(&w, I(0))))) {
		errno = EXDEV;
		return -1;
	}
	return slu_open_where(&w, (int)how->flags);
}

static long getcwd_call(const long a[6])
{
	char path[PATH_MAX];
	size_t n;

	if (atomic_load(&slu_shim.cwd_state) != SLU_CWD_INSIDE || slu_cwd_get(path) < 0)
		return NEXT(syscall)(SYS_getcwd, a[0], a[1]);
	n = strlen(path) + 1;
	if (Z(1) < n) {
		errno = ERANGE;
		return -1;
	}
	memcpy(P(0), path, n);
	return (long)n;
}

int slu_view_openat2(int dirfd, const char *path, const struct open_how *how, size_t size)
{
	return (int)openat2_call((const long[6]){ dirfd, (long)path, (long)how, (long)size });
}

/* Old names, which new architectures do not have. */
static bool old_call(long number, const long a[6], long *ret)
{
	switch (number) {
#ifdef SYS_open
	case SYS_open:
		*ret = slu_own_open_at(AT_FDCWD, S(0), I(1), (mode_t)a[2]);
		return true;
	case SYS_creat:
		*ret = creat(S(0), (mode_t)a[1]);
		return true;
	case SYS_stat:
		*ret = stat(S(0), P(1));
		return true;
	case SYS_lstat:
		*ret = lstat(S(0), P(1));
		return true;
	case SYS_access:
		*ret = access(S(0), I(1));
		return true;
	case SYS_readlink:
		*ret = readlink(S(0), P(1), Z(2));
		return true;
	case SYS_dup2:
		*ret = dup2(I(0), I(1));
		return true;
	case SYS_unlink:
		*ret = unlink(S(0));
		return true;
	case SYS_rmdir:
		*ret = rmdir(S(0));
		return true;
	case SYS_mkdir:
		*ret = mkdir(S(0), (mode_t)a[1]);
		return true;
	case SYS_rename:
		*ret = rename(S(0), S(1));
		return true;
	case SYS_chmod:
		*ret = chmod(S(0), (mode_t)a[1]);
		return true;
#endif
	default:
		return false;
	}
}

/* What would change something. */
static bool change_call(long number, const long a[6], long *ret)
{
	switch (number) {
	case SYS_symlinkat:
		*ret = symlinkat(S(0), I(1), S(2));
		return true;
	case SYS_linkat:
		*ret = linkat(I(0), S(1), I(2), S(3), I(4));
		return true;
	case SYS_mknodat:
		*ret = mknodat(I(0), S(1), (mode_t)a[2], (dev_t)a[3]);
		return true;
	case SYS_fchownat:
		*ret = fchownat(I(0), S(1), (uid_t)a[2], (gid_t)a[3], I(4));
		return true;
	case SYS_utimensat:
		*ret = utimensat(I(0), S(1), P(2), I(3));
		return true;
	case SYS_ftruncate:
		*ret = ftruncate(I(0), a[1]);
		return true;
	case SYS_fallocate:
		*ret = fallocate(I(0), I(1), a[2], a[3]);
		return true;
	case SYS_fchmod:
		*ret = fchmod(I(0), (mode_t)a[1]);
		return true;
	case SYS_fchown:
		*ret = fchown(I(0), (uid_t)a[1], (gid_t)a[2]);
		return true;
	case SYS_write:
		*ret = write(I(0), P(1), Z(2));
		return true;
	case SYS_pwrite64:
		*ret = slu_own_pwrite(I(0), P(1), Z(2), a[3]);
		return true;
	case SYS_writev:
		*ret = writev(I(0), P(1), I(2));
		return true;
	case SYS_fsync:
		*ret = fsync(I(0));
		return true;
	case SYS_fdatasync:
		*ret = fdatasync(I(0));
		return true;
	default:
		return false;
	}
}

static bool path_call(long number, const long a[6], long *ret)
{
	switch (number) {
	case SYS_openat:
		*ret = slu_own_open_at(I(0), S(1), I(2), (mode_t)a[3]);
		return true;
	case SYS_openat2:
		*ret = openat2(I(0), S(1), P(2), Z(3));
		return true;
#ifdef SYS_newfstatat
	case SYS_newfstatat:
		*ret = fstatat(I(0), S(1), P(2), I(3));
		return true;
#endif
	case SYS_statx:
		*ret = statx(I(0), S(1), I(2), (unsigned)a[3], P(4));
		return true;
	case SYS_faccessat:
		*ret = faccessat(I(0), S(1), I(2), 0);
		return true;
#ifdef SYS_faccessat2
	case SYS_faccessat2:
		*ret = faccessat(I(0), S(1), I(2), I(3));
		return true;
#endif
	case SYS_readlinkat:
		*ret = readlinkat(I(0), S(1), P(2), Z(3));
		return true;
	case SYS_unlinkat:
		*ret = unlinkat(I(0), S(1), I(2));
		return true;
	case SYS_mkdirat:
		*ret = mkdirat(I(0), S(1), (mode_t)a[2]);
		return true;
	case SYS_renameat2:
		*ret = renameat2(I(0), S(1), I(2), S(3), (unsigned)a[4]);
		return true;
	case SYS_fchmodat:
		*ret = fchmodat(I(0), S(1), (mode_t)a[2], 0);
		return true;
	case SYS_truncate:
		*ret = truncate(S(0), a[1]);
		return true;
	case SYS_statfs:
		*ret = statfs(S(0), P(1));
		return true;
	case SYS_chdir:
		*ret = chdir(S(0));
		return true;
	case SYS_getcwd:
		*ret = getcwd_call(a);
		return true;
	case SYS_execve:
		*ret = execve(S(0), P(1), P(2));
		return true;
	case SYS_execveat:
		*ret = execveat(I(0), S(1), P(2), P(3), I(4));
		return true;
	default:
		return change_call(number, a, ret) || old_call(number, a, ret);
	}
}

static bool fd_call(long number, const long a[6], long *ret)
{
	switch (number) {
	case SYS_read:
		*ret = read(I(0), P(1), Z(2));
		return true;
	case SYS_pread64:
		*ret = slu_own_pread(I(0), P(1), Z(2), a[3]);
		return true;
	case SYS_readv:
		*ret = readv(I(0), P(1), I(2));
		return true;
	case SYS_preadv:
		*ret = preadv(I(0), P(1), I(2), a[3]);
		return true;
	case SYS_preadv2:
		*ret = preadv2(I(0), P(1), I(2), a[3], I(5));
		return true;
	case SYS_lseek:
		*ret = slu_own_lseek(I(0), a[1], I(2));
		return true;
	case SYS_fstat:
		*ret = slu_own_fstat(I(0), P(1));
		return true;
	case SYS_fstatfs:
		*ret = fstatfs(I(0), P(1));
		return true;
	case SYS_getdents64:
		*ret = getdents64(I(0), P(1), Z(2));
		return true;
	case SYS_fcntl:
		*ret = slu_own_fcntl(I(0), I(1), P(2));
		return true;
	case SYS_ioctl:
		*ret = ioctl(I(0), (unsigned long)a[1], P(2));
		return true;
	case SYS_flock:
		*ret = flock(I(0), I(1));
		return true;
	case SYS_fchdir:
		*ret = fchdir(I(0));
		return true;
	default:
		return false;
	}
}

static bool plumbing_call(long number, const long a[6], long *ret)
{
	switch (number) {
	case SYS_close:
		*ret = slu_own_close(I(0));
		return true;
	case SYS_close_range:
		*ret = close_range((unsigned)a[0], (unsigned)a[1], I(2));
		return true;
	case SYS_dup:
		*ret = dup(I(0));
		return true;
	case SYS_dup3:
		*ret = slu_own_dup3(I(0), I(1), I(2));
		return true;
	case SYS_mmap:
		*ret = (long)slu_own_mmap(P(0), Z(1), I(2), I(3), I(4), a[5]);
		return true;
	case SYS_munmap:
		*ret = slu_own_munmap(P(0), Z(1));
		return true;
	case SYS_sendfile:
		*ret = sendfile(I(0), I(1), P(2), Z(3));
		return true;
	case SYS_splice:
		*ret = splice(I(0), P(1), I(2), P(3), Z(4), (unsigned)a[5]);
		return true;
	case SYS_copy_file_range:
		*ret = copy_file_range(I(0), P(1), I(2), P(3), Z(4), (unsigned)a[5]);
		return true;
	case SYS_io_submit:
		*ret = slu_aio_ready(a[1], P(2)) ? NEXT(syscall)(number, a[0], a[1], a[2]) : -1;
		slu_traced_submitted(slu_traced_begin(), *ret, P(2));
		return true;
	case SYS_io_uring_enter:
		*ret = NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
		slu_traced_uring(slu_traced_begin(), *ret);
		return true;
	case SYS_io_uring_setup:
		slu_uring_begins();
		return false;
	default:
		return false;
	}
}

SHIM long syscall(long number, ...)
{
	long a[6], ret;
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long); /* those that were not given are never looked at */
	va_end(ap);
	if (slu_shim_carries() &&
	    (fd_call(number, a, &ret) || path_call(number, a, &ret) || plumbing_call(number, a, &ret)))
		return ret;
	return NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
