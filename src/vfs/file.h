/* SPDX-License-Identifier: MIT */
/*
 * An open sample: reads of any part of it, each copy checked.
 *
 * A read of the whole sample is decoded straight into the caller's memory and checked there. For parts,
 *  - a small or compressed sample is decoded once, checked, and kept; parts are copied from that;
 *  - a large raw one is checked whole at the first use, which leaves a checksum for each block of
 *    SLU_FILE_BLOCK bytes; each later copy is checked against those of the blocks it touches. Nothing
 *    is kept but the checksums.
 * So a wrong byte is never given out, not even one that changes after the first check.
 *
 * Any number of threads may read one file at a time. After fork() both processes may go on.
 */
#ifndef SLU_VFS_FILE_H
#define SLU_VFS_FILE_H

#include <sluice/pack.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { SLU_FILE_BLOCK = 4 << 10 };

struct slu_file {
	struct slu_pack *pack; /* borrowed */
	uint64_t sample;
	uint64_t size;
	struct slu_sample at;     /* where it is, and how it is stored */
	bool large;               /* raw, and large enough to be read in place */
	_Atomic(uint8_t *) bytes; /* decoded and checked, or NULL */
	_Atomic(uint64_t *) sums; /* of the blocks, or NULL */
};

/* Fills in @f, in the caller's storage; allocates nothing. Ends with slu_file_done(). */
SLU_MUST_USE int slu_file_init(struct slu_file *f, struct slu_pack *p, uint64_t sample);
/* Harmless on one that is all zero, and twice. */
void slu_file_done(struct slu_file *f);

/* As pread(2): the count may be short at the end, 0 past it. -EIO, -EILSEQ, -EBADMSG: see slu_pack_read(). */
SLU_MUST_USE ssize_t slu_file_pread(struct slu_file *f, void *buf, size_t len, uint64_t offset);

/*
 * The whole sample, checked, in memory that stays until slu_file_done(): for callers that come back for many
 * small parts. Not for large ones: -EFBIG.
 */
SLU_MUST_USE int slu_file_bytes(struct slu_file *f, const uint8_t **ret_bytes);

#endif
