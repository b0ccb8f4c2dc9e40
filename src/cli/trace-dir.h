/* SPDX-License-Identifier: MIT */
/*
 * The directory of a trace: a file "sluice-trace" that says what it is, and a log for each process.
 */
#ifndef SLU_CLI_TRACE_DIR_H
#define SLU_CLI_TRACE_DIR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct slu_trace_dir {
	char path[PATH_MAX];  /* absolute */
	char shown[PATH_MAX]; /* as the user knows it, fit for a shell */
	bool made;            /* by us, and the directory too if it is empty again */
};

/*
 * Makes it, or joins one that another rank of the same job has made. @output NULL: a name of its own in the working
 * directory, from the program and the job.
 */
SLU_MUST_USE int slu_trace_dir_make(struct slu_trace_dir *d, const char *output, char *const argv[]);

/* Removes what was made, as far as nothing has been recorded. */
void slu_trace_dir_unmake(const struct slu_trace_dir *d);

struct slu_trace_sum {
	uint64_t logs;
	uint64_t live; /* of processes that go on */
	uint64_t bad;
	char why[512]; /* the last bad one is */
};

/* Packs the logs of processes that have ended, on this host. */
SLU_MUST_USE int slu_trace_dir_pack(const struct slu_trace_dir *d, struct slu_trace_sum *ret_sum);

#endif
