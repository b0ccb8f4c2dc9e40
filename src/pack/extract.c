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
 *  (3) directories get their modes and times when nothing more is put into them, and only those
 *      that were made here or, with force, are replaced: the destination itself is left as it is
 *  (4) a file whose bytes turn out wrong is removed again
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
#include "base/options.h"
#include "base/parallel.h"
#include "pack/pack.h"

enum { FILES_AN_ITEM = 64, MAX_LINKS = 40 };

struct worker {
	int dirfd; /* of directory node @dir, or -1 */
	uint64_t dir;
};

/* Where a link ends, once it has been followed. */
struct link_end {
	enum { UNKNOWN, UNDER_WAY, NOWHERE, OUTSIDE, AT_DIR } state;
	uint32_t dir;
};

struct extraction {
	struct slu_pack *p;
	const struct slu_extract_options *opt;
	const char *dest;
	int fd;
	uint8_t *wanted;       /* per node; a directory may be wanted only as a way to others */
	uint8_t *made;         /* per directory: it is ours */
	struct link_end *ends; /* per link */
	struct worker *workers;
	unsigned nworkers;
	pthread_mutex_t lock; /* below */
	struct slu_progress progress;
};

enum { NO = 0, YES = 1, ON_THE_WAY = 2 };

static int check_cancel(const struct extraction *x)
{
	return x->opt->cancel && *x->opt->cancel ? slu_fail(-ECANCELED, "interrupted") : 0;
}

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
	x->made = calloc(x->p->ndirs, 1);
	x->ends = calloc(x->p->nlinks + 1, sizeof(*x->ends));
	if (!x->wanted || !x->made || !x->ends)
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

static int follow_link(struct extraction *x, uint64_t node, int budget, struct link_end *ret_end);

/* What came of one name of a path: it goes on at a directory, or beyond what is there. */
struct walk {
	uint64_t dir;
	unsigned beyond; /* levels below dir that are not in the pack */
};

/* One name of a link's target. 1: outside, 2: nowhere. */
static int step(struct extraction *x, struct walk *w, const char *name, size_t n, int budget)
{
	struct link_end end;
	uint64_t node;
	int r;

	if (n == 2 && name[0] == '.' && name[1] == '.') {
		if (w->beyond)
			return w->beyond--, 0;
		return w->dir == SLU_ROOT ? 1 : slu_pack_parent(x->p, w->dir, &w->dir);
	}
	r = w->beyond ? -ENOENT : slu_pack_child(x->p, w->dir, name, n, &node);
	if (r < 0 && r != -ENOENT)
		return r;
	if (r == 0 && slu_node_kind(x->p, node) == SLU_DIR)
		return w->dir = node, 0;
	if (r == -ENOENT || slu_node_kind(x->p, node) != SLU_LINK)
		return w->beyond++, 0; /* not there: as a directory that somebody may make one day */
	if ((r = follow_link(x, node, budget - 1, &end)) < 0)
		return r;
	if (end.state != AT_DIR)
		return end.state == OUTSIDE ? 1 : 2;
	w->dir = end.dir;
	return 0;
}

/* Walks a link's target as the kernel would in the unpacked tree. Where it ends does not depend on
 * who asks, so each link is walked once. */
static int walk_target(struct extraction *x, uint64_t node, int budget, struct link_end *ret_end)
{
	char target[SLU_PATH_MAX], *at = target;
	struct walk w = { 0 };
	ssize_t len = slu_pack_readlink(x->p, node, target);
	int r = len < 0 ? (int)len : slu_pack_parent(x->p, node, &w.dir);

	if (r < 0)
		return r;
	if (*target == '/')
		r = 1;
	while (*at && r == 0) {
		size_t n = strcspn(at, "/");
		if (n && !(n == 1 && *at == '.'))
			r = step(x, &w, at, n, budget);
		at += n + (at[n] == '/');
	}
	if (r < 0)
		return r;
	*ret_end = (struct link_end){ r == 1 ? OUTSIDE : r == 2 || w.beyond ? NOWHERE : AT_DIR, (uint32_t)w.dir };
	return 0;
}

/* A circle, or more links than the kernel follows, leads nowhere. */
static int follow_link(struct extraction *x, uint64_t node, int budget, struct link_end *ret_end)
{
	struct link_end *end = &x->ends[node - x->p->ndirs - x->p->nsamples];
	int r;

	if (end->state == UNDER_WAY || budget < 0) {
		*ret_end = (struct link_end){ .state = NOWHERE };
		return 0;
	}
	if (end->state == UNKNOWN) {
		end->state = UNDER_WAY;
		if ((r = walk_target(x, node, budget, ret_end)) < 0)
			return r;
		*end = *ret_end;
	}
	*ret_end = *end;
	return 0;
}

static int check_links(struct extraction *x)
{
	char target[SLU_PATH_MAX], path[SLU_PATH_MAX];

	for (uint64_t node = x->p->ndirs + x->p->nsamples; node < x->p->nodes && !x->opt->outside_links; node++) {
		struct link_end end;
		ssize_t n;
		int r;
		if (!x->wanted[node])
			continue;
		if ((r = check_cancel(x)) < 0 || (r = follow_link(x, node, MAX_LINKS, &end)) < 0)
			return r;
		if (end.state != OUTSIDE)
			continue;
		if ((n = slu_pack_path(x->p, node, path)) < 0 || (n = slu_pack_readlink(x->p, node, target)) < 0)
			return (int)n;
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
	if (mkdirat(fd, name, 0700) == 0)
		x->made[node] = 1;
	else if (errno != EEXIST)
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
		int r = check_cancel(x);
		if (r == 0 && x->wanted[d])
			r = make_dir(x, &x->workers[0], d);
		if (r < 0)
			return r;
	}
	return 0;
}

static struct timespec timespec_of(int64_t ns)
{
	int64_t sec = ns / 1000000000, rest = ns % 1000000000;

	return (struct timespec){ .tv_sec = rest < 0 ? sec - 1 : sec, .tv_nsec = rest < 0 ? rest + 1000000000 : rest };
}

/* Owner, mode and time of something open. */
static int dress(struct extraction *x, int fd, const struct slu_stat *st, uint64_t node)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, timespec_of(st->mtime_ns) };
	mode_t mode = st->mode & 07777;

	/* A program with set-id bits would speak for whoever unpacks it. On a directory set-gid only
	 * hands down the group. */
	if (!x->opt->owner)
		mode &= S_ISDIR(st->mode) ? 03777 : 01777;
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
		if (!x->made[d] && !(x->opt->force && d != SLU_ROOT && x->wanted[d] == YES))
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

struct sink {
	struct extraction *x;
	int fd;
	uint64_t node, at;
};

static int write_piece(void *arg, const void *data, size_t n)
{
	struct sink *k = arg;
	char path[SLU_PATH_MAX];
	ssize_t len = slu_pack_path(k->x->p, k->node, path);
	int r = len < 0 ? (int)len : slu_pwrite(k->fd, data, n, k->at, path);

	k->at += n;
	return r < 0 ? r : check_cancel(k->x);
}

/* With --force, what is in the way goes, unless it is a directory. */
static int clear_the_way(struct extraction *x, int dirfd, const char *name)
{
	if (!x->opt->force)
		return -EEXIST;
	return unlinkat(dirfd, name, 0) < 0 ? -errno : 0;
}

static int create_file(struct extraction *x, int dirfd, const char *name, uint64_t node)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
	int fd = slu_openat(dirfd, name, flags, 0600);

	if (fd == -EEXIST && (fd = clear_the_way(x, dirfd, name)) == 0)
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
	if ((r = slu_pack_stream(x->p, node - x->p->ndirs, write_piece, &(struct sink){ x, fd, node, 0 })) == 0)
		r = dress(x, fd, &st, node);
	if (close(fd) < 0 && r == 0)
		r = failed(x, -errno, "write", node);
	if (r < 0) {
		(void)unlinkat(dirfd, name, 0); /* no half file; the first error is the one to tell */
		return r;
	}
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
		if ((r = check_cancel(x)) < 0)
			return r;
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
	r = symlinkat(target, dirfd, name) < 0 ? -errno : 0;
	if (r == -EEXIST && (r = clear_the_way(x, dirfd, name)) == 0)
		r = symlinkat(target, dirfd, name) < 0 ? -errno : 0;
	if (r < 0)
		return failed(x, r, "make the link", node);
	times[1] = timespec_of(st.mtime_ns);
	if (utimensat(dirfd, name, times, AT_SYMLINK_NOFOLLOW) < 0)
		return failed(x, -errno, "set the time of", node);
	if (x->opt->owner && fchownat(dirfd, name, st.uid, st.gid, AT_SYMLINK_NOFOLLOW) < 0)
		return failed(x, -errno, "give its owner to", node);
	return 0;
}

static int make_links(struct extraction *x)
{
	for (uint64_t node = x->p->ndirs + x->p->nsamples; node < x->p->nodes; node++) {
		int r = check_cancel(x);
		if (r == 0 && x->wanted[node])
			r = make_link(x, node);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- all together -------------------------------------------------------------------------------------- */

static int open_dest(struct extraction *x)
{
	if (mkdir(x->dest, 0777) == 0)
		x->made[SLU_ROOT] = 1;
	else if (errno != EEXIST)
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
	}
	free(x->workers);
	free(x->wanted);
	free(x->made);
	free(x->ends);
	if (x->fd >= 0)
		close(x->fd);
	pthread_mutex_destroy(&x->lock);
}

int slu_extract(struct slu_pack *p, const char *dest, const struct slu_extract_options *opt,
                struct slu_progress *ret_done)
{
	struct slu_extract_options o;
	struct extraction x = { .p = p, .opt = &o, .dest = dest, .fd = -1 };
	int r = slu_options_take(opt, sizeof(o), sizeof(o), &o);

	if (r < 0)
		return r;
	pthread_mutex_init(&x.lock, NULL);
	if ((r = find_wanted(&x)) == 0 && (r = check_links(&x)) == 0 && (r = open_dest(&x)) == 0)
		r = write_tree(&x);
	if (r == 0)
		*ret_done = x.progress;
	close_extraction(&x);
	return r;
}
