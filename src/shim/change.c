/* SPDX-License-Identifier: MIT */
/*
 * Everything that would change a pack: refused as on a file system that is mounted read-only, with the
 * same errno as there.
 */
#include "shim/shim.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utime.h>

#include "vfs/host.h"
#include "vfs/spec.h"

static int refuse(const char *path, int err)
{
	if (err == EROFS)
		slu_ledger_note(slu_shim.vfs.ledger, SLU_NOTE_WRITE, err, path, NULL);
	errno = err;
	return -1;
}

static int refuse_where(const struct slu_where *w, int err)
{
	if (err == EROFS)
		slu_where_note(w, SLU_NOTE_WRITE, err, NULL);
	errno = err;
	return -1;
}

/* A change of something that must exist. */
static int refuse_change(struct slu_where *w)
{
	return refuse_where(w, slu_where_readonly(w));
}

/* A new name: what exists is told first. */
static int refuse_new(struct slu_where *w)
{
	int err = w->err < 0 ? slu_where_error(w) : w->p.kind == SLU_PLACE_ABSENT ? EROFS : EEXIST;

	return refuse_where(w, err);
}

/* A new name of something that is not a directory, so that it cannot end in '/'. */
static int refuse_new_file(struct slu_where *w)
{
	if (w->err == 0 && w->p.kind == SLU_PLACE_ABSENT && w->p.slash)
		return refuse_where(w, ENOENT);
	return refuse_new(w);
}

static int refuse_truncate(struct slu_where *w)
{
	int err = slu_where_error(w);

	return refuse_where(w, err ? err : w->p.kind == SLU_PLACE_MADE || w->p.node_kind == SLU_DIR ? EISDIR : EROFS);
}

/* The end of a path that is no name to take away: "." or "..", or the mount's own root. An errno for it, or 0. */
static int no_name(const struct slu_where *w, int dot, int dotdot, int root)
{
	size_t n = strlen(w->path);

	while (n > 1 && w->path[n - 1] == '/')
		n--;
	if (n && w->path[n - 1] == '.') {
		if (n == 1 || w->path[n - 2] == '/')
			return dot;
		if (w->path[n - 2] == '.' && (n == 2 || w->path[n - 3] == '/'))
			return dotdot;
	}
	return w->p.kind == SLU_PLACE_NODE && w->p.node == SLU_ROOT ? root : 0;
}

/* A name taken away: the kernel looks at the mount before it looks for the name. */
static int refuse_unlink(struct slu_where *w)
{
	/* "file/" is wrong, but the kernel gets to that only where it may write. */
	bool slash = w->err == -ENOTDIR && w->p.slash && w->p.kind == SLU_PLACE_NODE;
	int err = slash ? EROFS : w->err < 0 ? slu_where_error(w) : no_name(w, EISDIR, EISDIR, EISDIR);

	return refuse_where(w, err ? err : EROFS);
}

static int refuse_rmdir(struct slu_where *w)
{
	int err = w->err < 0 ? slu_where_error(w) : no_name(w, EINVAL, ENOTEMPTY, EBUSY);

	return refuse_where(w, err ? err : EROFS);
}

/* unlink(), and rmdir() if that says EISDIR. */
static int refuse_remove(struct slu_where *w)
{
	return refuse_unlink(w) < 0 && errno == EISDIR ? refuse_rmdir(w) : -1;
}

/*
 * A wrapper: looks for (@dirfd, @path), refuses with @refuse_fn if it is ours, else calls @call, in which w.dirfd and
 * w.path stand for the two.
 */
#define CHANGE(dirfd, path, flags, refuse_fn, call)                                                                    \
	SLU_WHERE(w);                                                                                                  \
	int r;                                                                                                         \
	if (slu_where(&w, dirfd, path, flags))                                                                         \
		return refuse_fn(&w);                                                                                  \
	r = (call);                                                                                                    \
	return r < 0 && slu_where_again(&w) ? refuse_fn(&w) : r

#define AT_FLAG(flags) ((flags)&AT_SYMLINK_NOFOLLOW ? SLU_NOFOLLOW : 0)

int slu_view_unlink(const char *path)
{
	CHANGE(AT_FDCWD, path, SLU_NOFOLLOW, refuse_unlink, NEXT(unlink)(w.path));
}

int slu_view_unlinkat(int dirfd, const char *path, int flags)
{
	if (flags & ~AT_REMOVEDIR)
		return NEXT(unlinkat)(dirfd, path, flags); /* EINVAL */
	if (flags & AT_REMOVEDIR) {
		CHANGE(dirfd, path, SLU_NOFOLLOW, refuse_rmdir, NEXT(unlinkat)(w.dirfd, w.path, flags));
	} else {
		CHANGE(dirfd, path, SLU_NOFOLLOW, refuse_unlink, NEXT(unlinkat)(w.dirfd, w.path, flags));
	}
}

int slu_view_rmdir(const char *path)
{
	CHANGE(AT_FDCWD, path, SLU_NOFOLLOW, refuse_rmdir, NEXT(rmdir)(w.path));
}

int slu_view_remove(const char *path)
{
	CHANGE(AT_FDCWD, path, SLU_NOFOLLOW, refuse_remove, NEXT(remove)(w.path));
}

int slu_view_mkdir(const char *path, mode_t mode)
{
	CHANGE(AT_FDCWD, path, SLU_NOFOLLOW, refuse_new, NEXT(mkdir)(w.path, mode));
}

int slu_view_mkdirat(int dirfd, const char *path, mode_t mode)
{
	CHANGE(dirfd, path, SLU_NOFOLLOW, refuse_new, NEXT(mkdirat)(w.dirfd, w.path, mode));
}

int slu_view_mknod(const char *path, mode_t mode, dev_t dev)
{
	CHANGE(AT_FDCWD, path, SLU_NOFOLLOW, refuse_new_file, NEXT(mknod)(w.path, mode, dev));
}

int slu_view_mknodat(int dirfd, const char *path, mode_t mode, dev_t dev)
{
	CHANGE(dirfd, path, SLU_NOFOLLOW, refuse_new_file, NEXT(mknodat)(w.dirfd, w.path, mode, dev));
}

int __xmknod(int version, const char *path, mode_t mode, dev_t *dev);
SHIM int __xmknod(int version, const char *path, mode_t mode, dev_t *dev)
{
	CHANGE(AT_FDCWD, path, SLU_NOFOLLOW, refuse_new_file, NEXT(__xmknod)(version, w.path, mode, dev));
}

int __xmknodat(int version, int dirfd, const char *path, mode_t mode, dev_t *dev);
SHIM int __xmknodat(int version, int dirfd, const char *path, mode_t mode, dev_t *dev)
{
	CHANGE(dirfd, path, SLU_NOFOLLOW, refuse_new_file, NEXT(__xmknodat)(version, w.dirfd, w.path, mode, dev));
}

int slu_view_mkfifo(const char *path, mode_t mode)
{
	CHANGE(AT_FDCWD, path, SLU_NOFOLLOW, refuse_new_file, NEXT(mkfifo)(w.path, mode));
}

int slu_view_mkfifoat(int dirfd, const char *path, mode_t mode)
{
	CHANGE(dirfd, path, SLU_NOFOLLOW, refuse_new_file, NEXT(mkfifoat)(w.dirfd, w.path, mode));
}

int slu_view_symlinkat(const char *target, int dirfd, const char *path)
{
	CHANGE(dirfd, path, SLU_NOFOLLOW, refuse_new_file, NEXT(symlinkat)(target, w.dirfd, w.path));
}

int slu_view_symlink(const char *target, const char *path)
{
	return slu_view_symlinkat(target, AT_FDCWD, path);
}

int slu_view_truncate(const char *path, off_t len)
{
	CHANGE(AT_FDCWD, path, 0, refuse_truncate, NEXT(truncate)(w.path, len));
}

int slu_view_chmod(const char *path, mode_t mode)
{
	CHANGE(AT_FDCWD, path, 0, refuse_change, NEXT(chmod)(w.path, mode));
}

int slu_view_lchmod(const char *path, mode_t mode)
{
	CHANGE(AT_FDCWD, path, SLU_NOFOLLOW, refuse_change, NEXT(lchmod)(w.path, mode));
}

int slu_view_fchmodat(int dirfd, const char *path, mode_t mode, int flags)
{
	struct stat st;

	if ((flags & AT_SYMLINK_NOFOLLOW) && slu_shim_on() && slu_view_fstatat(dirfd, path, &st, flags) == 0 &&
	    S_ISLNK(st.st_mode)) {
		errno = EOPNOTSUPP; /* libc's answer for any link */
		return -1;
	}
	CHANGE(dirfd, path, AT_FLAG(flags), refuse_change, NEXT(fchmodat)(w.dirfd, w.path, mode, flags));
}

int slu_view_chown(const char *path, uid_t uid, gid_t gid)
{
	CHANGE(AT_FDCWD, path, 0, refuse_change, NEXT(chown)(w.path, uid, gid));
}

int slu_view_lchown(const char *path, uid_t uid, gid_t gid)
{
	CHANGE(AT_FDCWD, path, SLU_NOFOLLOW, refuse_change, NEXT(lchown)(w.path, uid, gid));
}

int slu_view_fchownat(int dirfd, const char *path, uid_t uid, gid_t gid, int flags)
{
	if (!slu_no_path(path) && !path[0] && (flags & AT_EMPTY_PATH) && slu_fds_slot(&slu_shim.fds, dirfd))
		return refuse(NULL, EROFS);
	CHANGE(dirfd, path, AT_FLAG(flags), refuse_change, NEXT(fchownat)(w.dirfd, w.path, uid, gid, flags));
}

int slu_view_utime(const char *path, const struct utimbuf *times)
{
	CHANGE(AT_FDCWD, path, 0, refuse_change, NEXT(utime)(w.path, times));
}

int slu_view_utimes(const char *path, const struct timeval times[2])
{
	CHANGE(AT_FDCWD, path, 0, refuse_change, NEXT(utimes)(w.path, times));
}

int slu_view_lutimes(const char *path, const struct timeval times[2])
{
	CHANGE(AT_FDCWD, path, SLU_NOFOLLOW, refuse_change, NEXT(lutimes)(w.path, times));
}

int slu_view_futimesat(int dirfd, const char *path, const struct timeval times[2])
{
	CHANGE(dirfd, path, 0, refuse_change, NEXT(futimesat)(w.dirfd, w.path, times));
}

int slu_view_utimensat(int dirfd, const char *path, const struct timespec times[2], int flags)
{
	if (slu_no_path(path)) { /* libc's answer */
		errno = EINVAL;
		return -1;
	}
	CHANGE(dirfd, path, AT_FLAG(flags), refuse_change, NEXT(utimensat)(w.dirfd, w.path, times, flags));
}

/* ---- two paths --------------------------------------------------------------------------------------------------- */

/* Whether both are ours: then in one mount it is read-only, else they are on different devices. */
static int refuse_two(struct slu_where *a, struct slu_where *b, bool a_ours, bool b_ours)
{
	if (a_ours && a->err < 0)
		return refuse(a->path, slu_where_error(a));
	if (b_ours && b->err < 0)
		return refuse(b->path, slu_where_error(b));
	if ((a_ours && no_name(a, EBUSY, EBUSY, 0)) || (b_ours && no_name(b, EBUSY, EBUSY, 0)))
		return refuse(a->path, EBUSY);
	if ((a_ours && no_name(a, 0, 0, EXDEV)) || (b_ours && no_name(b, 0, 0, EXDEV)))
		return refuse(a->path, EXDEV);
	return refuse(a_ours ? a->path : b->path, a_ours && b_ours && a->p.mount == b->p.mount ? EROFS : EXDEV);
}

/* A directory of the host above a mount: the kernel would move a mount along with it; we cannot. */
static bool is_above(int dirfd, const char *path)
{
	SLU_AUTO(mem) struct slu_scratch *s = malloc(sizeof(*s));
	int r = !s                  ? -ENOMEM
	        : path[0] == '/'    ? 0
	        : dirfd == AT_FDCWD ? slu_cwd_get(s->base)
	                            : slu_host_fd_path(dirfd, s->base);

	return r == 0 && slu_path_simplify(s->base, path, s->path) == 0 &&
	       (slu_vfs_above(&slu_shim.vfs, s->path) ||
	        (slu_host_realpath(s->path, s->target) == 0 && slu_vfs_above(&slu_shim.vfs, s->target)));
}

int slu_view_renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	SLU_WHERE(a);
	SLU_WHERE(b);
	bool a_ours = slu_where(&a, from_dir, from, SLU_NOFOLLOW), b_ours = slu_where(&b, to_dir, to, SLU_NOFOLLOW);
	int r;

	if (a_ours || b_ours)
		return refuse_two(&a, &b, a_ours, b_ours);
	if (slu_shim_on() && !slu_no_path(from) && !slu_no_path(to) &&
	    (is_above(a.dirfd, a.path) || is_above(b.dirfd, b.path)))
		return refuse(from, EBUSY);
	r = flags ? NEXT(renameat2)(a.dirfd, a.path, b.dirfd, b.path, flags)
	          : NEXT(renameat)(a.dirfd, a.path, b.dirfd, b.path);
	if (r == 0 || (errno != ENOENT && errno != ENOTDIR))
		return r;
	a_ours = slu_where_again(&a);
	b_ours = slu_where_again(&b);
	return a_ours || b_ours ? refuse_two(&a, &b, a_ours, b_ours) : r;
}

int slu_view_renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return slu_view_renameat2(from_dir, from, to_dir, to, 0);
}

int slu_view_rename(const char *from, const char *to)
{
	return slu_view_renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* Where the new name would be decides. */
static int refuse_link(struct slu_where *a, struct slu_where *b, bool a_ours, bool b_ours)
{
	if (a_ours && a->err < 0)
		return refuse(a->path, slu_where_error(a));
	if (b_ours)
		return refuse_new_file(b);
	return refuse(a->path, EXDEV);
}

int slu_view_linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	SLU_WHERE(a);
	SLU_WHERE(b);
	unsigned how = flags & AT_SYMLINK_FOLLOW ? 0 : SLU_NOFOLLOW;
	bool a_ours, b_ours;
	int r;

	if (!slu_no_path(from) && !from[0] && (flags & AT_EMPTY_PATH) && slu_fds_slot(&slu_shim.fds, from_dir))
		return refuse(to, EXDEV);
	a_ours = slu_where(&a, from_dir, from, how);
	b_ours = slu_where(&b, to_dir, to, SLU_NOFOLLOW);
	if (a_ours && a.err == 0 && a.p.kind == SLU_PLACE_ABSENT)
		return refuse(from, ENOENT);
	if (b_ours && b.err == 0 && b.p.kind != SLU_PLACE_ABSENT)
		return refuse(to, EEXIST);
	if (a_ours || b_ours)
		return refuse_link(&a, &b, a_ours, b_ours);
	r = NEXT(linkat)(a.dirfd, a.path, b.dirfd, b.path, flags);
	if (r == 0 || (errno != ENOENT && errno != ENOTDIR))
		return r;
	a_ours = slu_where_again(&a);
	b_ours = slu_where_again(&b);
	return a_ours || b_ours ? refuse_link(&a, &b, a_ours, b_ours) : r;
}

int slu_view_link(const char *from, const char *to)
{
	return slu_view_linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* ---- descriptors ----------------------------------------------------------------------------------------------------
 */

/* The errno of a change through @fd, or 0: not ours. */
static int refuse_fd(int fd, int err)
{
	struct slu_open *o = slu_get(fd);

	if (!o)
		return 0;
	errno = o->path_only ? EBADF : err;
	slu_put(o);
	return -1;
}

int slu_view_fchmod(int fd, mode_t mode)
{
	return refuse_fd(fd, EROFS) ? -1 : NEXT(fchmod)(fd, mode);
}

int slu_view_fchown(int fd, uid_t uid, gid_t gid)
{
	return refuse_fd(fd, EROFS) ? -1 : NEXT(fchown)(fd, uid, gid);
}

int slu_view_futimens(int fd, const struct timespec times[2])
{
	return refuse_fd(fd, EROFS) ? -1 : NEXT(futimens)(fd, times);
}

int slu_view_futimes(int fd, const struct timeval times[2])
{
	return refuse_fd(fd, EROFS) ? -1 : NEXT(futimes)(fd, times);
}

/* Those that need a descriptor open for writing. */
int slu_view_ftruncate(int fd, off_t len)
{
	return refuse_fd(fd, EINVAL) ? -1 : NEXT(ftruncate)(fd, len);
}

int slu_view_fallocate(int fd, int mode, off_t offset, off_t len)
{
	return refuse_fd(fd, EBADF) ? -1 : NEXT(fallocate)(fd, mode, offset, len);
}

int slu_view_posix_fallocate(int fd, off_t offset, off_t len)
{
	return slu_fds_slot(&slu_shim.fds, fd) ? EBADF : NEXT(posix_fallocate)(fd, offset, len);
}

ssize_t slu_view_write(int fd, const void *buf, size_t n)
{
	return SLU_UNLIKELY(refuse_fd(fd, EBADF)) ? -1 : NEXT(write)(fd, buf, n);
}

ssize_t slu_view_pwrite(int fd, const void *buf, size_t n, off_t offset)
{
	return SLU_UNLIKELY(refuse_fd(fd, EBADF)) ? -1 : NEXT(pwrite)(fd, buf, n, offset);
}

ssize_t slu_view_writev(int fd, const struct iovec *iov, int n)
{
	return SLU_UNLIKELY(refuse_fd(fd, EBADF)) ? -1 : NEXT(writev)(fd, iov, n);
}

ssize_t slu_view_pwritev(int fd, const struct iovec *iov, int n, off_t offset)
{
	return SLU_UNLIKELY(refuse_fd(fd, EBADF)) ? -1 : NEXT(pwritev)(fd, iov, n, offset);
}

ssize_t slu_view_pwritev2(int fd, const struct iovec *iov, int n, off_t offset, int flags)
{
	return SLU_UNLIKELY(refuse_fd(fd, EBADF)) ? -1 : NEXT(pwritev2)(fd, iov, n, offset, flags);
}

/* ---- syncing: there is nothing to sync ----------------------------------------------------------------------------
 */

/* 1: not ours. */
static int sync_ours(int fd)
{
	struct slu_open *o = slu_get(fd);
	int r;

	if (!o)
		return 1;
	r = o->path_only ? -1 : 0;
	slu_put(o);
	if (r < 0)
		errno = EBADF;
	return r;
}

int slu_view_fsync(int fd)
{
	int r = sync_ours(fd);

	return r <= 0 ? r : NEXT(fsync)(fd);
}

int slu_view_fdatasync(int fd)
{
	int r = sync_ours(fd);

	return r <= 0 ? r : NEXT(fdatasync)(fd);
}

int slu_view_syncfs(int fd)
{
	int r = sync_ours(fd);

	return r <= 0 ? r : NEXT(syncfs)(fd);
}

int slu_view_sync_file_range(int fd, off64_t offset, off64_t n, unsigned flags)
{
	int r = sync_ours(fd);

	return r <= 0 ? r : NEXT(sync_file_range)(fd, offset, n, flags);
}

/* ---- temporary names --------------------------------------------------------------------------------------------- */

/* Whether @template lies in a mount: errno is set. libc would try its names one after another, in vain. */
static bool is_template_ours(char *template, int suffix)
{
	SLU_WHERE(w);
	size_t n = template ? strlen(template) : 0;

	/* libc refuses all others itself. */
	if (n < 6 + (size_t)suffix || strncmp(template + n - 6 - (size_t)suffix, "XXXXXX", 6) != 0)
		return false;
	if (!slu_where(&w, AT_FDCWD, template, SLU_NOFOLLOW))
		return false;
	(void)refuse(template, w.err < 0 ? slu_where_error(&w) : EROFS);
	memcpy(template + n - 6 - (size_t)suffix, "sluice", 6); /* libc leaves the last name that it tried */
	return true;
}

int slu_view_mkstemp(char *template)
{
	return is_template_ours(template, 0) ? -1 : NEXT(mkstemp)(template);
}

int slu_view_mkostemp(char *template, int flags)
{
	return is_template_ours(template, 0) ? -1 : NEXT(mkostemp)(template, flags);
}

int slu_view_mkstemps(char *template, int suffix)
{
	return suffix >= 0 && is_template_ours(template, suffix) ? -1 : NEXT(mkstemps)(template, suffix);
}

int slu_view_mkostemps(char *template, int suffix, int flags)
{
	return suffix >= 0 && is_template_ours(template, suffix) ? -1 : NEXT(mkostemps)(template, suffix, flags);
}

char *slu_view_mkdtemp(char *template)
{
	return is_template_ours(template, 0) ? NULL : NEXT(mkdtemp)(template);
}
