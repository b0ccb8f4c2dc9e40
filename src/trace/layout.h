/* SPDX-License-Identifier: MIT */
/*
 * The log of one process: what is in the file, as it is mapped while it is recorded.
 *
 *   header | chunk | chunk | ...       each chunk: a struct slu_log_chunk, then records of one kind
 *
 * A place in the log is a slu_ref: its offset from the start, divided by 8; 0 is none. Integers are in the byte order
 * of the machine (the header tells), since they are counted where they lie. Times are nanoseconds of CLOCK_MONOTONIC.
 *
 * What is written when, so that a process may be killed at any instruction:
 *  (1) header.end grows after the new chunk's own header is complete
 *  (2) a record is counted in chunk.used before it is filled in, and says itself that it is (SLU_FILE_VALID, a time)
 *  (3) an array of runs or spans is filled before the thread's record points to it
 *
 * When all is over, `sluice trace` packs a log (pack.c): the same chunks, compressed, at the same places. image.c makes
 * this image again from either form; all who read logs read images.
 */
#ifndef SLU_TRACE_LAYOUT_H
#define SLU_TRACE_LAYOUT_H

#include <assert.h>
#include <stdint.h>

#include "trace/calls.h"

#define SLU_LOG_MAGIC "SLUTRACE"
#define SLU_LOG_PACKED_MAGIC "SLUTRCPK"

enum { SLU_LOG_VERSION = 1, SLU_LOG_ORDER = 0x01020304, SLU_LOG_HEADER = 8192 };

typedef uint32_t slu_ref;

enum slu_log_state {
	SLU_LOG_RUNNING = 1, /* or it was killed: whether a process of that number and start lives decides */
	SLU_LOG_EXITED,
	SLU_LOG_EXECED, /* the process goes on as another program, with a log of its own */
};

enum slu_log_flags {
	SLU_LOG_EVENTS = 1,      /* events were asked for */
	SLU_LOG_FULL = 2,        /* the memory bound was reached: new files are counted by directory */
	SLU_LOG_EVENTS_LOST = 4, /* and further events were not kept */
	SLU_LOG_NO_SPACE = 8,    /* as FULL, for want of room on the disk */
};

struct slu_log_header {
	char magic[8];
	uint32_t version;
	uint32_t order;
	uint32_t state; /* enum slu_log_state */
	uint32_t flags; /* enum slu_log_flags */
	uint64_t end;   /* of the last complete chunk */
	uint64_t bound; /* how large it may become */

	uint32_t pid, ppid;
	uint32_t part;           /* 0, and 1 more for each exec of the same process */
	int32_t rank;            /* -1: not told */
	int32_t world;           /* likewise */
	int32_t local_rank;      /* likewise */
	uint64_t begin;          /* when recording began */
	uint64_t last;           /* the end of the latest recorded call or span, not exact */
	uint64_t finish;         /* when the process ended, or 0 */
	int64_t realtime_offset; /* CLOCK_REALTIME minus CLOCK_MONOTONIC at the start */
	uint64_t start_ticks;    /* the process's start as /proc/PID/stat has it: pid and this name a process */
	uint8_t boot_id[16];     /* of the machine: times of different boots do not compare */
	uint32_t missed;         /* calls in signal handlers that interrupted the recorder itself */
	uint32_t files;          /* records of files, for a quick look */
	uint32_t n_threads;      /* threads that had a record */
	uint32_t other_threads;  /* threads beyond the last record, which they share */
	uint32_t open_maps;      /* mappings whose pages were counted before they ended, as it was killed */
	uint32_t reserved[15];

	char host[64]; /* NUL-terminated, cut if need be; so are those below */
	char exe[1024];
	char command[2048];   /* arguments with spaces between */
	char rank_from[32];   /* the variable that told the rank: "SLURM_PROCID" */
	char directory[1024]; /* the working directory at the start */
};
static_assert(sizeof(struct slu_log_header) <= SLU_LOG_HEADER, "the header has a fixed place");

enum slu_log_kind {
	SLU_CHUNK_DEAD = 0, /* superseded: nothing points here */
	SLU_CHUNK_FILES,    /* struct slu_log_file */
	SLU_CHUNK_NAMES,    /* struct slu_log_name */
	SLU_CHUNK_THREAD,   /* one struct slu_log_thread */
	SLU_CHUNK_RUNS,     /* struct slu_log_run */
	SLU_CHUNK_SPANS,    /* struct slu_log_span */
	SLU_CHUNK_EVENTS,   /* struct slu_log_event */
	SLU_N_CHUNK_KINDS,
};

struct slu_log_chunk {
	uint32_t kind;
	slu_ref owner;  /* the thread of runs, spans, events; 0: all */
	uint64_t bytes; /* with this header; a multiple of 8 */
	uint64_t used;  /* bytes after this header that hold records; may be beyond the end when it has filled up */
	uint64_t reserved;
};
static_assert(sizeof(struct slu_log_chunk) == 32, "");

/* A name, at a multiple of 8, padded with zeros to the next; at least one zero follows the bytes. */
struct slu_log_name {
	uint16_t len;
	char bytes[];
};

enum slu_file_flags {
	SLU_FILE_VALID = 1,
	SLU_FILE_MANY = 2,       /* not one file but all of a directory that came after the bound was reached */
	SLU_FILE_NOT_A_FILE = 4, /* a pipe, socket or the like: the name is as in /proc/PID/fd */
	SLU_FILE_IS_DIR = 8,     /* listed, or opened as a directory */
	SLU_FILE_SERVED = 16,    /* by the view: from a pack */
	SLU_FILE_CREATED = 32,   /* opened with O_CREAT or O_TRUNC, or renamed to */
	SLU_FILE_HDF5 = 64,      /* begins as an HDF5 file does (seen in a read at its start) */
};

/* Sizes of single reads and writes: below 4 KiB (what the others leave), below 64 KiB, 1 MiB, 16 MiB, 256 MiB, and
 * above. */
enum { SLU_SIZE_CLASSES = 6 };

struct slu_log_side {
	uint32_t calls;
	uint32_t sequential;  /* began at or after the end of the one before, through the same descriptor */
	uint32_t consecutive; /* just at its end; so each is sequential too. The first of a descriptor is, if it is at 0
	                       */
	uint32_t sizes[SLU_SIZE_CLASSES - 1]; /* from the second class on: the first is what is left of calls */
	uint64_t bytes;
	uint64_t ns;
};

struct slu_log_file {
	uint64_t hash; /* of the name; 0 in packed logs */
	slu_ref name;
	uint32_t flags;              /* enum slu_file_flags */
	uint32_t first, last;        /* ticks of 2^20 ns since header.begin */
	uint64_t meta_ns;            /* time in calls that are neither reads nor writes */
	uint32_t count[SLU_COUNTED]; /* by enum slu_family */
	uint32_t errors;
	uint64_t mapped_bytes; /* pages of mappings that were touched: an estimate */
	struct slu_log_side read, write;
};
static_assert(sizeof(struct slu_log_file) == 176, "at most 200 bytes a file with its place in the index");

struct slu_log_tally {
	uint64_t count;
	uint64_t errors;
	uint64_t ns;
	uint64_t slowest; /* ns */
	uint64_t bytes;
};

/* A span that has begun: what a killed process was in. */
struct slu_log_open_span {
	uint64_t begin; /* 0: none */
	slu_ref name;
	uint32_t kind;
	int64_t index; /* as the program says, or -1 */
};

enum { SLU_SPAN_DEPTH = 16, SLU_LOG2_CLASSES = 40 };

struct slu_log_thread {
	uint32_t tid;
	uint32_t reserved0;
	char name[16];
	uint64_t first, last; /* ns */
	slu_ref runs, spans;  /* the chunks that hold them */
	uint64_t run_gap;     /* calls less than this apart have become one run (ns); it grows */
	uint64_t span_gap;
	uint32_t depth; /* of open_spans; may be more than SLU_SPAN_DEPTH, the inner ones are then not kept */
	uint32_t reserved;
	struct slu_log_open_span open_spans[SLU_SPAN_DEPTH];
	struct slu_log_tally calls[64];          /* by enum slu_call; those beyond SLU_N_CALLS are zero */
	uint32_t size_log2[2][SLU_LOG2_CLASSES]; /* reads, writes: [k] of sizes in [2^(k-1), 2^k); [0] of none */
	uint32_t time_log2[3][SLU_LOG2_CLASSES]; /* reads, writes, all others: likewise of ns */
};
static_assert(SLU_N_CALLS <= 64, "");

/*
 * A stretch of one thread's time with calls in it: [begin, end), of which the three times were spent in calls. At first
 * neighbours less than run_gap apart become one, up to a length of ten gaps, and never across the begin or the end of a
 * compute span of the same thread. When there are too many the gap doubles, and then spans are crossed: compute_ns.
 */
struct slu_log_run {
	uint64_t begin, end;
	uint64_t read_ns, write_ns, meta_ns;
	uint64_t read_bytes, written_bytes;
	uint64_t compute_ns; /* of end - begin, the thread itself was in compute spans for this long */
	uint64_t calls;
};

/* One span, or neighbours of the same name and index less than span_gap apart. */
struct slu_log_span {
	uint64_t begin, end;
	uint64_t ns; /* inside; less than end - begin only where several are one */
	slu_ref name;
	uint32_t kind; /* enum slu_span_kind */
	int64_t index; /* as the program says (an epoch's number), or -1 */
	uint32_t count;
	uint32_t depth; /* 0: outermost */
};

struct slu_log_event {
	uint64_t begin;  /* 0: not filled in */
	uint64_t offset; /* for reads and writes: where in the file; UINT64_MAX: not known */
	uint64_t bytes;
	slu_ref file;
	uint32_t ns; /* UINT32_MAX: that or more */
	uint16_t call;
	uint16_t error; /* errno, or 0 */
	uint32_t reserved;
};
static_assert(sizeof(struct slu_log_event) == 40, "");

/* ---- packed --------------------------------------------------------------------------------------------------- */

/*
 * A packed log: this header, then for each piece a struct slu_log_piece and its stored bytes (padded to 8). The first
 * piece is the log's header (struct slu_log_header); then there are two for each chunk that is not dead and has
 * records, in order of place: its own header (32 bytes, width 1) and its records (chunk.used bytes). Contents: records
 * of @width bytes as 32-bit words; each word less the one of the record before (the first less 0); of these, plane 0
 * are the lowest bytes of the first words of all records, plane 1 their second bytes, ... First a bit for each plane:
 * whether any of its bytes is not zero; then those planes; then whatever is left over of records; all of it by zstd.
 * Width 1: bytes as they are.
 */
struct slu_log_packed {
	char magic[8];
	uint32_t version;
	uint32_t order;
	uint64_t image_bytes; /* of the log: where its last chunk ends */
	uint64_t pieces;
};

struct slu_log_piece {
	uint64_t at;     /* in the image */
	uint64_t bytes;  /* there */
	uint64_t size;   /* of the planes, before lz4 */
	uint64_t stored; /* here */
	uint32_t width;
	uint32_t reserved;
	uint64_t hash; /* XXH3 of the stored bytes */
};

#endif
