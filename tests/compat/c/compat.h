/* SPDX-License-Identifier: MIT */
/*
 * What the case programs share. A case is a program that is given the mount point as its
 * first argument, makes one family of calls below it and prints every result: what it
 * prints on the plain directory is what it must print on the pack.
 *
 * Never printed, as a pack may differ there (cases.py says why): st_dev, st_ino, st_blocks,
 * access and change times, size and link count of directories, the order of entries.
 * Printed on purpose: descriptor numbers (the lowest free one), errno names, offsets.
 *
 * COMPAT_PLAIN builds call the names without 64 and without _chk.
 */
#ifndef COMPAT_H
#define COMPAT_H

#ifdef COMPAT_PLAIN
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#endif
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BIG = 3 * 1024 * 1024 + 123, RAW = 70 * 1024, TEXT = 300 * 1024 }; /* sizes that maketree.py gives */

static const char *point; /* the mount point, or the plain directory */
static char buf[4 << 20];
static int failures __attribute__((unused));

/* Prints a call's text and its result, with the name of the error where it is -1. */
#define R(x)                                                                                                           \
	({                                                                                                             \
		errno = 0;                                                                                             \
		long long r_ = (long long)(x);                                                                         \
		show(#x, r_, errno);                                                                                   \
		r_;                                                                                                    \
	})
/* Likewise for a pointer: only whether it is null. */
#define RP(x)                                                                                                          \
	({                                                                                                             \
		errno = 0;                                                                                             \
		__typeof__(x) p_ = (x);                                                                                \
		int e_ = errno;                                                                                        \
		printf("%s = %s%s%s\n", #x, p_ ? "something" : "NULL", p_ ? "" : " ", p_ ? "" : ename(e_));            \
		p_;                                                                                                    \
	})
/* A condition that holds on any file system. */
#define MUST(x)                                                                                                        \
	do {                                                                                                           \
		if (!(x)) {                                                                                            \
			printf("NOT TRUE at line %d: %s\n", __LINE__, #x);                                             \
			failures++;                                                                                    \
		}                                                                                                      \
	} while (0)

static inline const char *ename(int e)
{
	const char *s = e ? strerrorname_np(e) : "no error";
	return s ? s : "an unknown error";
}

static inline void show(const char *what, long long r, int e)
{
	if (r == -1)
		printf("%s = -1 %s\n", what, ename(e));
	else
		printf("%s = %lld\n", what, r);
}

/* A path below the point, in one of a few buffers that take turns. */
static inline char *P(const char *rel)
{
	static char b[16][PATH_MAX];
	static unsigned turn;
	char *p = b[turn++ % 16];
	snprintf(p, PATH_MAX, "%s%s%s", point, *rel && *rel != '/' ? "/" : "", rel);
	return p;
}

static inline uint64_t hash(const void *data, size_t n)
{
	const unsigned char *p = data;
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	return h;
}

static inline void bytes(const char *what, const void *data, long long n)
{
	if (n < 0)
		printf("%s: %lld bytes\n", what, n);
	else
		printf("%s: %lld bytes, hash %016llx\n", what, n, (unsigned long long)hash(data, (size_t)n));
}

static inline void stat_line(const char *what, const struct stat *st)
{
	printf("%s: mode %o uid %u gid %u", what, (unsigned)st->st_mode, (unsigned)st->st_uid, (unsigned)st->st_gid);
	if (!S_ISDIR(st->st_mode))
		printf(" size %lld links %u", (long long)st->st_size, (unsigned)st->st_nlink);
	printf(" rdev %u mtime %lld.%09ld\n", (unsigned)st->st_rdev, (long long)st->st_mtim.tv_sec,
	       (long)st->st_mtim.tv_nsec);
	MUST(st->st_ino != 0);
	MUST(st->st_nlink != 0);
	MUST(st->st_blksize > 0);
}

/* The whole of a descriptor from its offset on, by read(). */
static inline void drain(const char *what, int fd)
{
	uint64_t h = 0xcbf29ce484222325u;
	long long n = 0;
	ssize_t got;
	static char part[65536];
	while ((got = read(fd, part, sizeof(part))) > 0) {
		for (ssize_t i = 0; i < got; i++)
			h = (h ^ (unsigned char)part[i]) * 0x100000001b3u;
		n += got;
	}
	printf("%s: %lld bytes to the end, hash %016llx%s%s\n", what, n, (unsigned long long)h, got < 0 ? " " : "",
	       got < 0 ? ename(errno) : "");
}

static inline int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lines that come in an order that is nobody's promise: collected, then printed sorted. */
static char *lines[4096];
static size_t nlines;

__attribute__((format(printf, 1, 2))) static inline void line(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (nlines == sizeof(lines) / sizeof(lines[0]) || vasprintf(&lines[nlines++], fmt, ap) < 0)
		abort();
	va_end(ap);
}

static inline void print_lines(const char *what)
{
	qsort(lines, nlines, sizeof(lines[0]), by_name);
	printf("%s: %zu\n", what, nlines);
	for (size_t i = 0; i < nlines; i++) {
		printf("  %s\n", lines[i]);
		free(lines[i]);
	}
	nlines = 0;
}

static inline void forget_lines(void)
{
	while (nlines)
		free(lines[--nlines]);
}

/* Waits for a child and prints how it ended. */
static inline int ended(const char *what, pid_t pid)
{
	int status = 0;
	fflush(stdout);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		printf("%s: no child\n", what);
	else if (WIFSIGNALED(status))
		printf("%s: killed by signal %d\n", what, WTERMSIG(status));
	else
		printf("%s: exit %d\n", what, WEXITSTATUS(status));
	return status;
}

static void run(void);

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: %s POINT\n", argv[0]);
		return 2;
	}
	point = argv[1];
	setvbuf(stdout, NULL, _IOLBF, 0);
	run();
	fflush(stdout);
	return failures ? 1 : 0;
}

#endif
