/* SPDX-License-Identifier: MIT */
/*
 * Writing a pack's tree back into a directory.
 *
 * Invariants
 *  (1) nothing is written outside the destination: every directory is opened name by name
 *      from its descriptor, never through a link, and names come from the reader, which
 *      lets no '/', '.' or '..' through
 *  (2) links are made last, and those that would lead outside are refused before anything
 *      is written
 *  (3) directories get their modes and times when nothing more is put into them
 */
#include <sluice/create.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/parallel.h"
#include "pack/pack.h"

enum { FILES_AN_ITEM = 64, PIECE = 4 << 20, MAX_LINKS = 40 };

struct worker {
	int dirfd; /* of directory node @dir, or -1 */
	uint64_t dir;
	struct slu_buf room;
};

struct extraction {
	struct slu_pack *p;
	const struct slu_extract_options *opt;
	const char *dest;
	int fd;
	uint8_t *wanted; /* per node; a directory may be wanted only as a way to others (2) */
	struct worker *workers;
	unsigned nworkers;
	pthread_mutex_t lock; /* below */
	struct slu_progress progress;
};

enum { NO = 0, YES = 1, ON_THE_WAY = 2 };

/* ---- what is wanted ------------------------------------------------------------------------ */

/* Marks a node, and the way to it. */
static int want(struct extraction *x, const char *path)
{
	uint64_t node;
	int r = slu_pack_lookup(x->p, path, &node);

	if (r < 0)
		return r;
	x->wanted[node] = YES;
	while (node) {
		if ((r = slu_pack_parent(x->p, node, &node)) < 0)
			return r;
		if (x->wanted[node] == NO)
			x->wanted[node] = ON_THE_WAY;
	}
	return 0;
}

/* What is below a wanted directory is wanted. Children have larger numbers than their
 * directories, so one pass does it. */
static int want_below(struct extraction *x)
{
	for (uint64_t d = 0; d < x->p->ndirs; d++) {
		uint64_t n, child = 0;
		int r;
		if (x->wanted[d] != YES)
			continue;
		if ((r = slu_pack_entries(x->p, d, &n)) < 0)
			return r;
		for (uint64_t i = 0; i < n; i++) {
			if ((r = slu_pack_entry(x->p, d, i, &child)) < 0)
				return r;
			x->wanted[child] = YES;
		}
	}
	return 0;
}

static int find_wanted(struct extraction *x)
{
	struct slu_sample s;
	int r = 0;

	x->wanted = calloc(x->p->nodes, 1);
	if (!x->wanted)
		return slu_fail_memory();
	for (size_t i = 0; i < x->opt->npaths && r == 0; i++)
		r = want(x, x->opt->paths[i]);
	if (!x->opt->paths)
		x->wanted[SLU_ROOT] = YES;
	if (r < 0 || (r = want_below(x)) < 0)
		return r;
	x->progress.phase = SLU_PHASE_WRITE;
	for (uint64_t i = 0; i < x->p->nsamples; i++)
		if (x->wanted[x->p->ndirs + i]) {
			if ((r = slu_pack_sample(x->p, i, &s)) < 0)
				return r;
			x->progress.total_files++;
			x->progress.total_bytes += s.size;
		}
	return 0;
}

/* ---- links that lead outside ------------------------------------------------------------------ */

/*
 * Walks @target from directory @dir as the kernel would in the unpacked tree. 1: it leaves
 * the tree. What is not there is taken as a directory of its own: @beyond counts such levels.
 */
static int leads_outside(struct slu_pack *p, uint64_t *dir, const char *target, int *budget)
{
	char next[SLU_PATH_MAX];
	unsigned beyond = 0;
	uint64_t node;
	int r;

	if (*target == '/')
		return 1;
	if (--*budget < 0)
		return 0; /* a circle, or as good as one: it leads nowhere */
	while (*target) {
		size_t n = strcspn(target, "/");
		const char *name = target;
		target += n + (name[n] == '/');
		if (n == 0 || (n == 1 && *name == '.'))
			continue;
		if (n == 2 && name[0] == '.' && name[1] == '.') {
			if (beyond)
				beyond--;
			else if (*dir == SLU_ROOT)
				return 1;
			else if ((r = slu_pack_parent(p, *dir, dir)) < 0)
				return r;
			continue;
		}
		r = beyond ? -ENOENT : slu_pack_child(p, *dir, name, n, &node);
		if (r < 0 && r != -ENOENT)
			return r;
		if (r == 0 && slu_node_kind(p, node) == SLU_DIR) {
			*dir = node;
		} else if (r == 0 && slu_node_kind(p, node) == SLU_LINK) {
			ssize_t len = slu_pack_readlink(p, node, next);
			if (len < 0)
				return (int)len;
			if ((r = leads_outside(p, dir, next, budget)) != 0)
				return r;
		} else {
			beyond++;
		}
	}
	return 0;
}

static int check_links(struct extraction *x)
{
	uint64_t first = x->p->ndirs + x->p->nsamples;
	char target[SLU_PATH_MAX], path[SLU_PATH_MAX];

	for (uint64_t node = first; node < x->p->nodes && !x->opt->outside_links; node++) {
		int budget = MAX_LINKS, r;
		uint64_t dir;
		ssize_t n;
		if (!x->wanted[node])
			continue;
		if ((n = slu_pack_readlink(x->p, node, target)) < 0)
			return (int)n;
		if ((r = slu_pack_parent(x->p, node, &dir)) < 0)
			return r;
		if ((r = leads_outside(x->p, &dir, target, &budget)) < 0)
			return r;
		if (r > 0 && (n = slu_pack_path(x->p, node, path)) < 0)
			return (int)n;
		if (r > 0)
			return slu_fail(-ELOOP,
			                "the link %s points outside (%s), so nothing was unpacked; "
			                "--outside-links makes such links as they are",
			                path, target);
	}
	return 0;
}

/* ---- directories ---------------------------------------------------------------------------------- */

static int failed(struct extraction *x, int err, const char *what, uint64_t node)
{
	char path[SLU_PATH_MAX];

	if (slu_pack_path(x->p, node, path) < 0)
		path[0] = 0;
	if (err == -EEXIST)
		return slu_fail(err, "%s/%s exists; --force replaces it", x->dest, path);
	return slu_fail_sys(err, "cannot %s %s/%s", what, x->dest, path);
}

/* Opens the directory of a node below the destination, name by name. */
static int open_dir(struct extraction *x, uint64_t node)
{
	char path[SLU_PATH_MAX], *at = path, *slash;
	ssize_t n = slu_pack_path(x->p, node, path);
	int fd, next;

	if (n < 0)
		return (int)n;
	fd = slu_openat(x->fd, ".", O_RDONLY | O_DIRECTORY, 0);
	for (; fd >= 0 && *at; at = slash ? slash + 1 : at + strlen(at)) {
		slash = strchr(at, '/');
		if (slash)
			*slash = 0;
		next = slu_openat(fd, at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
		close(fd);
		fd = next;
	}
	return fd < 0 ? failed(x, fd, "open", node) : fd;
}

/* The descriptor of the directory that @node is in, kept by the worker. */
static int parent_fd(struct extraction *x, struct worker *w, uint64_t node)
{
	uint64_t dir;
	int r = slu_pack_parent(x->p, node, &dir);

	if (r < 0)
		return r;
	if (w->dirfd >= 0 && w->dir == dir)
		return w->dirfd;
	if (w->dirfd >= 0)
		close(slu_take_fd(&w->dirfd));
	if ((r = open_dir(x, dir)) < 0)
		return r;
	w->dirfd = r;
	w->dir = dir;
	return r;
}

static int make_dir(struct extraction *x, struct worker *w, uint64_t node)
{
	char name[SLU_NAME_MAX];
	ssize_t n = slu_pack_name(x->p, node, name);
	int fd;

	if (n < 0)
		return (int)n;
	if ((fd = parent_fd(x, w, node)) < 0)
		return fd;
	/* What is unpacked gets its own mode at the end; a mere way to it, what is usual here. */
	if (mkdirat(fd, name, x->wanted[node] == YES ? 0700 : 0777) < 0 && errno != EEXIST)
		return failed(x, -errno, "make the directory", node);
	fd = slu_openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0) /* something else is there: a file, or a link that would lead elsewhere */
		return failed(x, fd, "use the directory", node);
	close(fd);
	return 0;
}

static int make_dirs(struct extraction *x)
{
	for (uint64_t d = 1; d < x->p->ndirs; d++) {
		int r = x->wanted[d] ? make_dir(x, &x->workers[0], d) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

/* Owner, mode and time of something open. */
static int dress(struct extraction *x, int fd, const struct slu_stat *st, uint64_t node)
{
	/* Without the owner, set-id bits would speak for the wrong one. */
	mode_t mode = st->mode & (x->opt->owner ? 07777 : 01777);
	int64_t sec = st->mtime_ns / 1000000000, ns = st->mtime_ns % 1000000000;
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
		                     { .tv_sec = ns < 0 ? sec - 1 : sec, .tv_nsec = ns < 0 ? ns + 1000000000 : ns } };

	if (x->opt->owner && fchown(fd, st->uid, st->gid) < 0)
		return failed(x, -errno, "give its owner to", node);
	if (fchmod(fd, mode) < 0)
		return failed(x, -errno, "set the mode of", node);
	if (futimens(fd, times) < 0)
		return failed(x, -errno, "set the time of", node);
	return 0;
}

/* From the last to the first, so that a directory is done after all that is in it. */
static int dress_dirs(struct extraction *x)
{
	for (uint64_t d = x->p->ndirs; d-- > 0;) {
		struct slu_stat st;
		int r;
		if (x->wanted[d] != YES)
			continue;
		if ((r = slu_pack_stat(x->p, d, &st)) < 0)
			return r;
		SLU_AUTO(fd) int fd = open_dir(x, d);
		if (fd < 0)
			return fd;
		if ((r = dress(x, fd, &st, d)) < 0)
			return r;
	}
	return 0;
}

/* ---- files ------------------------------------------------------------------------------------------- */

static int write_bytes(struct extraction *x, struct worker *w, int fd, uint64_t node, uint64_t size)
{
	uint64_t i = node - x->p->ndirs, at = 0;
	struct slu_sample s;
	char what[SLU_PATH_MAX];
	size_t piece;
	int r = slu_pack_sample(x->p, i, &s);

	if (r < 0)
		return r;
	piece = s.codec == SLU_CODEC_RAW ? slu_min(size, PIECE) : size;
	w->room.len = 0;
	if ((r = slu_buf_reserve(&w->room, piece + 1)) < 0)
		return r;
	if (slu_pack_path(x->p, node, what) < 0)
		return -EBADMSG;
	while (at < size) {
		ssize_t n = slu_pack_pread(x->p, i, w->room.data, piece, at);
		if (n <= 0)
			return n < 0 ? (int)n : slu_fail(-EBADMSG, "%s is shorter than it should be", what);
		if ((r = slu_pwrite(fd, w->room.data, (size_t)n, at, what)) < 0)
			return r;
		at += (uint64_t)n;
	}
	return 0;
}

static int create_file(struct extraction *x, int dirfd, const char *name, uint64_t node)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
	int fd = slu_openat(dirfd, name, flags, 0600);

	if (fd == -EEXIST && x->opt->force && unlinkat(dirfd, name, 0) == 0)
		fd = slu_openat(dirfd, name, flags, 0600);
	return fd < 0 ? failed(x, fd, "make", node) : fd;
}

static int extract_file(struct extraction *x, struct worker *w, uint64_t node)
{
	char name[SLU_NAME_MAX];
	struct slu_stat st;
	ssize_t n = slu_pack_name(x->p, node, name);
	int r, dirfd, fd;

	if (n < 0)
		return (int)n;
	if ((r = slu_pack_stat(x->p, node, &st)) < 0)
		return r;
	if ((dirfd = parent_fd(x, w, node)) < 0)
		return dirfd;
	if ((fd = create_file(x, dirfd, name, node)) < 0)
		return fd;
	if ((r = write_bytes(x, w, fd, node, st.size)) == 0)
		r = dress(x, fd, &st, node);
	if (close(fd) < 0 && r == 0)
		r = failed(x, -errno, "write", node);
	if (r < 0)
		(void)unlinkat(dirfd, name, 0); /* no half file; the first error is the one to tell */
	pthread_mutex_lock(&x->lock);
	x->progress.done_files++;
	x->progress.done_bytes += st.size;
	pthread_mutex_unlock(&x->lock);
	return r;
}

static int extract_item(void *arg, unsigned worker, uint64_t item)
{
	struct extraction *x = arg;
	uint64_t first = item * FILES_AN_ITEM, last = slu_min(first + FILES_AN_ITEM, x->p->nsamples);
	int r = 0;

	for (uint64_t i = first; i < last && r == 0; i++) {
		if (x->opt->cancel && *x->opt->cancel)
			return slu_fail(-ECANCELED, "interrupted");
		if (x->wanted[x->p->ndirs + i])
			r = extract_file(x, &x->workers[worker], x->p->ndirs + i);
	}
	pthread_mutex_lock(&x->lock);
	if (x->opt->progress)
		x->opt->progress(x->opt->arg, &x->progress);
	pthread_mutex_unlock(&x->lock);
	return r;
}

static int make_link(struct extraction *x, uint64_t node)
{
	char name[SLU_NAME_MAX], target[SLU_PATH_MAX];
	struct slu_stat st;
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };
	ssize_t n;
	int r, dirfd;

	if ((n = slu_pack_name(x->p, node, name)) < 0 || (n = slu_pack_readlink(x->p, node, target)) < 0)
		return (int)n;
	if ((r = slu_pack_stat(x->p, node, &st)) < 0)
		return r;
	if ((dirfd = parent_fd(x, &x->workers[0], node)) < 0)
		return dirfd;
	r = symlinkat(target, dirfd, name);
	if (r < 0 && errno == EEXIST && x->opt->force && unlinkat(dirfd, name, 0) == 0)
		r = symlinkat(target, dirfd, name);
	if (r < 0)
		return failed(x, -errno, "make the link", node);
	times[1].tv_sec = st.mtime_ns / 1000000000 - (st.mtime_ns % 1000000000 < 0);
	times[1].tv_nsec = (st.mtime_ns % 1000000000 + 1000000000) % 1000000000;
	if (utimensat(dirfd, name, times, AT_SYMLINK_NOFOLLOW) < 0)
		return failed(x, -errno, "set the time of", node);
	if (x->opt->owner && fchownat(dirfd, name, st.uid, st.gid, AT_SYMLINK_NOFOLLOW) < 0)
		return failed(x, -errno, "give its owner to", node);
	return 0;
}

static int make_links(struct extraction *x)
{
	for (uint64_t node = x->p->ndirs + x->p->nsamples; node < x->p->nodes; node++) {
		int r = x->wanted[node] ? make_link(x, node) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- all together -------------------------------------------------------------------------------------- */

static int open_dest(struct extraction *x)
{
	if (mkdir(x->dest, 0777) < 0 && errno != EEXIST)
		return slu_fail_sys(-errno, "cannot make the directory %s", x->dest);
	x->fd = slu_openat(AT_FDCWD, x->dest, O_RDONLY | O_DIRECTORY, 0);
	if (x->fd < 0)
		return slu_fail_sys(x->fd, "cannot open the directory %s", x->dest);
	x->nworkers = slu_threads(x->opt->threads);
	x->workers = calloc(x->nworkers, sizeof(*x->workers));
	if (!x->workers)
		return slu_fail_memory();
	for (unsigned i = 0; i < x->nworkers; i++)
		x->workers[i].dirfd = -1;
	return 0;
}

static int write_tree(struct extraction *x)
{
	uint64_t items = (x->p->nsamples + FILES_AN_ITEM - 1) / FILES_AN_ITEM;
	int r;

	if ((r = make_dirs(x)) < 0 || (r = slu_parallel(x->nworkers, items, extract_item, x)) < 0 ||
	    (r = make_links(x)) < 0 || (r = dress_dirs(x)) < 0)
		return r;
	return syncfs(x->fd) < 0 ? slu_fail_sys(-errno, "cannot sync %s", x->dest) : 0;
}

static void close_extraction(struct extraction *x)
{
	for (unsigned i = 0; x->workers && i < x->nworkers; i++) {
		if (x->workers[i].dirfd >= 0)
			close(x->workers[i].dirfd);
		slu_buf_done(&x->workers[i].room);
	}
	free(x->workers);
	free(x->wanted);
	if (x->fd >= 0)
		close(x->fd);
	pthread_mutex_destroy(&x->lock);
}

int slu_extract(struct slu_pack *p, const char *dest, const struct slu_extract_options *opt,
                struct slu_progress *ret_done)
{
	static const struct slu_extract_options defaults;
	struct extraction x = { .p = p, .opt = opt ? opt : &defaults, .dest = dest, .fd = -1 };
	int r;

	pthread_mutex_init(&x.lock, NULL);
	if ((r = find_wanted(&x)) == 0 && (r = check_links(&x)) == 0 && (r = open_dest(&x)) == 0)
		r = write_tree(&x);
	if (r == 0)
		*ret_done = x.progress;
	close_extraction(&x);
	return r;
}
