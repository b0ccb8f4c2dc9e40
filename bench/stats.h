/* SPDX-License-Identifier: MIT */
/*
 * Rounds and medians. Competitors are run in turns, once a round, so that whatever else the
 * machine does hits them alike; ratios are of medians, and the spread is shown.
 */
#ifndef SLU_BENCH_STATS_H
#define SLU_BENCH_STATS_H

#include <stddef.h>
#include <stdint.h>

enum { BENCH_MAX_ROUNDS = 64, BENCH_MAX_RUNNERS = 12 };

struct runner {
	const char *name;
	/* Runs once and gives the seconds that count; negative: failed. */
	double (*run)(void *arg);
	void *arg;
	double seconds[BENCH_MAX_ROUNDS];
	int rounds;
};

/* Runs all of them, @rounds times, after one round that does not count. 0, or -1. */
int bench_run(struct runner *r, size_t n, int rounds);

double bench_median(const struct runner *r);

/*
 * A table: the median in @unit_seconds units, the spread, and the ratio to runner 0, which is
 * the rival: how many times faster, or with @as_share, how much of its time.
 */
void bench_table(const char *title, struct runner *r, size_t n, double unit_seconds, const char *unit, int as_share);

#endif
