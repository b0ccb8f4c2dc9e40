/* SPDX-License-Identifier: MIT */
/* Where a path of the program lies. See shim.h. */
#include "shim/shim.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vfs/host.h"

static bool has_dotdot(const char *path)
{
	const char *p = strstr(path, "..");

	return p && (p == path || p[-1] == '/');
}

int slu_open_path(const struct slu_open *o, char ret_path[PATH_MAX])
{
	struct slu_pack *pack;
	int r;

	if (o->kind == SLU_OPEN_MADE) {
		strcpy(ret_path, o->path);
		return 0;
	}
	r = slu_mount_pack(&slu_shim.vfs, o->mount, &pack);
	return r < 0 ? r : slu_vfs_path(o->mount, pack, o->node, ret_path);
}

/* The number in a path that names a descriptor of this process, or -1. */
static int fd_in_name(const char *path)
{
	const char *digits;
	char *end;
	long n;

	if (strncmp(path, "/dev/", 5) == 0) {
		if (strcmp(path, "/dev/stdin") == 0)
			return 0;
		digits = strncmp(path, "/dev/fd/", 8) == 0 ? path + 8 : "";
	} else if (strncmp(path, "/proc/self/fd/", 14) == 0) {
		digits = path + 14;
	} else if (strncmp(path, "/proc/thread-self/fd/", 21) == 0) {
		digits = path + 21;
	} else {
		n = strncmp(path, "/proc/", 6) == 0 ? strtol(path + 6, &end, 10) : 0;
		digits = n > 0 && n == getpid() && strncmp(end, "/fd/", 4) == 0 ? end + 4 : "";
	}
	if (*digits < '0' || *digits > '9')
		return -1;
	n = strtol(digits, &end, 10);
	return *end || n > INT_MAX ? -1 : (int)n;
}

int slu_where_fd_name(const char *path)
{
	int fd;

	if (path[0] != '/' || (path[1] != 'p' && path[1] != 'd') || !slu_shim_on())
		return -1;
	fd = fd_in_name(path);
	return fd >= 0 && slu_fds_slot(&slu_shim.fds, fd) && !slu_in_vfork ? fd : -1;
}

/* Where a relative path starts: 0 and the path, or -1: not known, or of no concern. */
static int find_base(struct slu_where *w, bool sure, char ret_base[PATH_MAX])
{
	struct slu_open *o;
	int r;

	if (w->dirfd == AT_FDCWD) {
		if (!sure && atomic_load(&slu_shim.cwd_state) == SLU_CWD_CLEAR && !slu_in_vfork &&
		    (!slu_shim.vfs.covers || (!has_dotdot(w->path) && !slu_host_has_link(AT_FDCWD, w->path))))
			return -1;
		if (slu_cwd_is_inside())
			w->flags |= SLU_VIRTUAL;
		return slu_cwd_get(ret_base) < 0 ? -1 : 0;
	}
	if ((o = slu_get(w->dirfd))) {
		w->flags |= SLU_VIRTUAL;
		r = slu_open_path(o, ret_base);
		slu_put(o);
		return r < 0 ? -1 : 0;
	}
	if (!sure && !slu_shim.vfs.covers)
		return -1;
	return slu_host_fd_path(w->dirfd, ret_base) < 0 ? -1 : 0;
}

/* Room for the slow ways; false: there is no memory, and w->err says so. */
static bool get_scratch(struct slu_where *w)
{
	if (!w->scratch)
		w->scratch = malloc(sizeof(*w->scratch));
	w->err = w->scratch ? 0 : -ENOMEM;
	return w->scratch != NULL;
}

void slu_where_done(struct slu_where *w)
{
	if (SLU_UNLIKELY(w->scratch != NULL))
		free(w->scratch);
}

static bool resolve(struct slu_where *w, const char *base)
{
	int saved = errno;

	if (!get_scratch(w))
		return true;
	w->err = slu_vfs_walk(&slu_shim.vfs, w->scratch, base, w->path, w->flags, &w->p);
	errno = saved;
	if (w->err < 0)
		return true;
	if (w->p.kind == SLU_PLACE_HOST) {
		w->dirfd = AT_FDCWD;
		w->path = w->p.path;
		return false;
	}
	return w->p.kind != SLU_PLACE_PASS;
}

/* A file, not a directory, that a relative path starts from. */
static bool starts_at_file(const struct slu_where *w)
{
	struct slu_open *o = w->dirfd == AT_FDCWD ? NULL : slu_get(w->dirfd);
	bool file = o && (o->kind == SLU_OPEN_FILE || o->kind == SLU_OPEN_LINK);

	if (o)
		slu_put(o);
	return file;
}

/* "/proc/self/fd/N/...", where N is a directory of ours. */
static bool below_fd_name(struct slu_where *w)
{
	char name[32];
	const char *rest = strncmp(w->path, "/dev/fd/", 8) == 0 ? w->path + 8 : strstr(w->path, "/fd/");
	struct slu_open *o;
	size_t n;
	int r;

	rest = rest ? strchr(rest + (*rest == '/' ? 4 : 0), '/') : NULL;
	n = rest ? (size_t)(rest - w->path) : sizeof(name);
	if (n >= sizeof(name))
		return false;
	memcpy(name, w->path, n);
	name[n] = 0;
	if (!(o = slu_get(slu_where_fd_name(name))))
		return false;
	r = o->kind == SLU_OPEN_FILE ? -ENOTDIR : !get_scratch(w) ? -ENOMEM : slu_open_path(o, w->scratch->base);
	slu_put(o);
	if (r < 0) {
		w->err = r;
		return true;
	}
	w->path = rest + strspn(rest, "/");
	if (!*w->path)
		w->path = ".";
	w->flags |= SLU_VIRTUAL;
	return resolve(w, w->scratch->base);
}

/* Behind "/proc/self/cwd" and the like of this process: what is left, or NULL. */
const char *slu_cwd_name_rest(const char *path)
{
	char *end;
	size_t n = 0;

	if (strncmp(path, "/proc/", 6) != 0)
		return NULL;
	path += 6;
	if (strncmp(path, "self/", 5) == 0)
		n = 5;
	else if (strncmp(path, "thread-self/", 12) == 0)
		n = 12;
	else if (strtol(path, &end, 10) == getpid() && *end == '/')
		n = (size_t)(end - path) + 1;
	if (!n || strncmp(path + n, "cwd", 3) != 0 || (path[n + 3] && path[n + 3] != '/'))
		return NULL;
	return path + n + 3;
}

/* "/proc/self/cwd/...", where the working directory is one that the kernel does not know. */
static bool below_cwd_name(struct slu_where *w)
{
	const char *rest = slu_cwd_is_inside() ? slu_cwd_name_rest(w->path) : NULL;

	if (!rest || !get_scratch(w) || slu_cwd_get(w->scratch->base) < 0)
		return false;
	rest += strspn(rest, "/");
	w->path = *rest ? rest : ".";
	w->dirfd = AT_FDCWD;
	w->flags |= SLU_VIRTUAL;
	return resolve(w, w->scratch->base);
}

bool slu_where_slow(struct slu_where *w)
{
	struct slu_mount *m;
	int saved = errno;

	if (w->path[0] == '/') {
		if ((m = slu_vfs_match(&slu_shim.vfs, w->path))) { /* most of what is ours */
			w->err = slu_vfs_look(&slu_shim.vfs, m, w->path, w->flags, &w->p);
			errno = saved;
			return SLU_LIKELY(w->err != -EAGAIN) || resolve(w, "/");
		}
		if (SLU_UNLIKELY((strncmp(w->path, "/proc/", 6) == 0 || strncmp(w->path, "/dev/fd/", 8) == 0)) &&
		    (below_fd_name(w) || below_cwd_name(w)))
			return true;
		if (SLU_LIKELY(slu_vfs_outside(&slu_shim.vfs, w->path)) &&
		    SLU_LIKELY(!slu_shim.vfs.covers || !slu_host_has_link(AT_FDCWD, w->path)))
			return false;
		return resolve(w, "/");
	}
	if (w->path[0] == 0)
		return false; /* ENOENT, or AT_EMPTY_PATH, which callers look for first */
	if (starts_at_file(w)) {
		w->err = -ENOTDIR;
		return true;
	}
	return !get_scratch(w) || (find_base(w, false, w->scratch->base) == 0 && resolve(w, w->scratch->base));
}

/* Whether the directory of an absolute path lies above a mount, and so may be made up. @dir is room for it. */
static bool is_beside_mount(const char *path, char dir[PATH_MAX])
{
	size_t n = strlen(path);

	while (n && path[n - 1] == '/')
		n--;
	while (n && path[n - 1] != '/')
		n--;
	while (n > 1 && path[n - 1] == '/')
		n--;
	if (n == 0 || n >= PATH_MAX)
		return false;
	memcpy(dir, path, n);
	dir[n] = 0;
	return slu_vfs_above(&slu_shim.vfs, dir);
}

/* By letters it may be above a mount, or beside one; else only a link on the way could lead into one. */
static bool may_be_ours(struct slu_where *w)
{
	char *base = w->scratch->base;

	if (w->path[0] != '/')
		return find_base(w, true, base) == 0 && (slu_vfs_above(&slu_shim.vfs, base) || has_dotdot(w->path) ||
		                                         slu_host_has_link(w->dirfd, w->path));
	return !slu_vfs_outside(&slu_shim.vfs, w->path) || is_beside_mount(w->path, base) ||
	       slu_host_has_link(AT_FDCWD, w->path);
}

bool slu_where_again(struct slu_where *w)
{
	int saved = errno;
	bool ours;

	/* A path that was put together here was walked already. */
	if ((saved != ENOENT && saved != ENOTDIR) || !slu_shim_on() || slu_no_path(w->path) || !w->path[0] ||
	    (w->scratch && w->path == w->scratch->path) || !get_scratch(w))
		return false;
	ours = may_be_ours(w) && resolve(w, w->scratch->base);
	if (!ours)
		errno = saved;
	return ours;
}

int slu_where_path(const struct slu_where *w, char ret_path[PATH_MAX])
{
	if (w->p.kind == SLU_PLACE_NODE)
		return slu_vfs_path(w->p.mount, w->p.pack, w->p.node, ret_path);
	strcpy(ret_path, w->p.path);
	return 0;
}

void slu_where_note(const struct slu_where *w, enum slu_note what, int err, const char *detail)
{
	SLU_AUTO(mem) char *path = slu_shim.vfs.ledger ? malloc(PATH_MAX) : NULL;

	if (!slu_shim.vfs.ledger)
		return;
	if (path && w->err == 0 && (w->p.kind == SLU_PLACE_NODE || w->p.path) && slu_where_path(w, path) == 0)
		slu_ledger_note(slu_shim.vfs.ledger, what, err, path, detail);
	else
		slu_ledger_note(slu_shim.vfs.ledger, what, err, w->path, detail);
}

int slu_where_error(const struct slu_where *w)
{
	if (w->err < 0) {
		(void)slu_shim_fail(w->err);
		return errno;
	}
	return w->p.kind == SLU_PLACE_ABSENT ? ENOENT : 0;
}

int slu_where_readonly(const struct slu_where *w)
{
	int err = slu_where_error(w);

	return err ? err : EROFS;
}
