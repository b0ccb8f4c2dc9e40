/* SPDX-License-Identifier: MIT */
/*
 * All that a pack holds but the stored bytes themselves: what the writer has gathered
 * when the last sample is written, and what the catalogs of all shards say together.
 * The index and the catalogs are pure functions of it.
 */
#ifndef SLU_PACK_CONTENTS_H
#define SLU_PACK_CONTENTS_H

#include <stdint.h>

#include "base/buf.h"
#include "pack/layout.h"
#include "source/listing.h"

/* How a sample is stored. */
struct slu_stored {
	uint64_t hash;
	uint64_t stored; /* bytes */
	uint8_t code;
};

/* A column beside attr and mtime, which are in the listing. */
struct slu_values {
	char name[SLU_COLUMN_NAME];
	int64_t *values;
};

struct slu_shard {
	uint64_t first; /* sample */
	uint64_t data_end;
	uint64_t file_bytes;
	uint64_t catalog_hash;
	uint64_t catalog_raw; /* not in the index */
};

enum { SLU_MAX_COLUMNS = 16 };

struct slu_contents {
	struct slu_listing l;
	struct slu_stored *stored;                  /* one a sample */
	struct slu_values columns[SLU_MAX_COLUMNS]; /* by name, owned */
	unsigned ncolumns;
	struct slu_shard *shards; /* at least one */
	uint32_t nshards;
	uint64_t claimed[3]; /* when gathered: the totals that the catalogs claim */
	/* Sections taken over as they are; empty: absent. */
	struct slu_buf dicts, label_names, schema, notes;
};

void slu_contents_done(struct slu_contents *c);
#define slu_cleanup_contents slu_contents_done

/* The sample after the shard's last. */
static inline uint64_t slu_shard_last(const struct slu_contents *c, uint32_t shard)
{
	return shard + 1 < c->nshards ? c->shards[shard + 1].first : c->l.nsamples;
}

/* Where in its shard each sample goes; samples are laid in order, from 0 on. All zero but
 * @at, which slu_cursor_init() sets, is the beginning. */
struct slu_cursor {
	uint32_t shard;
	uint64_t at; /* the end of what is laid in this shard */
	int aligned; /* whether the last one stands alone in its pages */
};

static inline void slu_cursor_init(struct slu_cursor *cur)
{
	*cur = (struct slu_cursor){ .at = SLU_BLOCK };
}

/* Lays sample @i, which is the next, and gives where it starts. */
static inline uint64_t slu_cursor_lay(struct slu_cursor *cur, const struct slu_contents *c, uint64_t i)
{
	int aligned = slu_is_aligned(c->stored[i].code, c->l.samples[i].size);
	uint64_t start;

	while (i == slu_shard_last(c, cur->shard))
		*cur = (struct slu_cursor){ .shard = cur->shard + 1, .at = SLU_BLOCK };
	start = slu_sample_start(cur->at, cur->aligned, aligned);
	cur->at = start + c->stored[i].stored;
	cur->aligned = aligned;
	return start;
}

/* Takes over @values (freed with the contents). Columns are kept by name. */
SLU_MUST_USE int slu_contents_add_column(struct slu_contents *c, const char *name, int64_t *values);

/* Calls for every column in the order of names, attr and mtime among them. @scratch has
 * room for one value a sample. */
typedef int slu_column_fn(void *arg, const char name[SLU_COLUMN_NAME], const int64_t *values);
SLU_MUST_USE int slu_contents_each_column(const struct slu_contents *c, uint64_t first, uint64_t n, int64_t *scratch,
                                          slu_column_fn *fn, void *arg);

/* The whole index file and the identity that is in it. */
SLU_MUST_USE int slu_index_build(const struct slu_contents *c, struct slu_buf *ret_file, uint8_t ret_identity[16]);

/* The same in two steps: all that does not need the shards' catalogs, then the rest. */
SLU_MUST_USE int slu_index_begin(const struct slu_contents *c, struct slu_buf *ret_file);
SLU_MUST_USE int slu_index_end(const struct slu_contents *c, struct slu_buf *file, uint8_t ret_identity[16]);

/* A shard's first block. */
void slu_shard_header(const struct slu_contents *c, uint32_t shard, const uint8_t identity[16],
                      uint8_t block[SLU_BLOCK]);

#endif
