/* SPDX-License-Identifier: MIT */
/* The memory of a model: strings that live as long as it does, arrays that grow, names found by their bytes. */
#ifndef SLU_PROF_STORE_H
#define SLU_PROF_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct slu_prof_store;

SLU_MUST_USE int slu_store_new(struct slu_prof_store **ret_store);
void slu_store_free(struct slu_prof_store *s);

/* A copy with a zero after it; NULL: no memory. */
const char *slu_store_strn(struct slu_prof_store *s, const char *text, size_t len);
const char *slu_store_str(struct slu_prof_store *s, const char *text);
const char *slu_store_fmt(struct slu_prof_store *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Makes room for one more in an array of @n elements of @size, whose room is a power of two: it grows when @n is one.
 */
SLU_MUST_USE int slu_room(void *array_pointer, size_t n, size_t size);

/* qsort(), for which an array of nothing may be NULL. */
void slu_sort(void *array, size_t n, size_t size, int (*compare)(const void *a, const void *b));

/* Names to numbers. All zero is an empty one. */
struct slu_names {
	struct slu_names_slot {
		uint32_t hash;
		uint32_t index; /* plus 1; 0: free */
	} * slots;
	size_t mask, used;
};

/* The name of number @index, for comparing. */
typedef const char *slu_name_of_fn(const void *arg, uint32_t index, size_t *ret_len);

/* The number of @name, or, if it is not there, *@ret_new is true and it has been given the number @next. */
SLU_MUST_USE int slu_names_find(struct slu_names *t, const char *name, size_t len, uint32_t next,
                                slu_name_of_fn *name_of, const void *arg, uint32_t *ret_index, bool *ret_new);
void slu_names_done(struct slu_names *t);

#endif
