/* SPDX-License-Identifier: MIT */
/*
 * Bytes as a shard: its header, u32 length of the body, the body, and the catalog not yet
 * compressed. The catalog is compressed here and all checksums are made, those in the
 * fixed index too. Then the pack is verified, read, and its index rebuilt.
 */
#include <zstd.h>

#include "walk.h"

enum { SHARD_ROW = INDEX_HEAD }; /* in the parts of an index: section 1 is the first */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The shard of the input at @out; its length. */
static size_t build_shard(const uint8_t *data, size_t size, uint8_t *out, size_t room)
{
	if (size < SHARD_HEAD + 4)
		return 0;
	size_t rest = size - SHARD_HEAD - 4, body = (size_t)fix_get(data + SHARD_HEAD, 4) % (rest + 1);
	const uint8_t *catalog = data + SHARD_HEAD + 4 + body;
	size_t plain = rest - body, end = BLOCK + body, at = (end + BLOCK - 1) / BLOCK * BLOCK;

	memset(out, 0, BLOCK);
	memcpy(out, data, SHARD_HEAD);
	memcpy(out + BLOCK, data + SHARD_HEAD + 4, body);
	memset(out + end, 0, at - end);
	size_t stored = ZSTD_compress(out + at, room - at, catalog, plain, 1);
	if (ZSTD_isError(stored))
		return 0;
	/* What an input says of these is kept now and then: size mod 8 decides. */
	if (size % 8) {
		fix_put(out + 80, end, 8);
		fix_put(out + 88, at, 8);
		fix_put(out + 96, stored, 8);
		fix_put(out + 104, plain, 8);
		fix_put(out + 112, XXH3_64bits(out + at, stored), 8);
	}
	return at + stored;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t shard[2 * INPUT_LIMIT + 16 * BLOCK], index[INPUT_LIMIT + 16 * BLOCK], *fixed;
	static size_t fixed_len;
	struct slu_check_options check = { .threads = 1 };
	struct slu_check_result res;
	struct slu_pack *p = NULL;
	uint8_t identity[16];

	if (!fixed)
		fixed = fix_load("index-parts", &fixed_len);
	size_t len = size > INPUT_LIMIT ? 0 : build_shard(data, size, shard, sizeof(shard));
	if (!len)
		return -1;
	fix_put(fixed + SHARD_ROW + 8, fix_get(shard + 80, 8), 8);
	fix_put(fixed + SHARD_ROW + 16, len, 8);
	fix_put(fixed + SHARD_ROW + 24, fix_get(shard + 112, 8), 8);
	size_t index_len = fix_index(index, fixed, fixed_len, identity);
	fix_header(shard, "\x89SLS\r\n\x1a\n", identity, len);
	fix_write("shard-00000", shard, len);
	fix_write("index", index, index_len);
	(void)!slu_pack_verify(fix_pack(), &check, &res);
	if (slu_pack_open(fix_pack(), NULL, &p) == 0)
		walk(p);
	slu_pack_close(p);
	if (slu_pack_rebuild_index(fix_pack()) == 0) {
		/* What was rebuilt is a pack that can be opened, and sound in its index. */
		must(slu_pack_open(fix_pack(), NULL, &p) == 0);
		walk(p);
		slu_pack_close(p);
	}
	return 0;
}
