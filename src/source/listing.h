/* SPDX-License-Identifier: MIT */
/*
 * A listing: all that a pack knows of its tree but the bytes, in pack order.
 *
 * Invariants (docs/format.md, section 2)
 *  (1) directories breadth first, root first; samples and links by (parent, name)
 *  (2) names obey the format's rules: no '/', NUL, '.', '..', 1 to 255 bytes
 *  (3) attributes are distinct and numbered by first use: directories, samples, links
 * slu_listing_check() proves them for listings that come from outside.
 */
#ifndef SLU_SOURCE_LISTING_H
#define SLU_SOURCE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"

struct slu_entry {
	uint64_t name; /* offset in names */
	uint64_t size; /* a sample's bytes; a link's: offset of its target in names */
	int64_t mtime_ns;
	uint32_t parent; /* directory number; the root's is 0 */
	uint32_t attr;
};

struct slu_attr {
	uint32_t mode, uid, gid;
};

struct slu_listing {
	struct slu_buf names; /* each ended by NUL */
	struct slu_entry *dirs, *samples, *links;
	uint64_t ndirs, nsamples, nlinks;
	struct slu_attr *attrs;
	uint32_t nattrs;
	uint64_t nbytes;  /* sum of the samples' sizes */
	uint64_t skipped; /* special files left out */
};

enum {
	SLU_MAX_NAME = 255,
	SLU_MAX_PATH = 4095,
	SLU_MAX_DEPTH = 255,
};
#define SLU_MAX_NODES 0xfffffffeu

void slu_listing_done(struct slu_listing *l);

static inline const char *slu_listing_name(const struct slu_listing *l, const struct slu_entry *e)
{
	return (const char *)l->names.data + e->name;
}

/* The path of an entry, "" for the root; -ENAMETOOLONG. */
SLU_MUST_USE int slu_listing_path(const struct slu_listing *l, const struct slu_entry *e, char buf[SLU_MAX_PATH + 1]);

/* The number of the sample at @path (no leading slash). -ENOENT, without a sentence. */
SLU_MUST_USE int slu_listing_find(const struct slu_listing *l, const char *path, uint64_t *ret_sample);

/* How long the path of something called @name is, in a directory whose path has @dir bytes. */
static inline size_t slu_path_length(size_t dir, const char *name)
{
	return dir + (dir > 0) + strlen(name);
}

/* Whether @name (@len bytes) may stand in a pack. */
bool slu_name_ok(const char *name, size_t len);

/* Gives entries their attribute numbers: @attrs holds one for each entry, directories
 * first, then samples, then links. */
SLU_MUST_USE int slu_listing_number_attrs(struct slu_listing *l, const struct slu_attr *attrs);

/* Checks (1) to (3) and all sizes; -EBADMSG. */
SLU_MUST_USE int slu_listing_check(const struct slu_listing *l);

#define slu_cleanup_listing slu_listing_done

#endif
