/* SPDX-License-Identifier: MIT */
/* Columns of packed integers: a base, and so many bits a value. docs/format.md, "Columns". */
#ifndef SLU_PACK_COLUMN_H
#define SLU_PACK_COLUMN_H

#include <stdint.h>

#include "base/buf.h"
#include "base/le.h"

/* The least value, and how many bits hold the distance of every value from it. */
void slu_column_plan(const int64_t *values, uint64_t n, int64_t *ret_base, unsigned *ret_bits);

/* How long the data of @n values is; *@ret_bytes is only written if that fits in 64 bits. */
SLU_MUST_USE int slu_column_bytes(uint64_t n, unsigned bits, uint64_t *ret_bytes);

SLU_MUST_USE int slu_column_pack(struct slu_buf *out, const int64_t *values, uint64_t n, int64_t base, unsigned bits);

/* @data has slu_column_bytes() bytes: eight more than the values need, so that any value
 * can be read with two loads. */
static inline int64_t slu_column_get(const uint8_t *data, uint64_t i, int64_t base, unsigned bits)
{
	uint64_t at = i * bits, v;
	unsigned shift = at % 8;

	if (bits == 0)
		return base;
	v = slu_get64(data + at / 8) >> shift;
	if (shift + bits > 64)
		v |= (uint64_t)data[at / 8 + 8] << (64 - shift);
	if (bits < 64)
		v &= (UINT64_C(1) << bits) - 1;
	return (int64_t)((uint64_t)base + v);
}

#endif
