/* SPDX-License-Identifier: MIT */
/*
 * What we ourselves call in libc, of the names that the shim defines: the linker sends the calls of the library and of
 * the other files here (--wrap, see meson.build), and they go straight to the kernel. So nothing of ours comes back
 * through a wrapper, and no other preloaded library sees it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/shim.h"

/* The kernel's own entry: libc's syscall() is one of the names that we define. */
#define KERNEL(...) NEXT(syscall)(__VA_ARGS__)

int __wrap_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return (int)KERNEL(SYS_openat, dirfd, path, flags, mode);
}
SHIM_ALIAS(__wrap_openat64, __wrap_openat);

int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return (int)KERNEL(SYS_openat, AT_FDCWD, path, flags, mode);
}
SHIM_ALIAS(__wrap_open64, __wrap_open);

int __wrap_close(int fd);
int __wrap_close(int fd)
{
	return (int)KERNEL(SYS_close, fd);
}

int __wrap_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st)
{
	return (int)KERNEL(SYS_fstat, fd, st);
}
SHIM_ALIAS(__wrap_fstat64, __wrap_fstat);

ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t offset);
ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t offset)
{
	return KERNEL(SYS_pread64, fd, buf, n, offset);
}
SHIM_ALIAS(__wrap_pread64, __wrap_pread);

ssize_t __wrap_pwrite(int fd, const void *buf, size_t n, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t n, off_t offset)
{
	return KERNEL(SYS_pwrite64, fd, buf, n, offset);
}
SHIM_ALIAS(__wrap_pwrite64, __wrap_pwrite);

void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	return (void *)KERNEL(SYS_mmap, at, len, prot, flags, fd, offset);
}
SHIM_ALIAS(__wrap_mmap64, __wrap_mmap);

int __wrap_munmap(void *at, size_t len);
int __wrap_munmap(void *at, size_t len)
{
	return (int)KERNEL(SYS_munmap, at, len);
}

int __wrap_fcntl(int fd, int cmd, ...);
int __wrap_fcntl(int fd, int cmd, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	return (int)KERNEL(SYS_fcntl, fd, cmd, arg);
}
SHIM_ALIAS(__wrap_fcntl64, __wrap_fcntl);

int __wrap_dup3(int fd, int to, int flags);
int __wrap_dup3(int fd, int to, int flags)
{
	/* dup3() refuses a descriptor onto itself; nothing of ours asks for that. */
	return (int)KERNEL(SYS_dup3, fd, to, flags);
}

off_t __wrap_lseek(int fd, off_t offset, int whence);
off_t __wrap_lseek(int fd, off_t offset, int whence)
{
	return KERNEL(SYS_lseek, fd, offset, whence);
}
SHIM_ALIAS(__wrap_lseek64, __wrap_lseek);

long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	return KERNEL(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/*
 * Hooks that zstd calls if somebody has them: a host's own zstd may. Ours has none.
 */
unsigned long long ZSTD_trace_compress_begin(const void *context);
unsigned long long ZSTD_trace_compress_begin(const void *context)
{
	return 0;
}

void ZSTD_trace_compress_end(unsigned long long trace, const void *what);
void ZSTD_trace_compress_end(unsigned long long trace, const void *what)
{
}

unsigned long long ZSTD_trace_decompress_begin(const void *context);
unsigned long long ZSTD_trace_decompress_begin(const void *context)
{
	return 0;
}

void ZSTD_trace_decompress_end(unsigned long long trace, const void *what);
void ZSTD_trace_decompress_end(unsigned long long trace, const void *what)
{
}

int __wrap_sigaction(int sig, const struct sigaction *action, struct sigaction *old);
int __wrap_sigaction(int sig, const struct sigaction *action, struct sigaction *old)
{
	return NEXT(sigaction)(sig, action, old); /* not the kernel's: libc adds how a handler returns */
}
