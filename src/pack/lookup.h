/* SPDX-License-Identifier: MIT */
/*
 * The table from (directory, name) to node: buckets of a cache line, each with 16 slots
 * of a fingerprint and a node number. docs/format.md, "Lookup".
 */
#ifndef SLU_PACK_LOOKUP_H
#define SLU_PACK_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/le.h"
#include "pack/layout.h"

struct slu_lookup {
	uint64_t buckets;
	unsigned node_bits;
};

static inline struct slu_lookup slu_lookup_shape(uint64_t nodes)
{
	uint64_t buckets = (nodes - 1 + SLU_BUCKET_FILL - 1) / SLU_BUCKET_FILL;

	return (struct slu_lookup){ buckets ? buckets : 1, 64 - (unsigned)__builtin_clzll(nodes) };
}

static inline uint64_t slu_lookup_hash(uint32_t dir, const char *name, size_t len)
{
	return slu_hash64_seed(name, len, dir);
}

static inline uint64_t slu_lookup_home(const struct slu_lookup *t, uint64_t hash)
{
	return (uint64_t)((unsigned __int128)hash * t->buckets >> 64);
}

/* The fingerprint in its place; the node's number plus 1 goes below it. */
static inline uint32_t slu_lookup_print(const struct slu_lookup *t, uint64_t hash)
{
	return t->node_bits >= 32 ? 0 : (uint32_t)hash << t->node_bits;
}

/* Inserts into a table of zeroed buckets; nodes come in the order of their numbers. */
static inline void slu_lookup_insert(const struct slu_lookup *t, uint8_t *table, uint64_t hash, uint64_t node)
{
	uint32_t value = slu_lookup_print(t, hash) | (uint32_t)(node + 1);

	for (uint64_t b = slu_lookup_home(t, hash);; b = b + 1 == t->buckets ? 0 : b + 1)
		for (unsigned s = 0; s < SLU_BUCKET_SLOTS; s++) {
			uint8_t *slot = table + b * SLU_BUCKET + s * 4;
			if (slu_get32(slot) == 0) {
				slu_put32(slot, value);
				return;
			}
		}
}

#endif
