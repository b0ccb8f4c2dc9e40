/* SPDX-License-Identifier: MIT */
/*
 * Names, front-coded in groups of 16 with the suffix that a group shares taken out.
 * See docs/format.md, "Names". Decoding checks everything it reads.
 */
#ifndef SLU_PACK_NAMES_H
#define SLU_PACK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Appends a group of @n names to @names. Only the tree's root may be empty. */
SLU_MUST_USE int slu_names_add_group(struct slu_buf *names, const char *const *name, unsigned n);

/* A group in bytes of a file that nobody trusts. */
struct slu_name_group {
	const uint8_t *at, *end; /* what is left of it */
	const uint8_t *suffix;
	unsigned suffix_len;
	unsigned stem_len; /* the last name without its suffix */
	char stem[256];
};

/* -EBADMSG */
SLU_MUST_USE int slu_name_group_init(struct slu_name_group *g, const uint8_t *data, size_t len);

/* Moves to the next name: its stem is in g->stem. */
SLU_MUST_USE int slu_name_group_next(struct slu_name_group *g);

/* Writes the current name with a final NUL and gives its length. -EBADMSG: not an allowed name. */
SLU_MUST_USE int slu_name_group_name(const struct slu_name_group *g, bool root, char buf[256]);

/* Whether the @k-th name of the group is @name. 1, 0 or -EBADMSG */
SLU_MUST_USE int slu_name_group_match(const uint8_t *data, size_t len, unsigned k, const char *name, size_t name_len);

#endif
