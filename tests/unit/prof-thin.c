/* SPDX-License-Identifier: MIT */
/* prof: which of many slices are shown: never more than the bound, all if they fit, and the longest */
#include "prof/thin.h"

#include <stdlib.h>
#include <string.h>

#define T_ERRMSG() ""
#include "test.h"

enum { N = 20000 };
static uint64_t ns[N], sorted[N];

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* @spread: lengths up to 2^spread. */
static void once(unsigned n, unsigned most, unsigned spread)
{
	static struct slu_thin t;
	uint64_t shown = 0, shortest = UINT64_MAX;

	memset(&t, 0, sizeof(t));
	for (unsigned i = 0; i < n; i++) {
		ns[i] = sorted[i] = ((uint64_t)rand() << 31 | (uint64_t)rand()) >> (62 - spread);
		slu_thin_count(&t, ns[i]);
	}
	qsort(sorted, n, sizeof(*sorted), compare);
	slu_thin_choose(&t, most);
	for (unsigned i = 0; i < n; i++)
		if (slu_thin_shows(&t, ns[i])) {
			shown++;
			if (ns[i] < shortest)
				shortest = ns[i];
		}
	T_EQ(shown, t.shown);
	T_TRUE(shown <= most && shown <= n);
	if (n <= most) {
		T_EQ(shown, n);
		return;
	}
	T_TRUE(shown >= most / 2); /* every second of a class, at worst */
	T_TRUE(shortest >= slu_thin_least(&t));
	/* All that are clearly longer than what just fits are shown: a class is 1/32 wide. */
	for (unsigned i = 0; i < n; i++)
		if (ns[i] > sorted[n - most] + sorted[n - most] / 16 + 1)
			T_TRUE(slu_thin_least(&t) <= ns[i]);
}

int main(void)
{
	for (int i = 0; i < 300; i++)
		once(1 + (unsigned)rand() % N, 1 + (unsigned)rand() % N, (unsigned)rand() % 62);
	once(N, 10, 0); /* all of one length */
	once(N, N, 40);
	once(N, N - 1, 40);
	return 0;
}
