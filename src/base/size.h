/* SPDX-License-Identifier: MIT */
/* Sizes as people write them: 4096, 64K, 8M, 2G, 1T (powers of 1024). */
#ifndef SLU_BASE_SIZE_H
#define SLU_BASE_SIZE_H

#include <stdint.h>

#include "base/err.h"

SLU_MUST_USE int slu_size_parse(const char *text, uint64_t *ret_bytes);

/* "55.3 MB" (powers of 1000, as disks are sold and rates are told). */
const char *slu_size_format(uint64_t bytes, char buf[16]);

#endif
