/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of who did what when: one pass over the edges of all intervals of a set of threads, in order of time.
 *
 * A *lane* is one thread. It has I/O (runs of a density, or single events of density 1) and spans. Between two edges a
 * thread i is described by probabilities: c_i that it is in a compute span, and of being in I/O, given that it is
 * (a_i) or is not (b_i). Threads are independent of each other. At one moment then
 *
 *	no compute at all      A = prod (1 - c_i)
 *	I/O somewhere          U = 1 - prod (1 - c_i a_i - (1 - c_i) b_i)
 *	exposed I/O            E = A - prod (1 - c_i) (1 - b_i)          I/O, and nobody computes
 *
 * and so on for the other columns; each is summed over the segments, times their lengths. With densities of 0 and 1
 *this is the exact measure of the sets.
 *
 * A run that has crossed its own thread's compute spans (compute_ns > 0; k its share of the run, d that of I/O) is not
 * independent of them: a thread that computes is as a rule not in a call. So its I/O goes to the rest of the run first,
 * and into the compute spans only as far as it does not fit: h = max(0, d + k - 1), a = h / k, b = (d - h) / (1 - k).
 * c is taken from the spans where they are exact (density 1), from the run (k) where they have been merged into
 * longer ones of a lower density.
 */
#ifndef SLU_PROF_INTERVALS_H
#define SLU_PROF_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* I/O of one thread in [begin, end): densities. Those of a lane are in order of begin; overlaps are cut off. */
struct slu_iv_run {
	uint64_t begin, end;
	float read, write, meta; /* shares of the time spent in calls */
	float compute;           /* share spent in own compute spans */
	uint64_t read_bytes, written_bytes;
	uint32_t calls;
};

/* One call. */
struct slu_iv_event {
	uint64_t begin;
	uint32_t ns;
	uint32_t what; /* slu_iv_what() */
};

enum slu_iv_kind { SLU_IV_READ, SLU_IV_WRITE, SLU_IV_META };

/* Kind and size in 32 bits: sizes from 2^29 on in KiB. */
static inline uint32_t slu_iv_what(enum slu_iv_kind kind, uint64_t bytes)
{
	const uint32_t max = (1u << 29) - 1;

	if (bytes <= max)
		return (uint32_t)kind << 30 | (uint32_t)bytes;
	bytes >>= 10;
	return (uint32_t)kind << 30 | 1u << 29 | (bytes < max ? (uint32_t)bytes : max);
}

static inline enum slu_iv_kind slu_iv_kind_of(uint32_t what)
{
	return (enum slu_iv_kind)(what >> 30);
}

static inline uint64_t slu_iv_bytes_of(uint32_t what)
{
	uint64_t n = what & ((1u << 29) - 1);

	return what >> 29 & 1 ? n << 10 : n;
}

enum slu_iv_span_kind {
	SLU_IV_COMPUTE,
	SLU_IV_WAIT,
	SLU_IV_DECODE,
	SLU_IV_CHECKPOINT,
	SLU_IV_IO_SPAN,
	SLU_IV_SPAN_KINDS,
};

enum { SLU_IV_DEPTHS = 18 };

/* A span begins (density > 0) or ends (the same, negative). Those of a lane are in order of time. Spans of one depth of
 * a thread exclude each other, so their densities add up; of different depths, the largest counts. */
struct slu_iv_edge {
	uint64_t time;
	float density;
	uint8_t kind; /* enum slu_iv_span_kind */
	uint8_t depth;
};

struct slu_lane {
	const struct slu_iv_run *runs;
	size_t n_runs;
	const struct slu_iv_event *events; /* instead of runs, if there are any */
	size_t n_events;
	const struct slu_iv_edge *edges;
	size_t n_edges;
};

/* What is summed up: nanoseconds in which ... */
enum slu_iv_column {
	SLU_COL_COMPUTE,            /* somebody was in a compute span */
	SLU_COL_UNION,              /* somebody was in I/O */
	SLU_COL_EXPOSED,            /* somebody was, and nobody computed */
	SLU_COL_READ_UNION,         /* somebody was in a read or metadata call */
	SLU_COL_EXPOSED_READ,       /* somebody was, and nobody computed */
	SLU_COL_LOAD,               /* nobody computed or was in one, but somebody was in a wait or decode span */
	SLU_COL_STARVED,            /* nobody computed or was in I/O, but somebody was in a wait or decode span */
	SLU_COL_EXPOSED_CHECKPOINT, /* somebody was in a checkpoint span, and nobody computed */
	SLU_COL_EXPOSED_WRITE,      /* somebody was in a write, and nobody computed */
	SLU_COL_BUSY,               /* somebody was in I/O, decode or compute */
	SLU_COL_WAIT,               /* somebody was in such a span; so are the rest */
	SLU_COL_DECODE,
	SLU_COL_CHECKPOINT,
	SLU_COL_IO_SPAN,
	SLU_N_COLUMNS,
};

/* Where the sums go: a window of time. Windows of one row are in order and do not overlap. */
struct slu_iv_window {
	uint64_t begin, end;
	double ns[SLU_N_COLUMNS];
};

struct slu_iv_row {
	struct slu_iv_window *windows;
	size_t n;
	size_t next; /* of the sweep: 0 at the start */
};

/* Adds what happened in @lanes to all windows of all rows. */
SLU_MUST_USE int slu_sweep(const struct slu_lane *lanes, size_t n_lanes, struct slu_iv_row *rows, size_t n_rows);

#endif
