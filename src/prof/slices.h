/* SPDX-License-Identifier: MIT */
/*
 * What a timeline viewer shows, log by log, as it is in the logs: spans, and calls, or runs of calls where these were
 * not kept. A model has only sums of them, so the logs are read again; one at a time is in memory.
 */
#ifndef SLU_PROF_SLICES_H
#define SLU_PROF_SLICES_H

#include "prof/model.h"
#include "trace/image.h"

enum slu_slice_kind { SLU_SLICE_SPAN, SLU_SLICE_RUN, SLU_SLICE_CALL };

struct slu_slice {
	enum slu_slice_kind kind;
	const struct slu_image *img;
	const struct slu_prof_process *process;
	const struct slu_log_thread *thread;
	uint64_t begin, ns; /* on the job's clock */
	/* One of them: */
	const struct slu_log_span *span;
	const struct slu_log_run *run;
	const struct slu_log_event *event;
};

/* What is called; a negative result stops. Either may be NULL. Valid until it returns. */
struct slu_slice_fns {
	int (*thread)(void *arg, const struct slu_prof_process *p, const struct slu_log_thread *t);
	int (*slice)(void *arg, const struct slu_slice *s);
};

/* All of @p. Logs that cannot be read (any more) are passed over: the model has its note of them. */
SLU_MUST_USE int slu_slices(const struct slu_prof *p, const struct slu_slice_fns *fns, void *arg);

#endif
