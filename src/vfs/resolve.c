/* SPDX-License-Identifier: MIT */
/*
 * What a path is: in a pack, on the host, or made up. See vfs.h.
 *
 * Most paths name a sample of one pack, letter by letter: they are looked up whole. All others are walked
 * name by name, as the kernel does, with the physical path so far at hand: a ".." takes its last name away,
 * a link puts its target before what is left, and a name that completes a mount point enters that pack.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/macros.h"
#include "vfs/host.h"
#include "vfs/vfs.h"

enum { MAX_LINKS = 40 }; /* as the kernel */

struct walk {
	struct slu_vfs *v;
	unsigned flags;
	int links;
	char *at;              /* physical path so far, "" for the root */
	size_t len;            /* of it */
	struct slu_scratch *s; /* rest: what is left; at: in path */
	struct slu_mount *in;  /* the mount that at lies in, or NULL: on the host, or made */
	struct slu_pack *pack; /* of in */
	uint64_t node;         /* likewise */
	enum slu_kind kind;    /* of node */
	bool made;             /* at is not on the host */
	bool absent;           /* nor anywhere */
	bool left;             /* on the host now means by another way than the kernel knows */
};

static bool is_canonical(const char *rel)
{
	for (; (rel = strchr(rel, '/')); rel++)
		if (SLU_UNLIKELY(rel[1] == '/' || rel[1] == 0 || rel[1] == '.') &&
		    (rel[1] != '.' || rel[2] == 0 || rel[2] == '/' ||
		     (rel[2] == '.' && (rel[3] == 0 || rel[3] == '/'))))
			return false;
	return true;
}

/* ---- directories met before ------------------------------------------------------------------ */

/*
 * Samples of one directory are asked for again and again. A directory, once found, is remembered in its
 * place, if that is free, and stays: nothing is ever taken away, so that readers need no lock, and the memory is
 * bounded.
 */
struct slu_known_dir {
	const struct slu_mount *mount;
	uint64_t node;
	size_t len;
	char path[];
};

static const struct slu_known_dir *known(struct slu_vfs *v, const struct slu_mount *m, const char *path, size_t len,
                                         _Atomic(struct slu_known_dir *) **ret_place)
{
	uint64_t at = slu_hash64_seed(path, len, m->number) % SLU_KNOWN_DIRS;
	const struct slu_known_dir *d = atomic_load_explicit(&v->known[at], memory_order_acquire);

	*ret_place = &v->known[at];
	return d && d->mount == m && d->len == len && memcmp(d->path, path, len) == 0 ? d : NULL;
}

static void remember(_Atomic(struct slu_known_dir *) *place, const struct slu_mount *m, const char *path, size_t len,
                     uint64_t node)
{
	struct slu_known_dir *d, *none = NULL;

	if (atomic_load_explicit(place, memory_order_relaxed) || !(d = malloc(sizeof(*d) + len)))
		return;
	*d = (struct slu_known_dir){ m, node, len };
	memcpy(d->path, path, len);
	if (!atomic_compare_exchange_strong(place, &none, d))
		free(d);
}

/* A directory that was not met before. Apart, since it needs room that small stacks do not have. */
static __attribute__((noinline)) int meet_dir(struct slu_pack *pack, const char *rel, size_t len, uint64_t *ret_node)
{
	SLU_AUTO(mem) char *dir = malloc(len + 1);
	int r;

	if (!dir)
		return slu_fail_memory();
	memcpy(dir, rel, len);
	dir[len] = 0;
	if ((r = slu_pack_lookup(pack, dir, ret_node)) < 0)
		return r;
	return slu_node_kind(pack, *ret_node) == SLU_DIR ? 0 : -ENOTDIR;
}

/* The node at @rel, which is "" or begins with '/'. */
static int lookup(struct slu_vfs *v, struct slu_mount *m, struct slu_pack *pack, const char *rel, uint64_t *ret_node)
{
	const char *name = strrchr(rel, '/');
	size_t len = name ? (size_t)(name - rel) : 0;
	_Atomic(struct slu_known_dir *) *place;
	const struct slu_known_dir *d;
	uint64_t node;
	int r;

	if (!name || len == 0)
		return slu_pack_lookup(pack, rel, ret_node);
	if ((d = known(v, m, rel, len, &place)))
		return slu_pack_child(pack, d->node, name + 1, strlen(name + 1), ret_node);
	if ((r = meet_dir(pack, rel, len, &node)) < 0)
		return r;
	remember(place, m, rel, len, node);
	return slu_pack_child(pack, node, name + 1, strlen(name + 1), ret_node);
}

/* ---- whole paths --------------------------------------------------------------------------------- */

/* Looks up a path that goes straight down: 0, or -EAGAIN if it must be walked. */
static int resolve_whole(struct slu_vfs *v, struct slu_mount *m, const char *rel, unsigned flags, struct slu_place *p)
{
	int r = slu_mount_pack(v, m, &p->pack);

	if (r < 0)
		return r;
	p->mount = m;
	p->kind = SLU_PLACE_NODE;
	if (lookup(v, m, p->pack, rel, &p->node) < 0)
		return -EAGAIN;
	r = slu_node_kind(p->pack, p->node);
	if (r < 0 || (r == SLU_LINK && !(flags & SLU_NOFOLLOW)))
		return -EAGAIN;
	p->node_kind = (enum slu_kind)r;
	return 0;
}

/* ---- walking ------------------------------------------------------------------------------------ */

/* Where w->at is, found anew: after "..", or a link that starts at the root. */
static int relocate(struct walk *w)
{
	int r;

	w->at[w->len] = 0;
	w->in = slu_vfs_match(w->v, w->at);
	w->made = w->absent = false;
	if (!w->in) {
		w->made = slu_vfs_above(w->v, w->at) && !slu_host_is_dir(w->len ? w->at : "/");
		return 0;
	}
	if ((r = slu_mount_pack(w->v, w->in, &w->pack)) < 0 ||
	    (r = slu_pack_lookup(w->pack, w->at + w->in->len, &w->node)) < 0)
		return r;
	r = slu_node_kind(w->pack, w->node);
	if (r >= 0)
		w->kind = (enum slu_kind)r;
	return r < 0 ? r : 0;
}

static int go_up(struct walk *w)
{
	while (w->len && w->at[--w->len] != '/')
		;
	return relocate(w);
}

/* Puts @target before the rest. */
static int follow(struct walk *w, const char *target)
{
	size_t n = strlen(target), rest = strlen(w->s->rest);

	if (++w->links > MAX_LINKS || (w->flags & SLU_NOLINKS))
		return -ELOOP;
	if (n == 0)
		return -ENOENT;
	if (n + 1 + rest + 1 > sizeof(w->s->rest))
		return -ENAMETOOLONG;
	memmove(w->s->rest + n + 1, w->s->rest, rest + 1);
	memcpy(w->s->rest, target, n);
	w->s->rest[n] = '/';
	if (rest == 0)
		w->s->rest[n] = 0; /* no '/' that was not there */
	if (target[0] == '/')
		w->len = 0;
	return relocate(w);
}

/* A mount point reached: its root. */
static int enter(struct walk *w, struct slu_mount *m)
{
	int r = slu_mount_pack(w->v, m, &w->pack);

	w->in = m;
	w->node = SLU_ROOT;
	w->kind = SLU_DIR;
	w->made = w->absent = false;
	w->left = true; /* should the way go on to the host, the kernel would not find it */
	return r;
}

/* One name further inside a pack. w->at has the name already; @before is its length without. */
static int step_in_pack(struct walk *w, size_t before, bool last)
{
	char *target = w->s->target;
	uint64_t node;
	ssize_t n;
	int r = slu_pack_child(w->pack, w->node, w->at + before + 1, w->len - before - 1, &node);

	if (r == -ENOENT && slu_vfs_above(w->v, w->at)) {
		w->in = NULL; /* only there for a mount below */
		w->made = true;
		w->left = true;
		return 0;
	}
	if (r == -ENOENT) {
		w->absent = true;
		return 0;
	}
	if (r < 0 || (r = slu_node_kind(w->pack, node)) < 0)
		return r;
	if (r == SLU_LINK && !(last && (w->flags & SLU_NOFOLLOW))) {
		if ((n = slu_pack_readlink(w->pack, node, target)) < 0)
			return (int)n;
		w->len = before;
		w->left = true;
		return follow(w, target);
	}
	w->node = node;
	w->kind = (enum slu_kind)r;
	return 0;
}

/* One name further on the host, or in what is made up. */
static int step_on_host(struct walk *w, size_t before, bool last)
{
	char *target = w->s->target;
	int r = w->made ? -ENOENT : slu_host_readlink(w->at, target);

	if (r >= 0 && last && (w->flags & SLU_NOFOLLOW))
		return 0;
	if (r >= 0) {
		w->len = before;
		return follow(w, target);
	}
	if (r == -EINVAL)
		return 0; /* there, and no link */
	if (slu_vfs_above(w->v, w->at)) {
		w->made = true;
		w->left = true; /* the kernel cannot go this way */
		return 0;
	}
	w->absent = true;
	return 0;
}

/* Takes the next name from the rest. */
static int step(struct walk *w, const char *name, size_t n, bool last)
{
	size_t before = w->len;
	struct slu_mount *m;

	if (n > NAME_MAX)
		return -ENAMETOOLONG;
	if (w->len + n + 2 > PATH_MAX)
		return -ENAMETOOLONG;
	if (w->absent)
		return w->in || w->made ? -ENOENT : 0;
	if (w->in && w->kind != SLU_DIR)
		return -ENOTDIR;
	w->at[w->len] = '/';
	memcpy(w->at + w->len + 1, name, n);
	w->len += n + 1;
	w->at[w->len] = 0;
	m = slu_vfs_match(w->v, w->at);
	if (m && m->len == w->len)
		return enter(w, m);
	return w->in ? step_in_pack(w, before, last) : step_on_host(w, before, last);
}

static int walk(struct walk *w)
{
	int r = 0;

	while (r == 0) {
		char *rest = w->s->rest;
		char name[NAME_MAX + 2];
		size_t n, skip;
		bool last;
		rest += strspn(rest, "/");
		n = strcspn(rest, "/");
		if (n == 0)
			break;
		skip = n + strspn(rest + n, "/");
		last = rest[n] == 0;
		memcpy(name, rest, slu_min(n, NAME_MAX + 1));
		memmove(w->s->rest, rest + skip, strlen(rest + skip) + 1);
		if (w->absent)
			r = -ENOENT;
		else if (n == 1 && name[0] == '.')
			r = w->in && w->kind != SLU_DIR ? -ENOTDIR : 0;
		else if (n == 2 && name[0] == '.' && name[1] == '.')
			r = w->in && w->kind != SLU_DIR ? -ENOTDIR : go_up(w);
		else
			r = step(w, name, n, last);
		if (w->absent && !w->in && !w->made)
			break; /* the host's business */
	}
	return r;
}

static int walk_result(struct walk *w, int r, struct slu_place *p)
{
	p->path = w->at;
	if (w->len == 0)
		strcpy(w->at, "/");
	if (r < 0 && !w->in && !w->made && !w->left)
		r = 0; /* the kernel finds out by itself */
	if (r < 0)
		return r;
	p->mount = w->in;
	p->pack = w->pack;
	p->node = w->node;
	p->node_kind = w->kind;
	if (w->absent && (w->in || w->made))
		p->kind = SLU_PLACE_ABSENT;
	else if (w->in)
		p->kind = SLU_PLACE_NODE;
	else if (w->made)
		p->kind = SLU_PLACE_MADE;
	else
		p->kind = w->left ? SLU_PLACE_HOST : SLU_PLACE_PASS;
	return 0;
}

static int walk_from(struct slu_vfs *v, struct slu_scratch *s, const char *base, const char *path, unsigned flags,
                     struct slu_place *p)
{
	struct walk w = { .v = v, .flags = flags, .at = s->path, .s = s };
	size_t n = strlen(path), nb = path[0] == '/' ? 0 : strlen(base);
	int r;

	if (n + 1 > PATH_MAX || nb + 1 + n + 1 > sizeof(s->rest))
		return -ENAMETOOLONG;
	w.left = nb && (flags & SLU_VIRTUAL);
	memcpy(s->rest, base, nb);
	if (nb)
		s->rest[nb++] = '/';
	memcpy(s->rest + nb, path, n + 1);
	/* The end "/", "/." or "/.." asks for a directory, so that a link there is followed. */
	if (p->slash)
		w.flags &= ~(unsigned)SLU_NOFOLLOW;
	w.at[0] = 0;
	r = walk(&w);
	if (w.absent && !w.in && !w.made && w.left && r == 0 && s->rest[0]) { /* a way that ends on the host */
		size_t rest = strlen(s->rest);
		if (w.len + 1 + rest + 1 > PATH_MAX)
			return -ENAMETOOLONG;
		w.at[w.len++] = '/';
		memcpy(w.at + w.len, s->rest, rest + 1);
	}
	r = walk_result(&w, r, p);
	return r;
}

static bool asks_for_dir(const char *path)
{
	size_t n = strlen(path);

	if (n && path[n - 1] == '/')
		return true;
	if (n && path[n - 1] == '.')
		return n == 1 || path[n - 2] == '/' || (path[n - 2] == '.' && (n == 2 || path[n - 3] == '/'));
	return false;
}

int slu_vfs_look(struct slu_vfs *v, struct slu_mount *m, const char *path, unsigned flags, struct slu_place *p)
{
	p->kind = SLU_PLACE_PASS;
	p->path = NULL;
	p->slash = false;
	p->mount = NULL;
	return SLU_LIKELY(is_canonical(path + m->len)) ? resolve_whole(v, m, path + m->len, flags, p) : -EAGAIN;
}

int slu_vfs_walk(struct slu_vfs *v, struct slu_scratch *s, const char *base, const char *path, unsigned flags,
                 struct slu_place *p)
{
	int r;

	p->kind = SLU_PLACE_PASS;
	p->path = NULL;
	p->mount = NULL;
	p->slash = asks_for_dir(path);
	r = walk_from(v, s, base, path, flags, p);
	if (r == 0 && p->slash && p->kind == SLU_PLACE_NODE && p->node_kind != SLU_DIR)
		return -ENOTDIR;
	return r;
}

int slu_vfs_path(const struct slu_mount *m, struct slu_pack *pack, uint64_t node, char ret_path[PATH_MAX])
{
	char rel[SLU_PATH_MAX];
	ssize_t n = slu_pack_path(pack, node, rel);

	if (n < 0)
		return (int)n;
	if (m->len + 1 + (size_t)n + 1 > PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(ret_path, m->point, m->len + 1);
	if (n) {
		ret_path[m->len] = '/';
		memcpy(ret_path + m->len + 1, rel, (size_t)n + 1);
	}
	return 0;
}
