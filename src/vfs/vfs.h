/* SPDX-License-Identifier: MIT */
/*
 * The view: which paths lie in packs, and what they mean there.
 *
 * A view is a list of mounts, each a pack at a directory. Mounts may lie inside one another, over
 * directories of the host, or where the host has nothing; directories that exist only because a mount
 * lies below them are made up. Paths are understood as the kernel would: "..", "//", symbolic links in the
 * packs and on the host, in any mixture.
 *
 * Invariants
 *  (1) slu_vfs_match() and slu_vfs_outside() allocate nothing, take no lock and make no system call: they are on
 *      the way of every path of the host program
 *  (2) a pack is opened at the first path that leads into it, without a lock: of two threads that do it at
 *      once the slower one throws its own away
 *  (3) the host's files are looked at by system calls alone, so that nothing here comes back through
 *      the shim
 */
#ifndef SLU_VFS_VFS_H
#define SLU_VFS_VFS_H

#include <limits.h>
#include <sluice/pack.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "vfs/ledger.h"

enum { SLU_MAX_MOUNTS = 32, SLU_MAX_KEPT = SLU_MAX_MOUNTS + 8, SLU_KNOWN_DIRS = 8192 };

struct slu_known_dir;

struct slu_mount {
	char point[PATH_MAX];  /* absolute and simple */
	char source[PATH_MAX]; /* the pack */
	size_t len;            /* of point */
	unsigned number;       /* in SLUICE_MOUNTS; another name of a point has the same */
	bool covers;           /* the host has a directory of this name */
	_Atomic(struct slu_pack *) pack;
	_Atomic uint64_t dev;
};

struct slu_vfs {
	unsigned n;
	bool covers; /* one of them does */
	struct slu_mount mounts[SLU_MAX_MOUNTS];
	struct slu_ledger *ledger; /* borrowed, or NULL */
	_Atomic uint32_t nkept;
	_Atomic int kept_from;                                 /* none is below */
	_Atomic int kept[SLU_MAX_KEPT];                        /* our own descriptors, out of the program's way */
	_Atomic(struct slu_known_dir *) known[SLU_KNOWN_DIRS]; /* see resolve.c */
};

enum slu_place_kind {
	SLU_PLACE_PASS = 0, /* not in the view: the call goes on as it is */
	SLU_PLACE_HOST,     /* the host's, but under another path, which a link in a pack led to: path */
	SLU_PLACE_NODE,     /* node of mount */
	SLU_PLACE_MADE,     /* a directory that exists for the mounts below it: path */
	SLU_PLACE_ABSENT,   /* nothing, in a directory of mount or a made one */
};

struct slu_place {
	enum slu_place_kind kind;
	enum slu_kind node_kind;
	struct slu_mount *mount;
	struct slu_pack *pack;
	uint64_t node;
	bool slash;       /* the path ends in '/', so that only a directory will do */
	const char *path; /* in the scratch: the whole physical path, if it was walked */
};

/* Reads the mounts in @text (vfs/spec.h) into @v, which is all zero. */
SLU_MUST_USE int slu_vfs_init(struct slu_vfs *v, const char *text);

/* The mount's pack, opened if it is not yet. -EIO: it cannot be. */
SLU_MUST_USE int slu_mount_pack(struct slu_vfs *v, struct slu_mount *m, struct slu_pack **ret_pack);

/*
 * Moves @fd, a descriptor of ours, to a high number and remembers it: a program gets the numbers that it would
 * have without us, and its loops over all descriptors leave ours alone (slu_vfs_keeps()).
 */
int slu_vfs_keep(struct slu_vfs *v, int fd);
bool slu_vfs_keeps_one(const struct slu_vfs *v, int fd);

static inline bool slu_vfs_keeps(const struct slu_vfs *v, int fd)
{
	return __builtin_expect(fd >= atomic_load_explicit(&v->kept_from, memory_order_relaxed), 0) && fd >= 3 &&
	       slu_vfs_keeps_one(v, fd);
}

/* The innermost mount that @path (absolute and simple) lies in, or NULL. */
struct slu_mount *slu_vfs_match(struct slu_vfs *v, const char *path);

/* Whether the directory @path (absolute and simple) lies above a mount. */
bool slu_vfs_above(const struct slu_vfs *v, const char *path);

/*
 * Whether @path (absolute) can be told to lie outside by its letters alone. False says nothing: a path
 * with "..", "." or "//" in it, one in a mount, or one above.
 */
bool slu_vfs_outside(const struct slu_vfs *v, const char *path);

enum {
	SLU_NOFOLLOW = 1, /* a link at the end is what is asked for */
	SLU_NOLINKS = 2,  /* a link anywhere is -ELOOP */
	SLU_VIRTUAL = 4,  /* the kernel does not know base: a way that leaves the view gives SLU_PLACE_HOST */
};

/* Room for a walk, which is too much for a small stack. */
struct slu_scratch {
	char path[PATH_MAX];
	char base[PATH_MAX]; /* for the caller */
	char rest[2 * PATH_MAX];
	char target[PATH_MAX];
};

/*
 * What @path (absolute, in @m by its letters) is, if that can be told by one look: it goes straight down. -EAGAIN: it
 * must be walked.
 */
SLU_MUST_USE int slu_vfs_look(struct slu_vfs *v, struct slu_mount *m, const char *path, unsigned flags,
                              struct slu_place *p);

/*
 * What @path is, walked name by name. @base is the directory (absolute and simple) where a relative one starts. Returns
 * 0 and fills in *@p, whose path is in @s, or a negative errno: the path leads into the view and there to an error. The
 * host's links are looked at too.
 */
SLU_MUST_USE int slu_vfs_walk(struct slu_vfs *v, struct slu_scratch *s, const char *base, const char *path,
                              unsigned flags, struct slu_place *p);

/* The whole path of a node: mount point and path in the pack. -ENAMETOOLONG */
SLU_MUST_USE int slu_vfs_path(const struct slu_mount *m, struct slu_pack *pack, uint64_t node, char ret_path[PATH_MAX]);

#endif
