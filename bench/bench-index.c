/* SPDX-License-Identifier: MIT */
/*
 * The index at scale:  bench-index WORKDIR
 *
 * Indexes of 1 k to 10 M samples are built from generated names, 1,000 to a directory, without
 * any sample's bytes: opening and looking up touch only the index. Prints time to open, time to
 * find a path, and bytes a sample. The limit of a lookup is the machine's memory: beside it stands
 * what one load takes that depends on the one before, over as many bytes as the lookup table and
 * the names have together; a lookup in a large index waits for two such loads, one in each.
 */
#include <sluice/pack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "synthetic.h"

enum { PER_DIR = SYNTHETIC_PER_DIR, OPENS = 200, LOOKUPS = 1000000, ROUNDS = 7 };

/* One load after the other, each telling where the next goes, all over @bytes. */
static double load_ns(uint64_t bytes)
{
	enum { LINE = 64, LOADS = 2000000 };
	uint64_t n = bytes / LINE + 2, x = 88172645463325252u, at = 0, start;
	uint64_t *lines = aligned_alloc(LINE, n * LINE), *order = malloc(n * sizeof(*order));
	double least = 1e9;

	for (uint64_t i = 0; i < n; i++)
		order[i] = i;
	for (uint64_t i = n - 1; i > 0; i--) { /* one cycle through all of them */
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		uint64_t j = x % i, swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
	for (uint64_t i = 0; i < n; i++)
		lines[i * (LINE / 8)] = order[i];
	for (int round = 0; round < 5; round++) {
		start = slu_now_ns();
		for (int i = 0; i < LOADS; i++)
			at = *(volatile uint64_t *)&lines[at * (LINE / 8)];
		double t = (double)(slu_now_ns() - start) / LOADS;
		least = t < least ? t : least;
	}
	free(lines);
	free(order);
	return least;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double open_us(const char *dir, double *ret_least, double *ret_most)
{
	static double t[OPENS];

	for (int i = 0; i < OPENS; i++) {
		struct slu_pack *p;
		uint64_t start = slu_now_ns();
		bench_check(slu_pack_open(dir, NULL, &p), dir);
		t[i] = (double)(slu_now_ns() - start) * 1e-3;
		slu_pack_close(p);
	}
	qsort(t, OPENS, sizeof(*t), by_value);
	*ret_least = t[0];
	*ret_most = t[OPENS * 95 / 100];
	return t[OPENS / 2];
}

/* Random paths, all of which exist; made before the clock starts. */
static double lookup_ns(const char *dir, uint64_t n, double *ret_least, double *ret_most)
{
	char(*paths)[32] = malloc((size_t)LOOKUPS * sizeof(*paths));
	uint64_t x = 88172645463325252u, found, sum = 0;
	double t[ROUNDS];
	struct slu_pack *p;

	bench_check(slu_pack_open(dir, NULL, &p), dir);
	for (int i = 0; i < LOOKUPS; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		uint64_t s = x % n;
		snprintf(paths[i], sizeof(paths[i]), "class_%06u/img_%03u.jpg", (unsigned)(s / PER_DIR),
		         (unsigned)(s % PER_DIR));
	}
	for (int round = -1; round < ROUNDS; round++) {
		uint64_t start = slu_now_ns();
		for (int i = 0; i < LOOKUPS; i++) {
			bench_check(slu_pack_find(p, paths[i], &found), paths[i]);
			sum += found;
		}
		if (round >= 0)
			t[round] = (double)(slu_now_ns() - start) / LOOKUPS;
	}
	slu_pack_close(p);
	free(paths);
	qsort(t, ROUNDS, sizeof(*t), by_value);
	*ret_least = t[0];
	*ret_most = t[ROUNDS - 1] + (sum == 0);
	return t[ROUNDS / 2];
}

int main(int argc, char **argv)
{
	static const uint64_t sizes[] = { 1000, 100000, 1000000, 10000000 };

	if (argc != 2) {
		fprintf(stderr, "usage: bench-index WORKDIR\n");
		return 2;
	}
	printf("\nThe index at scale (median, least .. most of %d opens (95th percentile) and %d rounds of %d lookups)\n",
	       OPENS, ROUNDS, LOOKUPS);
	printf("  %-10s %-24s %-22s %-14s %s\n", "samples", "open, us", "find a path, ns", "one load, ns",
	       "bytes a sample: record+lookup, name");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char dir[4096], file[4200], open_text[64], find_text[64];
		struct slu_pack_info info;
		struct slu_pack *p;
		double least, most, median;
		snprintf(dir, sizeof(dir), "%s/index-%llu.slu", argv[1], (unsigned long long)sizes[i]);
		synthetic_index(dir, sizes[i]);
		median = open_us(dir, &least, &most);
		snprintf(open_text, sizeof(open_text), "%.1f (%.1f .. %.1f)", median, least, most);
		median = lookup_ns(dir, sizes[i], &least, &most);
		snprintf(find_text, sizeof(find_text), "%.0f (%.0f .. %.0f)", median, least, most);
		bench_check(slu_pack_open(dir, NULL, &p), dir);
		bench_check(slu_pack_info(p, &info), dir);
		slu_pack_close(p);
		uint64_t buckets = sizes[i] / 14 * 64;
		printf("  %-10llu %-24s %-22s %-14.0f %.2f, %.2f\n", (unsigned long long)sizes[i], open_text, find_text,
		       load_ns(buckets + info.name_bytes), (double)info.record_bytes / (double)sizes[i],
		       (double)info.name_bytes / (double)sizes[i]);
		fflush(stdout);
		snprintf(file, sizeof(file), "%s/index", dir);
		unlink(file);
		rmdir(dir);
	}
	return 0;
}
