/* SPDX-License-Identifier: MIT */
/* The schema of dense samples: its section, taken apart. */
#ifndef SLU_PACK_SCHEMA_H
#define SLU_PACK_SCHEMA_H

#include <sluice/pack.h>
#include <stdint.h>

/* Bytes that nobody trusts (SLU_SCHEMA_BYTES of them); also gives the size that every sample
 * must then have. -EBADMSG */
SLU_MUST_USE int slu_schema_parse(const uint8_t *section, struct slu_schema *ret_schema, uint64_t *ret_sample_bytes);

/* The size of an item of a NumPy type such as "<f4"; 0 if it is not a plain one. */
unsigned slu_dtype_bytes(const char *dtype);

#endif
