/* SPDX-License-Identifier: MIT */
/*
 * fts(3) for walks that can meet a mount; libc's own makes calls that cannot be intercepted.
 *
 * A directory's children are read when it is entered and freed when it is left. The working directory is
 * never changed, which callers may ask for with FTS_NOCHDIR and cannot forbid: the paths to reach a file by
 * (fts_accpath) are then the whole paths.
 */
#include <fcntl.h>
#include <fts.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim/heap.h"
#include "shim/shim.h"
#include "shim/walk.h"

typedef int order_fn(const FTSENT **a, const FTSENT **b);

struct stream {
	FTS fts; /* callers may look at it */
	order_fn *order;
	FTSENT *root;     /* above the arguments: level -1 */
	FTSENT *cur;      /* given out last; NULL before the first */
	FTSENT *children; /* of cur, read beforehand by fts_children() */
	bool has_children;
	bool ended;
};

/* Which streams are ours: libc's look the same. */
enum { MAX_STREAMS = 64 };
static _Atomic(FTS *) streams[MAX_STREAMS];

static struct stream *ours(FTS *f)
{
	for (unsigned i = 0; i < MAX_STREAMS; i++)
		if (f && atomic_load(&streams[i]) == f)
			return (struct stream *)f;
	return NULL;
}

static bool swap_stream(FTS *from, FTS *to)
{
	for (unsigned i = 0; i < MAX_STREAMS; i++) {
		FTS *expected = from;
		if (atomic_compare_exchange_strong(&streams[i], &expected, to))
			return true;
	}
	return false;
}

/* ---- entries ------------------------------------------------------------------------------------------------------
 */

/* An entry, and before it what callers do not see. */
struct node {
	FTSENT *first; /* of its children, while the walk is below it */
	FTSENT entry;  /* last: its name goes on behind it */
};

static struct node *node_of(FTSENT *e)
{
	return (struct node *)((char *)e - offsetof(struct node, entry));
}

/* One block: the node with its name, the stat, the path. */
static FTSENT *new_entry(const char *dir, const char *name, FTSENT *parent)
{
	size_t n = strlen(name), dn = dir ? strlen(dir) : 0, head = slu_up(sizeof(struct node) + n, 16);
	struct node *node = slu_host_zalloc(head + sizeof(struct stat) + dn + 1 + n + 1);
	FTSENT *e = node ? &node->entry : NULL;
	char *path;

	if (!e)
		return NULL;
	memcpy(e->fts_name, name, n + 1);
	e->fts_namelen = (unsigned short)n;
	e->fts_statp = (void *)((char *)node + head);
	path = (char *)(e->fts_statp + 1);
	if (dir) {
		memcpy(path, dir, dn);
		if (dn && path[dn - 1] == '/')
			dn--;
		path[dn++] = '/';
	}
	memcpy(path + dn, name, n + 1);
	e->fts_path = e->fts_accpath = path;
	e->fts_pathlen = (unsigned short)(dn + n);
	e->fts_parent = parent;
	e->fts_level = (short)(parent->fts_level + 1);
	e->fts_instr = 0;
	return e;
}

static void free_entries(FTSENT *e)
{
	while (e) {
		FTSENT *next = e->fts_link;
		slu_host_free(node_of(e));
		e = next;
	}
}

static unsigned short dir_info(FTSENT *e)
{
	if (e->fts_level > 0 && (strcmp(e->fts_name, ".") == 0 || strcmp(e->fts_name, "..") == 0))
		return FTS_DOT;
	for (FTSENT *up = e->fts_parent; up && up->fts_level >= 0; up = up->fts_parent)
		if (up->fts_ino == e->fts_ino && up->fts_dev == e->fts_dev) {
			e->fts_cycle = up;
			return FTS_DC;
		}
	return FTS_D;
}

static unsigned short look(const struct stream *s, FTSENT *e, bool follow)
{
	struct stat *st = e->fts_statp;

	follow |= (s->fts.fts_options & FTS_LOGICAL) != 0;
	if (follow ? slu_view_stat(e->fts_path, st) < 0 : slu_view_lstat(e->fts_path, st) < 0) {
		e->fts_errno = errno;
		if (follow && slu_view_lstat(e->fts_path, st) == 0) {
			e->fts_errno = 0;
			return FTS_SLNONE;
		}
		memset(st, 0, sizeof(*st));
		return FTS_NS;
	}
	e->fts_ino = st->st_ino;
	e->fts_dev = st->st_dev;
	e->fts_nlink = st->st_nlink;
	if (S_ISDIR(st->st_mode))
		return dir_info(e);
	return S_ISLNK(st->st_mode) ? FTS_SL : S_ISREG(st->st_mode) ? FTS_F : FTS_DEFAULT;
}

static order_fn **order_of(void *arg)
{
	return arg;
}

static int compare(const void *a, const void *b, void *order)
{
	return (*order_of(order))((const FTSENT **)(uintptr_t)a, (const FTSENT **)(uintptr_t)b);
}

static FTSENT *sort(struct stream *s, FTSENT *list)
{
	FTSENT **array;
	size_t n = 0, i = 0;

	for (FTSENT *e = list; e; e = e->fts_link)
		n++;
	if (!s->order || n < 2 || !(array = slu_host_alloc(n * sizeof(*array))))
		return list;
	for (FTSENT *e = list; e; e = e->fts_link)
		array[i++] = e;
	qsort_r(array, n, sizeof(*array), compare, &s->order);
	for (i = 0; i < n; i++)
		array[i]->fts_link = i + 1 < n ? array[i + 1] : NULL;
	list = array[0];
	slu_host_free(array);
	return list;
}

/* The children of @dir, in order. False: it cannot be read. */
static bool read_children(struct stream *s, FTSENT *dir, FTSENT **ret_list)
{
	FTSENT *list = NULL, **end = &list, *e;
	DIR *d = slu_view_opendir(dir->fts_path);
	struct dirent *de;

	if (!d)
		return false;
	while ((de = slu_view_readdir(d))) {
		bool is_dot = strcmp(de->d_name, ".") == 0 || strcmp(de->d_name, "..") == 0;
		if ((is_dot && !(s->fts.fts_options & FTS_SEEDOT)) || !(e = new_entry(dir->fts_path, de->d_name, dir)))
			continue;
		if ((s->fts.fts_options & FTS_NOSTAT) && de->d_type != DT_DIR && de->d_type != DT_UNKNOWN &&
		    !((s->fts.fts_options & FTS_LOGICAL) && de->d_type == DT_LNK))
			e->fts_info = FTS_NSOK;
		else
			e->fts_info = look(s, e, false);
		*end = e;
		end = &e->fts_link;
	}
	(void)slu_view_closedir(d);
	*ret_list = sort(s, list);
	return true;
}

/* ---- the walk
 * -------------------------------------------------------------------------------------------------------- */

/* An argument's name is its last component, once it is given out. */
static void shorten_name(FTSENT *e)
{
	const char *slash = strrchr(e->fts_name, '/');

	if (slash && (slash != e->fts_name || slash[1])) {
		e->fts_namelen = (unsigned short)strlen(slash + 1);
		memmove(e->fts_name, slash + 1, e->fts_namelen + 1u);
	}
}

static FTSENT *give(struct stream *s, FTSENT *e)
{
	s->cur = e;
	s->fts.fts_cur = e;
	s->has_children = false;
	if (e && e->fts_instr == FTS_FOLLOW && (e->fts_info == FTS_SL || e->fts_info == FTS_SLNONE))
		e->fts_info = look(s, e, true);
	if (e && e->fts_level == FTS_ROOTLEVEL) {
		s->fts.fts_dev = e->fts_dev;
		shorten_name(e);
	}
	return e;
}

static FTSENT *leave_dir(struct stream *s, FTSENT *e)
{
	free_entries(node_of(e)->first);
	node_of(e)->first = NULL;
	e->fts_info = FTS_DP;
	return give(s, e);
}

/* Into a directory that was just given out. */
static FTSENT *enter(struct stream *s, FTSENT *e)
{
	FTSENT *list = s->children;
	bool other_device = (s->fts.fts_options & FTS_XDEV) && e->fts_dev != s->fts.fts_dev;

	if (e->fts_instr == FTS_SKIP || other_device) {
		if (s->has_children)
			free_entries(s->children);
		return leave_dir(s, e);
	}
	if (!s->has_children && !read_children(s, e, &list)) {
		e->fts_errno = errno;
		e->fts_info = FTS_DNR;
		return give(s, e);
	}
	node_of(e)->first = list;
	return list ? give(s, list) : leave_dir(s, e);
}

static FTSENT *after(struct stream *s, FTSENT *e)
{
	FTSENT *next = e->fts_link, *up = e->fts_parent;

	while (next && next->fts_instr == FTS_SKIP)
		next = next->fts_link;
	if (next)
		return give(s, next);
	if (up == s->root) {
		s->ended = true;
		return give(s, NULL);
	}
	return leave_dir(s, up);
}

FTSENT *slu_view_fts_read(FTS *f)
{
	struct stream *s = ours(f);
	FTSENT *e;
	int instr;

	if (!s)
		return NEXT(fts_read)(f);
	if (s->ended) {
		errno = 0;
		return NULL;
	}
	e = s->cur;
	if (!e)
		return give(s, s->root->fts_link);
	instr = e->fts_instr;
	if (instr == FTS_AGAIN) {
		e->fts_instr = 0;
		e->fts_info = look(s, e, false);
		return give(s, e);
	}
	if (instr == FTS_FOLLOW && (e->fts_info == FTS_SL || e->fts_info == FTS_SLNONE)) {
		e->fts_instr = 0;
		e->fts_info = look(s, e, true);
		return give(s, e);
	}
	return e->fts_info == FTS_D ? enter(s, e) : after(s, e);
}

FTSENT *slu_view_fts_children(FTS *f, int instr)
{
	struct stream *s = ours(f);

	if (!s)
		return NEXT(fts_children)(f, instr);
	if (instr != 0 && instr != FTS_NAMEONLY) {
		errno = EINVAL;
		return NULL;
	}
	errno = 0;
	if (!s->cur)
		return s->root->fts_link;
	if (s->cur->fts_info != FTS_D)
		return NULL;
	if (!s->has_children && !read_children(s, s->cur, &s->children))
		return NULL;
	s->has_children = true;
	return s->children;
}

SHIM int fts_set(FTS *f, FTSENT *e, int instr)
{
	if (!ours(f))
		return NEXT(fts_set)(f, e, instr);
	if (instr && instr != FTS_AGAIN && instr != FTS_FOLLOW && instr != FTS_NOINSTR && instr != FTS_SKIP) {
		errno = EINVAL;
		return 1;
	}
	e->fts_instr = (unsigned short)instr;
	return 0;
}
SHIM_ALIAS(fts64_set, fts_set);

int slu_view_fts_close(FTS *f)
{
	struct stream *s = ours(f);

	if (!s)
		return NEXT(fts_close)(f);
	(void)swap_stream(f, NULL);
	if (s->has_children)
		free_entries(s->children);
	for (FTSENT *up = s->cur, *next; up; up = next) {
		next = up->fts_parent == s->root ? NULL : up->fts_parent;
		free_entries(node_of(up)->first); /* the list that the one before stood in */
		node_of(up)->first = NULL;
	}
	free_entries(s->root->fts_link);
	slu_host_free(node_of(s->root));
	slu_host_free(s);
	return 0;
}

static int add_roots(struct stream *s, char *const *paths, int options)
{
	FTSENT **end = &s->root->fts_link, *e;

	for (; *paths; paths++) {
		if (!(e = new_entry(NULL, *paths, s->root)))
			return -1;
		e->fts_info = look(s, e, (options & FTS_COMFOLLOW) != 0);
		if (e->fts_info == FTS_DOT)
			e->fts_info = FTS_D;
		*end = e;
		end = &e->fts_link;
	}
	s->root->fts_link = sort(s, s->root->fts_link);
	return 0;
}

static bool any_ours(char *const *paths)
{
	for (; *paths; paths++)
		if (slu_walk_is_ours(AT_FDCWD, *paths))
			return true;
	return false;
}

FTS *slu_view_fts_open(char *const *paths, int options, order_fn *order)
{
	struct stream *s;
	struct node *root;

	if ((options & ~FTS_OPTIONMASK) || !paths || !any_ours(paths))
		return NEXT(fts_open)(paths, options, order);
	s = slu_host_zalloc(sizeof(*s));
	root = s ? slu_host_zalloc(sizeof(*root)) : NULL;
	if (root) {
		s->root = &root->entry;
		s->root->fts_level = FTS_ROOTPARENTLEVEL;
		s->fts.fts_options = options | FTS_NOCHDIR;
		s->order = order;
		if (add_roots(s, paths, options) == 0 && swap_stream(NULL, &s->fts))
			return &s->fts;
		free_entries(s->root->fts_link);
		slu_host_free(root);
	}
	slu_host_free(s);
	errno = ENOMEM;
	return NULL;
}
