/* SPDX-License-Identifier: MIT */
/*
 * Option structures of the public headers: their first member is their size as the caller
 * knew it, or 0 for the size they had in the first version. A longer one than ours is taken
 * if what we do not know is zero.
 */
#ifndef SLU_BASE_OPTIONS_H
#define SLU_BASE_OPTIONS_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

/* Copies @opt (NULL: all defaults) to @ret_opt, which has @have bytes, @first of them in the first
 * version. -EINVAL */
static inline int slu_options_take(const void *opt, size_t first, size_t have, void *ret_opt)
{
	uint32_t size = 0;

	memset(ret_opt, 0, have);
	if (!opt)
		return 0;
	memcpy(&size, opt, sizeof(size));
	if (!size)
		size = (uint32_t)first;
	for (size_t i = have; i < size; i++)
		if (((const char *)opt)[i])
			return slu_fail(-EINVAL, "options that this version of the library does not know");
	memcpy(ret_opt, opt, size < have ? size : have);
	return 0;
}

#endif
