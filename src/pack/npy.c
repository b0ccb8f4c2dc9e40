/* SPDX-License-Identifier: MIT */
/*
 * NumPy's .npy files. The header is a magic, a version, a length and a Python dictionary
 * in text, such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 224, 224), }.
 * We need three values of it, written by NumPy in this very form; what looks different is
 * left alone: the files are packed all the same, only without a schema.
 */
#include "pack/npy.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/le.h"
#include "base/macros.h"
#include "pack/layout.h"
#include "pack/schema.h"
#include <sluice/pack.h>

void slu_npy_done(struct slu_npy *n)
{
	slu_buf_done(&n->header);
	slu_buf_done(&n->schema);
}

/* The text after 'key': in the header's dictionary. */
static const char *value_of(const char *text, const char *key)
{
	char quoted[32];
	const char *at;

	(void)snprintf(quoted, sizeof(quoted), "'%s': ", key); /* keys are short */
	at = strstr(text, quoted);
	return at ? at + strlen(quoted) : NULL;
}

/* '<f4': byte order, a kind whose items have one fixed size, and that size. */
static bool parse_dtype(const char *at, char dtype[16], uint64_t *ret_item)
{
	const char *end = at && *at == '\'' ? strchr(at + 1, '\'') : NULL;
	size_t n = end ? (size_t)(end - at - 1) : 0;

	if (n < 3 || n > 15)
		return false;
	memcpy(dtype, at + 1, n);
	*ret_item = slu_dtype_bytes(dtype);
	return *ret_item != 0;
}

static bool parse_shape(const char *at, struct slu_schema *s, uint64_t *items)
{
	if (!at || *at++ != '(')
		return false;
	while (*at != ')') {
		char *stop;
		uint64_t v = isdigit((unsigned char)*at) ? strtoull(at, &stop, 10) : 0;
		if (!isdigit((unsigned char)*at) || s->ndim == SLU_MAX_DIMS || __builtin_mul_overflow(*items, v, items))
			return false;
		s->shape[s->ndim++] = v;
		for (at = stop; *at == ',' || *at == ' ';)
			at++;
	}
	return true;
}

static int make_section(struct slu_npy *n, const struct slu_schema *s)
{
	uint8_t *p;
	int r = slu_buf_grow(&n->schema, SLU_SCHEMA_BYTES, &p);

	if (r < 0)
		return r;
	memcpy(p, s->dtype, 16);
	slu_put32(p + 16, s->skip);
	slu_put32(p + 20, s->ndim);
	for (unsigned i = 0; i < SLU_MAX_DIMS; i++)
		slu_put64(p + 24 + 8 * (size_t)i, s->shape[i]);
	return 1;
}

int slu_npy_recognise(struct slu_npy *n, const uint8_t *data, size_t len, uint64_t size)
{
	uint64_t head = len >= 12 && data[6] > 1 ? slu_get32(data + 8) : len >= 10 ? slu_get16(data + 8) : 0;
	uint64_t skip = (len >= 12 && data[6] > 1 ? 12 : 10) + head, item = 0, items = 1;
	struct slu_schema s = { 0 };
	SLU_AUTO(mem) char *text = NULL;
	const char *order;
	int r;

	if (len < 12 || memcmp(data, "\x93NUMPY", 6) != 0 || skip > len)
		return 0;
	text = strndup((const char *)data + skip - head, head);
	if (!text)
		return slu_fail_memory();
	order = value_of(text, "fortran_order");
	if (!order || strncmp(order, "False", 5) != 0 || !parse_dtype(value_of(text, "descr"), s.dtype, &item) ||
	    !parse_shape(value_of(text, "shape"), &s, &items) || __builtin_mul_overflow(items, item, &items) ||
	    items != size - skip)
		return 0;
	s.skip = (uint32_t)skip;
	n->size = size;
	if ((r = slu_buf_add(&n->header, data, skip)) < 0)
		return r;
	return make_section(n, &s);
}

bool slu_npy_same(const struct slu_npy *n, const uint8_t *data, size_t len, uint64_t size)
{
	return size == n->size && len >= n->header.len && memcmp(data, n->header.data, n->header.len) == 0;
}
