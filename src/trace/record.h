/* SPDX-License-Identifier: MIT */
/*
 * The recorder: what one process does with files, counted where it will be read, in the mapped log of layout.h.
 *
 * It is called from inside other people's calls of libc, so
 *  (1) nothing of libc is used but memory functions and system calls; memory is mapped, never malloc()ed
 *  (2) errno is the caller's to keep
 *  (3) what is found is found without a lock; new files, threads and room take one, which only one thread of this
 *      process ever holds and which a forked child forgets. A signal handler that interrupts the recorder in its
 *      own thread is not recorded but counted (header.missed)
 *  (4) no descriptor stays open: the log is opened by its path for each piece that it grows by
 *  (5) room on the disk is asked for before it is touched: a full disk is an answer, not a SIGBUS
 *
 * A forked child begins a log of its own at its first call; until then it reads its parent's, for the names of what it
 * has inherited.
 */
#ifndef SLU_TRACE_RECORD_H
#define SLU_TRACE_RECORD_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/macros.h"
#include "trace/layout.h"
#include "trace/ticks.h"

#define SLU_ENV_TRACE "SLUICE_TRACE"               /* the directory */
#define SLU_ENV_TRACE_EVENTS "SLUICE_TRACE_EVENTS" /* set: every call is kept */
#define SLU_ENV_TRACE_BOUND "SLUICE_TRACE_BOUND"   /* bytes a process may record */

enum {
	SLU_TRACE_FDS = 1 << 20,      /* descriptors above are recorded without a name */
	SLU_TRACE_OWN_THREADS = 1024, /* threads after these share a record */
	SLU_TRACE_MAX_RUNS = 16384,   /* for each thread; so are spans */
	SLU_TRACE_MAPS = 512,         /* mappings whose pages are looked at */
	SLU_TRACE_SPAN_NAMES = 256,   /* different names of spans; more are called by the last one's */
};
#define SLU_TRACE_DEFAULT_BOUND (512ull << 20)
#define SLU_TRACE_LEAST_BOUND (4ull << 20)

/* What is known of a descriptor. All is advisory: two threads that use one descriptor may tear it. */
struct slu_rec_fd {
	_Atomic slu_ref file;   /* 0: not known yet */
	_Atomic uint32_t moved; /* a read or write was seen: `next` means something */
	_Atomic uint64_t at;    /* the position, as far as we have seen */
	_Atomic uint64_t next;  /* where the last transfer ended */
};

/* What a thread keeps outside the log. */
struct slu_rec_thread {
	struct slu_log_thread *log;
	slu_ref ref;
	bool shared;              /* with other threads: under others_lock */
	struct slu_log_run *runs; /* the array that log->runs names */
	uint64_t *compute_before; /* beside it: the thread's compute time before each run */
	uint32_t n_runs, max_runs;
	bool run_closed; /* a compute span has begun or ended since the last run */
	struct slu_log_span *spans;
	uint32_t n_spans, max_spans;
	uint32_t computing;     /* compute spans that are open */
	uint64_t compute_since; /* when the outermost of them began */
	uint64_t compute_ns;    /* in those that have ended */
	struct slu_log_event *events;
	struct slu_log_chunk *events_chunk;
	uint32_t n_events, max_events;
};

/* In thread-local memory of the shim; all zero at first. */
struct slu_rec_tls {
	struct slu_rec_thread *thread;
	uint32_t generation; /* of the recorder, when `thread` was made */
	bool busy;
};

struct slu_rec_map {
	uint64_t begin, end; /* 0: free */
	slu_ref file;
	uint64_t counted; /* bytes that the file's record has of it already */
};

struct slu_recorder {
	_Atomic bool on;
	bool events;
	struct slu_ticks clock;
	_Atomic uint32_t lock;
	_Atomic uint32_t others_lock; /* for `others`, taken before the other one */
	_Atomic uint32_t generation;

	/* The log. Changed under the lock, or while there is one thread. */
	char *_Atomic base; /* NULL: not begun yet */
	uint64_t reserved;  /* addresses from base */
	uint64_t mapped;    /* of these, backed by the file */
	uint64_t bound;
	bool full;                                       /* new files are counted for their directories */
	bool stuck;                                      /* the log cannot grow any more */
	struct slu_log_chunk *spare_files, *spare_names; /* for directories, if it is stuck; then NULL */
	char *parent;                                    /* the log of the parent, until ours is begun */
	uint64_t parent_reserved;
	struct slu_log_chunk *files, *names;
	struct slu_rec_index *_Atomic index; /* of files by the hash of their names: see files.c */
	uint32_t index_used, place_bits;
	slu_ref rest; /* all files for which there was no room, not even by directory */
	struct slu_rec_thread *thread_pool;
	uint32_t n_pool;
	struct slu_rec_thread *others;
	struct slu_rec_span_name {
		uint64_t hash;
		slu_ref name;
	} span_names[SLU_TRACE_SPAN_NAMES]; /* read without the lock: a name is there before n_span_names says so */
	_Atomic uint32_t n_span_names;

	struct slu_rec_fd *fds; /* SLU_TRACE_FDS of them */
	_Atomic int max_fd;     /* no entry above */
	struct slu_rec_map *maps;
	_Atomic uint32_t n_maps;
	_Atomic uint64_t maps_looked; /* when */

	/* The working directory: read twice and compared, see names.c. */
	_Atomic uint32_t cwd_version;
	char cwd[PATH_MAX];

	char dir[PATH_MAX];        /* of the trace */
	char path[PATH_MAX + 128]; /* of the log */
};

/* One call, as it is told to the recorder when it is over. */
struct slu_rec_call {
	enum slu_call call;
	uint64_t begin;  /* SLU_UNTIMED: only counted, since it takes less time than a look at the clock */
	int error;       /* errno, or 0 */
	uint64_t bytes;  /* read or written */
	uint64_t offset; /* where, or SLU_AT_POSITION */
};
#define SLU_AT_POSITION UINT64_MAX
#define SLU_UNTIMED 1

/* ---- log.c ------------------------------------------------------------------------------------------------------ */

/* Begins recording into @dir. The log is made at the first call. @bound 0: the default. */
SLU_MUST_USE int slu_rec_start(struct slu_recorder *r, const char *dir, bool events, uint64_t bound);

/* In a forked child, by its one thread. */
void slu_rec_forked(struct slu_recorder *r, struct slu_rec_tls *tls);

/* Before the process ends (SLU_LOG_EXITED) or becomes another program; SLU_LOG_RUNNING: it has not after all. */
void slu_rec_state(struct slu_recorder *r, enum slu_log_state state);

/* For those below. */
void slu_rec_lock(_Atomic uint32_t *lock);
void slu_rec_unlock(_Atomic uint32_t *lock);
/* Makes the log, under the lock. False: there is none, and recording is off. */
bool slu_rec_open(struct slu_recorder *r);
/* Room for @bytes of records, under the lock; NULL: there is none left. */
struct slu_log_chunk *slu_rec_chunk(struct slu_recorder *r, enum slu_log_kind kind, uint64_t bytes, slu_ref owner);
/* Private memory, all zero; NULL: there is none. */
void *slu_rec_memory(uint64_t bytes);

/* Now, as the log has it. */
static inline uint64_t slu_rec_now(struct slu_recorder *r)
{
	return slu_ticks_now(&r->clock);
}

static inline void *slu_rec_at(const struct slu_recorder *r, slu_ref ref)
{
	return atomic_load_explicit(&r->base, memory_order_relaxed) + (uint64_t)ref * 8;
}

static inline slu_ref slu_rec_ref(const struct slu_recorder *r, const void *p)
{
	return (slu_ref)((uint64_t)((const char *)p - atomic_load_explicit(&r->base, memory_order_relaxed)) / 8);
}

/* ---- files.c ---------------------------------------------------------------------------------------------------- */

/* The record of the file of this name, made if there is none; @flags are added to it. Never 0 once the log is begun. */
slu_ref slu_rec_file(struct slu_recorder *r, const char *name, size_t len, uint32_t flags);
/* Keeps a name, under the lock; 0: there is no room. */
slu_ref slu_rec_name(struct slu_recorder *r, const char *name, size_t len);
/* Gives the index back. */
void slu_rec_files_done(struct slu_recorder *r);
/* The name of a record, valid as long as the log; @ret_len may be NULL. */
const char *slu_rec_file_name(const struct slu_recorder *r, slu_ref file, size_t *ret_len);
/* In a new log: room for what finds none later; and in a child's, records for what it has inherited. Under the lock. */
bool slu_rec_files_start(struct slu_recorder *r);
void slu_rec_adopt(struct slu_recorder *r, const char *parent);

/* ---- names.c ---------------------------------------------------------------------------------------------------- */

/* The file that a path means, from the working directory or a descriptor. */
slu_ref slu_rec_path_file(struct slu_recorder *r, int dirfd, const char *path, uint32_t flags);
/* What a descriptor is open on, found out if it is not known. */
slu_ref slu_rec_fd_file(struct slu_recorder *r, int fd);
/* The working directory has changed, to @to; NULL: the kernel knows. */
void slu_rec_moved(struct slu_recorder *r, const char *to);

/* NULL: too large a number. */
static inline struct slu_rec_fd *slu_rec_fd_entry(const struct slu_recorder *r, int fd)
{
	return SLU_LIKELY((unsigned)fd < SLU_TRACE_FDS) ? &r->fds[fd] : NULL;
}

/* ---- threads.c -------------------------------------------------------------------------------------------------- */

/* This thread's record. NULL: recording is off, or the recorder itself was interrupted. */
struct slu_rec_thread *slu_rec_enter(struct slu_recorder *r, struct slu_rec_tls *tls);
void slu_rec_leave(struct slu_recorder *r, struct slu_rec_tls *tls, struct slu_rec_thread *t);

/* Counts a call for the thread. */
void slu_rec_thread_call(struct slu_recorder *r, struct slu_rec_thread *t, const struct slu_rec_call *c, uint64_t end,
                         slu_ref file, uint64_t offset);

/* ---- spans.c ---------------------------------------------------------------------------------------------------- */

void slu_rec_span_begin(struct slu_recorder *r, struct slu_rec_tls *tls, const char *name, unsigned kind,
                        int64_t index);
void slu_rec_span_end(struct slu_recorder *r, struct slu_rec_tls *tls);

/* ---- maps.c ----------------------------------------------------------------------------------------------------- */

void slu_rec_mapped(struct slu_recorder *r, void *at, size_t len, slu_ref file);
/* Before it goes: how many of its pages were touched is counted for the file, which it gives; 0: none. */
slu_ref slu_rec_unmapping(struct slu_recorder *r, void *at, size_t len);
/* The file that is mapped there, or 0. */
slu_ref slu_rec_map_file(struct slu_recorder *r, const void *at);
/* All mappings, now. */
void slu_rec_look_at_maps(struct slu_recorder *r);

/* ---- record.c: what the wrappers call when a call is over -------------------------------------------------------- */

/* A call that names a path. */
void slu_rec_path(struct slu_recorder *r, struct slu_rec_tls *tls, const struct slu_rec_call *c, int dirfd,
                  const char *path, uint32_t flags);
/* A call that gave @fd for a path; fd < 0: it failed. */
void slu_rec_opened(struct slu_recorder *r, struct slu_rec_tls *tls, const struct slu_rec_call *c, int dirfd,
                    const char *path, int fd, uint32_t flags);
/* A call on a descriptor: reads and writes move it if the offset is SLU_AT_POSITION. */
void slu_rec_fd(struct slu_recorder *r, struct slu_rec_tls *tls, const struct slu_rec_call *c, int fd);
/* A descriptor's position is now @at. */
void slu_rec_seeked(struct slu_recorder *r, struct slu_rec_tls *tls, const struct slu_rec_call *c, int fd, uint64_t at);
/* A call on a file that was found before (a descriptor that is closed by now). */
void slu_rec_on_file(struct slu_recorder *r, struct slu_rec_tls *tls, const struct slu_rec_call *c, slu_ref file);

/* A call on what is not a file but has a name. */
void slu_rec_named(struct slu_recorder *r, struct slu_rec_tls *tls, const struct slu_rec_call *c, const char *name);

/* Forgets what a descriptor was, and gives it: before the kernel closes it. 0: it was not known. */
slu_ref slu_rec_close(struct slu_recorder *r, struct slu_rec_tls *tls, int fd);
/* Adds to what is known of the file that a descriptor is open on, just after a call on it. */
void slu_rec_flag(struct slu_recorder *r, int fd, uint32_t flags);
/* @to is now what @fd is. */
void slu_rec_dup(struct slu_recorder *r, int fd, int to);

#endif
