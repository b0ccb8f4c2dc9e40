/* SPDX-License-Identifier: MIT */
/*
 * The longest of many: which lengths of time are shown where not all can be. All are counted first, in classes of which
 * each power of two has 32; then a class is found from which on they are few enough, and of that one every so many.
 */
#ifndef SLU_PROF_THIN_H
#define SLU_PROF_THIN_H

#include <stdbool.h>
#include <stdint.h>

enum { SLU_THIN_CLASSES = 64 * 32 };

struct slu_thin {
	uint64_t classes[SLU_THIN_CLASSES];
	uint64_t total, shown;
	unsigned from;
	uint64_t every, turn;
};

void slu_thin_count(struct slu_thin *t, uint64_t ns);

/* When all are counted: at most @most are to be shown. */
void slu_thin_choose(struct slu_thin *t, uint64_t most);

/* Whether this one is shown; to be asked of each one once, in any order. */
bool slu_thin_shows(struct slu_thin *t, uint64_t ns);

/* What is shorter is not shown. */
uint64_t slu_thin_least(const struct slu_thin *t);

#endif
