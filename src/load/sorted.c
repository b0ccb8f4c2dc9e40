/* SPDX-License-Identifier: MIT */
/*
 * Samples in the order of a column, for the grouped order.
 *
 * A pack whose samples are stored in that order (labels from directories always are) needs nothing. For others there is
 * no way without a table: the one thing in load/ that takes memory for each sample besides the bits of what was
 * verified.
 */
#include <stdlib.h>

#include "load/loader.h"
#include "pack/many.h"

enum { CHUNK = 1024 };

struct keyed {
	int64_t value;
	uint64_t sample;
};

static int by_value(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->sample < y->sample ? -1 : 1; /* no two are the same */
}

/* All values, in order, to @all if that is not NULL; whether they only grow. */
static int read_column(struct slu_loader *l, const struct slu_column *c, struct keyed *all, bool *ret_sorted)
{
	uint64_t n = slu_pack_count(l->pack);
	int64_t samples[CHUNK], values[CHUNK], last = INT64_MIN;

	*ret_sorted = true;
	for (uint64_t at = 0; at < n; at += CHUNK) {
		size_t k = (size_t)slu_min(CHUNK, n - at);
		int r;
		for (size_t i = 0; i < k; i++)
			samples[i] = (int64_t)(at + i);
		if ((r = slu_pack_values(l->pack, c, samples, k, values)) < 0)
			return r;
		for (size_t i = 0; i < k; i++) {
			*ret_sorted = *ret_sorted && values[i] >= last;
			last = values[i];
			if (all)
				all[at + i] = (struct keyed){ values[i], at + i };
		}
	}
	return 0;
}

static int make_table(struct slu_loader *l, const struct slu_column *c)
{
	uint64_t n = slu_pack_count(l->pack);
	SLU_AUTO(mem) struct keyed *all = malloc(n * sizeof(*all));
	bool sorted;
	int r;

	l->sorted_wide = n > UINT32_MAX;
	l->sorted = malloc(n * (l->sorted_wide ? sizeof(uint64_t) : sizeof(uint32_t)));
	if (!all || !l->sorted)
		return slu_fail_memory();
	if ((r = read_column(l, c, all, &sorted)) < 0)
		return r;
	qsort(all, n, sizeof(*all), by_value);
	for (uint64_t k = 0; k < n; k++) {
		if (l->sorted_wide)
			((uint64_t *)l->sorted)[k] = all[k].sample;
		else
			((uint32_t *)l->sorted)[k] = (uint32_t)all[k].sample;
	}
	return 0;
}

int slu_sorted_make(struct slu_loader *l, const char *field)
{
	struct slu_column c;
	bool sorted;
	int r;

	if ((r = slu_pack_column(l->pack, field, &c)) < 0 || (r = read_column(l, &c, NULL, &sorted)) < 0)
		return r;
	return sorted ? 0 : make_table(l, &c);
}

uint64_t slu_sorted_at(void *loader, uint64_t k)
{
	const struct slu_loader *l = loader;

	return l->sorted_wide ? ((const uint64_t *)l->sorted)[k] : ((const uint32_t *)l->sorted)[k];
}
