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

/* Whether the @k-th name of the group is @name. 1, 0 or -EBADMSG */
SLU_MUST_USE int slu_name_group_match(const uint8_t *data, size_t len, unsigned n, unsigned k, const char *name,
                                      size_t name_len);

#endif
