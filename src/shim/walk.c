/* SPDX-License-Identifier: MIT */
/*
 * libc's functions that walk directories by calls of their own: scandir, ftw, nftw, glob, wordexp. (fts has a file to
 * itself.) Where a walk can meet a mount it is done here with our own opendir() and stat(); glob() takes them from us.
 */
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

#include "shim/heap.h"
#include "shim/shim.h"
#include "shim/walk.h"
#include "vfs/spec.h"

bool slu_walk_is_ours(int dirfd, const char *path)
{
	char base[PATH_MAX], simple[PATH_MAX];
	SLU_WHERE(w);
	struct stat st;
	int saved = errno;
	bool ours;

	if (!path || !slu_shim_on())
		return false;
	if (slu_where(&w, dirfd, path, 0))
		return true;
	ours = (NEXT(fstatat)(w.dirfd, w.path, &st, 0) < 0 && slu_where_again(&w)) ||
	       (dirfd == AT_FDCWD && slu_cwd_get(base) == 0 && slu_path_simplify(base, path, simple) == 0 &&
	        slu_vfs_above(&slu_shim.vfs, simple));
	errno = saved;
	return ours;
}

/* ---- scandir ---------------------------------------------------------------------------------------------------- */

typedef int filter_fn(const struct dirent *e);
typedef int order_fn(const struct dirent **a, const struct dirent **b);

struct list {
	struct dirent **entries;
	size_t n, room;
};

static void free_list(struct list *l)
{
	while (l->n)
		slu_host_free(l->entries[--l->n]);
	slu_host_free(l->entries);
}

static int add(struct list *l, const struct dirent *e)
{
	struct dirent *copy = slu_host_alloc(e->d_reclen);

	if (!copy)
		return -1;
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 16;
		struct dirent **more = slu_host_realloc(l->entries, room * sizeof(*more));
		if (!more) {
			slu_host_free(copy);
			return -1;
		}
		l->entries = more;
		l->room = room;
	}
	memcpy(copy, e, e->d_reclen);
	l->entries[l->n++] = copy;
	return 0;
}

static int compare(const void *a, const void *b, void *order)
{
	return (*(order_fn **)order)((const struct dirent **)(uintptr_t)a, (const struct dirent **)(uintptr_t)b);
}

static int scan(DIR *d, struct dirent ***ret_entries, filter_fn *filter, order_fn *order)
{
	struct list l = { 0 };
	struct dirent *e;
	int saved = errno;

	if (!d)
		return -1;
	errno = 0;
	while ((e = slu_view_readdir(d)))
		if ((!filter || filter(e)) && add(&l, e) < 0)
			break;
	if (errno) {
		free_list(&l);
		saved = errno;
		(void)slu_view_closedir(d);
		errno = saved;
		return -1;
	}
	(void)slu_view_closedir(d);
	if (order && l.n)
		qsort_r(l.entries, l.n, sizeof(*l.entries), compare, &order);
	errno = saved;
	*ret_entries = l.entries ? l.entries : slu_host_alloc(1);
	return (int)l.n;
}

int slu_view_scandirat(int dirfd, const char *path, struct dirent ***entries, filter_fn *filter, order_fn *order)
{
	int fd;

	if (!slu_walk_is_ours(dirfd, path))
		return NEXT(scandirat)(dirfd, path, entries, filter, order);
	fd = slu_open_at(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	return fd < 0 ? -1 : scan(slu_view_fdopendir(fd), entries, filter, order);
}

int slu_view_scandir(const char *path, struct dirent ***entries, filter_fn *filter, order_fn *order)
{
	if (!slu_walk_is_ours(AT_FDCWD, path))
		return NEXT(scandir)(path, entries, filter, order);
	return scan(slu_view_opendir(path), entries, filter, order);
}

/* ---- ftw and nftw -------------------------------------------------------------------------------------------------
 */

typedef int ftw_fn(const char *path, const struct stat *st, int flag);
typedef int nftw_fn(const char *path, const struct stat *st, int flag, struct FTW *where);

struct level {
	const struct level *up;
	dev_t dev;
	ino_t ino;
};

struct tree_walk {
	ftw_fn *plain; /* one of the two */
	nftw_fn *full;
	int flags;
	dev_t dev; /* of the root */
	char path[PATH_MAX];
	size_t len;
};

static int visit(struct tree_walk *t, const struct stat *st, int flag, int base, int level)
{
	struct FTW where = { base, level };
	char dir[PATH_MAX];

	if (t->plain)
		return t->plain(t->path, st, flag == FTW_SLN ? FTW_NS : flag);
	if ((t->flags & FTW_CHDIR) && base > 0) {
		memcpy(dir, t->path, (size_t)base);
		dir[base > 1 ? base - 1 : base] = 0;
		if (t->path[0] == '/' && chdir(dir) < 0)
			return -1;
	}
	return t->full(t->path, st, flag, &where);
}

static bool seen(const struct level *l, const struct stat *st)
{
	for (; l; l = l->up)
		if (l->dev == st->st_dev && l->ino == st->st_ino)
			return true;
	return false;
}

static int look(const struct tree_walk *t, struct stat *st)
{
	if ((t->flags & FTW_PHYS) ? slu_view_lstat(t->path, st) < 0 : slu_view_stat(t->path, st) < 0) {
		if (!(t->flags & FTW_PHYS) && errno == ENOENT && slu_view_lstat(t->path, st) == 0 &&
		    S_ISLNK(st->st_mode))
			return FTW_SLN;
		if (errno != EACCES && errno != ENOENT)
			return -1;
		return FTW_NS;
	}
	return S_ISDIR(st->st_mode) ? FTW_D : S_ISLNK(st->st_mode) ? FTW_SL : FTW_F;
}

static int walk_node(struct tree_walk *t, const struct level *up, int base, int depth);

static int walk_entries(struct tree_walk *t, const struct level *here, DIR *d, int depth)
{
	size_t len = t->len;
	struct dirent *e;
	int r = 0;

	while (r == 0 && (e = slu_view_readdir(d))) {
		size_t n = strlen(e->d_name), slash = len && t->path[len - 1] == '/' ? 0 : 1;
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (len + slash + n + 1 > PATH_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		if (slash)
			t->path[len] = '/';
		memcpy(t->path + len + slash, e->d_name, n + 1);
		t->len = len + slash + n;
		r = walk_node(t, here, (int)(len + slash), depth + 1);
		if (r == FTW_SKIP_SUBTREE && (t->flags & FTW_ACTIONRETVAL))
			r = 0;
		t->path[t->len = len] = 0;
	}
	if (r == FTW_SKIP_SIBLINGS && (t->flags & FTW_ACTIONRETVAL))
		r = 0;
	return r;
}

static int walk_dir(struct tree_walk *t, const struct level *up, const struct stat *st, int base, int depth)
{
	struct level here = { up, st->st_dev, st->st_ino };
	DIR *d = slu_view_opendir(t->path);
	int r = 0;

	if (!d)
		return errno == EACCES ? visit(t, st, FTW_DNR, base, depth) : -1;
	if (!(t->flags & FTW_DEPTH))
		r = visit(t, st, FTW_D, base, depth);
	if (r == 0)
		r = walk_entries(t, &here, d, depth);
	(void)slu_view_closedir(d);
	if (r == 0 && (t->flags & FTW_DEPTH))
		r = visit(t, st, FTW_DP, base, depth);
	return r;
}

static int walk_node(struct tree_walk *t, const struct level *up, int base, int depth)
{
	struct stat st = { 0 };
	int flag = look(t, &st);

	if (flag < 0 || (depth == 0 && flag == FTW_NS))
		return -1;
	if (depth == 0)
		t->dev = st.st_dev;
	if ((t->flags & FTW_MOUNT) && st.st_dev != t->dev)
		return 0;
	if (flag != FTW_D)
		return visit(t, &st, flag, base, depth);
	if (!(t->flags & FTW_PHYS) && seen(up, &st))
		return 0;
	return walk_dir(t, up, &st, base, depth);
}

static int walk_tree(struct tree_walk *t, const char *path)
{
	char before[PATH_MAX];
	size_t n = strlen(path);
	const char *slash;
	int r, saved;

	if (n == 0 || n >= PATH_MAX) {
		errno = n ? ENAMETOOLONG : ENOENT;
		return -1;
	}
	memcpy(t->path, path, n + 1);
	while (n > 1 && t->path[n - 1] == '/')
		t->path[--n] = 0;
	t->len = n;
	slash = strrchr(t->path, '/');
	if ((t->flags & FTW_CHDIR) && slu_cwd_get(before) < 0)
		return -1;
	r = walk_node(t, NULL, slash ? (int)(slash - t->path) + 1 : 0, 0);
	saved = errno;
	if (t->flags & FTW_CHDIR)
		(void)chdir(before);
	errno = saved;
	return r;
}

int slu_view_nftw(const char *path, nftw_fn *fn, int fds, int flags)
{
	struct tree_walk t = { .full = fn, .flags = flags };

	return slu_walk_is_ours(AT_FDCWD, path) ? walk_tree(&t, path) : NEXT(nftw)(path, fn, fds, flags);
}

int slu_view_ftw(const char *path, ftw_fn *fn, int fds)
{
	struct tree_walk t = { .plain = fn };

	return slu_walk_is_ours(AT_FDCWD, path) ? walk_tree(&t, path) : NEXT(ftw)(path, fn, fds);
}

/* ---- glob and wordexp
 * ------------------------------------------------------------------------------------------------ */

static void *glob_opendir(const char *path)
{
	return slu_view_opendir(path);
}

static struct dirent *glob_readdir(void *d)
{
	return slu_view_readdir(d);
}

static void glob_closedir(void *d)
{
	(void)slu_view_closedir(d);
}

static int glob_stat(const char *restrict path, struct stat *restrict st)
{
	return slu_view_stat(path, st);
}

static int glob_lstat(const char *restrict path, struct stat *restrict st)
{
	return slu_view_lstat(path, st);
}

int slu_view_glob(const char *pattern, int flags, int (*on_error)(const char *, int), glob_t *g)
{
	int r;

	if (!slu_shim_on() || (flags & GLOB_ALTDIRFUNC))
		return NEXT(glob)(pattern, flags, on_error, g);
	g->gl_opendir = glob_opendir;
	g->gl_readdir = glob_readdir;
	g->gl_closedir = glob_closedir;
	g->gl_stat = glob_stat;
	g->gl_lstat = glob_lstat;
	r = NEXT(glob)(pattern, flags | GLOB_ALTDIRFUNC, on_error, g);
	g->gl_flags &= ~GLOB_ALTDIRFUNC;
	return r;
}

/* Puts the matches of word @i in its place. */
static int expand_word(wordexp_t *we, size_t i)
{
	char **words = we->we_wordv + we->we_offs;
	glob_t g;
	int r = slu_view_glob(words[i], GLOB_NOCHECK, NULL, &g);

	if (r != 0)
		return 0; /* as libc: no match leaves the word */
	if (g.gl_pathc == 1 && strcmp(g.gl_pathv[0], words[i]) == 0)
		goto out;
	words = slu_host_realloc(we->we_wordv, (we->we_offs + we->we_wordc + g.gl_pathc + 1) * sizeof(char *));
	if (!words) {
		r = WRDE_NOSPACE;
		goto out;
	}
	we->we_wordv = words;
	words += we->we_offs;
	slu_host_free(words[i]);
	memmove(words + i + g.gl_pathc, words + i + 1, (we->we_wordc - i) * sizeof(char *));
	for (size_t k = 0; k < g.gl_pathc; k++)
		words[i + k] = slu_host_strdup(g.gl_pathv[k]);
	we->we_wordc += g.gl_pathc - 1;
out:
	globfree(&g);
	return r;
}

/* libc expands with a glob() of its own, which finds nothing in a mount: what it left is looked at again. */
int slu_view_wordexp(const char *words, wordexp_t *we, int flags)
{
	size_t first = flags & WRDE_APPEND ? we->we_wordc : 0;
	int r = NEXT(wordexp)(words, we, flags);

	if (r != 0 || !slu_shim_on())
		return r;
	for (size_t i = we->we_wordc; r == 0 && i-- > first;)
		if (strpbrk(we->we_wordv[we->we_offs + i], "*?["))
			r = expand_word(we, i);
	return r;
}
