/* SPDX-License-Identifier: MIT */
/* Trees of .npy files of one type and shape: recognised, so that loaders give arrays. */
#ifndef SLU_PACK_NPY_H
#define SLU_PACK_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct slu_npy {
	struct slu_buf header; /* of the first file; every other must have the same */
	uint64_t size;         /* of every file */
	struct slu_buf schema; /* the section */
};

void slu_npy_done(struct slu_npy *n);

/* Whether a file of @size bytes that begins with @data (all of it, or the first 64 KiB) is an
 * array in C order of a plain type. 1 yes, 0 no, -ENOMEM. */
SLU_MUST_USE int slu_npy_recognise(struct slu_npy *n, const uint8_t *data, size_t len, uint64_t size);

/* Whether another file is like the first. */
bool slu_npy_same(const struct slu_npy *n, const uint8_t *data, size_t len, uint64_t size);

#endif
