/* SPDX-License-Identifier: MIT */
/* Columns of packed integers. See column.h. */
#include "pack/column.h"

#include <errno.h>

#include "base/macros.h"

void slu_column_plan(const int64_t *values, uint64_t n, int64_t *ret_base, unsigned *ret_bits)
{
	int64_t least = n ? values[0] : 0, most = least;
	uint64_t range;

	for (uint64_t i = 1; i < n; i++) {
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	range = (uint64_t)most - (uint64_t)least;
	*ret_base = least;
	*ret_bits = range ? 64 - (unsigned)__builtin_clzll(range) : 0;
}

int slu_column_bytes(uint64_t n, unsigned bits, uint64_t *ret_bytes)
{
	if (bits > 64 || n > UINT32_MAX)
		return slu_fail(-EBADMSG, "a column is not valid");
	*ret_bytes = bits ? slu_up((n * bits + 7) / 8, 8) + 8 : 0;
	return 0;
}

int slu_column_pack(struct slu_buf *out, const int64_t *values, uint64_t n, int64_t base, unsigned bits)
{
	uint64_t nbytes = 0;
	uint8_t *data;
	int r = slu_column_bytes(n, bits, &nbytes);

	if (r < 0 || (r = slu_buf_grow(out, nbytes, &data)) < 0 || !bits)
		return r;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t v = (uint64_t)values[i] - (uint64_t)base, at = i * bits;
		unsigned shift = at % 8;
		uint8_t *p = data + at / 8;
		slu_put64(p, slu_get64(p) | v << shift);
		if (shift + bits > 64)
			p[8] = (uint8_t)(v >> (64 - shift));
	}
	return 0;
}
