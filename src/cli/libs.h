/* SPDX-License-Identifier: MIT */
/*
 * The shared libraries that a program needs, found as the dynamic linker finds them, but without running anything:
 * a file under suspicion is only read.
 */
#ifndef SLU_CLI_LIBS_H
#define SLU_CLI_LIBS_H

#include <limits.h>

#include "cli/elf.h"

struct slu_object {
	char *name; /* as it was asked for */
	char *path;
	struct slu_elf elf;
};

struct slu_missing {
	char *name;
	char *by; /* who needs it */
};

/* Owns all of it; all zero is an empty one. */
struct slu_libs {
	struct slu_buf objects; /* of struct slu_object: the program first */
	struct slu_buf missing; /* of struct slu_missing */
	struct slu_buf cache;   /* /etc/ld.so.cache */
};

/*
 * The program @path, which has been read into *@elf (taken over), and all libraries that it needs, those of
 * the C library itself left out. A library that is not found, or damaged, is put among the missing.
 */
SLU_MUST_USE int slu_libs_open(struct slu_libs *l, const char *path, struct slu_elf *elf);
void slu_libs_done(struct slu_libs *l);

size_t slu_libs_count(const struct slu_libs *l);
struct slu_object *slu_libs_get(const struct slu_libs *l, size_t i);
size_t slu_libs_missing_count(const struct slu_libs *l);
struct slu_missing *slu_libs_missing(const struct slu_libs *l, size_t i);

/* ---- ld-cache.c ---- */

/* The next library called @name in the cache, from entry *@at on: its path, or NULL. Moves *@at behind it. */
const char *slu_ld_cache_next(const struct slu_buf *cache, const char *name, size_t *at);

/* Reads it; an empty one where there is none, or not of a form that is known. */
SLU_MUST_USE int slu_ld_cache_read(const char *path, struct slu_buf *cache);

#endif
