/* SPDX-License-Identifier: MIT */
/*
 * Names of a group read one after the other are those that are read one by one: of every length, and in damaged
 * groups, where both refuse the same. The bytes lie at the end of their memory, for the address sanitizer.
 */
#include "pack/names.h"

#include "pack/layout.h"
#include "test.h"

enum { ROUNDS = 3000 };

static uint32_t below(uint32_t n)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13, x ^= x >> 7, x ^= x << 17;
	return (uint32_t)(x >> 33) % n;
}

/* A beginning, something of its own, and an end: each sometimes empty, sometimes beyond 16 bytes. */
static void make_names(char names[SLU_GROUP][256], const char *list[SLU_GROUP], unsigned n)
{
	unsigned start = below(3) ? below(20) : below(120), own = 1 + (below(3) ? below(6) : below(40)),
		 end = below(3) ? below(6) : below(90);

	for (unsigned i = 0; i < n; i++) {
		char *p = names[i];
		for (unsigned k = 0; k < start; k++)
			*p++ = (char)('a' + k % 26);
		for (unsigned k = 0; k < own; k++)
			*p++ = (char)('0' + below(10));
		for (unsigned k = 0; k < end; k++)
			*p++ = (char)('A' + k % 26);
		*p = 0;
		list[i] = names[i];
	}
}

/* From the @k-th on: the same names, or refused where the one is that is read by itself. */
static void compare(const uint8_t *data, size_t len, unsigned n, unsigned k)
{
	char one[256], next[SLU_NAME_ROOM];
	struct slu_name_group g;
	int r = slu_name_group_start(data, len, n, k, &g);

	if (r < 0)
		T_ERR(slu_name_group_get(data, len, n, k, false, one), r);
	for (; r >= 0 && k < n; k++) {
		r = slu_name_group_next(&g, next);
		T_EQ(slu_name_group_get(data, len, n, k, false, one), r);
		if (r >= 0)
			T_STR(next, one);
	}
}

int main(void)
{
	char names[SLU_GROUP][256];
	const char *list[SLU_GROUP];

	for (int round = 0; round < ROUNDS; round++) {
		unsigned n = below(4) ? SLU_GROUP : 1 + below(SLU_GROUP);
		struct slu_buf buf = { 0 };
		uint8_t *data;
		make_names(names, list, n);
		T_OK(slu_names_add_group(&buf, list, n));
		data = malloc(buf.len);
		T_TRUE(data != NULL);
		memcpy(data, buf.data, buf.len);
		for (unsigned k = 0; k < n; k++) {
			char name[SLU_NAME_ROOM];
			struct slu_name_group g;
			T_OK(slu_name_group_start(data, buf.len, n, k, &g));
			T_EQ(T_OK(slu_name_group_next(&g, name)), strlen(list[k]));
			T_STR(name, list[k]);
			compare(data, buf.len, n, k);
		}
		for (int i = 0; i < 40; i++) {
			size_t at = below((uint32_t)buf.len);
			uint8_t before = data[at];
			data[at] = below(2) ? (uint8_t)below(256) : (uint8_t) "\0/."[below(3)];
			compare(data, buf.len, n, below(n));
			data[at] = before;
		}
		free(data);
		slu_buf_done(&buf);
	}
	return 0;
}
