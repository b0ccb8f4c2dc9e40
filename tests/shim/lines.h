/* SPDX-License-Identifier: MIT */
/*
 * Files whose bytes tell which file they are of and where they were: lines of 16 bytes, "FFF NNNNNNNNNNN\n", file and
 * line number. pack_lines (lines.sh) makes them. What is here may be called in signal handlers.
 */
#ifndef LINES_H
#define LINES_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum {
	LINE = 16,          /* bytes */
	LONG_FILES = 8,     /* lines/000 ... */
	LONG_LINES = 20000, /* in each of them */
	LONGER_FILES = 2,   /* longer/000, longer/001 */
	LONGER_LINES = 100000,
	SMALL_FILES = 100, /* small/000 ... */
	SMALL_LINES = 10,
	ENTRIES = 1000, /* entries/0000 ... */
};

static inline void put_number(char *at, int digits, long n)
{
	while (digits-- > 0) {
		at[digits] = (char)('0' + n % 10);
		n /= 10;
	}
}

static inline void line_make(char line[LINE], int file, long number)
{
	put_number(line, 3, file);
	line[3] = ' ';
	put_number(line + 4, 11, number);
	line[15] = '\n';
}

/* The @n bytes at @b are those of @file from offset @at on. */
static inline bool are_of(const char *b, size_t n, int file, off_t at)
{
	char line[LINE];
	for (size_t i = 0; i < n; i++, at++) {
		if (i == 0 || at % LINE == 0)
			line_make(line, file, at / LINE);
		if (b[i] != line[at % LINE])
			return false;
	}
	return true;
}

/* Opens "POINT/KIND/NNN". */
static inline int open_lines(const char *point, const char *kind, int file, int flags)
{
	char path[1000];
	size_t n = strlen(point), k = strlen(kind);
	memcpy(path, point, n);
	path[n] = '/';
	memcpy(path + n + 1, kind, k);
	path[n + 1 + k] = '/';
	put_number(path + n + 2 + k, 3, file);
	path[n + 5 + k] = '\0';
	return open(path, O_RDONLY | flags);
}

/* Descriptor @fd, whose position is @at, gives the next line of @file. */
static inline bool reads_line(int fd, int file, off_t at)
{
	char b[LINE];
	return read(fd, b, LINE) == LINE && are_of(b, LINE, file, at);
}

static inline bool preads_line(int fd, int file, off_t at)
{
	char b[LINE];
	return pread(fd, b, LINE, at) == LINE && are_of(b, LINE, file, at);
}

static inline double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif
