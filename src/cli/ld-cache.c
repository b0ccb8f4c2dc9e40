/* SPDX-License-Identifier: MIT */
/*
 * /etc/ld.so.cache: which libraries are in the system's directories. The form that glibc has written since 2.2 (and
 * alone since 2.32); an older one in front of it is skipped.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/macros.h"
#include "cli/libs.h"

static const char old_magic[] = "ld.so-1.7.0", new_magic[] = "glibc-ld.so.cache1.1";

enum { HEADER = 48, ENTRY = 24, OLD_HEADER = 16, OLD_ENTRY = 12, MAX_CACHE = 64 << 20 };

static uint32_t number(const struct slu_buf *b, size_t at)
{
	uint32_t v;

	memcpy(&v, b->data + at, sizeof(v)); /* the machine's own order */
	return v;
}

/* Takes @n bytes off the front. */
static void drop(struct slu_buf *b, size_t n)
{
	n = slu_min(n, b->len);
	memmove(b->data, b->data + n, b->len - n);
	b->len -= n;
}

int slu_ld_cache_read(const char *path, struct slu_buf *cache)
{
	SLU_AUTO(fd) int fd = slu_openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0);
	struct stat st;
	uint8_t *to;
	ssize_t n;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > MAX_CACHE)
		return 0;
	r = slu_buf_grow(cache, (size_t)st.st_size, &to);
	if (r < 0)
		return r;
	n = slu_pread(fd, to, (size_t)st.st_size, 0);
	cache->len = n < 0 ? 0 : (size_t)n;
	if (cache->len > OLD_HEADER && memcmp(cache->data, old_magic, sizeof(old_magic) - 1) == 0)
		drop(cache, slu_up(OLD_HEADER + (uint64_t)number(cache, 12) * OLD_ENTRY, 8));
	if (cache->len < HEADER || memcmp(cache->data, new_magic, sizeof(new_magic) - 1) != 0)
		cache->len = 0;
	return slu_buf_add(cache, "", 1); /* so that the last string has an end */
}

static const char *string(const struct slu_buf *cache, uint32_t at)
{
	return at < cache->len ? (const char *)cache->data + at : "";
}

const char *slu_ld_cache_next(const struct slu_buf *cache, const char *name, size_t *at)
{
	size_t count = cache->len > HEADER ? number(cache, 20) : 0;

	count = slu_min(count, cache->len > HEADER ? (cache->len - HEADER) / ENTRY : 0);
	while (*at < count) {
		size_t entry = HEADER + (*at)++ * ENTRY;

		if (strcmp(string(cache, number(cache, entry + 4)), name) == 0)
			return string(cache, number(cache, entry + 8));
	}
	return NULL;
}
