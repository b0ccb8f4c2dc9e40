/* SPDX-License-Identifier: MIT */
/*
 * sluice/create.h - make packs from directories, and directories from packs
 *
 * A pack appears under its name only when it is complete and synced. Until then it
 * is built in a directory beside it, ".NAME.partial". The same input and options
 * give the same bytes, whatever the number of threads.
 */
#ifndef SLUICE_CREATE_H
#define SLUICE_CREATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sluice/sluice.h>

#ifdef __cplusplus
extern "C" {
#endif

enum slu_phase { SLU_PHASE_LIST, SLU_PHASE_CHOOSE, SLU_PHASE_WRITE, SLU_PHASE_FINISH };

struct slu_progress {
	enum slu_phase phase;
	uint64_t done_files, total_files;
	uint64_t done_bytes, total_bytes;
};

/* One row of the table from which the codecs were chosen. */
struct slu_choice {
	const char *kind;  /* the files' extension, such as ".jpg"; "(other)" */
	const char *codec; /* "none", "lz4", "lz4+dict", "zstd", "zstd+dict" */
	uint64_t files;    /* files looked at */
	uint64_t raw_bytes, stored_bytes;
	double cost; /* reading a byte, in hundredths of copying one: from the cost table */
	bool chosen;
};

/* All zero is the default. New members are added at the end only. */
struct slu_create_options {
	uint32_t size;             /* sizeof(struct slu_create_options), or 0 */
	uint32_t threads;          /* 0: one per CPU */
	const char *codec;         /* NULL: "auto"; "auto:space", "none", "lz4", "zstd", "zstd:LEVEL" */
	uint32_t shards;           /* 0: by shard_bytes */
	uint64_t shard_bytes;      /* 0: 8 GiB; sizes before compression */
	const char *labels;        /* NULL none; "dir"; else a CSV file of path,label */
	bool force;                /* replace what is there */
	bool resume;               /* go on from an interrupted run, and stay resumable */
	bool skip_special;         /* leave out sockets, fifos and devices, instead of refusing */
	uint64_t checkpoint_bytes; /* 0: 256 MiB; how much an interruption may cost */
	/* Callbacks come one at a time; they may come from any thread. */
	void (*progress)(void *arg, const struct slu_progress *pr);
	void (*choice)(void *arg, const struct slu_choice *c);
	void *arg;
	/* Checked often; once it reads non-zero, the run ends with -ECANCELED and what is
	 * there is kept for resume. May be NULL. May be set from a signal handler. */
	const volatile int *cancel;
};

struct slu_create_result {
	uint64_t files, dirs, links;
	uint64_t raw_bytes;
	uint64_t disk_bytes;    /* all files of the pack */
	uint64_t resumed_files; /* of files: taken over from the interrupted run */
	uint64_t skipped;       /* special files left out */
	uint32_t shards;
	uint8_t identity[16];
};

/*
 * Packs the tree below the directory @source into the pack @dest.
 * -EEXIST @dest exists and force is not set | -ESTALE a source file changed or
 * vanished while it was read | -ENOSPC, -EIO, ... as the kernel says; on failure
 * nothing is under @dest that was not there before. (One exception: when the very last
 * step fails, the sync of the name or the removal of the pack that was replaced, the new
 * pack is there, complete, and the sentence says so or that the sync failed.)
 */
SLU_API SLU_MUST_USE int slu_create(const char *source, const char *dest, const struct slu_create_options *opt,
                                    struct slu_create_result *ret_result);

struct slu_extract_options {
	uint32_t size;            /* sizeof, or 0 */
	uint32_t threads;         /* 0: one per CPU */
	const char *const *paths; /* what to extract (nodes of the pack), NULL: everything */
	size_t npaths;
	bool force;         /* replace files that are there, and the modes and times of directories */
	bool outside_links; /* create links that point out of the directory, instead of refusing */
	bool owner;         /* give files their owners (needs privilege) */
	void (*progress)(void *arg, const struct slu_progress *pr);
	void *arg;
	const volatile int *cancel;
};

struct slu_pack;

/*
 * Writes the pack's tree (or the named parts of it, under their whole paths) below
 * the directory @dest, which is made if need be. Nothing is ever written outside
 * @dest: links on the way are not followed. -ELOOP a link points outside |
 * -EEXIST a file is there already
 */
SLU_API SLU_MUST_USE int slu_extract(struct slu_pack *p, const char *dest, const struct slu_extract_options *opt,
                                     struct slu_progress *ret_done);

#ifdef __cplusplus
}
#endif
#endif
