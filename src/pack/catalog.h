/* SPDX-License-Identifier: MIT */
/*
 * A shard's catalog: all that the index says of the shard's samples, compressed, so that
 * a lost index can be rebuilt from the shards alone. docs/format.md, section 5.
 */
#ifndef SLU_PACK_CATALOG_H
#define SLU_PACK_CATALOG_H

#include "pack/contents.h"

/* The catalog of a shard, compressed; fills in the shard's catalog_hash and catalog_raw. */
SLU_MUST_USE int slu_catalog_build(struct slu_contents *c, uint32_t shard, struct slu_buf *ret_catalog);

/* A shard header, read from bytes that nobody trusts. */
struct slu_shard_head {
	uint8_t identity[16];
	uint32_t shard, shards;
	uint64_t file_bytes, first, samples, data_end, catalog, catalog_bytes, catalog_raw, catalog_hash;
};

/* @file_bytes is the file's real size. -EBADMSG, -EILSEQ, -EPROTONOSUPPORT; @what names the file. */
SLU_MUST_USE int slu_shard_head_parse(const uint8_t block[SLU_BLOCK], uint64_t file_bytes, const char *what,
                                      struct slu_shard_head *ret_head);

/* The catalog of a shard, decoded and checked against the header. */
SLU_MUST_USE int slu_catalog_decode(const struct slu_shard_head *h, const uint8_t *stored, const char *what,
                                    struct slu_buf *ret_catalog);

/*
 * Adds what a decoded catalog says to the contents gathered from the shards before it,
 * which come in order. -EBADMSG. After the last, slu_listing_check() must still agree.
 */
SLU_MUST_USE int slu_catalog_gather(struct slu_contents *c, const struct slu_shard_head *h, const uint8_t *catalog,
                                    size_t len);

#endif
