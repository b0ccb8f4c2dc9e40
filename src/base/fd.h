/* SPDX-License-Identifier: MIT */
/*
 * Whole reads and writes on descriptors, and syncing of names.
 *
 * Short transfers and EINTR are dealt with here, once. Functions that take @what use
 * it in their sentence: it is the file's name as the user knows it.
 */
#ifndef SLU_BASE_FD_H
#define SLU_BASE_FD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Reads until @n bytes or the end of the file: the count, or a negative errno. */
SLU_MUST_USE ssize_t slu_pread(int fd, void *buf, size_t n, uint64_t offset);

/* Writes all of it. */
SLU_MUST_USE int slu_pwrite(int fd, const void *buf, size_t n, uint64_t offset, const char *what);

/* Makes the file's contents durable. */
SLU_MUST_USE int slu_sync(int fd, const char *what);

/* openat() with O_CLOEXEC, EINTR dealt with; no sentence. */
SLU_MUST_USE int slu_openat(int dirfd, const char *name, int flags, mode_t mode);

#endif
