/* SPDX-License-Identifier: MIT */
/* See store.h. */
#include "prof/store.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/macros.h"

enum { BLOCK = 1 << 20 };

struct block {
	struct block *next;
	size_t used, room;
	char bytes[];
};

struct slu_prof_store {
	struct block *blocks;
};

int slu_store_new(struct slu_prof_store **ret_store)
{
	*ret_store = calloc(1, sizeof(**ret_store));
	return *ret_store ? 0 : slu_fail_memory();
}

void slu_store_free(struct slu_prof_store *s)
{
	if (!s)
		return;
	for (struct block *b = s->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	free(s);
}

static char *take(struct slu_prof_store *s, size_t n)
{
	struct block *b = s->blocks;

	if (!b || b->room - b->used < n) {
		size_t room = slu_max(n, BLOCK);

		b = malloc(sizeof(*b) + room);
		if (!b) {
			(void)slu_fail_memory();
			return NULL;
		}
		*b = (struct block){ .next = s->blocks, .room = room };
		s->blocks = b;
	}
	b->used += n;
	return b->bytes + b->used - n;
}

const char *slu_store_strn(struct slu_prof_store *s, const char *text, size_t len)
{
	char *p = take(s, len + 1);

	if (p) {
		memcpy(p, text, len);
		p[len] = 0;
	}
	return p;
}

const char *slu_store_str(struct slu_prof_store *s, const char *text)
{
	return slu_store_strn(s, text, strlen(text));
}

const char *slu_store_fmt(struct slu_prof_store *s, const char *fmt, ...)
{
	char text[8192];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap); /* cut off at worst */
	va_end(ap);
	return slu_store_str(s, text);
}

int slu_room(void *array_pointer, size_t n, size_t size)
{
	void **array = array_pointer, *p;

	if (n & (n - 1))
		return 0;
	p = reallocarray(*array, n ? 2 * n : 1, size);
	if (!p)
		return slu_fail_memory();
	*array = p;
	return 0;
}

void slu_sort(void *array, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
	if (n > 1)
		qsort(array, n, size, compare);
}

static int grow(struct slu_names *t)
{
	size_t mask = t->slots ? 2 * t->mask + 1 : 1023;
	struct slu_names_slot *slots = calloc(mask + 1, sizeof(*slots));

	if (!slots)
		return slu_fail_memory();
	for (size_t i = 0; t->slots && i <= t->mask; i++) {
		size_t at = t->slots[i].hash & mask;

		if (!t->slots[i].index)
			continue;
		while (slots[at].index)
			at = (at + 1) & mask;
		slots[at] = t->slots[i];
	}
	free(t->slots);
	t->slots = slots;
	t->mask = mask;
	return 0;
}

int slu_names_find(struct slu_names *t, const char *name, size_t len, uint32_t next, slu_name_of_fn *name_of,
                   const void *arg, uint32_t *ret_index, bool *ret_new)
{
	uint32_t hash = (uint32_t)slu_hash64(name, len);
	size_t at;

	if (!t->slots || t->used >= t->mask / 4 * 3) {
		int r = grow(t);

		if (r < 0)
			return r;
	}
	for (at = hash & t->mask; t->slots[at].index; at = (at + 1) & t->mask) {
		size_t other_len;
		const char *other;

		if (t->slots[at].hash != hash)
			continue;
		other = name_of(arg, t->slots[at].index - 1, &other_len);
		if (other_len == len && memcmp(other, name, len) == 0) {
			*ret_index = t->slots[at].index - 1;
			*ret_new = false;
			return 0;
		}
	}
	t->slots[at] = (struct slu_names_slot){ .hash = hash, .index = next + 1 };
	t->used++;
	*ret_index = next;
	*ret_new = true;
	return 0;
}

void slu_names_done(struct slu_names *t)
{
	free(t->slots);
	*t = (struct slu_names){ 0 };
}
