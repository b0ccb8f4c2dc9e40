/* SPDX-License-Identifier: MIT */
/* The index's checksum tree. See tree.h. */
#include "pack/tree.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/le.h"
#include "base/macros.h"
#include "pack/layout.h"

static uint64_t parents(uint64_t n)
{
	return (n + SLU_TREE_FAN - 1) / SLU_TREE_FAN;
}

uint64_t slu_tree_blocks(uint64_t blocks)
{
	uint64_t total = 0, n = blocks - 1; /* the header has a checksum of its own */

	do {
		n = parents(n);
		total += n;
	} while (n > 1);
	return total;
}

int slu_tree_build(struct slu_buf *b, uint64_t *ret_root)
{
	uint64_t first = 1, n = b->len / SLU_BLOCK - 1;

	do {
		uint64_t level = b->len / SLU_BLOCK;
		uint8_t *sums;
		int r = slu_buf_grow(b, parents(n) * SLU_BLOCK, &sums);
		if (r < 0)
			return r;
		for (uint64_t i = 0; i < n; i++)
			slu_put64(sums + i * 8, slu_hash64(b->data + (first + i) * SLU_BLOCK, SLU_BLOCK));
		first = level;
		n = parents(n);
	} while (n > 1);
	*ret_root = slu_hash64(b->data + first * SLU_BLOCK, SLU_BLOCK);
	return 0;
}

int slu_tree_init(struct slu_tree *t, const char *what, const uint8_t *file, uint64_t blocks, uint64_t root)
{
	uint64_t n = blocks - 1, at = blocks;

	*t = (struct slu_tree){ .what = what, .file = file, .blocks = blocks, .root = root };
	do {
		t->first[t->levels++] = at;
		n = parents(n);
		at += n;
	} while (n > 1);
	t->total = at;
	t->seen = calloc(t->total / 64 + 1, sizeof(*t->seen)); /* zero pages until touched */
	return t->seen ? 0 : slu_fail_memory();
}

void slu_tree_done(struct slu_tree *t)
{
	free((void *)t->seen);
	t->seen = NULL;
}

/* Which block holds the checksum of @block, and where in it; level -1 is data. */
static uint64_t parent_of(const struct slu_tree *t, int level, uint64_t block, unsigned *ret_slot)
{
	uint64_t i = block - (level < 0 ? 1 : t->first[level]);

	*ret_slot = (unsigned)(i % SLU_TREE_FAN);
	return t->first[level + 1] + i / SLU_TREE_FAN;
}

static int level_of(const struct slu_tree *t, uint64_t block)
{
	int level = -1;

	while (level + 1 < t->levels && block >= t->first[level + 1])
		level++;
	return level;
}

int slu_tree_check_block(struct slu_tree *t, uint64_t block)
{
	int level = level_of(t, block);
	uint64_t want = t->root, parent;
	unsigned slot;

	if (level + 1 < t->levels) {
		parent = parent_of(t, level, block, &slot);
		want = slu_get64(t->file + parent * SLU_BLOCK + slot * 8);
	}
	if (slu_hash64(t->file + block * SLU_BLOCK, SLU_BLOCK) != want)
		return slu_fail(-EILSEQ, "%s/index: block %llu (offset %llu) does not match its checksum", t->what,
		                (unsigned long long)block, (unsigned long long)block * SLU_BLOCK);
	return 0;
}

/* From the top down: a checksum is believed only once the block it stands in is sound. */
static int touch_path(struct slu_tree *t, uint64_t block)
{
	uint64_t path[SLU_TREE_LEVELS + 1];
	int n = 0, r;
	unsigned slot;

	path[n++] = block;
	for (int level = level_of(t, block); level + 1 < t->levels; level++) {
		path[n] = parent_of(t, level, path[n - 1], &slot);
		n++;
	}
	while (n--) {
		uint64_t b = path[n], bit = UINT64_C(1) << (b % 64);
		if (atomic_load_explicit(&t->seen[b / 64], memory_order_relaxed) & bit)
			continue;
		if ((r = slu_tree_check_block(t, b)) < 0)
			return r;
		atomic_fetch_or_explicit(&t->seen[b / 64], bit, memory_order_relaxed);
	}
	return 0;
}

int slu_tree_first_touch(struct slu_tree *t, uint64_t first, uint64_t last)
{
	for (uint64_t b = first; b <= last; b++) {
		int r = touch_path(t, b);
		if (r < 0)
			return r;
	}
	return 0;
}
