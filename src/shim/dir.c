/* SPDX-License-Identifier: MIT */
/*
 * Directory streams: opendir to closedir, getdents64.
 *
 * A DIR of ours is told from libc's by a word that points to itself. As libc's, it is a buffer over getdents64(), whose
 * position is the descriptor's: 0 is ".", 1 is "..", then the pack's entries, then names that are only there because
 * of a mount. A host's directory that lies above a mount is libc's stream
 * with those names after its end.
 */
#include "shim/heap.h"
#include "shim/shim.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pack/pack.h"
#include "vfs/host.h"

enum { BUFFER = 8192 };

struct stream {
	int fd; /* first, as in libc's: some look there */
	uint64_t magic;
	struct stream *self;
	DIR *host;       /* libc's, or NULL */
	uint64_t extras; /* given out of them, with host */
	char *path;      /* likewise */
	uint64_t position;
	size_t at, len; /* of what is left in buf */
	union {
		struct dirent64 entry; /* with host */
		char buf[BUFFER] __attribute__((aligned(8)));
	};
};

#define MAGIC UINT64_C(0x534c554943444952)

_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "one entry for readdir and readdir64");

static struct stream *ours(DIR *d)
{
	struct stream *s = (struct stream *)d;

	return s && s->magic == MAGIC && s->self == s ? s : NULL;
}

/* ---- names that mounts add --------------------------------------------------------------------------------- */

/* The name below directory @dir on the way to mount @m: its length, or 0. */
static size_t name_towards(const char *dir, const struct slu_mount *m, const char **ret_name)
{
	size_t n = strcmp(dir, "/") == 0 ? 0 : strlen(dir);

	if (m->len <= n || strncmp(m->point, dir, n) != 0 || m->point[n] != '/')
		return 0;
	*ret_name = m->point + n + 1;
	return strcspn(*ret_name, "/");
}

/* Whether an earlier mount has added the same name. */
static bool is_repeated(const char *dir, unsigned k, const char *name, size_t n)
{
	const char *other;

	for (unsigned i = 0; i < k; i++)
		if (name_towards(dir, &slu_shim.vfs.mounts[i], &other) == n && memcmp(other, name, n) == 0)
			return true;
	return false;
}

static bool host_has(const char *dir, const char *name, size_t n)
{
	char path[PATH_MAX], target[PATH_MAX];
	size_t len = strcmp(dir, "/") == 0 ? 0 : strlen(dir);
	int r;

	if (len + 1 + n + 1 > PATH_MAX)
		return true;
	memcpy(path, dir, len);
	path[len] = '/';
	memcpy(path + len + 1, name, n);
	path[len + 1 + n] = 0;
	r = slu_host_readlink(path, target);
	return r >= 0 || r == -EINVAL;
}

/* The @want-th name that mounts add to @dir: 1 and the entry, or 0. @pack NULL: a directory of the host, or made. */
static int extra(const char *dir, struct slu_pack *pack, uint64_t node, bool host, uint64_t want, struct dirent64 *e)
{
	for (unsigned k = 0; k < slu_shim.vfs.n; k++) {
		const char *name;
		size_t n = name_towards(dir, &slu_shim.vfs.mounts[k], &name);
		uint64_t child;
		if (!n || n > NAME_MAX || is_repeated(dir, k, name, n) ||
		    (pack && slu_pack_child(pack, node, name, n, &child) == 0) || (host && host_has(dir, name, n)))
			continue;
		if (want--)
			continue;
		memcpy(e->d_name, name, n);
		e->d_name[n] = 0;
		e->d_type = DT_DIR;
		e->d_ino = 1;
		return 1;
	}
	return 0;
}

/* ---- entries -------------------------------------------------------------------------------------------------- */

static int dot(const struct slu_open *o, struct slu_pack *p, uint64_t position, struct dirent64 *e)
{
	uint64_t node = o->node;

	strcpy(e->d_name, position ? ".." : ".");
	e->d_type = DT_DIR;
	if (p && position && node != SLU_ROOT)
		(void)!slu_pack_parent(p, node, &node); /* else its own number, as at a root */
	e->d_ino = node + 1;
	return 1;
}

/* What mounts add behind a pack's own entries, or in a made directory. */
static int extra_entry(struct slu_open *o, struct slu_pack *p, uint64_t k, struct dirent64 *e)
{
	char path[PATH_MAX];

	if ((p && slu_shim.vfs.n == 1) || slu_open_path(o, path) < 0)
		return 0;
	return extra(path, p, o->node, false, k, e);
}

/* Puts an entry into the buffer, if it fits: its length, or 0. */
static size_t put(char *buf, size_t room, uint64_t ino, unsigned type, const char *name, size_t len, uint64_t next)
{
	size_t n = slu_up(offsetof(struct dirent64, d_name) + len + 1, 8);
	struct dirent64 *e = (struct dirent64 *)(void *)buf;

	if (n > room)
		return 0;
	e->d_ino = ino;
	e->d_off = (off_t)next;
	e->d_reclen = (unsigned short)n;
	e->d_type = (unsigned char)type;
	memcpy(e->d_name, name, len + 1);
	return n;
}

/* The pack's entries from @*position on. The bytes written, or a negative errno. */
static ssize_t fill_from_pack(const struct slu_open *o, struct slu_pack *p, char *buf, size_t room, uint64_t *position)
{
	static const unsigned char types[] = { 0, DT_DIR, DT_REG, DT_LNK };
	struct slu_list list;
	size_t n = 0, put_bytes;

	do {
		int r = slu_pack_list(p, o->node, *position - 2, &list);
		if (r < 0)
			return n ? (ssize_t)n : r;
		for (unsigned i = 0; i < list.n; i++) {
			const struct slu_list_entry *e = &list.entries[i];
			put_bytes = put(buf + n, room - n, e->node + 1, types[e->kind], e->name, e->len, *position + 1);
			if (!put_bytes)
				return (ssize_t)n;
			n += put_bytes;
			++*position;
		}
	} while (list.n == SLU_LIST_ENTRIES);
	return (ssize_t)n;
}

/* "." and "..", and what mounts add: one by one. */
static ssize_t fill_other(struct slu_open *o, struct slu_pack *p, uint64_t count, char *buf, size_t room,
                          uint64_t *position)
{
	struct dirent64 e;
	size_t n = 0, put_bytes;

	while (*position < 2 ? dot(o, p, *position, &e) : extra_entry(o, p, *position - 2 - count, &e)) {
		put_bytes = put(buf + n, room - n, e.d_ino, DT_DIR, e.d_name, strlen(e.d_name), *position + 1);
		n += put_bytes;
		if (!put_bytes || ++*position == 2)
			break;
	}
	return (ssize_t)n;
}

/* As getdents64(2). */
static ssize_t fill(struct slu_open *o, char *buf, size_t room)
{
	struct slu_shared *s = slu_fds_shared(&slu_shim.fds, o);
	uint64_t position = atomic_load(&s->position), count = 0, before = position;
	struct slu_pack *p = NULL;
	ssize_t n = 0, more;

	if (o->path_only)
		return -EBADF;
	if (o->kind == SLU_OPEN_DIR &&
	    ((n = slu_mount_pack(&slu_shim.vfs, o->mount, &p)) < 0 || (n = slu_pack_entries(p, o->node, &count)) < 0))
		return n;
	if (position < 2)
		n = fill_other(o, p, count, buf, room, &position);
	if (p && position >= 2 && position < count + 2) {
		more = fill_from_pack(o, p, buf + n, room - (size_t)n, &position);
		if (more < 0 && n == 0)
			return more;
		n += more > 0 ? more : 0;
	}
	if (position >= count + 2)
		n += fill_other(o, p, count, buf + n, room - (size_t)n, &position);
	atomic_store(&s->position, position);
	return n == 0 && (position < count + 2 || position != before) ? -EINVAL : n; /* no room for one entry */
}

/* ---- streams -------------------------------------------------------------------------------------------------- */

static struct stream *new_stream(int fd)
{
	struct stream *s = slu_host_zalloc(sizeof(*s));

	if (!s)
		return NULL;
	s->fd = fd;
	s->magic = MAGIC;
	s->self = s;
	return s;
}

static DIR *stream_of(int fd)
{
	struct stream *s = fd < 0 ? NULL : new_stream(fd);

	if (fd >= 0 && !s) {
		slu_view_close(fd);
		errno = ENOMEM;
	}
	return (DIR *)s;
}

/* A host's directory: wrapped if mounts add names to it. */
static DIR *wrap_host(DIR *d, const char *path)
{
	struct dirent64 e;
	struct stream *s;
	int saved = errno;

	if (!slu_vfs_above(&slu_shim.vfs, path) || !extra(path, NULL, 0, true, 0, &e) || !(s = new_stream(-1))) {
		errno = saved;
		return d;
	}
	s->path = slu_host_strdup(path);
	if (!s->path) {
		slu_host_free(s);
		return d;
	}
	s->host = d;
	errno = saved;
	return (DIR *)s;
}

/* The host's directories that mounts add names to: for each the deepest one on its way. Found at start. */
static struct {
	dev_t dev;
	ino_t ino;
} parents[SLU_MAX_MOUNTS];

void slu_dir_start(void)
{
	char path[PATH_MAX];
	struct stat st;

	for (unsigned i = 0; i < slu_shim.vfs.n; i++) {
		char *slash;
		strcpy(path, slu_shim.vfs.mounts[i].point);
		do {
			slash = strrchr(path, '/');
			slash[slash == path] = 0; /* "/" at last, which there always is */
		} while (syscall(SYS_newfstatat, AT_FDCWD, path, &st, 0) < 0 && slash != path);
		parents[i].dev = st.st_dev;
		parents[i].ino = st.st_ino;
	}
}

static bool may_have_extras(DIR *d)
{
	struct stat st;

	if (fstat(NEXT(dirfd)(d), &st) < 0)
		return false;
	for (unsigned i = 0; i < slu_shim.vfs.n; i++)
		if (parents[i].ino == st.st_ino && parents[i].dev == st.st_dev)
			return true;
	return false;
}

static DIR *wrap_if_above(DIR *d)
{
	char path[PATH_MAX];

	if (!d || !slu_shim_on() || !may_have_extras(d) || slu_host_fd_path(NEXT(dirfd)(d), path) < 0)
		return d;
	return wrap_host(d, path);
}

static DIR *opendir_found(struct slu_where *w)
{
	return stream_of(slu_open_where(w, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

DIR *slu_view_opendir(const char *path)
{
	SLU_WHERE(w);
	DIR *d;

	if (slu_where(&w, AT_FDCWD, path, 0))
		return opendir_found(&w);
	d = NEXT(opendir)(w.path);
	if (!d && slu_where_again(&w))
		return opendir_found(&w);
	return wrap_if_above(d);
}

DIR *slu_view_fdopendir(int fd)
{
	struct slu_open *o = slu_get(fd);
	bool dir;

	if (!o)
		return wrap_if_above(NEXT(fdopendir)(fd));
	dir = o->kind == SLU_OPEN_DIR || o->kind == SLU_OPEN_MADE;
	slu_put(o);
	if (!dir) {
		errno = ENOTDIR;
		return NULL;
	}
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC); /* as libc */
	return (DIR *)new_stream(fd);
}

static struct dirent64 *next_of_host(struct stream *s)
{
	struct dirent64 *e = s->extras ? NULL : NEXT(readdir64)(s->host);

	if (e)
		return e;
	if (!extra(s->path, NULL, 0, true, s->extras, &s->entry))
		return NULL;
	s->extras++;
	s->entry.d_off = 0;
	s->entry.d_reclen = sizeof(s->entry);
	return &s->entry;
}

/* Fills the buffer. 0 at the end, or a negative errno. */
static ssize_t refill(struct stream *s)
{
	struct slu_open *o = slu_get(s->fd);
	ssize_t n = -EBADF;

	if (o) {
		n = fill(o, s->buf, sizeof(s->buf));
		slu_put(o);
	}
	s->at = 0;
	s->len = n > 0 ? (size_t)n : 0;
	return n;
}

/* Whether there is more. At the end errno is what it was. */
static bool refill_or_end(struct stream *s)
{
	int saved = errno;
	ssize_t n = refill(s);

	errno = saved;
	if (n < 0)
		(void)slu_shim_fail((int)n);
	return n > 0;
}

struct dirent64 *slu_view_readdir64(DIR *d)
{
	struct stream *s = ours(d);
	struct dirent64 *e;

	if (!s)
		return NEXT(readdir64)(d);
	if (s->host)
		return next_of_host(s);
	if (SLU_UNLIKELY(s->at == s->len) && !refill_or_end(s))
		return NULL;
	e = (struct dirent64 *)(void *)(s->buf + s->at);
	s->at += e->d_reclen;
	s->position = (uint64_t)e->d_off;
	return e;
}

int slu_view_readdir64_r(DIR *d, struct dirent64 *entry, struct dirent64 **result)
{
	struct dirent64 *e;
	int saved = errno, err;

	if (!ours(d))
		return NEXT(readdir64_r)(d, entry, result);
	errno = 0;
	e = slu_view_readdir64(d);
	err = errno;
	errno = saved;
	*result = NULL;
	if (!e)
		return err;
	memcpy(entry, e, e->d_reclen);
	*result = entry;
	return 0;
}

int slu_view_closedir(DIR *d)
{
	struct stream *s = ours(d);
	int r;

	if (!s)
		return NEXT(closedir)(d);
	r = s->host ? NEXT(closedir)(s->host) : slu_view_close(s->fd);
	s->magic = 0;
	slu_host_free(s->path);
	slu_host_free(s);
	return r;
}

static void set_position(struct stream *s, uint64_t position)
{
	struct slu_open *o = slu_get(s->fd);

	s->at = s->len = 0;
	s->position = position;
	if (!o)
		return;
	atomic_store(&slu_fds_shared(&slu_shim.fds, o)->position, position);
	slu_put(o);
}

void slu_view_rewinddir(DIR *d)
{
	struct stream *s = ours(d);

	if (!s || s->host)
		NEXT(rewinddir)(s ? s->host : d);
	else
		set_position(s, 0);
	if (s)
		s->extras = 0;
}

void slu_view_seekdir(DIR *d, long position)
{
	struct stream *s = ours(d);

	if (!s || s->host)
		NEXT(seekdir)(s ? s->host : d, position);
	else
		set_position(s, (uint64_t)position);
	if (s)
		s->extras = 0;
}

long slu_view_telldir(DIR *d)
{
	struct stream *s = ours(d);

	return s && !s->host ? (long)s->position : NEXT(telldir)(s ? s->host : d);
}

SHIM int dirfd(DIR *d)
{
	struct stream *s = ours(d);

	if (!s || s->host)
		return NEXT(dirfd)(s ? s->host : d);
	return s->fd;
}

/* ---- getdents64 ----------------------------------------------------------------------------------------------- */

ssize_t slu_view_getdents64(int fd, void *buf, size_t room)
{
	struct slu_open *o = slu_get(fd);
	ssize_t n;

	if (!o)
		return NEXT(getdents64)(fd, buf, room);
	n = o->path_only ? -EBADF : o->kind == SLU_OPEN_FILE ? -ENOTDIR : fill(o, buf, room);
	slu_put(o);
	return n < 0 ? slu_shim_fail((int)n) : n;
}

/* The same with the position: directories as 4.4BSD read them. */
ssize_t slu_view_getdirentries(int fd, char *buf, size_t room, off_t *base)
{
	if (!slu_fds_slot(&slu_shim.fds, fd))
		return NEXT(getdirentries)(fd, buf, room, base);
	*base = slu_view_lseek(fd, 0, SEEK_CUR);
	return slu_view_getdents64(fd, buf, room);
}
