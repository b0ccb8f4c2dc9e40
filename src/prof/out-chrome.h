/* SPDX-License-Identifier: MIT */
/* A trace for timeline viewers; see out-chrome.c. */
#ifndef SLU_PROF_OUT_CHROME_H
#define SLU_PROF_OUT_CHROME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "prof/model.h"

/* The most that viewers are given: files of some 100 MB. Runs of calls count as calls. Of a merged file as many events
 * as of calls. */
enum { SLU_CHROME_SPANS = 200000, SLU_CHROME_CALLS = 400000, SLU_CHROME_RANKS = 64 };

struct slu_chrome_sum {
	uint64_t spans, spans_shown;
	uint64_t calls, calls_shown;
	uint64_t merged, merged_shown; /* other tools' events that have a length */
	bool thinned;                  /* the shortest are left out */
};

/* Reads the logs again, and merged files too. Errors of @out stay in it. */
SLU_MUST_USE int slu_out_chrome(FILE *out, const struct slu_prof *p, struct slu_chrome_sum *ret_sum);

/* A string of an event. Viewers want Unicode: other bytes are escaped as they are shown elsewhere. */
void slu_chrome_text(struct slu_json *j, const char *key, const char *s);

#endif
