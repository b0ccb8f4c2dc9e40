/* SPDX-License-Identifier: MIT */
/* Two jobs, before and after a change: the same metrics of both, declared once (compare.c). */
#ifndef SLU_PROF_COMPARE_H
#define SLU_PROF_COMPARE_H

#include "prof/model.h"

enum slu_better { SLU_NEITHER, SLU_LOWER, SLU_HIGHER };

struct slu_change {
	const char *what;  /* as JSON has it: "wall_s" */
	const char *label; /* as people read it */
	const char *unit;  /* "s", "share", "bytes", "bytes/s", "1/s", "1" */
	enum slu_better better;
	double before, after; /* NAN: there is none */
	double ratio;         /* after / before; NAN where that makes no sense */
	int verdict;          /* 1: better, -1: worse, 0: neither, or too little to tell */
};

struct slu_compare {
	const struct slu_prof *before, *after; /* borrowed */
	char sentence[512];
	struct slu_change *changes;
	size_t n_changes;
};

SLU_MUST_USE int slu_compare_init(struct slu_compare *c, const struct slu_prof *before, const struct slu_prof *after);
void slu_compare_done(struct slu_compare *c);

/* "lower", "higher", or NULL */
const char *slu_better_name(enum slu_better better);

#endif
