/* SPDX-License-Identifier: MIT */
/* A pack's contents, gathered from its shards alone. */
#ifndef SLU_PACK_REBUILD_H
#define SLU_PACK_REBUILD_H

#include "pack/contents.h"

/*
 * Reads the headers and catalogs of all shards in the directory @dirfd (@path, for messages)
 * and checks that they make one sound pack. *@ret_shard is the shard that was looked at last,
 * also on failure. -ENOENT a shard is missing; -EBADMSG, -EILSEQ damaged
 */
SLU_MUST_USE int slu_gather_shards(int dirfd, const char *path, struct slu_contents *c, uint8_t ret_identity[16],
                                   uint32_t *ret_shard);

#endif
