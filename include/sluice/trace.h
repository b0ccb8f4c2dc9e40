/* SPDX-License-Identifier: MIT */
/*
 * sluice/trace.h - say what a program spends its time on, for `sluice trace`
 *
 * A span is a named stretch of time of one thread: an epoch, a training step, a wait for data. Under `sluice trace`
 * spans are recorded beside the file calls, and `sluice report` then tells how much of the I/O was hidden behind
 * computing and how much of it the program waited for. Otherwise these functions do nothing, at the cost of a test.
 *
 * Spans of a thread nest: slu_span_end() ends the innermost one. Any thread may have spans at any time; a process
 * that is killed inside a span loses nothing.
 */
#ifndef SLUICE_TRACE_H
#define SLUICE_TRACE_H

#include <stdint.h>

#include <sluice/sluice.h>

#ifdef __cplusplus
extern "C" {
#endif

enum slu_span_kind {
	SLU_SPAN_OTHER = 0,
	SLU_SPAN_COMPUTE = 1,    /* the work that I/O should hide behind: a training step */
	SLU_SPAN_WAIT = 2,       /* for data */
	SLU_SPAN_IO = 3,         /* I/O that is not made of file calls */
	SLU_SPAN_DECODE = 4,     /* decoding, augmentation: the loader's own computing */
	SLU_SPAN_CHECKPOINT = 5, /* writing state that can be resumed from */
	SLU_SPAN_EPOCH = 6,      /* contains others; @index is the epoch's number */
};

/* Whether this process is traced. */
SLU_API int slu_tracing(void);

/*
 * Begins a span. @name: what reports call it, up to 255 bytes; use few different ones. @index: a number of it (an
 * epoch's), or -1.
 */
SLU_API void slu_span_begin(const char *name, enum slu_span_kind kind, int64_t index);

/* Ends the innermost span of this thread. Without one it does nothing. */
SLU_API void slu_span_end(void);

#ifdef __cplusplus
}
#endif
#endif
