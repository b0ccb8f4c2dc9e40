/* SPDX-License-Identifier: MIT */
/*
 * Bytes as an index, over a fixed shard: header and data blocks come from the input, the
 * tree and all checksums are made. Then everything is asked of the pack, and it is
 * verified.
 */
#include "walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t buf[INPUT_LIMIT + 16 * BLOCK], *shard;
	static size_t shard_len;
	struct slu_pack_options opt = { .io = size % 2 ? SLU_IO_PREAD : SLU_IO_MMAP };
	struct slu_check_options check = { .threads = 1 };
	struct slu_check_result res;
	struct slu_pack *p = NULL;
	uint8_t identity[16];

	if (!shard)
		shard = fix_load("shard-00000", &shard_len);
	size_t len = fix_index(buf, data, size, identity);
	if (!len)
		return -1;
	fix_write("index", buf, len);
	fix_header(shard, "\x89SLS\r\n\x1a\n", identity, shard_len);
	fix_write("shard-00000", shard, shard_len);
	if (slu_pack_open(fix_pack(), &opt, &p) == 0)
		walk(p);
	slu_pack_close(p);
	(void)!slu_pack_verify(fix_pack(), &check, &res);
	return 0;
}
