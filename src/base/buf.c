/* SPDX-License-Identifier: MIT */
/* A growing run of bytes. See buf.h. */
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

void slu_buf_done(struct slu_buf *b)
{
	free(b->data);
	*b = (struct slu_buf){ 0 };
}

int slu_buf_reserve(struct slu_buf *b, size_t more)
{
	size_t want, cap;
	uint8_t *data;

	if (b->data && more <= b->cap - b->len) /* even an empty buffer has an address */
		return 0;
	if (__builtin_add_overflow(b->len, more, &want))
		return slu_fail_memory();
	cap = slu_max(want, b->cap + b->cap / 2);
	cap = slu_max(cap, 256);
	data = realloc(b->data, cap);
	if (!data)
		return slu_fail_memory();
	b->data = data;
	b->cap = cap;
	return 0;
}

int slu_buf_add(struct slu_buf *b, const void *data, size_t n)
{
	int r = slu_buf_reserve(b, n);

	if (r < 0)
		return r;
	if (n)
		memcpy(b->data + b->len, data, n);
	b->len += n;
	return 0;
}

int slu_buf_grow(struct slu_buf *b, size_t n, uint8_t **ret_new)
{
	int r = slu_buf_reserve(b, n);

	if (r < 0)
		return r;
	*ret_new = b->data + b->len;
	if (n)
		memset(*ret_new, 0, n);
	b->len += n;
	return 0;
}

int slu_buf_align(struct slu_buf *b, size_t align)
{
	uint8_t *pad;

	return slu_buf_grow(b, slu_up(b->len, align) - b->len, &pad);
}
