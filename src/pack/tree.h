/* SPDX-License-Identifier: MIT */
/*
 * The index's checksum tree: a checksum for each block, over those a checksum for each
 * block of checksums, up to one block, whose checksum is in the header.
 *
 * A mapped index is checked block by block at first touch; one bit a block remembers.
 * Two threads may check the same block at once: both come to the same answer.
 */
#ifndef SLU_PACK_TREE_H
#define SLU_PACK_TREE_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/buf.h"

enum { SLU_TREE_LEVELS = 8 }; /* 512^8 blocks: more than any file */

struct slu_tree {
	const char *what;    /* the pack's path, for messages */
	const uint8_t *file; /* the whole index */
	uint64_t blocks;     /* header and data blocks */
	uint64_t total;      /* with the tree's own */
	uint64_t root;       /* the top block's checksum */
	int levels;
	uint64_t first[SLU_TREE_LEVELS]; /* each level's first block */
	_Atomic uint64_t *seen;          /* a bit for each block found sound */
};

/* How many blocks the tree over @blocks header and data blocks has. */
uint64_t slu_tree_blocks(uint64_t blocks);

/* Appends the tree to an index whose header and data blocks are @b; gives the top's checksum. */
SLU_MUST_USE int slu_tree_build(struct slu_buf *b, uint64_t *ret_root);

SLU_MUST_USE int slu_tree_init(struct slu_tree *t, const char *what, const uint8_t *file, uint64_t blocks,
                               uint64_t root);
void slu_tree_done(struct slu_tree *t);

/* Checks one block (1 .. total-1), whatever is remembered. -EILSEQ */
SLU_MUST_USE int slu_tree_check_block(struct slu_tree *t, uint64_t block);

/* The slow half of slu_tree_touch(). */
SLU_MUST_USE int slu_tree_first_touch(struct slu_tree *t, uint64_t first, uint64_t last);

/* Makes sure that bytes @offset .. @offset + @n - 1 (inside the data blocks, n > 0) are sound. */
static inline int slu_tree_touch(struct slu_tree *t, uint64_t offset, uint64_t n)
{
	uint64_t first = offset / 4096, last = (offset + n - 1) / 4096;

	for (uint64_t b = first; b <= last; b++)
		if (!(atomic_load_explicit(&t->seen[b / 64], memory_order_relaxed) >> (b % 64) & 1))
			return slu_tree_first_touch(t, b, last);
	return 0;
}

#endif
