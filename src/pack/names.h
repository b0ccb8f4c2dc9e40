/* SPDX-License-Identifier: MIT */
/*
 * Names in groups of 16: the suffix that all share is taken out, and what each has in common
 * with the first of its group. See docs/format.md, "Names". Any name of a group is found
 * without looking at the others; decoding checks everything it reads.
 */
#ifndef SLU_PACK_NAMES_H
#define SLU_PACK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Appends a group of @n names to @names. Only the tree's root may be empty. */
SLU_MUST_USE int slu_names_add_group(struct slu_buf *names, const char *const *name, unsigned n);

/* The @k-th of the @n names of a group, with a final NUL; its length. -EBADMSG: not valid. @root: it
 * is the tree's root, whose name is empty. */
SLU_MUST_USE int slu_name_group_get(const uint8_t *data, size_t len, unsigned n, unsigned k, bool root, char buf[256]);

/*
 * A group whose names are read one after the other: what is the same for all is checked once. The bytes of the group
 * must stay where they are meanwhile.
 */
struct slu_name_group {
	const uint8_t *prefixes, *own, *suffix,
		*text; /* @text: the names' own bytes, of which the first name is the start */
	size_t suffix_len, text_len, first_len, at;
	unsigned n, k; /* the next name, whose bytes are at @at */
	bool clean;    /* no byte of it is forbidden in names */
};

enum { SLU_NAME_ROOM = 256 + 16 }; /* what slu_name_group_next() may write to: it copies more than it needs */

/* From the @k-th of @n names on. -EBADMSG: not valid */
SLU_MUST_USE int slu_name_group_start(const uint8_t *data, size_t len, unsigned n, unsigned k,
                                      struct slu_name_group *ret_g);

/* The next name, which is not the root's and which there is, with a final NUL; its length. -EBADMSG: not valid */
SLU_MUST_USE int slu_name_group_next(struct slu_name_group *g, char buf[SLU_NAME_ROOM]);

/* Whether the @k-th name of the group is @name. 1, 0 or -EBADMSG */
SLU_MUST_USE int slu_name_group_match(const uint8_t *data, size_t len, unsigned n, unsigned k, const char *name,
                                      size_t name_len);

#endif
