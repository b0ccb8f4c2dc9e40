/* SPDX-License-Identifier: MIT */
/*
 * What the fuzz targets share: a pack in a private directory in memory, and checksums made
 * right. Checksums would stop a fuzzer at the door; so inputs come without them, and the
 * targets compute them by docs/format.md, so that mutations reach the logic behind.
 */
#ifndef FIX_H
#define FIX_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { BLOCK = 4096, FAN = BLOCK / 8, INPUT_LIMIT = 1 << 18 };
/* Of the headers, inputs hold only the part that is not zero. */
enum { INDEX_HEAD = 640, SHARD_HEAD = 128 };

static char fix_dir[64];

static inline void fix_remove(void)
{
	char path[128];
	const char *names[] = { "index", "shard-00000" };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", fix_dir, names[i]);
		unlink(path);
	}
	rmdir(fix_dir);
}

/* The pack's directory, made at the first call. */
static inline const char *fix_pack(void)
{
	if (fix_dir[0])
		return fix_dir;
	snprintf(fix_dir, sizeof(fix_dir), "/dev/shm/sluice-fuzz-XXXXXX");
	if (!mkdtemp(fix_dir)) {
		snprintf(fix_dir, sizeof(fix_dir), "/tmp/sluice-fuzz-XXXXXX");
		if (!mkdtemp(fix_dir))
			abort();
	}
	atexit(fix_remove);
	return fix_dir;
}

static inline void fix_write(const char *name, const uint8_t *data, size_t len)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", fix_pack(), name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	close(fd);
}

static inline void fix_put(uint8_t *p, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static inline uint64_t fix_get(const uint8_t *p, int bytes)
{
	uint64_t v = 0;
	for (int i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

static inline void fix_header(uint8_t *h, const char *magic, const uint8_t identity[16], uint64_t size)
{
	memcpy(h, magic, 8);
	fix_put(h + 8, 1, 2);
	fix_put(h + 12, BLOCK, 4);
	memcpy(h + 32, identity, 16);
	fix_put(h + 48, size, 8);
	fix_put(h + 4088, XXH3_64bits(h, 4088), 8);
}

/* One level of the tree over @n blocks at @below, written to @out; its number of blocks. */
static inline size_t fix_level(const uint8_t *below, size_t n, uint8_t *out)
{
	size_t blocks = (n + FAN - 1) / FAN;
	memset(out, 0, blocks * BLOCK);
	for (size_t i = 0; i < n; i++)
		fix_put(out + 8 * i, XXH3_64bits(below + i * BLOCK, BLOCK), 8);
	return blocks;
}

/*
 * Makes a whole index at @buf, which has room for INPUT_LIMIT + 16 blocks, of the parts in
 * @in: INDEX_HEAD bytes of header, then the data blocks. The tree is appended; identity,
 * D, sizes and checksums are set. The file's length; 0 if there is too little.
 */
static inline size_t fix_index(uint8_t *buf, const uint8_t *in, size_t len, uint8_t ret_identity[16])
{
	XXH128_canonical_t id;

	if (len <= INDEX_HEAD || len > INPUT_LIMIT)
		return 0;
	size_t blocks = 1 + (len - INDEX_HEAD + BLOCK - 1) / BLOCK, at = blocks, n;
	memset(buf, 0, blocks * BLOCK);
	memcpy(buf, in, INDEX_HEAD);
	memcpy(buf + BLOCK, in + INDEX_HEAD, len - INDEX_HEAD);
	XXH128_canonicalFromHash(&id, XXH3_128bits(buf + BLOCK, (blocks - 1) * BLOCK));
	memcpy(ret_identity, id.digest, 16);
	n = fix_level(buf + BLOCK, blocks - 1, buf + at * BLOCK);
	while (n > 1) {
		size_t above = fix_level(buf + at * BLOCK, n, buf + (at + n) * BLOCK);
		at += n;
		n = above;
	}
	fix_put(buf + 56, blocks, 8);
	fix_put(buf + 64, XXH3_64bits(buf + at * BLOCK, BLOCK), 8);
	fix_header(buf, "\x89SLU\r\n\x1a\n", id.digest, (at + n) * BLOCK);
	return (at + n) * BLOCK;
}

/* A file of the seeds' directory, given by FUZZ_FIXED; to be kept for ever. */
static inline uint8_t *fix_load(const char *name, size_t *ret_len)
{
	const char *dir = getenv("FUZZ_FIXED");
	char path[512];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : "fixed", name);
	int fd = open(path, O_RDONLY);
	uint8_t *data = fd < 0 || fstat(fd, &st) < 0 ? NULL : malloc((size_t)st.st_size);
	if (!data || read(fd, data, (size_t)st.st_size) != st.st_size) {
		fprintf(stderr, "cannot read %s: set FUZZ_FIXED to tests/fuzz/fixed\n", path);
		exit(2);
	}
	close(fd);
	*ret_len = (size_t)st.st_size;
	return data;
}

#endif
