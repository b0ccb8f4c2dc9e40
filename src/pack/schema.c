/* SPDX-License-Identifier: MIT */
/* The schema of dense samples. See schema.h. */
#include "pack/schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/le.h"

unsigned slu_dtype_bytes(const char *dtype)
{
	unsigned long n;
	char *end;

	if (!dtype[0] || !strchr("<>|", dtype[0]) || !dtype[1] || !strchr("biufc", dtype[1]) || dtype[2] < '1' ||
	    dtype[2] > '9')
		return 0;
	n = strtoul(dtype + 2, &end, 10);
	return *end || n > 32 ? 0 : (unsigned)n;
}

int slu_schema_parse(const uint8_t *section, struct slu_schema *ret_schema, uint64_t *ret_sample_bytes)
{
	struct slu_schema s = { .skip = slu_get32(section + 16), .ndim = slu_get32(section + 20) };
	uint64_t bytes;

	memcpy(s.dtype, section, sizeof(s.dtype));
	if (s.dtype[sizeof(s.dtype) - 1] || s.ndim > SLU_MAX_DIMS || !(bytes = slu_dtype_bytes(s.dtype)))
		return slu_fail(-EBADMSG, "the schema is not valid");
	for (unsigned i = 0; i < SLU_MAX_DIMS; i++) {
		s.shape[i] = slu_get64(section + 24 + 8 * (size_t)i);
		if (i >= s.ndim ? s.shape[i] != 0 : __builtin_mul_overflow(bytes, s.shape[i], &bytes))
			return slu_fail(-EBADMSG, "the schema's shape is not valid");
	}
	if (__builtin_add_overflow(bytes, (uint64_t)s.skip, &bytes))
		return slu_fail(-EBADMSG, "the schema's shape is not valid");
	*ret_schema = s;
	*ret_sample_bytes = bytes;
	return 0;
}
