/* SPDX-License-Identifier: MIT */
/* stat in both generations (stat, __xstat), statx, access, readlink, realpath. */
#include "shim/shim.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/hash.h"
#include "shim/heap.h"
#include "vfs/attr.h"
#include "vfs/host.h"

/* ---- what stat tells -------------------------------------------------------------------------------------- */

/* A directory that exists for the mounts below it: nobody's, empty but for them, always the same. */
static void stat_made(const char *path, struct stat *ret_st)
{
	const struct slu_stat s = {
		.ino = slu_hash64(path, strlen(path)) >> 1,
		.mode = S_IFDIR | 0555,
		.nlink = 2,
	};

	slu_attr_stat(&s, makedev(4095, 0), ret_st);
}

static int stat_node(struct slu_mount *m, struct slu_pack *p, uint64_t node, struct stat *ret_st)
{
	struct slu_stat s;
	int r = slu_pack_stat(p, node, &s);

	if (r == 0)
		slu_attr_stat(&s, atomic_load_explicit(&m->dev, memory_order_relaxed), ret_st);
	return r;
}

static int stat_open(const struct slu_open *o, struct stat *ret_st)
{
	struct slu_pack *p;
	int r;

	if (o->kind == SLU_OPEN_MADE) {
		stat_made(o->path, ret_st);
		return 0;
	}
	r = slu_mount_pack(&slu_shim.vfs, o->mount, &p);
	return r < 0 ? r : stat_node(o->mount, p, o->node, ret_st);
}

int slu_stat_where(struct slu_where *w, struct stat *ret_st)
{
	int err = slu_where_error(w);

	if (err)
		return -err;
	if (w->p.mount)
		slu_ledger_tally(slu_shim.vfs.ledger, w->p.mount->number, SLU_TALLY_STAT, 1);
	if (w->p.kind == SLU_PLACE_MADE) {
		stat_made(w->p.path, ret_st);
		return 0;
	}
	return stat_node(w->p.mount, w->p.pack, w->p.node, ret_st);
}

static int finish(int r, int saved)
{
	if (r < 0)
		return slu_shim_fail(r);
	errno = saved;
	return 0;
}

/* 0 or -1 if @fd is ours, 1 if not. */
static int fstat_ours(int fd, struct stat *st)
{
	struct slu_open *o = slu_get(fd);
	int saved = errno, r;

	if (!o)
		return 1;
	r = finish(stat_open(o, st), saved);
	slu_put(o);
	return r;
}

static int stat_found(struct slu_where *w, struct stat *st)
{
	int saved = errno;

	return finish(slu_stat_where(w, st), saved);
}

/* ---- the generation since glibc 2.33 ----------------------------------------------------------------------- */

int slu_view_fstatat(int dirfd, const char *path, struct stat *st, int flags)
{
	SLU_WHERE(w);
	int r;

	if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH))
		return NEXT(fstatat)(dirfd, path, st, flags); /* EINVAL */
	if (!slu_no_path(path) && path[0] == 0 && (flags & AT_EMPTY_PATH) && (r = fstat_ours(dirfd, st)) <= 0)
		return r;
	if (!slu_no_path(path) && path[0] == 0 && (flags & AT_EMPTY_PATH) && dirfd == AT_FDCWD)
		path = "."; /* the same, and where.c knows it */
	if (slu_where(&w, dirfd, path, flags & AT_SYMLINK_NOFOLLOW ? SLU_NOFOLLOW : 0))
		return stat_found(&w, st);
	if (!slu_no_path(path) && !(flags & AT_SYMLINK_NOFOLLOW) && (r = slu_where_fd_name(path)) >= 0 &&
	    (r = fstat_ours(r, st)) <= 0)
		return r;
	r = NEXT(fstatat)(w.dirfd, w.path, st, flags);
	return r < 0 && slu_where_again(&w) ? stat_found(&w, st) : r;
}

int slu_view_stat(const char *path, struct stat *st)
{
	return slu_view_fstatat(AT_FDCWD, path, st, 0);
}

int slu_view_lstat(const char *path, struct stat *st)
{
	return slu_view_fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int slu_view_fstat(int fd, struct stat *st)
{
	int r = SLU_LIKELY(!slu_fds_slot(&slu_shim.fds, fd)) ? 1 : fstat_ours(fd, st);

	if (r > 0 && slu_is_hidden(fd))
		return -1;
	return r <= 0 ? r : NEXT(fstat)(fd, st);
}

/* ---- the one before, which binaries built elsewhere still call --------------------------------------------- */

/* The versions of struct stat that 64-bit systems have; there is only one struct. */
static bool is_version(int version)
{
	if (version == 0 || version == 1)
		return true;
	errno = EINVAL;
	return false;
}

int slu_view___fxstatat(int version, int dirfd, const char *path, struct stat *st, int flags)
{
	return is_version(version) ? slu_view_fstatat(dirfd, path, st, flags) : -1;
}

int slu_view___xstat(int version, const char *path, struct stat *st)
{
	return is_version(version) ? slu_view_fstatat(AT_FDCWD, path, st, 0) : -1;
}

int slu_view___lxstat(int version, const char *path, struct stat *st)
{
	return is_version(version) ? slu_view_fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW) : -1;
}

int slu_view___fxstat(int version, int fd, struct stat *st)
{
	return is_version(version) ? slu_view_fstat(fd, st) : -1;
}

/* ---- statx -------------------------------------------------------------------------------------------------- */

static void to_statx(const struct stat *st, struct statx *ret_stx)
{
	struct statx_timestamp t = { .tv_sec = st->st_mtim.tv_sec, .tv_nsec = (uint32_t)st->st_mtim.tv_nsec };

	*ret_stx = (struct statx){
		.stx_mask = STATX_BASIC_STATS,
		.stx_blksize = (uint32_t)st->st_blksize,
		.stx_nlink = (uint32_t)st->st_nlink,
		.stx_uid = st->st_uid,
		.stx_gid = st->st_gid,
		.stx_mode = (uint16_t)st->st_mode,
		.stx_ino = st->st_ino,
		.stx_size = (uint64_t)st->st_size,
		.stx_blocks = (uint64_t)st->st_blocks,
		.stx_atime = t,
		.stx_ctime = t,
		.stx_mtime = t,
		.stx_dev_major = major(st->st_dev),
		.stx_dev_minor = minor(st->st_dev),
	};
}

/* 0 or -1 if ours, 1 if not. */
static int statx_ours(struct slu_where *w, int dirfd, const char *path, int flags, struct statx *stx)
{
	bool empty = !slu_no_path(path) && path[0] == 0 && (flags & AT_EMPTY_PATH);
	struct stat st;
	int r;

	if (empty && (r = fstat_ours(dirfd, &st)) <= 0) {
		if (r == 0)
			to_statx(&st, stx);
		return r;
	}
	if (!slu_where(w, dirfd, empty && dirfd == AT_FDCWD ? "." : path,
	               flags & AT_SYMLINK_NOFOLLOW ? SLU_NOFOLLOW : 0))
		return 1;
	r = stat_found(w, &st);
	if (r == 0)
		to_statx(&st, stx);
	return r;
}

int slu_view_statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *stx)
{
	SLU_WHERE(w);
	struct stat st;
	int r;

	if ((mask & STATX__RESERVED) || (flags & AT_STATX_SYNC_TYPE) == AT_STATX_SYNC_TYPE)
		return NEXT(statx)(dirfd, path, flags, mask, stx); /* EINVAL */
	w.dirfd = dirfd;
	w.path = path;
	if ((r = statx_ours(&w, dirfd, path, flags, stx)) <= 0)
		return r;
	r = NEXT(statx)(w.dirfd, w.path, flags, mask, stx);
	if (r < 0 && slu_where_again(&w) && (r = stat_found(&w, &st)) == 0)
		to_statx(&st, stx);
	return r;
}

/* ---- access --------------------------------------------------------------------------------------------------- */

/* Who can read the pack can read what is in it; only execution has a meaning of its own. */
static int access_found(struct slu_where *w, int mode)
{
	struct stat st;
	int saved = errno, r = slu_stat_where(w, &st);

	if (r == 0 && (mode & W_OK))
		r = -EROFS;
	if (r == 0 && (mode & X_OK) && !(st.st_mode & 0111) && !S_ISDIR(st.st_mode))
		r = -EACCES;
	return finish(r, saved);
}

int slu_view_faccessat(int dirfd, const char *path, int mode, int flags)
{
	SLU_WHERE(w);
	int r;

	if ((mode & ~(R_OK | W_OK | X_OK)) || (flags & ~(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)))
		return NEXT(faccessat)(dirfd, path, mode, flags); /* EINVAL */
	if (slu_where(&w, dirfd, path, flags & AT_SYMLINK_NOFOLLOW ? SLU_NOFOLLOW : 0))
		return access_found(&w, mode);
	r = NEXT(faccessat)(w.dirfd, w.path, mode, flags);
	return r < 0 && slu_where_again(&w) ? access_found(&w, mode) : r;
}

int slu_view_access(const char *path, int mode)
{
	SLU_WHERE(w);
	int r;

	if (mode & ~(R_OK | W_OK | X_OK))
		return NEXT(access)(path, mode); /* EINVAL */
	if (slu_where(&w, AT_FDCWD, path, 0))
		return access_found(&w, mode);
	r = NEXT(access)(w.path, mode);
	return r < 0 && slu_where_again(&w) ? access_found(&w, mode) : r;
}

int slu_view_eaccess(const char *path, int mode)
{
	return slu_view_faccessat(AT_FDCWD, path, mode, AT_EACCESS);
}

/* ---- links ------------------------------------------------------------------------------------------------------ */

static ssize_t readlink_found(struct slu_where *w, char *buf, size_t room)
{
	char target[SLU_PATH_MAX];
	int saved = errno, err = slu_where_error(w);
	ssize_t n;

	if (err || w->p.kind != SLU_PLACE_NODE || w->p.node_kind != SLU_LINK || room == 0) {
		errno = err ? err : EINVAL;
		return -1;
	}
	n = slu_pack_readlink(w->p.pack, w->p.node, target);
	if (n < 0)
		return slu_shim_fail((int)n);
	n = (ssize_t)slu_min((uint64_t)n, room);
	memcpy(buf, target, (size_t)n);
	errno = saved;
	return n;
}

/* "/proc/self/fd/N" of ours: the path as the program knows it. */
static ssize_t readlink_fd(int fd, char *buf, size_t room)
{
	struct slu_open *o = slu_get(fd);
	char path[PATH_MAX];
	size_t n;
	int r;

	if (!o)
		return -2;
	r = slu_open_path(o, path);
	slu_put(o);
	if (r < 0)
		return slu_shim_fail(r);
	n = slu_min(strlen(path), room);
	memcpy(buf, path, n);
	return (ssize_t)n;
}

static ssize_t readlink_cwd(char *buf, size_t room)
{
	char path[PATH_MAX];
	size_t n;

	if (slu_cwd_get(path) < 0)
		return -1;
	n = slu_min(strlen(path), room);
	memcpy(buf, path, n);
	return (ssize_t)n;
}

/* A link that is open itself (O_PATH | O_NOFOLLOW), as what was found. */
static bool link_open(int fd, struct slu_where *w)
{
	struct slu_open *o = slu_get(fd);
	bool link = o && o->kind == SLU_OPEN_LINK;

	if (link) {
		w->err = 0;
		w->p = (struct slu_place){
			.kind = SLU_PLACE_NODE, .node_kind = SLU_LINK, .mount = o->mount, .node = o->node
		};
		w->err = slu_mount_pack(&slu_shim.vfs, o->mount, &w->p.pack);
	}
	if (o)
		slu_put(o);
	return link;
}

ssize_t slu_view_readlinkat(int dirfd, const char *path, char *buf, size_t room)
{
	SLU_WHERE(w);
	ssize_t r;
	int fd;

	if (slu_cwd_is_inside() && !slu_no_path(path) && slu_cwd_name_rest(path) && !*slu_cwd_name_rest(path))
		return readlink_cwd(buf, room);
	if (!slu_no_path(path) && !path[0] && slu_fds_slot(&slu_shim.fds, dirfd) && link_open(dirfd, &w))
		return readlink_found(&w, buf, room);
	if (slu_where(&w, dirfd, path, SLU_NOFOLLOW))
		return readlink_found(&w, buf, room);
	if (!slu_no_path(path) && (fd = slu_where_fd_name(path)) >= 0 && (r = readlink_fd(fd, buf, room)) != -2)
		return r;
	r = NEXT(readlinkat)(w.dirfd, w.path, buf, room);
	return r < 0 && slu_where_again(&w) ? readlink_found(&w, buf, room) : r;
}

ssize_t slu_view_readlink(const char *path, char *buf, size_t room)
{
	return slu_view_readlinkat(AT_FDCWD, path, buf, room);
}

ssize_t slu_view___readlink_chk(const char *path, char *buf, size_t n, size_t room)
{
	return n > room ? NEXT(__readlink_chk)(path, buf, n, room) : slu_view_readlinkat(AT_FDCWD, path, buf, n);
}

ssize_t slu_view___readlinkat_chk(int dirfd, const char *path, char *buf, size_t n, size_t room)
{
	return n > room ? NEXT(__readlinkat_chk)(dirfd, path, buf, n, room) : slu_view_readlinkat(dirfd, path, buf, n);
}

static char *realpath_found(struct slu_where *w, char *resolved)
{
	int saved = errno, err = slu_where_error(w), r;
	char path[PATH_MAX];

	if (err || (r = slu_where_path(w, path)) < 0) {
		errno = err ? err : -r;
		return NULL;
	}
	errno = saved;
	return resolved ? strcpy(resolved, path) : slu_host_strdup(path);
}

char *slu_view_realpath(const char *path, char *resolved)
{
	SLU_WHERE(w);
	char *r;

	if (slu_where(&w, AT_FDCWD, path, 0))
		return realpath_found(&w, resolved);
	r = NEXT(realpath)(w.path, resolved);
	return !r && slu_where_again(&w) ? realpath_found(&w, resolved) : r;
}

char *slu_view_canonicalize_file_name(const char *path)
{
	return slu_view_realpath(path, NULL);
}

char *slu_view___realpath_chk(const char *path, char *resolved, size_t room)
{
	return room < PATH_MAX ? NEXT(__realpath_chk)(path, resolved, room) : slu_view_realpath(path, resolved);
}
