/* SPDX-License-Identifier: MIT */
/*
 * Writing the samples of a pack into its shards, in parallel and in order.
 *
 * Samples are worked on in chunks of neighbours. A thread takes the next chunk, reads and
 * encodes it into memory on its own, then waits for its turn to be given its place in the
 * shard (places are given in the order of chunks, so that output never depends on threads),
 * and writes it there on its own again.
 *
 * Invariants
 *  (1) places are given in sample order; nothing else orders threads
 *  (2) gaps between samples are never written: they are holes, and read as zero
 *  (3) the journal tells only of samples whose bytes, and all bytes before them, are synced
 */
#ifndef SLU_PACK_WRITER_H
#define SLU_PACK_WRITER_H

#include <sluice/create.h>

#include "pack/choose.h"
#include "pack/contents.h"
#include "pack/journal.h"
#include "pack/npy.h"
#include "source/source.h"

struct slu_writer_job {
	struct slu_source *source;
	struct slu_contents *c; /* the listing and the shards' first samples are there; stored is filled */
	const struct slu_codecs *codecs;
	const struct slu_create_options *opt;
	const char *dest; /* for messages */
	int dirfd;        /* where the shards go */
	struct slu_journal *journal;
	uint64_t done;             /* samples that are there already */
	const struct slu_npy *npy; /* NULL: no schema to look for */
	bool npy_broken;           /* a sample was not like the first */
};

enum { SLU_JOURNAL_NPY_BROKEN = 1 };

/* -ECANCELED when opt->cancel says so. */
SLU_MUST_USE int slu_write_samples(struct slu_writer_job *job);

/*
 * Takes over what an interrupted run has written: job->done samples, or as many of them as still
 * have their checksums; the shards are cut behind them. In resume.c.
 */
SLU_MUST_USE int slu_write_take_over(struct slu_writer_job *job);

/* Where the sample after the first job->done goes; sets the shards' data ends. In resume.c. */
void slu_write_place(const struct slu_writer_job *job, struct slu_cursor *ret_cursor);

/* Catalogs, headers, index: makes the directory a pack, synced but for its own name. */
SLU_MUST_USE int slu_write_finish(struct slu_writer_job *job, uint64_t *ret_disk_bytes, uint8_t ret_identity[16]);

#endif
