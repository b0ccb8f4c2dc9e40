/* SPDX-License-Identifier: MIT */
/* Another preloaded library: it counts opens, reads files itself when it is loaded, and tells at the end. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int opens, mallocs;

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

int open(const char *path, int flags, ...)
{
	static int (*real)(const char *, int, ...);
	va_list ap;
	va_start(ap, flags);
	int mode = va_arg(ap, int);
	va_end(ap);
	if (!real)
		real = (int (*)(const char *, int, ...))next("open");
	__atomic_add_fetch(&opens, 1, __ATOMIC_RELAXED);
	return real(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	static int (*real)(const char *, int, ...);
	va_list ap;
	va_start(ap, flags);
	int mode = va_arg(ap, int);
	va_end(ap);
	if (!real)
		real = (int (*)(const char *, int, ...))next("open64");
	__atomic_add_fetch(&opens, 1, __ATOMIC_RELAXED);
	return real(path, flags, mode);
}

ssize_t read(int fd, void *b, size_t n)
{
	static ssize_t (*real)(int, void *, size_t);
	if (!real)
		real = (ssize_t(*)(int, void *, size_t))next("read");
	return real(fd, b, n);
}

__attribute__((constructor)) static void begin(void)
{
	const char *p = getenv("LOGGER_READS");
	char b[100];
	struct stat st;
	if (!p)
		return;
	int fd = open(p, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, b, sizeof(b));
	FILE *f = fopen(p, "r");
	int c = f ? getc(f) : -1;
	if (f)
		fclose(f);
	if (n <= 0 || c != b[0] || stat(p, &st) < 0)
		fprintf(stderr, "logger: could not read %s in its constructor\n", p);
	if (fd >= 0)
		close(fd);
}

__attribute__((destructor)) static void end(void)
{
	const char *p = getenv("LOGGER_OUT");
	if (!p)
		return;
	FILE *f = fopen(p, "a");
	if (f) {
		fprintf(f, "%d\n", opens);
		fclose(f);
	}
}
