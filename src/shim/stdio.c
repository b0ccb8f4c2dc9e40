/* SPDX-License-Identifier: MIT */
/*
 * Streams: fopen, freopen, fdopen.
 *
 * libc's streams read by calls of their own that cannot be intercepted, so that a stream of ours is a cookie stream
 * with our functions underneath. Its descriptor is put in by hand: fileno() works on it, and a program that mixes
 * calls on the stream and on the descriptor (as C++ streams do) finds one position.
 */
#include "shim/shim.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static int fd_of(void *cookie)
{
	return (int)(intptr_t)cookie - 1; /* 0 would be a NULL cookie */
}

static ssize_t cookie_read(void *cookie, char *buf, size_t n)
{
	return slu_view_read(fd_of(cookie), buf, n);
}

static int cookie_seek(void *cookie, off64_t *offset, int whence)
{
	off_t at = slu_view_lseek(fd_of(cookie), *offset, whence);

	if (at < 0)
		return -1;
	*offset = at;
	return 0;
}

static int cookie_close(void *cookie)
{
	return slu_view_close(fd_of(cookie));
}

/* The open(2) flags of a mode, or -1 where it is not one. */
static int mode_flags(const char *mode)
{
	int flags;

	switch (mode[0]) {
	case 'r':
		flags = O_RDONLY;
		break;
	case 'w':
		flags = O_WRONLY | O_CREAT | O_TRUNC;
		break;
	case 'a':
		flags = O_WRONLY | O_CREAT | O_APPEND;
		break;
	default:
		return -1;
	}
	for (mode++; *mode && *mode != ','; mode++) {
		if (*mode == '+')
			flags = (flags & ~O_ACCMODE) | O_RDWR;
		else if (*mode == 'x')
			flags |= O_EXCL;
		else if (*mode == 'e')
			flags |= O_CLOEXEC;
	}
	return flags;
}

/* A real file's stream: for modes that a cookie stream does not know. */
static FILE *real_stream(int fd, const char *mode)
{
	char name[32];
	int high;
	FILE *f;

	if (!slu_real_fd(fd, SLU_REAL))
		return NULL;
	high = fcntl(fd, F_DUPFD_CLOEXEC,
	             512); /* fdopen() does not know ",ccs=", and fopen() takes the lowest number */
	if (high < 0)
		return NULL;
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", high);
	slu_view_close(fd);
	f = NEXT(fopen)(name, mode);
	close(high);
	return f;
}

static FILE *stream_on(int fd, const char *mode)
{
	static const cookie_io_functions_t functions = { .read = cookie_read,
		                                         .seek = cookie_seek,
		                                         .close = cookie_close };
	FILE *f;

	if (strchr(mode, ','))
		return real_stream(fd, mode);
#ifdef __GLIBC__
	f = fopencookie((void *)(intptr_t)(fd + 1), "r", functions);
	if (f)
		f->_fileno = fd;
	return f;
#else
	(void)functions;
	return real_stream(fd, mode);
#endif
}

static FILE *fopen_found(struct slu_where *w, const char *mode)
{
	int flags = mode_flags(mode), fd, saved;
	FILE *f;

	if (flags < 0) {
		errno = EINVAL;
		return NULL;
	}
	fd = slu_open_where(w, flags);
	if (fd < 0)
		return NULL;
	f = stream_on(fd, mode);
	if (!f && slu_fds_slot(&slu_shim.fds, fd)) {
		saved = errno;
		slu_view_close(fd);
		errno = saved;
	}
	return f;
}

FILE *slu_view_fopen(const char *path, const char *mode)
{
	SLU_WHERE(w);
	FILE *f;
	int fd;

	if (slu_where(&w, AT_FDCWD, path, mode_flags(mode) < 0 ? 0 : slu_open_follow(mode_flags(mode))))
		return fopen_found(&w, mode);
	if (!slu_no_path(path) && (fd = slu_where_fd_name(path)) >= 0) {
		fd = slu_open_at(AT_FDCWD, path, mode_flags(mode), 0666);
		return fd < 0 ? NULL : stream_on(fd, mode);
	}
	f = NEXT(fopen)(w.path, mode);
	return !f && slu_where_again(&w) ? fopen_found(&w, mode) : f;
}

FILE *slu_view_fdopen(int fd, const char *mode)
{
	struct slu_open *o = slu_get_unreal(fd);
	bool file;

	if (!o)
		return NEXT(fdopen)(fd, mode);
	file = o->kind == SLU_OPEN_FILE && !o->path_only;
	slu_put(o);
	if (mode_flags(mode) < 0 || (mode_flags(mode) & O_ACCMODE) != O_RDONLY || !file) {
		errno = o->path_only ? EBADF : EINVAL; /* it is open for reading only */
		if (file || mode_flags(mode) < 0)
			return NULL;
		return NEXT(fdopen)(fd, mode); /* a directory: a stream that fails when read */
	}
	if (strchr(mode, 'e'))
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	return stream_on(fd, mode);
}

/*
 * glibc leaves a cookie stream without what wide characters need, and marks that with a pointer which its freopen()
 * would follow.
 */
static void make_narrow(FILE *f)
{
#ifdef __GLIBC__
	if (f->_wide_data == (void *)(intptr_t)-1)
		f->_wide_data = NULL;
#endif
}

/* Wide characters cannot be read from it: an error, where glibc would crash. */
static bool is_narrow_only(FILE *f)
{
#ifdef __GLIBC__
	if (f->_wide_data != (void *)(intptr_t)-1 || f->_fileno < 0 || !slu_fds_slot(&slu_shim.fds, f->_fileno))
		return false;
	errno = ENOTSUP;
	return true;
#else
	return false;
#endif
}

SHIM int fwide(FILE *f, int mode)
{
	return mode > 0 && is_narrow_only(f) ? -1 : NEXT(fwide)(f, mode);
}

SHIM wint_t fgetwc(FILE *f)
{
	return is_narrow_only(f) ? WEOF : NEXT(fgetwc)(f);
}
SHIM_ALIAS(getwc, fgetwc);
SHIM_ALIAS(fgetwc_unlocked, fgetwc);
SHIM_ALIAS(getwc_unlocked, fgetwc);

SHIM wchar_t *fgetws(wchar_t *buf, int n, FILE *f)
{
	return is_narrow_only(f) ? NULL : NEXT(fgetws)(buf, n, f);
}
SHIM_ALIAS(fgetws_unlocked, fgetws);

SHIM wint_t ungetwc(wint_t c, FILE *f)
{
	return is_narrow_only(f) ? WEOF : NEXT(ungetwc)(c, f);
}

/* The names that C99 programs call, which libc's header puts in place of these. */
SHIM int vfwscanf(FILE *f, const wchar_t *format, va_list ap)
{
	static _Atomic(void *) next;
	void *call = atomic_load(&next) ? atomic_load(&next) : slu_next(&next, "__isoc99_vfwscanf");

	return is_narrow_only(f) ? EOF : ((__typeof__(&vfwscanf))call)(f, format, ap);
}

SHIM int fwscanf(FILE *f, const wchar_t *format, ...)
{
	va_list ap;
	int r;

	va_start(ap, format);
	r = vfwscanf(f, format, ap);
	va_end(ap);
	return r;
}

/* An existing stream must go on as itself: it gets a real file. */
static FILE *freopen_real(int fd, const char *mode, FILE *f)
{
	char name[32];
	FILE *r = NULL;

	if (fd < 0 || !slu_real_fd(fd, SLU_REAL)) {
		int saved = errno;
		if (fd >= 0)
			slu_view_close(fd);
		(void)slu_view_fclose(f); /* as freopen() does when it fails */
		errno = saved;
		return NULL;
	}
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	make_narrow(f);
	r = NEXT(freopen)(name, mode, f);
	slu_view_close(fd);
	return r;
}

FILE *slu_view_freopen(const char *path, const char *mode, FILE *f)
{
	SLU_WHERE(w);
	char name[32];
	int fd;

	if (slu_no_path(path) && f && slu_shim.fds.table && (fd = fileno(f)) >= 0 && slu_fds_slot(&slu_shim.fds, fd)) {
		(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		return freopen_real(slu_open_at(AT_FDCWD, name, mode_flags(mode), 0666), mode, f);
	}
	if (slu_where(&w, AT_FDCWD, path, 0))
		return freopen_real(slu_open_where(&w, mode_flags(mode)), mode, f);
	if (slu_shim_on() && path) { /* a failure closes the stream: too late to look again */
		int saved = errno;
		if (NEXT(access)(path, F_OK) < 0 && slu_where_again(&w))
			return freopen_real(slu_open_where(&w, mode_flags(mode)), mode, f);
		errno = saved;
	}
	if (f && slu_shim_on())
		make_narrow(f);
	return NEXT(freopen)(w.path, mode, f);
}
