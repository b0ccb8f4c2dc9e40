/* SPDX-License-Identifier: MIT */
/*
 * What is known about a traced job: one structure, from which text, JSON, CSV, the page and comparisons all come.
 * Whoever shows a number takes it from here and computes none, so that no two outputs can differ.
 *
 * Conventions
 *  - Times of day lie on one clock, the job's: nanoseconds since the first process began. Members that end in _ns are
 *    lengths, the others (begin, end, first, last) are such times.
 *  - A share is a fraction, 0 to 1; NAN where it makes no sense (nothing to divide by).
 *  - Strings are the model's (valid until slu_prof_free()), NUL-terminated, and may hold any bytes: they come from
 *    file names and command lines. Show them escaped.
 *  - Arrays are in the order said; a pointer may be NULL where the count is 0.
 *
 * The words
 *  - I/O: time inside recorded calls. *Union* of a rank: time in which at least one of its threads was in a call.
 *    *Exposed*: that part of the union in which no thread of the rank was in a compute span; *hidden*: the rest.
 *    intervals.h has the formulas.
 *  - A *rank* is a process that knows its rank (or the whole job, where none does) with its children and theirs.
 *  - *Headline* numbers are about the classes data and output; the others are shown apart (classes[]).
 */
#ifndef SLU_PROF_MODEL_H
#define SLU_PROF_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/layout.h"

/* ---- the job ---------------------------------------------------------------------------------------------------- */

struct slu_prof_job {
	const char *directory; /* as it was given */
	const char *job;       /* the identity that `sluice trace` gave it, or "" */
	const char *command;   /* "python3 train.py ...", or "" */
	const char *began;     /* ISO 8601, UTC, or "" */
	uint64_t began_unix_ns;
	uint64_t wall_ns; /* from the first process's begin to the last one's end */
	bool running;     /* at least one process still is: all numbers are of what is over */
	bool events;      /* every call was recorded, and all numbers of intervals are exact */
	uint64_t n_events;
	uint64_t n_hosts, n_threads;
	uint64_t n_processes; /* programs of one process count once: exec() */
};

/* ---- what is incomplete ------------------------------------------------------------------------------------------ */

enum slu_note_id {
	SLU_NOTE_UNREADABLE,  /* a log was skipped */
	SLU_NOTE_KILLED,      /* processes that did not end by themselves; nothing is lost of their calls */
	SLU_NOTE_RUNNING,     /* the job is not over */
	SLU_NOTE_FULL,        /* files counted by directory: the memory bound */
	SLU_NOTE_NO_SPACE,    /* the same, for want of disk */
	SLU_NOTE_EVENTS_LOST, /* not every event was kept: intervals come from runs */
	SLU_NOTE_MISSED,      /* calls in signal handlers that were not recorded */
	SLU_NOTE_THREADS,     /* threads that share a record */
	SLU_NOTE_MAPPED,      /* bytes of mappings are estimates */
	SLU_NOTE_CLOCKS,      /* hosts are compared by their clocks of day */
	SLU_NOTE_NO_SPANS,    /* compute is not known */
	SLU_NOTE_MERGED,      /* computing is known from another tool's trace */
	SLU_NOTE_CUT,         /* a log ended early or had records that make no sense */
	SLU_N_NOTES,
};

struct slu_prof_note {
	enum slu_note_id id;
	const char *text; /* one sentence */
};

/* ---- processes --------------------------------------------------------------------------------------------------- */

enum slu_prof_state { SLU_PROF_EXITED, SLU_PROF_EXECED, SLU_PROF_KILLED, SLU_PROF_RUNNING, SLU_PROF_UNKNOWN };

enum { SLU_NO_RANK = -1 };

/* One log: a process, or one of the programs that it was in turn (part). In order of begin. */
struct slu_prof_process {
	const char *log; /* the file's name in the directory */
	const char *host;
	const char *exe, *command, *cwd, *rank_from;
	uint32_t pid, ppid, part;
	int32_t rank;       /* own or inherited; SLU_NO_RANK: a launcher, above all ranks */
	int32_t told_rank;  /* as its environment said, or -1 */
	int32_t world;      /* likewise */
	int32_t local_rank; /* likewise */
	int32_t parent;     /* index of the process that started it, or -1 */
	enum slu_prof_state state;
	uint32_t flags;  /* enum slu_log_flags */
	uint32_t missed; /* calls not recorded */
	uint32_t n_threads;
	bool reads_data;  /* it read files of the class data: a worker, or a loop that reads by itself */
	bool has_compute; /* it had compute spans */
	uint64_t begin, end;
	int64_t shift;  /* added to a time of its log (ns): a time of the job */
	uint64_t files; /* that it used, all classes */
	uint64_t calls, errors;
	uint64_t io_ns;   /* the sum over its threads */
	uint64_t busy_ns; /* union of its I/O, decode and compute spans */
	uint64_t opens;   /* of data and output, as those below */
	uint64_t read_bytes, written_bytes;
	uint64_t read_ns, write_ns, meta_ns;
	uint64_t reads, writes;
};

/* ---- ranks ------------------------------------------------------------------------------------------------------- */

struct slu_prof_rank {
	int32_t rank;
	const char *host;
	uint32_t n_processes, n_threads;
	uint32_t n_readers; /* processes that read data */
	uint64_t begin, end;
	uint64_t wall_ns; /* end - begin */
	/* Unions of spans over the rank's threads. */
	uint64_t compute_ns, wait_ns, decode_ns, checkpoint_ns, io_span_ns;
	/* I/O of all classes but ipc: sums over threads, then unions. */
	uint64_t io_ns, io_read_ns, io_write_ns, io_meta_ns;
	uint64_t union_ns, exposed_ns, hidden_ns; /* union = exposed + hidden */
	/* compute + exposed + starved + other = wall. */
	uint64_t starved_ns;            /* neither computing nor in I/O, but in wait or decode spans */
	uint64_t other_ns;              /* none of them */
	uint64_t exposed_read_ns;       /* of reads and metadata calls */
	uint64_t exposed_write_ns;      /* of writes */
	uint64_t exposed_checkpoint_ns; /* in checkpoint spans, while nothing computed */
	uint64_t calls;                 /* all of them */
	/* Data and output. */
	uint64_t opens, reads, writes, read_bytes, written_bytes;
	double read_bandwidth;  /* bytes read by seconds of union: while it was at it */
	double read_throughput; /* bytes read by seconds of wall time */
	double iops;            /* reads and writes by seconds of union */
	/* Of wall_ns. */
	double wait_share, exposed_share, hidden_share, union_share, compute_share, starved_share, other_share;
	double hidden_part; /* hidden_ns / union_ns */
};

enum slu_prof_metric {
	SLU_METRIC_WALL, /* seconds; so are the next six */
	SLU_METRIC_COMPUTE,
	SLU_METRIC_WAIT,
	SLU_METRIC_IO, /* sum over threads */
	SLU_METRIC_UNION,
	SLU_METRIC_EXPOSED,
	SLU_METRIC_HIDDEN,
	SLU_METRIC_READ,      /* bytes */
	SLU_METRIC_BANDWIDTH, /* bytes a second */
	SLU_METRIC_IOPS,
	SLU_N_METRICS,
};

/* One metric over all ranks. The worst is the largest; of bandwidth and IOPS, the smallest. */
struct slu_prof_stat {
	double mean, median, min, max, worst;
	int32_t worst_rank;
	double imbalance; /* max / mean */
};

/* ---- epochs ------------------------------------------------------------------------------------------------------ */

/*
 * One epoch of one rank, or (rank SLU_NO_RANK) the mean over ranks. The four columns add up to wall_ns exactly:
 *   train  in compute spans
 *   read   else in reads or metadata calls
 *   load   else in wait or decode spans
 *   other  the rest
 */
struct slu_prof_epoch {
	int32_t rank;
	const char *name;
	int64_t index; /* as the program says, or counted from 0 where it says nothing */
	uint64_t begin, end, wall_ns;
	uint64_t train_ns, read_ns, load_ns, other_ns;
	uint64_t read_bytes;   /* all classes but ipc */
	double read_bandwidth; /* bytes by seconds of read_ns and of reading that was hidden: of the epoch's read union
	                        */
	uint64_t read_union_ns;
	uint64_t calls;
};

/* ---- spans ------------------------------------------------------------------------------------------------------- */

/* All spans of one name and kind of one rank. By rank, then by time, most first. */
struct slu_prof_span {
	int32_t rank;
	const char *name;
	uint32_t kind; /* enum slu_span_kind */
	uint64_t count, ns;
	uint64_t first, last;
};

/* ---- files ------------------------------------------------------------------------------------------------------- */

enum slu_prof_class {
	SLU_CLASS_DATA,    /* what the job is about: whatever is none of the others */
	SLU_CLASS_OUTPUT,  /* written and not read */
	SLU_CLASS_LIBRARY, /* programs, shared objects, Python's own files and packages, /usr */
	SLU_CLASS_SYSTEM,  /* /proc, /sys, /dev, /etc, /run */
	SLU_CLASS_IPC,     /* pipes, sockets and the like */
	SLU_N_CLASSES,
};
/* "data", "output", "library", "system", "ipc" */
const char *slu_prof_class_name(unsigned cls);

struct slu_prof_side {
	uint32_t calls, sequential, consecutive; /* as in struct slu_log_side; they stay at UINT32_MAX if need be */
	uint32_t sizes[SLU_SIZE_CLASSES - 1];    /* from the second class on; slu_prof_side_sizes() has the first */
	uint64_t bytes, ns;
};

/* One name, over all processes. In order of name. */
struct slu_prof_file {
	const char *name;
	uint32_t name_len;
	uint16_t flags; /* enum slu_file_flags, of all processes together */
	uint8_t cls;    /* enum slu_prof_class */
	uint32_t users; /* processes that used it */
	uint64_t first, last;
	uint64_t meta_ns;
	uint64_t mapped_bytes; /* an estimate */
	uint32_t count[SLU_COUNTED];
	uint32_t errors;
	struct slu_prof_side read, write;
};

/* Time in calls on it: what files are ranked by. */
static inline uint64_t slu_prof_file_ns(const struct slu_prof_file *f)
{
	return f->meta_ns + f->read.ns + f->write.ns;
}

/* Calls of each size class, SLU_SIZE_CLASSES of them. */
void slu_prof_side_sizes(const struct slu_prof_side *s, uint64_t ret_sizes[SLU_SIZE_CLASSES]);

/* Sums over files: of a class, a directory, an extension. */
struct slu_prof_group {
	const char *name; /* the directory without a slash at its end; the extension with its dot, or "" */
	uint64_t files, opens, stats, calls, errors;
	uint64_t reads, writes, read_bytes, written_bytes, mapped_bytes;
	uint64_t read_ns, write_ns, meta_ns, ns; /* ns: their sum */
	uint64_t read_sizes[SLU_SIZE_CLASSES], write_sizes[SLU_SIZE_CLASSES];
	uint64_t sequential, consecutive; /* reads */
};

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* One kind of call over all threads and classes. By time, most first; those that were never made are left out. */
struct slu_prof_call {
	uint32_t call;
	const char *name, *family;
	uint64_t count, errors, ns, slowest_ns, bytes;
};

/* ---- how files are used (data and output) ------------------------------------------------------------------------ */

struct slu_prof_access {
	uint64_t files;        /* data and output */
	uint64_t data_files;   /* of them, read or mapped */
	uint64_t small_files;  /* data files, not served, of which at most SLU_SMALL_FILE bytes were read an open */
	uint64_t served_files; /* data files that came out of a pack */
	uint64_t epochs;       /* of the rank that has most; 0: not told */
	uint64_t opens, stats;
	double opens_per_file, opens_per_epoch; /* the second is NAN without epochs */
	double bytes_per_open, reads_per_open;
	uint64_t read_bytes, written_bytes, mapped_bytes;
	uint64_t distinct_bytes; /* an estimate: see slu_prof_distinct() in access.c */
	double rereads;          /* read_bytes / distinct_bytes */
	double rereads_per_epoch;
	uint64_t ns, read_ns, write_ns, meta_ns;
	double meta_share;                                        /* meta_ns / ns */
	double small_reads_share;                                 /* reads below 64 KiB, of all reads */
	double sequential_share, consecutive_share, random_share; /* of reads; random = 1 - sequential */
	double burstiness; /* coefficient of variation of bytes read a timeline bin, between first and last read */
	uint32_t
		readers; /* most processes of one rank that read data at once: a loader may start new ones each epoch */
	double reader_imbalance; /* the worst rank's: most bytes of a reader / mean */
	int32_t imbalance_rank;
	double reader_busy;    /* mean over readers of busy_ns / life */
	uint64_t memory_bytes; /* of the machine that reports: what "fits in memory" means */
	const char *root; /* the deepest directory that holds at least nine tenths of the time on data files, or "" */
};
enum { SLU_SMALL_FILE = 256 * 1024 };

/* ---- the timeline ------------------------------------------------------------------------------------------------ */

struct slu_prof_bin {
	float compute, exposed, hidden, wait; /* shares of the bin: exposed + hidden is in I/O */
	float calls;
	float read_bytes, written_bytes;
};

/* bins[r * n_bins + b]: rank number r in ranks[] order, from b * bin_ns on. */
struct slu_prof_timeline {
	uint64_t bin_ns;
	uint32_t n_bins; /* 1 to SLU_MAX_BINS */
	struct slu_prof_bin *bins;
};
enum { SLU_MAX_BINS = 600 };

/* ---- the answer -------------------------------------------------------------------------------------------------- */

enum slu_prof_stall {
	SLU_STALL_MEASURED, /* there are wait spans */
	SLU_STALL_EXPOSED,  /* there are compute spans only: exposed I/O is what was waited for at most */
	SLU_STALL_BOUND,    /* no spans: the union of I/O is an upper bound, no more */
};
/* "measured", "exposed", "bound" */
const char *slu_prof_stall_name(unsigned stall);

struct slu_prof_answer {
	const char *sentence; /* where the time goes */
	enum slu_prof_stall how;
	double stall_share;   /* mean over ranks, by the way named: wait, exposed or union, of wall time */
	double exposed_share; /* means over ranks, of wall time */
	double hidden_share, compute_share, union_share, wait_share;
	double starved_share, other_share; /* with compute and exposed: 1 */
};

enum slu_prof_severity { SLU_ADVICE_FINE, SLU_ADVICE_LOW, SLU_ADVICE_MEDIUM, SLU_ADVICE_HIGH };
/* "fine", "low", "medium", "high" */
const char *slu_prof_severity_name(unsigned severity);

/* One rule that applies. Most severe first, then most to gain. */
struct slu_prof_advice {
	const char *id; /* "small-files": stable, for programs */
	enum slu_prof_severity severity;
	const char *title;
	const char *evidence; /* a sentence with numbers */
	const char *action;   /* what to do, in words */
	const char *command;  /* exactly, or "" */
	uint64_t gain_ns;     /* of the mean rank's wall time, an estimate; 0: none given */
	double gain_share;    /* of wall time */
	const char *how;      /* how it was estimated, or "" */
};

/* ---- other tools' traces ------------------------------------------------------------------------------------------
 */

enum slu_merge_clock {
	SLU_CLOCK_UNIX,      /* its times are those of the clock of day: Kineto, TensorFlow */
	SLU_CLOCK_MONOTONIC, /* of this machine, since it was started */
	SLU_CLOCK_GIVEN,     /* it begins when the user says */
	SLU_CLOCK_SPAN,      /* a span of its name was found in both */
};
/* "unix", "monotonic", "given", "span" */
const char *slu_merge_clock_name(unsigned clock);

/* A file to merge. */
struct slu_merge {
	const char *path;
	bool has_at;
	double at; /* seconds: where its time 0 lies; since the job's begin, or (from 10^8 on) of the Unix clock */
};

struct slu_thin; /* prof/thin.h */

struct slu_prof_merged {
	const char *path;
	enum slu_merge_clock clock;
	double base_ns;         /* what the file itself says that is to be added to its times */
	double shift_ns;        /* added too: a time of the job */
	uint64_t events;        /* with a time */
	double begin, end;      /* ns, on the job's clock; may lie outside of the job */
	int32_t rank;           /* whose computing it tells, or SLU_NO_RANK */
	uint64_t compute_spans; /* operators that were taken as compute: none where the rank has spans of its own */
	uint64_t wait_spans;
	struct slu_thin *lengths; /* of complete events, and which of them a timeline shows */
};

/* ---- all of it --------------------------------------------------------------------------------------------------- */

struct slu_prof_store; /* the memory of strings: prof/store.h */

struct slu_prof {
	struct slu_prof_job job;
	struct slu_prof_answer answer;
	struct slu_prof_advice *advice;
	size_t n_advice;
	struct slu_prof_note *notes; /* by id */
	size_t n_notes;

	struct slu_prof_rank *ranks; /* by rank */
	size_t n_ranks;
	struct slu_prof_stat stats[SLU_N_METRICS];
	struct slu_prof_epoch *epochs; /* by rank, then time; first those of the mean (SLU_NO_RANK) */
	size_t n_epochs;
	struct slu_prof_epoch epoch_mean; /* of the means: one epoch of one rank; if there are any */
	struct slu_prof_span *spans;
	size_t n_spans;
	struct slu_prof_process *processes;
	size_t n_processes;
	struct slu_prof_timeline timeline;

	struct slu_prof_merged *merged; /* as they were given */
	size_t n_merged;

	struct slu_prof_access access;
	struct slu_prof_group classes[SLU_N_CLASSES];
	struct slu_prof_group *directories; /* of data and output, by ns, most first; so are the next */
	size_t n_directories;
	struct slu_prof_group *extensions;
	size_t n_extensions;
	struct slu_prof_call *calls;
	size_t n_calls;
	uint64_t size_log2[2][SLU_LOG2_CLASSES]; /* reads, writes: [k] of sizes in [2^(k-1), 2^k); [0] of none */
	uint64_t time_log2[3][SLU_LOG2_CLASSES]; /* reads, writes, all others: likewise of ns */
	struct slu_prof_file *files;             /* by name */
	size_t n_files;
	uint32_t
		*by_time; /* indices of files of data and output by slu_prof_file_ns(), most first; n_by_time of them */
	size_t n_by_time;

	struct slu_prof_store *store;
};

/*
 * Reads all logs of the trace directory @path. Logs that cannot be read become notes; where none can, or there is none:
 * the error of the first. -ENOENT no such directory | -EBADMSG damaged, or not a trace | -EPROTONOSUPPORT newer
 */
SLU_MUST_USE int slu_prof_load(const char *path, struct slu_prof **ret_prof);

/* The same, with @n traces of other tools. -EINVAL: the clock of one cannot be told */
SLU_MUST_USE int slu_prof_load_merging(const char *path, const struct slu_merge *merges, size_t n,
                                       struct slu_prof **ret_prof);

/* NULL is allowed. */
void slu_prof_free(struct slu_prof *p);

#endif
