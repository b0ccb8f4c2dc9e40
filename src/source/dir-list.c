/* SPDX-License-Identifier: MIT */
/*
 * A directory tree as a source: listing it, in parallel, into pack order.
 *
 * Level by level, because directories are numbered breadth first. For each level: read
 * all its directories (names), look at every entry (stat), both shared out to threads,
 * so that one directory of a million files keeps all of them busy; then sort each
 * directory and append in order. What threads find never depends on who found it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/macros.h"
#include "base/parallel.h"
#include "source/dir.h"

struct found {
	uint64_t name; /* in scan.names until merged */
	uint64_t size;
	int64_t mtime_ns;
	struct slu_attr attr; /* mode 0: vanished, or left out */
	char *target;         /* a link's */
};

/* One directory of the level. */
struct scan {
	struct slu_buf names;
	struct slu_buf found; /* struct found */
	uint32_t dir;
	size_t path_len;
};

/* A piece of a directory to stat. */
struct slice {
	uint64_t scan, from, to;
};

enum { SLICE = 512 };

struct lister {
	struct slu_dir_source *s;
	const struct slu_source_list_options *opt;
	struct slu_listing *l;
	struct slu_buf attrs[3];   /* struct slu_attr, by kind: directories, samples, links */
	struct slu_buf entries[3]; /* struct slu_entry, likewise */
	struct scan *scans;
	uint64_t nscans;
	struct slu_buf slices;
	_Atomic uint64_t skipped;
};

static struct found *scan_found(const struct scan *sc)
{
	return (struct found *)sc->found.data;
}

static uint64_t scan_count(const struct scan *sc)
{
	return sc->found.len / sizeof(struct found);
}

/* What stands between a directory's path and a name in it. */
static const char *slash(const char *path)
{
	return *path ? "/" : "";
}

static int check_cancel(const struct lister *ls)
{
	return ls->opt->cancel && *ls->opt->cancel ? slu_fail(-ECANCELED, "interrupted while listing the files") : 0;
}

static int open_scan(struct lister *ls, const struct scan *sc, char path[SLU_MAX_PATH + 1])
{
	int fd = check_cancel(ls);

	if (fd == 0)
		fd = slu_listing_path(ls->l, &ls->l->dirs[sc->dir], path);
	if (fd < 0)
		return fd;
	fd = slu_openat(ls->s->fd, *path ? path : ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0)
		return slu_fail_sys(fd, "cannot open the directory %s/%s", ls->s->path, path);
	return fd;
}

static int read_names(struct lister *ls, struct scan *sc, DIR *d, const char *path)
{
	for (;;) {
		struct dirent *e;
		uint8_t *room;
		size_t n;
		int r;

		errno = 0;
		e = readdir(d);
		if (!e && errno)
			return slu_fail_sys(-errno, "cannot list the directory %s/%s", ls->s->path, path);
		if (!e)
			return 0;
		n = strlen(e->d_name);
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (!slu_name_ok(e->d_name, n))
			return slu_fail(-EINVAL, "the name of %s/%s%s%s cannot be packed", ls->s->path, path,
			                slash(path), e->d_name);
		r = slu_buf_grow(&sc->found, sizeof(struct found), &room);
		if (r < 0)
			return r;
		((struct found *)room)->name = sc->names.len;
		if ((r = slu_buf_add(&sc->names, e->d_name, n + 1)) < 0)
			return r;
	}
}

static int scan_item(void *arg, unsigned worker, uint64_t item)
{
	struct lister *ls = arg;
	struct scan *sc = &ls->scans[item];
	char path[SLU_MAX_PATH + 1];
	int r, fd = open_scan(ls, sc, path);
	DIR *d;

	(void)worker;
	if (fd < 0)
		return fd;
	sc->path_len = strlen(path);
	d = fdopendir(fd);
	if (!d) {
		r = slu_fail_sys(-errno, "cannot list the directory %s/%s", ls->s->path, path);
		close(fd);
		return r;
	}
	r = read_names(ls, sc, d, path);
	closedir(d);
	return r;
}

static int read_target(struct lister *ls, int fd, const char *path, const char *name, struct found *f)
{
	char target[SLU_MAX_PATH + 1];
	ssize_t n = readlinkat(fd, name, target, sizeof(target));

	if (n < 0)
		return slu_fail_sys(-errno, "cannot read the link %s/%s%s%s", ls->s->path, path, slash(path), name);
	if (n == 0 || n > SLU_MAX_PATH)
		return slu_fail(-ENAMETOOLONG, "the target of the link %s/%s%s%s is too long", ls->s->path, path,
		                slash(path), name);
	target[n] = 0;
	f->target = strdup(target);
	return f->target ? 0 : slu_fail_memory();
}

static int stat_one(struct lister *ls, int fd, const char *path, const char *name, struct found *f)
{
	struct stat st;

	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return slu_fail_sys(-errno, "cannot look at %s/%s%s%s", ls->s->path, path, slash(path), name);
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) {
		if (!ls->opt->skip_special)
			return slu_fail(-EINVAL,
			                "%s/%s%s%s is neither a file, a directory nor a link; "
			                "--skip-special leaves such files out",
			                ls->s->path, path, slash(path), name);
		atomic_fetch_add(&ls->skipped, 1);
		return 0;
	}
	if (S_ISREG(st.st_mode) && (uint64_t)st.st_size >= (UINT64_C(1) << 40) - 65536)
		return slu_fail(-EFBIG, "%s/%s%s%s is larger than a sample may be (1 TiB)", ls->s->path, path,
		                slash(path), name);
	f->size = (uint64_t)st.st_size;
	f->mtime_ns = slu_dir_mtime(&st);
	f->attr = (struct slu_attr){ st.st_mode & (S_IFMT | 07777), st.st_uid, st.st_gid };
	return S_ISLNK(st.st_mode) ? read_target(ls, fd, path, name, f) : 0;
}

static int stat_item(void *arg, unsigned worker, uint64_t item)
{
	struct lister *ls = arg;
	const struct slice *sl = &((const struct slice *)ls->slices.data)[item];
	struct scan *sc = &ls->scans[sl->scan];
	char path[SLU_MAX_PATH + 1];
	SLU_AUTO(fd) int fd = open_scan(ls, sc, path);
	int r = 0;

	(void)worker;
	if (fd < 0)
		return fd;
	for (uint64_t i = sl->from; i < sl->to && r == 0; i++) {
		struct found *f = &scan_found(sc)[i];
		r = stat_one(ls, fd, path, (const char *)sc->names.data + f->name, f);
	}
	return r;
}

static int by_name(const void *a, const void *b, void *names)
{
	return strcmp((const char *)names + ((const struct found *)a)->name,
	              (const char *)names + ((const struct found *)b)->name);
}

static int sort_item(void *arg, unsigned worker, uint64_t item)
{
	struct scan *sc = &((struct lister *)arg)->scans[item];

	(void)worker;
	if (scan_count(sc))
		qsort_r(sc->found.data, scan_count(sc), sizeof(struct found), by_name, sc->names.data);
	return 0;
}

static int make_slices(struct lister *ls)
{
	ls->slices.len = 0;
	for (uint64_t s = 0; s < ls->nscans; s++)
		for (uint64_t from = 0, n = scan_count(&ls->scans[s]); from < n; from += SLICE) {
			struct slice sl = { s, from, slu_min(n, from + SLICE) };
			int r = slu_buf_add(&ls->slices, &sl, sizeof(sl));
			if (r < 0)
				return r;
		}
	return 0;
}

static int append(struct lister *ls, const struct scan *sc, const struct found *f)
{
	int r, kind = S_ISDIR(f->attr.mode) ? 0 : S_ISREG(f->attr.mode) ? 1 : 2;
	const char *name = (const char *)sc->names.data + f->name;
	struct slu_entry e = { .name = ls->l->names.len, .mtime_ns = f->mtime_ns, .parent = sc->dir };

	if (slu_path_length(sc->path_len, name) > SLU_MAX_PATH)
		return slu_fail(-ENAMETOOLONG, "%s: a path that ends in '%s' is longer than %d bytes", ls->s->path,
		                name, SLU_MAX_PATH);
	if ((r = slu_buf_add(&ls->l->names, name, strlen(name) + 1)) < 0)
		return r;
	if (kind == 1) {
		e.size = f->size;
		ls->l->nbytes += f->size;
	} else if (kind == 2) {
		e.size = ls->l->names.len;
		if ((r = slu_buf_add(&ls->l->names, f->target, strlen(f->target) + 1)) < 0)
			return r;
	}
	if ((r = slu_buf_add(&ls->attrs[kind], &f->attr, sizeof(f->attr))) < 0)
		return r;
	return slu_buf_add(&ls->entries[kind], &e, sizeof(e));
}

/* The vectors move when they grow: the listing's pointers follow. */
static void publish(struct lister *ls)
{
	ls->l->dirs = (struct slu_entry *)ls->entries[0].data;
	ls->l->samples = (struct slu_entry *)ls->entries[1].data;
	ls->l->links = (struct slu_entry *)ls->entries[2].data;
	ls->l->ndirs = ls->entries[0].len / sizeof(struct slu_entry);
	ls->l->nsamples = ls->entries[1].len / sizeof(struct slu_entry);
	ls->l->nlinks = ls->entries[2].len / sizeof(struct slu_entry);
}

/* Room for a whole level at once: growing step by step would copy everything several times. */
static int reserve_level(struct lister *ls)
{
	uint64_t names = 0, entries = 0;
	int r;

	for (uint64_t s = 0; s < ls->nscans; s++) {
		names += ls->scans[s].names.len;
		entries += scan_count(&ls->scans[s]);
	}
	if ((r = slu_buf_reserve(&ls->l->names, names)) < 0 ||
	    (r = slu_buf_reserve(&ls->attrs[1], entries * sizeof(struct slu_attr))) < 0)
		return r;
	return slu_buf_reserve(&ls->entries[1], entries * sizeof(struct slu_entry));
}

static int merge(struct lister *ls)
{
	int enough = reserve_level(ls);

	if (enough < 0)
		return enough;
	for (uint64_t s = 0; s < ls->nscans; s++)
		for (uint64_t i = 0; i < scan_count(&ls->scans[s]); i++) {
			const struct found *f = &scan_found(&ls->scans[s])[i];
			int r = f->attr.mode ? append(ls, &ls->scans[s], f) : 0;
			if (r < 0)
				return r;
		}
	return 0;
}

static void free_scans(struct lister *ls)
{
	for (uint64_t s = 0; s < ls->nscans; s++) {
		for (uint64_t i = 0; i < scan_count(&ls->scans[s]); i++)
			free(scan_found(&ls->scans[s])[i].target);
		slu_buf_done(&ls->scans[s].names);
		slu_buf_done(&ls->scans[s].found);
	}
	free(ls->scans);
	ls->scans = NULL;
	ls->nscans = 0;
}

/* Lists the directories numbered @from to @to - 1: one level of the tree. */
static int list_level(struct lister *ls, uint64_t from, uint64_t to)
{
	unsigned threads = ls->opt->threads;
	int r;

	ls->scans = calloc(to - from, sizeof(*ls->scans));
	if (!ls->scans)
		return slu_fail_memory();
	ls->nscans = to - from;
	for (uint64_t i = 0; i < ls->nscans; i++)
		ls->scans[i].dir = (uint32_t)(from + i);
	if ((r = slu_parallel(threads, ls->nscans, scan_item, ls)) == 0 && (r = make_slices(ls)) == 0 &&
	    (r = slu_parallel(threads, ls->slices.len / sizeof(struct slice), stat_item, ls)) == 0 &&
	    (r = slu_parallel(threads, ls->nscans, sort_item, ls)) == 0)
		r = merge(ls);
	free_scans(ls);
	publish(ls);
	if (r == 0 && ls->l->ndirs + ls->l->nsamples + ls->l->nlinks > SLU_MAX_NODES)
		r = slu_fail(-EFBIG, "%s holds more files than a pack can (4 billion)", ls->s->path);
	return r;
}

static int add_root(struct lister *ls)
{
	struct slu_entry e = { 0 };
	struct slu_attr attr;
	struct stat st;
	int r;

	if (fstat(ls->s->fd, &st) < 0)
		return slu_fail_sys(-errno, "cannot look at %s", ls->s->path);
	attr = (struct slu_attr){ st.st_mode & (S_IFMT | 07777), st.st_uid, st.st_gid };
	e.mtime_ns = slu_dir_mtime(&st);
	if ((r = slu_buf_add(&ls->l->names, "", 1)) < 0 || (r = slu_buf_add(&ls->attrs[0], &attr, sizeof(attr))) < 0)
		return r;
	r = slu_buf_add(&ls->entries[0], &e, sizeof(e));
	publish(ls);
	return r;
}

static int list_levels(struct lister *ls)
{
	uint64_t from = 0;
	int r = add_root(ls);

	for (int depth = 0; r == 0 && from < ls->l->ndirs; depth++) {
		uint64_t to = ls->l->ndirs;
		if (depth > SLU_MAX_DEPTH)
			return slu_fail(-ELOOP, "%s is more than %d directories deep", ls->s->path, SLU_MAX_DEPTH);
		r = list_level(ls, from, to);
		from = to;
		if (r == 0 && ls->opt->progress)
			ls->opt->progress(ls->opt->arg, ls->l->nsamples);
	}
	return r;
}

int slu_dir_list(struct slu_source *s, const struct slu_source_list_options *opt, struct slu_listing *ret_listing)
{
	struct lister ls = { .s = (struct slu_dir_source *)s, .opt = opt, .l = ret_listing };
	int r = list_levels(&ls);

	/* One array in the order of kinds is what numbering wants. */
	if (r == 0)
		r = slu_buf_add(&ls.attrs[0], ls.attrs[1].data, ls.attrs[1].len);
	if (r == 0)
		r = slu_buf_add(&ls.attrs[0], ls.attrs[2].data, ls.attrs[2].len);
	if (r == 0)
		r = slu_listing_number_attrs(ret_listing, (const struct slu_attr *)ls.attrs[0].data);
	ret_listing->skipped = ls.skipped;
	for (int k = 0; k < 3; k++)
		slu_buf_done(&ls.attrs[k]);
	slu_buf_done(&ls.slices);
	if (r < 0)
		slu_listing_done(ret_listing);
	return r;
}
