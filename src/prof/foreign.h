/* SPDX-License-Identifier: MIT */
/*
 * Traces of other tools in Chrome's Trace Event Format (torch.profiler, TensorFlow's timeline), laid on the job's
 * clock.
 *
 * Such files have hundreds of megabytes, so no tree of one is built: scan-json.c cuts the file into its events, and
 * each is parsed on its own (by cJSON). A file is read twice, or three times where it is written out again.
 */
#ifndef SLU_PROF_FOREIGN_H
#define SLU_PROF_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "prof/build.h"

struct slu_foreign_event {
	const char *ph, *name, *cat; /* "" where there is none */
	char pid[64], tid[64];       /* numbers, or names; cut off at worst */
	bool timed;
	double us, dur_us; /* us: from the file's base on */
	void *item;        /* of the parser */
};

/* 0, or a negative errno, which stops. */
typedef int slu_foreign_fn(void *arg, struct slu_foreign_event *e);

/* What stands in the file beside its events. */
struct slu_foreign_head {
	double base_ns; /* added to all times: newer torch has it; else 0 */
};

/* All events of the file. -EOPNOTSUPP: this sluice was built without a JSON parser. */
SLU_MUST_USE int slu_foreign_scan(const char *path, struct slu_foreign_head *ret_head, slu_foreign_fn *fn, void *arg);

/* The event again, as JSON, at @us, of the process and thread of the numbers given. NULL: no memory. To be freed. */
char *slu_foreign_print(struct slu_foreign_event *e, double us, uint32_t pid, uint32_t tid, const char *prefix);

/* Finds the clocks of @merges and takes computing and waiting from them, for ranks that have marked none. */
SLU_MUST_USE int slu_build_foreign(struct slu_build *b, const struct slu_merge *merges, size_t n);

/* Appends the events of one of p->merged to the open array of @j. */
SLU_MUST_USE int slu_foreign_write(struct slu_json *j, const struct slu_prof_merged *m, unsigned number);

#endif
