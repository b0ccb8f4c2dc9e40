/* SPDX-License-Identifier: MIT */
/* Sizes as people write them. See size.h. */
#include "base/size.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

int slu_size_parse(const char *text, uint64_t *ret_bytes)
{
	static const char units[] = "KMGT";
	unsigned long long v;
	unsigned shift = 0;
	char *end;

	errno = 0;
	v = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
	if (!isdigit((unsigned char)*text) || errno)
		return slu_fail(-EINVAL, "'%s' is not a size (such as 4096, 64K, 8M or 2G)", text);
	const char *u = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (u) {
		shift = 10 * (unsigned)(u - units + 1);
		end++;
		if (end[0] == 'i' && end[1] == 'B')
			end += 2;
	}
	if (*end || (v << shift) >> shift != v)
		return slu_fail(-EINVAL, "'%s' is not a size (such as 4096, 64K, 8M or 2G)", text);
	*ret_bytes = (uint64_t)v << shift;
	return 0;
}

const char *slu_size_format(uint64_t bytes, char buf[16])
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	double v = (double)bytes;
	size_t u = 0;

	while (v >= 999.95 && u + 1 < SLU_ARRAY_SIZE(units)) {
		v /= 1000;
		u++;
	}
	(void)snprintf(buf, 16, u ? "%.1f %s" : "%.0f %s", v, units[u]); /* always fits */
	return buf;
}
