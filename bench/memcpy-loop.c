/* SPDX-License-Identifier: MIT */
/*
 * The limit of a loader:  memcpy-loop PACK BATCH
 *
 * For each line on standard input, copies all samples of the pack once, in a new random order, batch after batch
 * end to end into memory that is used again, with memcpy() and nothing else; prints the seconds. The samples' addresses
 * and the order are known before the clock starts.
 */
#include <sluice/pack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "synthetic.h"

enum { BUFFERS = 4 };

static void shuffle(uint64_t *order, uint64_t n)
{
	static uint64_t x = 88172645463325252u;

	for (uint64_t i = n - 1; i > 0; i--) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		uint64_t j = x % (i + 1), swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
}

int main(int argc, char **argv)
{
	struct slu_pack *p;
	uint64_t n, batch, *order;
	const void **data;
	size_t *len, most = 0;
	uint8_t *buffers[BUFFERS];
	char line[16];

	if (argc != 3) {
		fprintf(stderr, "usage: memcpy-loop PACK BATCH\n");
		return 2;
	}
	bench_check(slu_pack_open(argv[1], NULL, &p), argv[1]);
	n = slu_pack_count(p);
	batch = strtoull(argv[2], NULL, 10);
	data = calloc(n, sizeof(*data));
	len = calloc(n, sizeof(*len));
	order = calloc(n, sizeof(*order));
	for (uint64_t i = 0; i < n; i++) {
		bench_check(slu_pack_view(p, i, &data[i], &len[i]), "sample");
		order[i] = i;
		most = len[i] > most ? len[i] : most;
	}
	for (int k = 0; k < BUFFERS; k++) {
		buffers[k] = malloc(most * batch);
		memset(buffers[k], 1, most * batch);
	}
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t began, turn = 0;
		size_t used = 0;
		shuffle(order, n);
		began = slu_now_ns();
		for (uint64_t k = 0; k < n; k++) {
			if (k % batch == 0) {
				turn++;
				used = 0;
			}
			memcpy(buffers[turn % BUFFERS] + used, data[order[k]], len[order[k]]);
			used += len[order[k]];
		}
		printf("%.9f\n", (double)(slu_now_ns() - began) * 1e-9);
		fflush(stdout);
	}
	return 0;
}
