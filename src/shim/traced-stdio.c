/* SPDX-License-Identifier: MIT */
/*
 * Recorded: streams, as the program uses them. What libc reads and writes for them underneath is not seen, and is
 * another number: a program that asks for 1,000 lines has made 1,000 calls, whatever the buffer.
 *
 * Calls for single characters take less time than a look at the clock: they are counted without one. getc_unlocked()
 * and putc_unlocked() are mostly not calls at all.
 */
/* Else the header defines some of the names itself. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "shim/traced.h"

/* Macros of the header that would stand in for their names. */
#undef fread_unlocked
#undef fwrite_unlocked
#undef fputs_unlocked
#undef fgets_unlocked
#undef getc
#undef putc

/* The descriptor of a stream; -1: it has none, and is not recorded. */
static int fd_of(FILE *f)
{
	int saved = errno, fd = fileno(f);

	errno = saved;
	return fd;
}

static inline bool recording(void)
{
	return SLU_UNLIKELY(atomic_load_explicit(&slu_shim.rec.on, memory_order_relaxed)) && !slu_in_vfork;
}

static void transferred(uint64_t begin, enum slu_call call, FILE *f, ssize_t n)
{
	int fd;

	if (SLU_UNLIKELY(begin) && (fd = fd_of(f)) >= 0)
		slu_traced_io(begin, call, fd, n, SLU_AT_POSITION);
}

/* ---- opening and closing
 * --------------------------------------------------------------------------------------------- */

SHIM FILE *fopen(const char *path, const char *mode)
{
	uint64_t begin = slu_traced_begin();
	FILE *f = slu_view_fopen(path, mode);

	if (SLU_UNLIKELY(begin))
		slu_traced_opened(begin, SLU_CALL_FOPEN, AT_FDCWD, path, f ? fd_of(f) : -1,
		                  mode[0] == 'r' ? 0 : SLU_FILE_CREATED);
	return f;
}
SHIM_ALIAS(fopen64, fopen);
SHIM_ALIAS(_IO_fopen, fopen);

SHIM FILE *fdopen(int fd, const char *mode)
{
	uint64_t begin = slu_traced_begin();
	FILE *f = slu_view_fdopen(fd, mode);

	slu_traced_fd(begin, SLU_CALL_FOPEN, fd, !f);
	return f;
}
SHIM_ALIAS(_IO_fdopen, fdopen);

SHIM FILE *freopen(const char *path, const char *mode, FILE *f)
{
	uint64_t begin = slu_traced_begin();
	FILE *r;

	if (SLU_UNLIKELY(begin) && f && path && fd_of(f) >= 0)
		(void)slu_traced_closing(begin, fd_of(f));
	r = slu_view_freopen(path, mode, f);
	if (SLU_UNLIKELY(begin) && path)
		slu_traced_opened(begin, SLU_CALL_FOPEN, AT_FDCWD, path, r ? fd_of(r) : -1,
		                  mode[0] == 'r' ? 0 : SLU_FILE_CREATED);
	return r;
}
SHIM_ALIAS(freopen64, freopen);

SHIM int fclose(FILE *f)
{
	uint64_t begin = slu_traced_begin();
	int fd = SLU_UNLIKELY(begin) && f ? fd_of(f) : -1, r;
	slu_ref file = fd >= 0 ? slu_traced_closing(begin, fd) : 0;

	r = slu_view_fclose(f);
	if (fd >= 0)
		slu_traced_closed(begin, SLU_CALL_FCLOSE, file, r < 0);
	return r;
}
SHIM_ALIAS(_IO_fclose, fclose);

/* ---- blocks
 * ---------------------------------------------------------------------------------------------------------- */

#define BLOCKS(name, call, params, args, size, f)                                                                      \
	SHIM size_t name params                                                                                        \
	{                                                                                                              \
		uint64_t begin = slu_traced_begin();                                                                   \
		size_t r = NEXT(name) args;                                                                            \
		transferred(begin, SLU_CALL_##call, f, (ssize_t)(r * size));                                           \
		return r;                                                                                              \
	}

size_t __fread_chk(void *buf, size_t room, size_t size, size_t n, FILE *f);
size_t __fread_unlocked_chk(void *buf, size_t room, size_t size, size_t n, FILE *f);

BLOCKS(fread, FREAD, (void *buf, size_t size, size_t n, FILE *f), (buf, size, n, f), size, f)
SHIM_ALIAS(_IO_fread, fread);
BLOCKS(fread_unlocked, FREAD, (void *buf, size_t size, size_t n, FILE *f), (buf, size, n, f), size, f)
BLOCKS(__fread_chk, FREAD, (void *buf, size_t room, size_t size, size_t n, FILE *f), (buf, room, size, n, f), size, f)
BLOCKS(__fread_unlocked_chk, FREAD, (void *buf, size_t room, size_t size, size_t n, FILE *f), (buf, room, size, n, f),
       size, f)
BLOCKS(fwrite, FWRITE, (const void *buf, size_t size, size_t n, FILE *f), (buf, size, n, f), size, f)
SHIM_ALIAS(_IO_fwrite, fwrite);
BLOCKS(fwrite_unlocked, FWRITE, (const void *buf, size_t size, size_t n, FILE *f), (buf, size, n, f), size, f)

/* ---- lines
 * ----------------------------------------------------------------------------------------------------------- */

/* fgets() may read zeros too: what it read is at least this. */
#define LINE(name, params, args)                                                                                       \
	SHIM char *name params                                                                                         \
	{                                                                                                              \
		uint64_t begin = slu_traced_begin();                                                                   \
		char *r = NEXT(name) args;                                                                             \
		transferred(begin, SLU_CALL_FGETS, f, r ? (ssize_t)strlen(r) : 0);                                     \
		return r;                                                                                              \
	}

char *__fgets_chk(char *buf, size_t room, int n, FILE *f);
char *__fgets_unlocked_chk(char *buf, size_t room, int n, FILE *f);

LINE(fgets, (char *buf, int n, FILE *f), (buf, n, f))
LINE(fgets_unlocked, (char *buf, int n, FILE *f), (buf, n, f))
LINE(__fgets_chk, (char *buf, size_t room, int n, FILE *f), (buf, room, n, f))
LINE(__fgets_unlocked_chk, (char *buf, size_t room, int n, FILE *f), (buf, room, n, f))

SHIM ssize_t getdelim(char **line, size_t *room, int end, FILE *f)
{
	uint64_t begin = slu_traced_begin();
	ssize_t n = NEXT(getdelim)(line, room, end, f);

	transferred(begin, SLU_CALL_FGETS, f, n < 0 ? 0 : n);
	return n;
}
SHIM_ALIAS(__getdelim, getdelim);

SHIM ssize_t getline(char **line, size_t *room, FILE *f)
{
	return getdelim(line, room, '\n', f);
}

#define TEXT(name, params, args, f, n)                                                                                 \
	SHIM int name params                                                                                           \
	{                                                                                                              \
		uint64_t begin = slu_traced_begin();                                                                   \
		int r = NEXT(name) args;                                                                               \
		transferred(begin, SLU_CALL_FPUTS, f, r < 0 ? -1 : (ssize_t)(n));                                      \
		return r;                                                                                              \
	}

TEXT(fputs, (const char *s, FILE *f), (s, f), f, strlen(s))
TEXT(fputs_unlocked, (const char *s, FILE *f), (s, f), f, strlen(s))
TEXT(puts, (const char *s), (s), stdout, strlen(s) + 1)

/* ---- characters
 * ------------------------------------------------------------------------------------------------------ */

#define CHARACTER(name, call, params, args, f)                                                                         \
	SHIM int name params                                                                                           \
	{                                                                                                              \
		int r = NEXT(name) args;                                                                               \
		if (recording())                                                                                       \
			transferred(SLU_UNTIMED, SLU_CALL_##call, f, r != EOF);                                        \
		return r;                                                                                              \
	}

int _IO_getc(FILE *f);
int _IO_putc(int c, FILE *f);

CHARACTER(fgetc, FGETS, (FILE * f), (f), f)
CHARACTER(getc, FGETS, (FILE * f), (f), f)
CHARACTER(_IO_getc, FGETS, (FILE * f), (f), f)
CHARACTER(getchar, FGETS, (void), (), stdin)
CHARACTER(fputc, FPUTS, (int c, FILE *f), (c, f), f)
CHARACTER(putc, FPUTS, (int c, FILE *f), (c, f), f)
CHARACTER(_IO_putc, FPUTS, (int c, FILE *f), (c, f), f)
CHARACTER(putchar, FPUTS, (int c), (c), stdout)

/* ---- formats
 * --------------------------------------------------------------------------------------------------------- */

int __vfprintf_chk(FILE *f, int flag, const char *format, va_list ap);

SHIM int vfprintf(FILE *f, const char *format, va_list ap)
{
	uint64_t begin = slu_traced_begin();
	int n = NEXT(vfprintf)(f, format, ap);

	transferred(begin, SLU_CALL_FPRINTF, f, n);
	return n;
}

SHIM int __vfprintf_chk(FILE *f, int flag, const char *format, va_list ap)
{
	uint64_t begin = slu_traced_begin();
	int n = NEXT(__vfprintf_chk)(f, flag, format, ap);

	transferred(begin, SLU_CALL_FPRINTF, f, n);
	return n;
}

SHIM int vprintf(const char *format, va_list ap)
{
	return vfprintf(stdout, format, ap);
}

int __vprintf_chk(int flag, const char *format, va_list ap);
SHIM int __vprintf_chk(int flag, const char *format, va_list ap)
{
	return __vfprintf_chk(stdout, flag, format, ap);
}

#define FORMATTED(name, params, last, call)                                                                            \
	SHIM int name params                                                                                           \
	{                                                                                                              \
		va_list ap;                                                                                            \
		int n;                                                                                                 \
		va_start(ap, last);                                                                                    \
		n = call;                                                                                              \
		va_end(ap);                                                                                            \
		return n;                                                                                              \
	}

int __fprintf_chk(FILE *f, int flag, const char *format, ...);
int __printf_chk(int flag, const char *format, ...);

FORMATTED(fprintf, (FILE * f, const char *format, ...), format, vfprintf(f, format, ap))
FORMATTED(printf, (const char *format, ...), format, vfprintf(stdout, format, ap))
FORMATTED(__fprintf_chk, (FILE * f, int flag, const char *format, ...), format, __vfprintf_chk(f, flag, format, ap))
FORMATTED(__printf_chk, (int flag, const char *format, ...), format, __vfprintf_chk(stdout, flag, format, ap))

/* What scanf() took is how far the stream has moved. */
#define SCANNED(name)                                                                                                  \
	int name(FILE *f, const char *format, va_list ap);                                                             \
	SHIM int name(FILE *f, const char *format, va_list ap)                                                         \
	{                                                                                                              \
		uint64_t begin = slu_traced_begin();                                                                   \
		off_t from = SLU_UNLIKELY(begin) ? NEXT(ftello)(f) : 0;                                                \
		int n = NEXT(name)(f, format, ap);                                                                     \
		transferred(begin, SLU_CALL_FGETS, f, from < 0 || !begin ? 0 : NEXT(ftello)(f) - from);                \
		return n;                                                                                              \
	}

SCANNED(__isoc99_vfscanf)
SCANNED(__isoc23_vfscanf)

int __isoc99_fscanf(FILE *f, const char *format, ...);
int __isoc23_fscanf(FILE *f, const char *format, ...);
FORMATTED(__isoc99_fscanf, (FILE * f, const char *format, ...), format, __isoc99_vfscanf(f, format, ap))
FORMATTED(__isoc23_fscanf, (FILE * f, const char *format, ...), format, __isoc23_vfscanf(f, format, ap))

/* ---- positions, flushing
 * --------------------------------------------------------------------------------------------- */

static void moved(uint64_t begin, FILE *f, bool failed)
{
	struct slu_rec_call c;
	int fd, saved = errno;
	off_t at;

	if (SLU_LIKELY(!begin) || (fd = fd_of(f)) < 0)
		return;
	c = slu_traced_call(begin, SLU_CALL_FSEEK, failed);
	at = NEXT(ftello)(f);
	errno = saved;
	slu_rec_seeked(&slu_shim.rec, &slu_rec_tls, &c, fd, at < 0 ? 0 : (uint64_t)at);
}

#define MOVED(type, name, params, args, bad)                                                                           \
	SHIM type name params                                                                                          \
	{                                                                                                              \
		uint64_t begin = slu_traced_begin();                                                                   \
		type r = NEXT(name) args;                                                                              \
		moved(begin, f, r bad);                                                                                \
		return r;                                                                                              \
	}

MOVED(int, fseek, (FILE * f, long offset, int whence), (f, offset, whence), < 0)
MOVED(int, fseeko, (FILE * f, off_t offset, int whence), (f, offset, whence), < 0)
SHIM_ALIAS(fseeko64, fseeko);
MOVED(long, ftell, (FILE * f), (f), < 0)
MOVED(off_t, ftello, (FILE * f), (f), < 0)
SHIM_ALIAS(ftello64, ftello);
MOVED(int, fgetpos, (FILE * f, fpos_t *at), (f, at), != 0)
SHIM_ALIAS(fgetpos64, fgetpos);
MOVED(int, fsetpos, (FILE * f, const fpos_t *at), (f, at), != 0)
SHIM_ALIAS(fsetpos64, fsetpos);

SHIM void rewind(FILE *f)
{
	uint64_t begin = slu_traced_begin();

	NEXT(rewind)(f);
	moved(begin, f, false);
}

SHIM int fflush(FILE *f)
{
	uint64_t begin = slu_traced_begin();
	int r = NEXT(fflush)(f), fd;

	if (SLU_UNLIKELY(begin) && f && (fd = fd_of(f)) >= 0)
		slu_traced_fd(begin, SLU_CALL_FFLUSH, fd, r < 0);
	return r;
}
SHIM_ALIAS(_IO_fflush, fflush);
SHIM_ALIAS(fflush_unlocked, fflush);
