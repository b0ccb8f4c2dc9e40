/* SPDX-License-Identifier: MIT */
/* open and its many names; close. */
#include "shim/shim.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/process.h"

/* ---- descriptors ------------------------------------------------------------------------------------- */

static int dup_placeholder(bool cloexec)
{
	int how = cloexec ? F_DUPFD_CLOEXEC : F_DUPFD;
	int fd = fcntl(atomic_load(&slu_shim.placeholder), how, 0);

	if (fd < 0 && errno == EBADF) { /* somebody has closed it past us */
		atomic_store(&slu_shim.placeholder, slu_make_placeholder());
		fd = fcntl(atomic_load(&slu_shim.placeholder), how, 0);
	}
	return fd;
}

/* A descriptor for @o, which the caller holds: bound. -1 and errno. */
static int new_descriptor(struct slu_open *o, bool cloexec)
{
	unsigned gate = slu_fds_begin(&slu_shim.fds);
	int fd = dup_placeholder(cloexec);

	if (fd >= 0) {
		slu_fds_hold(o); /* the caller holds it */
		if (slu_fds_bind(&slu_shim.fds, fd, o) < 0) {
			slu_put(o);
			slu_view_close(fd);
			errno = EMFILE;
			fd = -1;
		}
	}
	slu_fds_end(&slu_shim.fds, gate);
	return fd;
}

static int close_ours(int fd)
{
	unsigned gate;
	int r;

	pthread_testcancel();
	gate = slu_fds_begin(&slu_shim.fds);
	slu_fds_drop(&slu_shim.fds, fd); /* first: once the kernel has closed it another may get the number */
	r = (int)syscall(SYS_close, fd); /* not libc's, where a thread may be cancelled: others wait for us */
	slu_fds_end(&slu_shim.fds, gate);
	return r;
}

static void close_open(int fd)
{
	int saved = errno;

	(void)close_ours(fd);
	errno = saved;
}

/* ---- opening ------------------------------------------------------------------------------------------- */

/* What forbids opening this with @flags: an errno or 0. */
static int refuse(const struct slu_where *w, int flags)
{
	bool dir = w->p.kind == SLU_PLACE_MADE || w->p.node_kind == SLU_DIR;
	bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);

	if (flags & O_PATH)
		return (flags & O_DIRECTORY) && !dir ? ENOTDIR : 0;
	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return EEXIST;
	if ((flags & O_TMPFILE) == O_TMPFILE)
		return dir ? EROFS : ENOTDIR;
	if (!dir && w->p.node_kind == SLU_LINK)
		return (flags & O_DIRECTORY) ? ENOTDIR : ELOOP;
	if ((flags & O_DIRECTORY) && !dir)
		return ENOTDIR;
	if (dir)
		return (flags & O_CREAT) || writes ? EISDIR : 0;
	return writes ? EROFS : 0;
}

static int fill_open(const struct slu_where *w, int flags, struct slu_open *o)
{
	uint64_t sample;
	int r = 0;

	o->mount = w->p.mount;
	o->node = w->p.node;
	o->path_only = (flags & O_PATH) != 0;
	slu_fds_shared(&slu_shim.fds, o)->file = w->p.mount ? (uint64_t)w->p.mount->number << 48 | w->p.node : 0;
	if (w->p.kind == SLU_PLACE_MADE) {
		o->kind = SLU_OPEN_MADE;
		o->path = strdup(w->p.path);
		return o->path ? 0 : -ENOMEM;
	}
	o->kind = w->p.node_kind == SLU_DIR ? SLU_OPEN_DIR : w->p.node_kind == SLU_LINK ? SLU_OPEN_LINK : SLU_OPEN_FILE;
	if (o->kind == SLU_OPEN_FILE && (r = slu_node_sample(w->p.pack, w->p.node, &sample)) == 0)
		r = slu_file_init(&o->file, w->p.pack, sample);
	return r;
}

/* Without a slot, or in a vfork child, whose tables are its parent's: a real file from the start. */
static int open_real(const struct slu_where *w, int flags)
{
	struct slu_file f = { 0 };
	uint64_t sample;
	int r;

	if (w->p.kind != SLU_PLACE_NODE || w->p.node_kind != SLU_SAMPLE)
		r = -ENFILE;
	else if ((r = slu_node_sample(w->p.pack, w->p.node, &sample)) == 0 &&
	         (r = slu_file_init(&f, w->p.pack, sample)) == 0)
		r = slu_real_copy(&f);
	slu_file_done(&f);
	if (r < 0)
		return slu_shim_fail(r);
	if (!(flags & O_CLOEXEC))
		(void)fcntl(r, F_SETFD, 0); /* cannot fail on a descriptor we have just made */
	return r;
}

static void tell(const struct slu_where *w)
{
	struct slu_ledger *l = slu_shim.vfs.ledger;

	if (SLU_LIKELY(!l) || !w->p.mount)
		return;
	if (w->p.node_kind == SLU_DIR) {
		slu_ledger_tally(l, w->p.mount->number, SLU_TALLY_LIST, 1);
		return;
	}
	slu_ledger_served(l, w->p.mount->number, w->p.node);
	slu_ledger_tally(l, w->p.mount->number, SLU_TALLY_OPEN, 1);
}

int slu_open_where(struct slu_where *w, int flags)
{
	struct slu_open *o;
	int err = slu_where_error(w), r, fd;

	if (err == ENOENT && w->err == 0 && (flags & (O_CREAT | O_PATH)) == O_CREAT)
		err = w->p.slash ? EISDIR : EROFS;
	if (err || (err = refuse(w, flags))) {
		if (err == EROFS)
			slu_where_note(w, SLU_NOTE_WRITE, EROFS, "open");
		else if (err == ENOENT)
			slu_where_note(w, SLU_NOTE_MISSING, ENOENT, NULL);
		errno = err;
		return -1;
	}
	pthread_testcancel();
	tell(w);
	if (SLU_UNLIKELY(slu_in_vfork) ||
	    SLU_UNLIKELY(slu_fds_new(&slu_shim.fds,
	                             (uint32_t)flags & ~(uint32_t)(O_CLOEXEC | O_CREAT | O_EXCL | O_NOCTTY), &o) < 0))
		return open_real(w, flags);
	if ((r = fill_open(w, flags, o)) < 0) {
		slu_put(o);
		return slu_shim_fail(r);
	}
	fd = new_descriptor(o, flags & O_CLOEXEC);
	slu_put(o);
	if (SLU_UNLIKELY(atomic_load_explicit(&slu_shim.always_real, memory_order_relaxed)) && fd >= 0 &&
	    !slu_real_fd(fd, SLU_REAL)) {
		close_open(fd);
		return -1;
	}
	return fd;
}

/* Opening "/proc/self/fd/N" where N is ours opens the same file anew. */
static int reopen(int fd, int flags)
{
	struct slu_open *o = slu_get(fd);
	SLU_WHERE(w);
	int r;

	if (!o)
		return -2;
	w.p.kind = o->kind == SLU_OPEN_MADE ? SLU_PLACE_MADE : SLU_PLACE_NODE;
	w.p.node_kind = o->kind == SLU_OPEN_FILE ? SLU_SAMPLE : o->kind == SLU_OPEN_LINK ? SLU_LINK : SLU_DIR;
	w.p.mount = o->mount;
	w.p.node = o->node;
	w.path = "";
	w.p.path = o->path;
	r = 0;
	if (o->mount)
		r = slu_mount_pack(&slu_shim.vfs, o->mount, &w.p.pack);
	slu_put(o);
	return r < 0 ? slu_shim_fail(r) : slu_open_where(&w, flags);
}

unsigned slu_open_follow(int flags)
{
	bool nofollow = (flags & O_NOFOLLOW) || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);

	return nofollow ? SLU_NOFOLLOW : 0;
}

static __attribute__((noinline)) int open_anywhere(int dirfd, const char *path, int flags, mode_t mode)
{
	SLU_WHERE(w);
	int fd;

	if (slu_where(&w, dirfd, path, slu_open_follow(flags)))
		return slu_open_where(&w, flags);
	if (!slu_no_path(path) && (fd = slu_where_fd_name(path)) >= 0 && !(flags & O_NOFOLLOW) &&
	    (fd = reopen(fd, flags)) != -2)
		return fd;
	fd = NEXT(openat)(w.dirfd, w.path, flags, mode);
	if (SLU_UNLIKELY(fd < 0) && slu_where_again(&w))
		return slu_open_where(&w, flags);
	if (SLU_UNLIKELY(fd >= 0 && slu_fds_slot(&slu_shim.fds, fd)) && !slu_in_vfork)
		slu_fds_drop(&slu_shim.fds, fd); /* its number was closed past us */
	return fd;
}

/* A relative path that was outside, and could not be opened: it may have been ours by way of a link. */
static __attribute__((noinline)) int open_again(int dirfd, const char *path, int flags)
{
	SLU_WHERE(w);

	w.dirfd = dirfd;
	w.path = path;
	w.flags = slu_open_follow(flags);
	return slu_where_again(&w) ? slu_open_where(&w, flags) : -1;
}

int slu_open_at(int dirfd, const char *path, int flags, mode_t mode)
{
	int fd;

	if (!slu_shim_on())
		return NEXT(openat)(dirfd, path, flags, mode);
	/* What tools that walk trees do all the time, without a frame for what they do not need. */
	if (slu_no_path(path) || path[0] == '/' || SLU_UNLIKELY(!slu_starts_outside(dirfd)))
		return open_anywhere(dirfd, path, flags, mode);
	fd = NEXT(openat)(dirfd, path, flags, mode);
	if (SLU_UNLIKELY(fd < 0))
		return open_again(dirfd, path, flags);
	if (SLU_UNLIKELY(slu_fds_slot(&slu_shim.fds, fd)))
		slu_fds_drop(&slu_shim.fds, fd); /* its number was closed past us */
	return fd;
}

/* ---- what only a file system of the kernel has ----------------------------------------------------------------- */

static int no_handle(struct slu_where *w)
{
	int err = slu_where_error(w);

	errno = err ? err : EOPNOTSUPP;
	return -1;
}

SHIM int name_to_handle_at(int dirfd, const char *path, struct file_handle *handle, int *mount_id, int flags)
{
	SLU_WHERE(w);
	int r;

	if (slu_where(&w, dirfd, path, flags & AT_SYMLINK_FOLLOW ? 0 : SLU_NOFOLLOW))
		return no_handle(&w);
	r = NEXT(name_to_handle_at)(w.dirfd, w.path, handle, mount_id, flags);
	return r < 0 && slu_where_again(&w) ? no_handle(&w) : r;
}

int open_tree(int dirfd, const char *path, unsigned flags);
SHIM int open_tree(int dirfd, const char *path, unsigned flags)
{
	SLU_WHERE(w);

	return slu_where(&w, dirfd, path, 0) ? no_handle(&w) : NEXT(open_tree)(w.dirfd, w.path, flags);
}

/* ---- closing ------------------------------------------------------------------------------------------------ */

int slu_view_close(int fd)
{
	if (SLU_UNLIKELY(slu_fds_slot(&slu_shim.fds, fd)) && SLU_LIKELY(!slu_in_vfork))
		return close_ours(fd);
	if (slu_is_hidden(fd))
		return -1;
	return NEXT(close)(fd);
}

static int lowest_kept(unsigned from)
{
	int best = -1;

	for (uint32_t k = 0; k < SLU_MAX_KEPT && k < atomic_load(&slu_shim.vfs.nkept); k++) {
		int fd = atomic_load(&slu_shim.vfs.kept[k]);
		if ((unsigned)fd >= from && (best < 0 || fd < best))
			best = fd;
	}
	return best;
}

int slu_view_close_range(unsigned first, unsigned last, int flags)
{
	unsigned top = atomic_load(&slu_shim.fds.top);
	int kept;

	if (!slu_shim_on() || (flags & CLOSE_RANGE_CLOEXEC) || first > last)
		return NEXT(close_range)(first, last, flags);
	for (unsigned fd = first; !slu_in_vfork && fd <= last && fd <= top; fd++)
		slu_fds_drop(&slu_shim.fds, (int)fd);
	while ((kept = lowest_kept(first)) >= 0 && (unsigned)kept <= last) {
		if ((unsigned)kept > first && NEXT(close_range)(first, (unsigned)kept - 1, flags) < 0)
			return -1;
		first = (unsigned)kept + 1;
	}
	return first > last ? 0 : NEXT(close_range)(first, last, flags);
}
