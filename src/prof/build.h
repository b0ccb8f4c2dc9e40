/* SPDX-License-Identifier: MIT */
/*
 * A model in the making: load.c finds the logs, clocks.c lays them on one clock and tells ranks, merge.c adds one log
 * after the other, ranks.c and access.c make the rest of it, answer.c and advice.c the words.
 */
#ifndef SLU_PROF_BUILD_H
#define SLU_PROF_BUILD_H

#include "prof/intervals.h"
#include "prof/model.h"
#include "prof/store.h"
#include "trace/image.h"

/* One thread of one process. */
struct slu_thread {
	uint32_t process;
	slu_ref place; /* of its chunk's header in the log */
	struct slu_iv_run *runs;
	size_t n_runs;
	struct slu_iv_event *events;
	size_t n_events, max_events;
	struct slu_iv_edge *edges;
	size_t n_edges;
	struct slu_epoch_span {
		uint64_t begin, end;
		int64_t index;
		const char *name;
	} * epochs;
	size_t n_epochs;
	uint64_t io_ns, read_ns, write_ns, meta_ns;
};

/* What is known of a log before its records are. */
struct slu_found_log {
	struct slu_log_header header;
	char *name;
};

struct slu_build {
	struct slu_prof *p;
	struct slu_found_log *logs; /* one for each of p->processes */
	size_t n_logs;
	struct slu_thread *threads;
	size_t n_threads;
	struct slu_names names; /* of p->files */
	struct slu_log_tally calls[SLU_N_CALLS + 1];
	uint64_t lost_events, cut, full, no_space, events_lost, other_threads, killed, mapped;
};

/* A string of the model's, or an error. */
#define SLU_STORE(b, dest, text)                                                                                       \
	do {                                                                                                           \
		if (!((dest) = slu_store_str((b)->p->store, text)))                                                    \
			return -ENOMEM;                                                                                \
	} while (0)

SLU_MUST_USE int slu_build_note(struct slu_build *b, enum slu_note_id id, const char *text);

/* clocks.c: makes p->processes of b->logs: the clock, parents, ranks, states. */
SLU_MUST_USE int slu_build_processes(struct slu_build *b);

/* A time of the log of @proc on the job's clock. */
uint64_t slu_job_time(const struct slu_prof_process *proc, uint64_t log_time);

/* merge.c: adds the records of process number @index. */
SLU_MUST_USE int slu_build_merge(struct slu_build *b, size_t index, const struct slu_image *img);

/* spans.c: spans of one thread. */
SLU_MUST_USE int slu_build_spans(struct slu_build *b, struct slu_thread *t, const struct slu_image *img,
                                 const struct slu_log_thread *log);

/* classify.c: what a name is about, but for SLU_CLASS_OUTPUT, which names do not tell. */
enum slu_prof_class slu_classify(const char *name, size_t len, uint32_t flags);

/* files.c, ranks.c, access.c, answer.c, advice.c, in this order. */
SLU_MUST_USE int slu_build_files(struct slu_build *b);
SLU_MUST_USE int slu_build_ranks(struct slu_build *b);
SLU_MUST_USE int slu_build_access(struct slu_build *b);
SLU_MUST_USE int slu_build_notes(struct slu_build *b);
SLU_MUST_USE int slu_build_answer(struct slu_build *b);
SLU_MUST_USE int slu_build_advice(struct slu_prof *p);

/* timeline.c: lays out empty bins for p->ranks and p->job.wall_ns. */
SLU_MUST_USE int slu_timeline_init(struct slu_prof *p);
/* Sums of the sweep become shares of the bins of rank number @r. */
void slu_timeline_shares(struct slu_prof *p, size_t r, const struct slu_iv_window *windows);
/* Bytes and calls of a thread, to the bins of rank number @r and to the epochs of that rank. */
void slu_timeline_bytes(struct slu_prof *p, size_t r, const struct slu_thread *t, struct slu_prof_epoch *epochs,
                        size_t n_epochs);

/* epochs.c: appends the epochs of rank number @r to p->epochs, times only. */
SLU_MUST_USE int slu_epochs_find(struct slu_build *b, size_t r);
/* Fills one in from its window. */
void slu_epoch_fill(struct slu_prof_epoch *e, const struct slu_iv_window *w);
/* Puts the means over ranks in front. */
SLU_MUST_USE int slu_epochs_means(struct slu_prof *p);

/* Whether a class is of the headline. */
static inline bool slu_class_counts(unsigned cls)
{
	return cls == SLU_CLASS_DATA || cls == SLU_CLASS_OUTPUT;
}

static inline double slu_share(double part, double whole)
{
	return whole > 0 ? part / whole : __builtin_nan("");
}

#endif
