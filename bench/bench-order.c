/* SPDX-License-Identifier: MIT */
/*
 * What an order costs:  bench-order [ROUNDS]
 *
 * Nanoseconds for an element: one after the other, as a rank reads its share (world 8), so that the processor may begin
 * an element before it has ended the one before; and each depending on the one before, which is the time that one takes
 * alone. The rival of a computed shuffle is a stored one: an array of 32-bit (beyond 2^32, 64-bit) numbers, shuffled at
 * the start of each epoch, read likewise; it is measured as far as its memory is reasonable.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/macros.h"
#include "order/mix.h"
#include "order/opportunistic.h"
#include "stats.h"

enum { ELEMENTS = 1000000, WORLD = 8, SETUPS = 1000 };

struct job {
	const char *text;
	uint64_t n;
	struct slu_order order;
	uint32_t *stored; /* the rival's */
};

static volatile uint64_t sink;

static void check(int r)
{
	if (r >= 0)
		return;
	fprintf(stderr, "bench-order: %s\n", slu_errmsg());
	exit(1);
}

static void make(struct job *j, uint64_t epoch)
{
	struct slu_order_options opt = { .n = j->n, .seed = 1, .epoch = epoch, .world = WORLD, .group = 4096 };

	check(slu_order_parse(j->text, &opt.spec));
	check(slu_order_init(&j->order, &opt));
}

static double run_stride(void *arg)
{
	struct job *j = arg;
	uint64_t start = slu_now_ns(), sum = 0, p = 3;

	for (int k = 0; k < ELEMENTS; k++) {
		sum += slu_order_at(&j->order, p);
		p += WORLD;
		p -= p >= j->n ? j->n : 0;
	}
	sink = sum;
	return (double)(slu_now_ns() - start) * 1e-9 / ELEMENTS;
}

static double run_chain(void *arg)
{
	struct job *j = arg;
	uint64_t start = slu_now_ns(), x = 3;

	for (int k = 0; k < ELEMENTS; k++) /* + k: a cycle of the shuffle may be short */
		x = slu_order_at(&j->order, x + (uint64_t)k < j->n ? x + (uint64_t)k : x);
	sink = x;
	return (double)(slu_now_ns() - start) * 1e-9 / ELEMENTS;
}

static double run_stored(void *arg)
{
	struct job *j = arg;
	uint64_t start = slu_now_ns(), sum = 0, p = 3;

	for (int k = 0; k < ELEMENTS; k++) {
		sum += j->stored[p];
		p += WORLD;
		p -= p >= j->n ? j->n : 0;
	}
	sink = sum;
	return (double)(slu_now_ns() - start) * 1e-9 / ELEMENTS;
}

/* An epoch begins: the array is shuffled. */
static double run_stored_epoch(void *arg)
{
	struct job *j = arg;
	uint64_t start = slu_now_ns();

	for (uint64_t m = j->n; m >= 2; m--) {
		uint64_t k = slu_scale(slu_mix_nth(1, m), m);
		uint32_t last = j->stored[m - 1];
		j->stored[m - 1] = j->stored[k];
		j->stored[k] = last;
	}
	return (double)(slu_now_ns() - start) * 1e-9;
}

/* The order made from its text, and the first element taken at a tenth of the epoch: what a restarted job does. */
static double run_resume(void *arg)
{
	struct job *j = arg;
	uint64_t start = slu_now_ns();

	for (int k = 0; k < SETUPS; k++) {
		make(j, (uint64_t)k);
		sink = slu_order_at(&j->order, j->n / 10);
	}
	return (double)(slu_now_ns() - start) * 1e-9 / SETUPS;
}

static bool never(void *arg, uint64_t sample)
{
	return false;
}

/* Batches of 256 of which nothing is resident: the most questions for each. */
static double run_pick(void *arg)
{
	static struct slu_order_picker p;
	struct job *j = arg;
	struct slu_order_share s;
	uint64_t got[256], taken = 0, start = slu_now_ns();

	check(slu_order_share(j->n, 0, 3, WORLD, 256, false, &s));
	for (size_t k = 0; taken < 100000; taken += k = slu_order_pick(&p, never, NULL, 256, got))
		if (k == 0)
			check(slu_order_picker_init(&p, &j->order, &s));
	return (double)(slu_now_ns() - start) * 1e-9 / (double)taken;
}

static void elements(uint64_t n, const char *name, int rounds)
{
	static const char *const texts[] = { "global",        "global",      "sequential", "block:1024",     "local",
		                             "opportunistic", "replacement", "grouped:x",  "grouped:x:65536" };
	enum { JOBS = SLU_ARRAY_SIZE(texts) };
	static struct job jobs[JOBS], stored;
	struct runner r[JOBS + 1] = { 0 };
	bool rival = n <= 15000000;
	size_t k = 0;
	char title[128], names[JOBS][64];

	if (rival) {
		stored = (struct job){ .n = n, .stored = malloc(n * sizeof(uint32_t)) };
		for (uint64_t i = 0; i < n; i++)
			stored.stored[i] = (uint32_t)i;
		(void)run_stored_epoch(&stored);
		r[k++] = (struct runner){ .name = "a stored permutation", .run = run_stored, .arg = &stored };
	}
	for (size_t m = 0; m < JOBS; m++) {
		jobs[m] = (struct job){ .text = texts[m], .n = n };
		make(&jobs[m], 1);
		snprintf(names[m], sizeof(names[m]), "%s%s", texts[m], m == 1 ? ", each after the last" : "");
		r[k++] = (struct runner){ .name = names[m],
			                  .run = m == 1   ? run_chain
			                         : m == 5 ? run_pick
			                                  : run_stride,
			                  .arg = &jobs[m] };
	}
	if (bench_run(r, k, rounds) < 0)
		exit(1);
	snprintf(title, sizeof(title), "An element of an order of %s samples", name);
	bench_table(title, r, k, 1e-9, "ns", 1);
	free(stored.stored);
	stored.stored = NULL;
}

static void beginnings(int rounds)
{
	static struct job jobs[] = { { .text = "global", .n = 15000000 },
		                     { .text = "global", .n = 15000000 },
		                     { .text = "global", .n = 4096 },
		                     { .text = "global", .n = UINT64_C(10000000000) },
		                     { .text = "block:1024", .n = UINT64_C(10000000000) },
		                     { .text = "local", .n = UINT64_C(10000000000) },
		                     { .text = "grouped:x", .n = UINT64_C(10000000000) } };
	static const char *const names[] = { "shuffling a stored one of 15 M",
		                             "global, 15 M",
		                             "global, 4,096 (a table)",
		                             "global, 10^10, from 10^9 on",
		                             "block:1024, 10^10, from 10^9 on",
		                             "local, 10^10, from 10^9 on",
		                             "grouped:x (4,096), 10^10, from 10^9 on" };
	struct runner r[SLU_ARRAY_SIZE(jobs)] = { 0 };

	jobs[0].stored = malloc(jobs[0].n * sizeof(uint32_t));
	for (uint64_t i = 0; i < jobs[0].n; i++)
		jobs[0].stored[i] = (uint32_t)i;
	for (size_t k = 0; k < SLU_ARRAY_SIZE(jobs); k++)
		r[k] = (struct runner){ .name = names[k], .run = k ? run_resume : run_stored_epoch, .arg = &jobs[k] };
	if (bench_run(r, SLU_ARRAY_SIZE(jobs), rounds) < 0)
		exit(1);
	bench_table("Beginning an epoch, or going on in it", r, SLU_ARRAY_SIZE(jobs), 1e-6, "us", 0);
	free(jobs[0].stored);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 11;

	if (argc > 2 || rounds < 1 || rounds > BENCH_MAX_ROUNDS) {
		fprintf(stderr, "usage: bench-order [ROUNDS]\n");
		return 2;
	}
	elements(60000, "60 k", rounds);
	elements(1000000, "1 M", rounds);
	elements(15000000, "15 M", rounds);
	elements(UINT64_C(10000000000), "10^10", rounds);
	beginnings((rounds + 2) / 3);
	return 0;
}
