/* SPDX-License-Identifier: MIT */
/* Extended attributes (a pack has none), and what there is to know of the file system. */
#include "shim/shim.h"

#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "vfs/attr.h"

/* ---- extended attributes ------------------------------------------------------------------------------------ */

/* A name must be of a known kind before it can be missing. */
static int no_such_name(const char *name)
{
	static const char *const kinds[] = { "user.", "trusted.", "security.", "system." };

	for (size_t i = 0; name && i < SLU_ARRAY_SIZE(kinds); i++)
		if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
			return ENODATA;
	return EOPNOTSUPP;
}

static ssize_t no_value(struct slu_where *w, const char *name)
{
	int err = slu_where_error(w);

	errno = err ? err : no_such_name(name);
	return -1;
}

static ssize_t no_names(struct slu_where *w)
{
	int err = slu_where_error(w);

	if (!err)
		return 0;
	errno = err;
	return -1;
}

static int no_change(struct slu_where *w)
{
	errno = slu_where_readonly(w);
	return -1;
}

#define ASK(type, path, flags, found, call)                                                                            \
	SLU_WHERE(w);                                                                                                  \
	type r;                                                                                                        \
	if (slu_where(&w, AT_FDCWD, path, flags))                                                                      \
		return found(&w);                                                                                      \
	r = (call);                                                                                                    \
	return r < 0 && slu_where_again(&w) ? found(&w) : r

ssize_t slu_view_getxattr(const char *path, const char *name, void *value, size_t size)
{
	SLU_WHERE(w);
	ssize_t r;

	if (slu_where(&w, AT_FDCWD, path, 0))
		return no_value(&w, name);
	r = NEXT(getxattr)(w.path, name, value, size);
	return r < 0 && slu_where_again(&w) ? no_value(&w, name) : r;
}

ssize_t slu_view_lgetxattr(const char *path, const char *name, void *value, size_t size)
{
	SLU_WHERE(w);
	ssize_t r;

	if (slu_where(&w, AT_FDCWD, path, SLU_NOFOLLOW))
		return no_value(&w, name);
	r = NEXT(lgetxattr)(w.path, name, value, size);
	return r < 0 && slu_where_again(&w) ? no_value(&w, name) : r;
}

ssize_t slu_view_listxattr(const char *path, char *list, size_t size)
{
	ASK(ssize_t, path, 0, no_names, NEXT(listxattr)(w.path, list, size));
}

ssize_t slu_view_llistxattr(const char *path, char *list, size_t size)
{
	ASK(ssize_t, path, SLU_NOFOLLOW, no_names, NEXT(llistxattr)(w.path, list, size));
}

int slu_view_setxattr(const char *path, const char *name, const void *value, size_t size, int flags)
{
	ASK(int, path, 0, no_change, NEXT(setxattr)(w.path, name, value, size, flags));
}

int slu_view_lsetxattr(const char *path, const char *name, const void *value, size_t size, int flags)
{
	ASK(int, path, SLU_NOFOLLOW, no_change, NEXT(lsetxattr)(w.path, name, value, size, flags));
}

int slu_view_removexattr(const char *path, const char *name)
{
	ASK(int, path, 0, no_change, NEXT(removexattr)(w.path, name));
}

int slu_view_lremovexattr(const char *path, const char *name)
{
	ASK(int, path, SLU_NOFOLLOW, no_change, NEXT(lremovexattr)(w.path, name));
}

/* 1: not ours; else -1 with @err, or with EBADF if it is only a path. */
static int answer_fd(int fd, int err)
{
	struct slu_open *o = slu_get(fd);

	if (!o)
		return 1;
	errno = o->path_only ? EBADF : err;
	slu_put(o);
	return errno ? -1 : 0;
}

ssize_t slu_view_fgetxattr(int fd, const char *name, void *value, size_t size)
{
	return answer_fd(fd, no_such_name(name)) < 0 ? -1 : NEXT(fgetxattr)(fd, name, value, size);
}

ssize_t slu_view_flistxattr(int fd, char *list, size_t size)
{
	int saved = errno, r = answer_fd(fd, 0);

	if (r > 0)
		return NEXT(flistxattr)(fd, list, size);
	if (r == 0)
		errno = saved;
	return r;
}

int slu_view_fsetxattr(int fd, const char *name, const void *value, size_t size, int flags)
{
	return answer_fd(fd, EROFS) < 0 ? -1 : NEXT(fsetxattr)(fd, name, value, size, flags);
}

int slu_view_fremovexattr(int fd, const char *name)
{
	return answer_fd(fd, EROFS) < 0 ? -1 : NEXT(fremovexattr)(fd, name);
}

/* ---- the file system ------------------------------------------------------------------------------------------- */

enum { MAGIC = 0x534c5549 };

static void fill_statvfs(struct slu_mount *m, struct statvfs *ret_vfs)
{
	struct slu_pack_info info = { 0 };
	struct slu_pack *p;

	if (m && slu_mount_pack(&slu_shim.vfs, m, &p) == 0)
		(void)!slu_pack_info(p, &info); /* zeros are good enough */
	slu_attr_statvfs(&info, m ? atomic_load(&m->dev) : 0, ret_vfs);
}

static void fill_statfs(struct slu_mount *m, struct statfs *ret_fs)
{
	struct statvfs vfs;

	fill_statvfs(m, &vfs);
	memset(ret_fs, 0, sizeof(*ret_fs));
	ret_fs->f_type = MAGIC;
	ret_fs->f_bsize = (__fsword_t)vfs.f_bsize;
	ret_fs->f_frsize = (__fsword_t)vfs.f_frsize;
	ret_fs->f_blocks = vfs.f_blocks;
	ret_fs->f_files = vfs.f_files;
	ret_fs->f_namelen = (__fsword_t)vfs.f_namemax;
	ret_fs->f_flags = (__fsword_t)vfs.f_flag;
	memcpy(&ret_fs->f_fsid, &vfs.f_fsid, sizeof(ret_fs->f_fsid));
}

static int statfs_found(struct slu_where *w, struct statfs *fs)
{
	int err = slu_where_error(w);

	if (!err)
		fill_statfs(w->p.mount, fs);
	else
		errno = err;
	return err ? -1 : 0;
}

static int statvfs_found(struct slu_where *w, struct statvfs *vfs)
{
	int err = slu_where_error(w);

	if (!err)
		fill_statvfs(w->p.mount, vfs);
	else
		errno = err;
	return err ? -1 : 0;
}

int slu_view_statfs(const char *path, struct statfs *fs)
{
	SLU_WHERE(w);
	int r;

	if (slu_where(&w, AT_FDCWD, path, 0))
		return statfs_found(&w, fs);
	r = NEXT(statfs)(w.path, fs);
	return r < 0 && slu_where_again(&w) ? statfs_found(&w, fs) : r;
}

int slu_view_statvfs(const char *path, struct statvfs *vfs)
{
	SLU_WHERE(w);
	int r;

	if (slu_where(&w, AT_FDCWD, path, 0))
		return statvfs_found(&w, vfs);
	r = NEXT(statvfs)(w.path, vfs);
	return r < 0 && slu_where_again(&w) ? statvfs_found(&w, vfs) : r;
}

int slu_view_fstatfs(int fd, struct statfs *fs)
{
	struct slu_open *o = slu_get(fd);

	if (!o)
		return NEXT(fstatfs)(fd, fs);
	fill_statfs(o->mount, fs);
	slu_put(o);
	return 0;
}

int slu_view_fstatvfs(int fd, struct statvfs *vfs)
{
	struct slu_open *o = slu_get(fd);

	if (!o)
		return NEXT(fstatvfs)(fd, vfs);
	fill_statvfs(o->mount, vfs);
	slu_put(o);
	return 0;
}

/* ---- limits: those of the system, asked of a directory that exists --------------------------------------------------
 */

static long limit(int name)
{
	return name == _PC_LINK_MAX ? 65000 : NEXT(pathconf)("/", name);
}

/* Those that glibc answers without a look at the path. */
static bool is_constant(int name)
{
	return name == _PC_PATH_MAX || name == _PC_PIPE_BUF || name == _PC_NO_TRUNC || name == _PC_MAX_CANON ||
	       name == _PC_MAX_INPUT || name == _PC_VDISABLE || name == _PC_SYNC_IO || name == _PC_PRIO_IO ||
	       name == _PC_SOCK_MAXBUF;
}

static long pathconf_found(struct slu_where *w, int name)
{
	int err = slu_where_error(w);

	if (!err)
		return limit(name);
	errno = err;
	return -1;
}

long slu_view_pathconf(const char *path, int name)
{
	SLU_WHERE(w);
	int saved = errno;
	long r;

	if (!slu_no_path(path) && path[0] && is_constant(name))
		return NEXT(pathconf)(path, name);
	if (slu_where(&w, AT_FDCWD, path, 0))
		return pathconf_found(&w, name);
	r = NEXT(pathconf)(w.path, name);
	if (r < 0 && errno != saved && slu_where_again(&w))
		return pathconf_found(&w, name);
	return r;
}

long slu_view_fpathconf(int fd, int name)
{
	struct slu_open *o = slu_get(fd);

	if (!o)
		return NEXT(fpathconf)(fd, name);
	slu_put(o);
	return limit(name);
}
