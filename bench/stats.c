/* SPDX-License-Identifier: MIT */
/* Rounds and medians. See stats.h. */
#include "stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sorted(const struct runner *r, double out[BENCH_MAX_ROUNDS])
{
	memcpy(out, r->seconds, (size_t)r->rounds * sizeof(*out));
	qsort(out, (size_t)r->rounds, sizeof(*out), by_value);
}

double bench_median(const struct runner *r)
{
	double s[BENCH_MAX_ROUNDS];

	sorted(r, s);
	return r->rounds % 2 ? s[r->rounds / 2] : (s[r->rounds / 2 - 1] + s[r->rounds / 2]) / 2;
}

int bench_run(struct runner *r, size_t n, int rounds)
{
	for (int round = -1; round < rounds; round++)
		for (size_t i = 0; i < n; i++) {
			double s = r[i].run(r[i].arg);
			if (s < 0) {
				fprintf(stderr, "bench: %s failed\n", r[i].name);
				return -1;
			}
			if (round >= 0)
				r[i].seconds[r[i].rounds++] = s;
		}
	return 0;
}

/* Three figures that mean something. */
static void number(char *text, size_t len, double v)
{
	snprintf(text, len, v >= 100 ? "%.0f" : v >= 10 ? "%.1f" : "%.3f", v);
}

void bench_table(const char *title, struct runner *r, size_t n, double unit_seconds, const char *unit, int as_share)
{
	double rival = bench_median(&r[0]);

	printf("\n%s (median of %d rounds, taken in turns)\n", title, r[0].rounds);
	printf("  %-38s %11s   %-19s %s\n", "", unit, "least .. most",
	       as_share ? "of the rival's time" : "times faster");
	for (size_t i = 0; i < n; i++) {
		double s[BENCH_MAX_ROUNDS], m = bench_median(&r[i]);
		char spread[64], median[32];
		sorted(&r[i], s);
		number(median, sizeof(median), m / unit_seconds);
		number(spread, sizeof(spread), s[0] / unit_seconds);
		strcat(spread, " .. ");
		number(spread + strlen(spread), sizeof(spread) - strlen(spread), s[r[i].rounds - 1] / unit_seconds);
		printf("  %-38s %11s   %-19s ", r[i].name, median, spread);
		if (i == 0)
			printf("(rival)\n");
		else
			printf("%.2f\n", as_share ? m / rival : rival / m);
	}
	fflush(stdout);
}
