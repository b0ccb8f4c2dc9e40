/* SPDX-License-Identifier: MIT */
/* Recorded: calls that name a path. Asking about files, and changing names and attributes. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/traced.h"

/* ---- asking
 * ---------------------------------------------------------------------------------------------------------- */

/* With AT_EMPTY_PATH it is the descriptor itself: the recorder finds that out from the path. */
TRACED_AT(int, fstatat, FSTATAT, dirfd, path, (int dirfd, const char *path, struct stat *st, int flags),
          (dirfd, path, st, flags))
SHIM_ALIAS(fstatat64, fstatat);
TRACED_AT(int, __fxstatat, FSTATAT, dirfd, path, (int version, int dirfd, const char *path, struct stat *st, int flags),
          (version, dirfd, path, st, flags))
SHIM_ALIAS(__fxstatat64, __fxstatat);
TRACED_PATH(int, stat, STAT, path, (const char *path, struct stat *st), (path, st))
SHIM_ALIAS(stat64, stat);
TRACED_PATH(int, __xstat, STAT, path, (int version, const char *path, struct stat *st), (version, path, st))
SHIM_ALIAS(__xstat64, __xstat);
TRACED_PATH(int, lstat, LSTAT, path, (const char *path, struct stat *st), (path, st))
SHIM_ALIAS(lstat64, lstat);
TRACED_PATH(int, __lxstat, LSTAT, path, (int version, const char *path, struct stat *st), (version, path, st))
SHIM_ALIAS(__lxstat64, __lxstat);
TRACED_AT(int, statx, STATX, dirfd, path, (int dirfd, const char *path, int flags, unsigned mask, struct statx *stx),
          (dirfd, path, flags, mask, stx))
TRACED_AT(int, faccessat, ACCESS, dirfd, path, (int dirfd, const char *path, int mode, int flags),
          (dirfd, path, mode, flags))
TRACED_PATH(int, access, ACCESS, path, (const char *path, int mode), (path, mode))
TRACED_PATH(int, eaccess, ACCESS, path, (const char *path, int mode), (path, mode))
SHIM_ALIAS(euidaccess, eaccess);
TRACED_AT(ssize_t, readlinkat, READLINK, dirfd, path, (int dirfd, const char *path, char *buf, size_t room),
          (dirfd, path, buf, room))
TRACED_PATH(ssize_t, readlink, READLINK, path, (const char *path, char *buf, size_t room), (path, buf, room))
TRACED_PATH(ssize_t, __readlink_chk, READLINK, path, (const char *path, char *buf, size_t n, size_t room),
            (path, buf, n, room))
TRACED_AT(ssize_t, __readlinkat_chk, READLINK, dirfd, path,
          (int dirfd, const char *path, char *buf, size_t n, size_t room), (dirfd, path, buf, n, room))
TRACED_PATH(int, statfs, STATFS, path, (const char *path, struct statfs *fs), (path, fs))
SHIM_ALIAS(statfs64, statfs);
SHIM_ALIAS(__statfs, statfs);
TRACED_PATH(int, statvfs, STATFS, path, (const char *path, struct statvfs *vfs), (path, vfs))
SHIM_ALIAS(statvfs64, statvfs);
TRACED_PATH(long, pathconf, STATFS, path, (const char *path, int name), (path, name))
TRACED_PATH(ssize_t, getxattr, XATTR, path, (const char *path, const char *name, void *value, size_t size),
            (path, name, value, size))
TRACED_PATH(ssize_t, lgetxattr, XATTR, path, (const char *path, const char *name, void *value, size_t size),
            (path, name, value, size))
TRACED_PATH(ssize_t, listxattr, XATTR, path, (const char *path, char *list, size_t size), (path, list, size))
TRACED_PATH(ssize_t, llistxattr, XATTR, path, (const char *path, char *list, size_t size), (path, list, size))

SHIM char *realpath(const char *path, char *resolved)
{
	uint64_t begin = slu_traced_begin();
	char *r = slu_view_realpath(path, resolved);

	slu_traced_path(begin, SLU_CALL_READLINK, AT_FDCWD, path, !r);
	return r;
}

SHIM char *canonicalize_file_name(const char *path)
{
	return realpath(path, NULL);
}

SHIM char *__realpath_chk(const char *path, char *resolved, size_t room)
{
	uint64_t begin = slu_traced_begin();
	char *r = slu_view___realpath_chk(path, resolved, room);

	slu_traced_path(begin, SLU_CALL_READLINK, AT_FDCWD, path, !r);
	return r;
}

/* ---- names
 * ----------------------------------------------------------------------------------------------------------- */

TRACED_PATH(int, unlink, UNLINK, path, (const char *path), (path))
TRACED_AT(int, unlinkat, UNLINK, dirfd, path, (int dirfd, const char *path, int flags), (dirfd, path, flags))
TRACED_PATH(int, rmdir, UNLINK, path, (const char *path), (path))
TRACED_PATH(int, remove, UNLINK, path, (const char *path), (path))
TRACED_PATH(int, mkdir, MKDIR, path, (const char *path, mode_t mode), (path, mode))
TRACED_AT(int, mkdirat, MKDIR, dirfd, path, (int dirfd, const char *path, mode_t mode), (dirfd, path, mode))
TRACED_PATH(int, mknod, LINK, path, (const char *path, mode_t mode, dev_t dev), (path, mode, dev))
TRACED_AT(int, mknodat, LINK, dirfd, path, (int dirfd, const char *path, mode_t mode, dev_t dev),
          (dirfd, path, mode, dev))
TRACED_PATH(int, mkfifo, LINK, path, (const char *path, mode_t mode), (path, mode))
TRACED_AT(int, mkfifoat, LINK, dirfd, path, (int dirfd, const char *path, mode_t mode), (dirfd, path, mode))
TRACED_PATH(int, symlink, LINK, path, (const char *target, const char *path), (target, path))
TRACED_AT(int, symlinkat, LINK, dirfd, path, (const char *target, int dirfd, const char *path), (target, dirfd, path))
TRACED_PATH(int, link, LINK, to, (const char *from, const char *to), (from, to))
TRACED_AT(int, linkat, LINK, to_dir, to, (int from_dir, const char *from, int to_dir, const char *to, int flags),
          (from_dir, from, to_dir, to, flags))

SHIM char *mkdtemp(char *path)
{
	uint64_t begin = slu_traced_begin();
	char *r = slu_view_mkdtemp(path);

	slu_traced_path(begin, SLU_CALL_MKDIR, AT_FDCWD, path, !r);
	return r;
}

/* Counted for the new name: that is what was written. */
static int renamed(uint64_t begin, int to_dir, const char *to, int r)
{
	struct slu_rec_call c;

	if (SLU_UNLIKELY(begin)) {
		c = slu_traced_call(begin, SLU_CALL_RENAME, r < 0);
		slu_rec_path(&slu_shim.rec, &slu_rec_tls, &c, to_dir, to, r < 0 ? 0 : SLU_FILE_CREATED);
	}
	return r;
}

SHIM int rename(const char *from, const char *to)
{
	uint64_t begin = slu_traced_begin();

	return renamed(begin, AT_FDCWD, to, slu_view_rename(from, to));
}

SHIM int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	uint64_t begin = slu_traced_begin();

	return renamed(begin, to_dir, to, slu_view_renameat(from_dir, from, to_dir, to));
}

SHIM int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	uint64_t begin = slu_traced_begin();

	return renamed(begin, to_dir, to, slu_view_renameat2(from_dir, from, to_dir, to, flags));
}

/* ---- attributes
 * ------------------------------------------------------------------------------------------------------ */

TRACED_PATH(int, truncate, TRUNCATE, path, (const char *path, off_t len), (path, len))
SHIM_ALIAS(truncate64, truncate);
TRACED_PATH(int, chmod, CHMOD, path, (const char *path, mode_t mode), (path, mode))
TRACED_PATH(int, lchmod, CHMOD, path, (const char *path, mode_t mode), (path, mode))
TRACED_AT(int, fchmodat, CHMOD, dirfd, path, (int dirfd, const char *path, mode_t mode, int flags),
          (dirfd, path, mode, flags))
TRACED_PATH(int, chown, CHMOD, path, (const char *path, uid_t uid, gid_t gid), (path, uid, gid))
TRACED_PATH(int, lchown, CHMOD, path, (const char *path, uid_t uid, gid_t gid), (path, uid, gid))
TRACED_AT(int, fchownat, CHMOD, dirfd, path, (int dirfd, const char *path, uid_t uid, gid_t gid, int flags),
          (dirfd, path, uid, gid, flags))
TRACED_PATH(int, utime, CHMOD, path, (const char *path, const struct utimbuf *times), (path, times))
TRACED_PATH(int, utimes, CHMOD, path, (const char *path, const struct timeval times[2]), (path, times))
TRACED_PATH(int, lutimes, CHMOD, path, (const char *path, const struct timeval times[2]), (path, times))
TRACED_AT(int, futimesat, CHMOD, dirfd, path, (int dirfd, const char *path, const struct timeval times[2]),
          (dirfd, path, times))
TRACED_AT(int, utimensat, CHMOD, dirfd, path, (int dirfd, const char *path, const struct timespec times[2], int flags),
          (dirfd, path, times, flags))
TRACED_PATH(int, setxattr, CHMOD, path, (const char *path, const char *name, const void *value, size_t size, int flags),
            (path, name, value, size, flags))
TRACED_PATH(int, lsetxattr, CHMOD, path,
            (const char *path, const char *name, const void *value, size_t size, int flags),
            (path, name, value, size, flags))
TRACED_PATH(int, removexattr, CHMOD, path, (const char *path, const char *name), (path, name))
TRACED_PATH(int, lremovexattr, CHMOD, path, (const char *path, const char *name), (path, name))
