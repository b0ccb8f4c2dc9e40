/* SPDX-License-Identifier: MIT */
/*
 * The journal of a pack being made: how the samples stored so far are stored, so that an
 * interrupted run can go on.
 *
 * A batch is appended only after the shards' bytes it tells of are synced, and is itself
 * synced and checksummed: what the journal says is there, is there. A batch that was cut
 * off ends it. The plan's hash binds it to one source, as it was listed, and one set of
 * options.
 */
#ifndef SLU_PACK_JOURNAL_H
#define SLU_PACK_JOURNAL_H

#include <stdint.h>

#include "pack/contents.h"

struct slu_journal {
	int fd;
	uint64_t end; /* where the next batch goes */
};

/* Begins a new journal in the directory @dirfd. */
SLU_MUST_USE int slu_journal_create(struct slu_journal *j, int dirfd, const uint8_t plan[16]);

/*
 * Reads an old one: fills @stored from 0 on, of @n samples in all, and gives how many it
 * told of and the last flags. 0 samples if it is of another plan or damaged.
 */
SLU_MUST_USE int slu_journal_load(struct slu_journal *j, int dirfd, const uint8_t plan[16], struct slu_stored *stored,
                                  uint64_t n, uint64_t *ret_done, uint64_t *ret_flags);

/* Appends and syncs @n samples, the first of them number @first. */
SLU_MUST_USE int slu_journal_add(struct slu_journal *j, uint64_t first, const struct slu_stored *stored, uint64_t n,
                                 uint64_t flags);

void slu_journal_close(struct slu_journal *j);

#endif
