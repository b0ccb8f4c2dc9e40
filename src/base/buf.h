/* SPDX-License-Identifier: MIT */
/*
 * A growing run of bytes. All zero is an empty one; slu_buf_done() releases it and
 * leaves it empty again. Appending gives -ENOMEM or 0.
 */
#ifndef SLU_BASE_BUF_H
#define SLU_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct slu_buf {
	uint8_t *data;
	size_t len;
	size_t cap;
};

void slu_buf_done(struct slu_buf *b);

/* Makes room for @more bytes beyond len. */
SLU_MUST_USE int slu_buf_reserve(struct slu_buf *b, size_t more);

SLU_MUST_USE int slu_buf_add(struct slu_buf *b, const void *data, size_t n);

/* Appends @n zero bytes and gives their address, valid until the next append. */
SLU_MUST_USE int slu_buf_grow(struct slu_buf *b, size_t n, uint8_t **ret_new);

/* Zero bytes up to a multiple of @align. */
SLU_MUST_USE int slu_buf_align(struct slu_buf *b, size_t align);

#define slu_cleanup_buf slu_buf_done

#endif
