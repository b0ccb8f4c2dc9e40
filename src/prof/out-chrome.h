/* SPDX-License-Identifier: MIT */
/* A trace for timeline viewers; see out-chrome.c. */
#ifndef SLU_PROF_OUT_CHROME_H
#define SLU_PROF_OUT_CHROME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "prof/model.h"

/* The most that viewers are given: files of some 100 MB. Runs of calls count as calls. */
enum { SLU_CHROME_SPANS = 200000, SLU_CHROME_CALLS = 400000, SLU_CHROME_RANKS = 64 };

struct slu_chrome_sum {
	uint64_t spans, spans_shown;
	uint64_t calls, calls_shown;
	bool thinned; /* the shortest are left out */
};

/* Writes all but the end: the array of events is left open for more. */
SLU_MUST_USE int slu_chrome_begin(struct slu_json *j, const struct slu_prof *p, struct slu_chrome_sum *ret_sum);

#endif
