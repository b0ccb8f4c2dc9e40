/* SPDX-License-Identifier: MIT */
/*
 * An LD_PRELOAD library that makes the k-th call of a program go wrong.
 *
 *   FAULT_CALLS   which calls count: names, or the groups alloc, io, thread, all; by commas
 *   FAULT_KIND    fail   the k-th call fails, with FAULT_ERRNO
 *                 short  the k-th read or write transfers half of what was asked
 *                 kill   SIGKILL at the k-th call; FAULT_WHEN=after: when it is done
 *                 run    the shell command FAULT_RUN is run before the k-th call
 *                 always every call that counts fails, as on a system that lacks it
 *   FAULT_AT      k, from 1; 0 only counts
 *   FAULT_REPORT  a file that then holds struct report; it is mapped, so that it tells
 *                 the truth even of a killed process
 *   FAULT_ALSO    more callers that count: parts of library names, such as libzstd
 *
 * A call counts once main() has begun, and if its caller is the program itself or
 * libsluice: what libc does inside is its own business. Blocks that such callers
 * allocate and never free, and descriptors open at exit, are told in the report.
 *
 * Wrappers may be called in any thread and before our constructor: they use no
 * memory but their own, and real functions are looked up once.
 */
#undef _FILE_OFFSET_BITS /* both open and open64 are defined here */
#undef _FORTIFY_SOURCE
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* clang-format off */
#define ALLOC_CALLS(X) X(malloc) X(calloc) X(realloc) X(reallocarray) X(posix_memalign) X(aligned_alloc) X(strdup) \
	X(strndup) X(asprintf)
#define IO_CALLS(X) X(open) X(open64) X(__open_2) X(__open64_2) X(openat) X(openat64) X(__openat_2) X(__openat64_2) \
	X(read) X(__read_chk) X(pread) X(pread64) X(__pread_chk) X(__pread64_chk) X(write) X(pwrite) X(pwrite64) \
	X(fsync) X(fdatasync) X(syncfs) X(sync_file_range) X(ftruncate) X(ftruncate64) X(fallocate) X(fallocate64) \
	X(posix_fallocate) X(posix_fallocate64) X(mmap) X(mmap64) X(fstat) X(fstat64) X(fstatat) X(fstatat64) X(statx) \
	X(stat) X(stat64) X(lstat) X(lstat64) X(rename) X(renameat) X(renameat2) X(linkat) X(unlink) X(unlinkat) \
	X(rmdir) X(mkdir) X(mkdirat) X(symlinkat) X(readlinkat) X(opendir) X(fdopendir) X(readdir) X(readdir64) \
	X(close) X(flock) X(getrandom) X(utimensat) X(futimens) X(fchmod) X(fchmodat) X(fchown) X(fchownat) \
	X(fopen) X(fopen64) X(fdopen) X(getline) X(getdelim) X(__getdelim) X(realpath) X(faccessat) X(fflush) X(copy_file_range) X(openat2)
#define THREAD_CALLS(X) X(pthread_create)
#define ALL_CALLS(X) ALLOC_CALLS(X) IO_CALLS(X) THREAD_CALLS(X)

#define AS_ENUM(n) C_##n,
enum call { ALL_CALLS(AS_ENUM) NCALLS };
#define AS_NAME(n) #n,
static const char *const call_name[] = { ALL_CALLS(AS_NAME) };
#define PLUS_ONE(n) + 1
enum { NALLOC = 0 ALLOC_CALLS(PLUS_ONE), NIO = 0 IO_CALLS(PLUS_ONE) };
/* clang-format on */

enum kind { K_COUNT, K_FAIL, K_SHORT, K_KILL, K_RUN, K_ALWAYS };
enum act { PASS, FAIL, SHORT, KILL_AFTER };

struct report {
	char magic[8]; /* "faults1" */
	_Atomic uint64_t calls;
	uint64_t fired;
	uint64_t fds_before, fds_after; /* open when main began, and at exit */
	_Atomic uint64_t live;          /* blocks not freed */
	char name[32];                  /* of the call that went wrong */
};

struct range {
	uintptr_t from, to;
};

static struct report nowhere, *report = &nowhere;
static struct range code[8];
static size_t ncode;
static bool wanted[NCALLS];
static void *_Atomic real_fn[NCALLS];
static enum kind kind;
static bool kill_after;
static uint64_t fault_at;
static int fault_errno;
static const char *run_command;
static atomic_bool in_main;

/* ---- set-up ------------------------------------------------------------------ */

static int number_of_error(const char *s)
{
	static const struct {
		const char *name;
		int number;
	} known[] = { { "EIO", EIO },       { "ENOSPC", ENOSPC }, { "ENOMEM", ENOMEM },
		      { "EACCES", EACCES }, { "EINTR", EINTR },   { "EMFILE", EMFILE },
		      { "ENOENT", ENOENT }, { "EDQUOT", EDQUOT }, { "EAGAIN", EAGAIN },
		      { "EPERM", EPERM },   { "EINVAL", EINVAL }, { "EOPNOTSUPP", EOPNOTSUPP },
		      { "ENOSYS", ENOSYS }, { "EROFS", EROFS },   { "ENOTEMPTY", ENOTEMPTY } };
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(s, known[i].name) == 0)
			return known[i].number;
	return atoi(s);
}

static enum kind kind_of(const char *s)
{
	static const char *const names[] = { "count", "fail", "short", "kill", "run", "always" };
	for (int i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
		if (strcmp(s, names[i]) == 0)
			return (enum kind)i;
	return K_COUNT;
}

static bool listed(const char *list, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = list; p && (p = strstr(p, word)); p += n)
		if ((p == list || p[-1] == ',') && (p[n] == ',' || !p[n]))
			return true;
	return false;
}

/* True if a part of the list, by commas, is contained in @text. */
static bool any_part_in(const char *list, const char *text)
{
	char part[64];
	for (const char *p = list; p && *p; p += *p == ',') {
		size_t n = strcspn(p, ",");
		snprintf(part, sizeof(part), "%.*s", (int)n, p);
		if (n && strstr(text, part))
			return true;
		p += n;
	}
	return false;
}

static int add_code(struct dl_phdr_info *o, size_t size, void *arg)
{
	const char *base = strrchr(o->dlpi_name, '/');
	bool program = !o->dlpi_name[0];
	(void)size;
	base = base ? base + 1 : o->dlpi_name;
	if (!program && strncmp(base, "libsluice", 9) != 0 && !any_part_in(arg, base))
		return 0;
	for (int i = 0; i < o->dlpi_phnum && ncode < sizeof(code) / sizeof(code[0]); i++)
		if (o->dlpi_phdr[i].p_type == PT_LOAD && (o->dlpi_phdr[i].p_flags & PF_X)) {
			uintptr_t from = o->dlpi_addr + o->dlpi_phdr[i].p_vaddr;
			code[ncode++] = (struct range){ from, from + o->dlpi_phdr[i].p_memsz };
		}
	return 0;
}

static void open_report(const char *path)
{
	long fd = syscall(SYS_openat, (long)AT_FDCWD, path, (long)(O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC), 0644L);
	if (fd < 0 || syscall(SYS_ftruncate, fd, sizeof(struct report)) < 0)
		return;
	void *m = (void *)syscall(SYS_mmap, 0L, sizeof(struct report), (long)(PROT_READ | PROT_WRITE), (long)MAP_SHARED,
	                          fd, 0L);
	syscall(SYS_close, fd);
	if (m != MAP_FAILED) {
		report = m;
		memcpy(report->magic, "faults1", 8);
	}
}

/* Open descriptors; not the standard ones, which a program may close. */
static uint64_t count_fds(void)
{
	uint64_t n = 0;
	DIR *d = opendir("/proc/self/fd");
	for (struct dirent *e; d && (e = readdir(d));)
		n += atoi(e->d_name) > 2 && atoi(e->d_name) != dirfd(d);
	if (d)
		closedir(d);
	return n;
}

__attribute__((constructor)) static void set_up(void)
{
	const char *k = getenv("FAULT_KIND"), *at = getenv("FAULT_AT"), *calls = getenv("FAULT_CALLS");
	const char *when = getenv("FAULT_WHEN"), *error = getenv("FAULT_ERRNO"), *path = getenv("FAULT_REPORT");
	if (!calls)
		return;
	kind = k ? kind_of(k) : K_COUNT;
	fault_at = at ? strtoull(at, NULL, 10) : 0;
	fault_errno = error ? number_of_error(error) : 0;
	kill_after = when && strcmp(when, "after") == 0;
	run_command = getenv("FAULT_RUN");
	for (int c = 0; c < NCALLS; c++) {
		const char *group = c < NALLOC ? "alloc" : c < NALLOC + NIO ? "io" : "thread";
		wanted[c] = listed(calls, call_name[c]) || listed(calls, group) || listed(calls, "all");
	}
	dl_iterate_phdr(add_code, getenv("FAULT_ALSO"));
	if (path)
		open_report(path);
}

__attribute__((destructor)) static void tear_down(void)
{
	atomic_store(&in_main, false);
	report->fds_after = count_fds();
}

static int (*real_main)(int, char **, char **);

static int our_main(int argc, char **argv, char **envp)
{
	report->fds_before = count_fds();
	atomic_store(&in_main, true);
	return real_main(argc, argv, envp);
}

typedef int start_fn(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                     void *);
start_fn __libc_start_main;

int __libc_start_main(int (*m)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
	start_fn *real = (start_fn *)dlsym(RTLD_NEXT, "__libc_start_main");
	real_main = m;
	return real(our_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* ---- counting ------------------------------------------------------------------- */

static void *resolve(enum call c)
{
	void *f = atomic_load_explicit(&real_fn[c], memory_order_relaxed);
	if (!f) {
		f = dlsym(RTLD_NEXT, call_name[c]);
		atomic_store_explicit(&real_fn[c], f, memory_order_relaxed);
	}
	return f;
}

static bool is_ours(const void *caller)
{
	uintptr_t a = (uintptr_t)caller;
	for (size_t i = 0; i < ncode; i++)
		if (a >= code[i].from && a < code[i].to)
			return true;
	return false;
}

static void die(void)
{
	syscall(SYS_kill, syscall(SYS_getpid), (long)SIGKILL);
	for (;;)
		pause();
}

static void run_it(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		static const char *const env[] = { "PATH=/usr/bin:/bin", NULL };
		execle("/bin/sh", "sh", "-c", run_command, (char *)NULL, env);
		_exit(127);
	}
	int status;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

/* Counts a call of @caller; what is to happen to it. */
static enum act step(enum call c, const void *caller)
{
	if (!wanted[c] || !atomic_load_explicit(&in_main, memory_order_relaxed) || !is_ours(caller))
		return PASS;
	uint64_t n = atomic_fetch_add(&report->calls, 1) + 1;
	if (kind == K_COUNT || (n != fault_at && kind != K_ALWAYS))
		return PASS;
	report->fired = n;
	strncpy(report->name, call_name[c], sizeof(report->name) - 1);
	int saved = errno;
	if (kind == K_KILL && !kill_after)
		die();
	if (kind == K_RUN)
		run_it();
	errno = saved;
	return kind == K_FAIL || kind == K_ALWAYS ? FAIL : kind == K_SHORT ? SHORT : kind == K_KILL ? KILL_AFTER : PASS;
}

static int error_of(enum call c)
{
	if ((int)c < NALLOC)
		return ENOMEM;
	if (c == C_pthread_create)
		return EAGAIN;
	return fault_errno ? fault_errno : EIO;
}

#define CALLER __builtin_return_address(0)

#ifndef FAULTS_NO_ALLOC /* where a sanitizer has its own memory */
/* ---- blocks that were not freed ---------------------------------------------------- */

enum { SLOTS = 1 << 18, GONE = 1 };
static _Atomic uintptr_t block[SLOTS];

static size_t slot_of(uintptr_t p)
{
	return (size_t)((p >> 4) * 0x9E3779B97F4A7C15u >> 20) % SLOTS;
}

static void remember(void *p, const void *caller)
{
	if (!p || !atomic_load_explicit(&in_main, memory_order_relaxed) || !is_ours(caller))
		return;
	for (size_t i = slot_of((uintptr_t)p), n = 0; n < 64; i = (i + 1) % SLOTS, n++) {
		uintptr_t was = atomic_load(&block[i]);
		if (was <= GONE && atomic_compare_exchange_strong(&block[i], &was, (uintptr_t)p)) {
			atomic_fetch_add(&report->live, 1);
			return;
		}
	}
}

static void forget(void *p)
{
	if (!p || !atomic_load_explicit(&report->live, memory_order_relaxed))
		return;
	for (size_t i = slot_of((uintptr_t)p), n = 0; n < 64; i = (i + 1) % SLOTS, n++) {
		uintptr_t was = atomic_load(&block[i]);
		if (was == 0)
			return;
		if (was == (uintptr_t)p && atomic_compare_exchange_strong(&block[i], &was, GONE)) {
			atomic_fetch_sub(&report->live, 1);
			return;
		}
	}
}

/* ---- memory: libc's own entrances, as dlsym() itself allocates ------------------------ */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static void *given(enum act a, void *p, const void *caller)
{
	remember(p, caller);
	if (a == KILL_AFTER)
		die();
	return p;
}

#define FAIL_ALLOC(c)                                                                                                  \
	enum act a = step(c, CALLER);                                                                                  \
	if (a == FAIL)                                                                                                 \
	return errno = ENOMEM, NULL

void *malloc(size_t n)
{
	FAIL_ALLOC(C_malloc);
	return given(a, __libc_malloc(n), CALLER);
}

void *calloc(size_t n, size_t m)
{
	FAIL_ALLOC(C_calloc);
	return given(a, __libc_calloc(n, m), CALLER);
}

void *realloc(void *p, size_t n)
{
	FAIL_ALLOC(C_realloc);
	forget(p);
	void *q = __libc_realloc(p, n);
	if (!q && n)
		remember(p, CALLER);
	return given(a, q, CALLER);
}

void *reallocarray(void *p, size_t n, size_t m)
{
	size_t bytes;
	FAIL_ALLOC(C_reallocarray);
	if (__builtin_mul_overflow(n, m, &bytes))
		return errno = ENOMEM, NULL;
	forget(p);
	return given(a, __libc_realloc(p, bytes), CALLER);
}

void *aligned_alloc(size_t align, size_t n)
{
	FAIL_ALLOC(C_aligned_alloc);
	return given(a, __libc_memalign(align, n), CALLER);
}

int posix_memalign(void **ret, size_t align, size_t n)
{
	enum act a = step(C_posix_memalign, CALLER);
	void *p = a == FAIL ? NULL : given(a, __libc_memalign(align, n), CALLER);
	if (!p)
		return ENOMEM;
	*ret = p;
	return 0;
}

char *strdup(const char *s)
{
	FAIL_ALLOC(C_strdup);
	char *p = __libc_malloc(strlen(s) + 1);
	return given(a, p ? strcpy(p, s) : NULL, CALLER);
}

char *strndup(const char *s, size_t max)
{
	FAIL_ALLOC(C_strndup);
	size_t n = strnlen(s, max);
	char *p = __libc_malloc(n + 1);
	if (p) {
		memcpy(p, s, n);
		p[n] = 0;
	}
	return given(a, p, CALLER);
}

int asprintf(char **ret, const char *fmt, ...)
{
	enum act a = step(C_asprintf, CALLER);
	va_list ap;
	if (a == FAIL)
		return errno = ENOMEM, -1;
	va_start(ap, fmt);
	int n = vasprintf(ret, fmt, ap);
	va_end(ap);
	if (n >= 0)
		given(a, *ret, CALLER);
	return n;
}

void free(void *p)
{
	forget(p);
	__libc_free(p);
}

#endif

/* ---- the rest: fail before, or kill after, the real call ------------------------------- */

#define WRAP(type, name, params, args, bad)                                                                            \
	type name params                                                                                               \
	{                                                                                                              \
		type(*real) params = (type(*) params)resolve(C_##name);                                                \
		enum act a = step(C_##name, CALLER);                                                                   \
		if (a == FAIL)                                                                                         \
			return errno = error_of(C_##name), bad;                                                        \
		type r = real args;                                                                                    \
		if (a == KILL_AFTER)                                                                                   \
			die();                                                                                         \
		return r;                                                                                              \
	}

/* Transfers of @n bytes, which may be cut in half. */
#define WRAP_IO(name, params, args)                                                                                    \
	ssize_t name params                                                                                            \
	{                                                                                                              \
		ssize_t(*real) params = (ssize_t(*) params)resolve(C_##name);                                          \
		enum act a = step(C_##name, CALLER);                                                                   \
		if (a == FAIL)                                                                                         \
			return errno = error_of(C_##name), -1;                                                         \
		n = a == SHORT ? (n + 1) / 2 : n;                                                                      \
		ssize_t r = real args;                                                                                 \
		if (a == KILL_AFTER)                                                                                   \
			die();                                                                                         \
		return r;                                                                                              \
	}

/* Calls that return the error's number. */
#define WRAP_POSITIVE(name, params, args)                                                                              \
	int name params                                                                                                \
	{                                                                                                              \
		int(*real) params = (int(*) params)resolve(C_##name);                                                  \
		enum act a = step(C_##name, CALLER);                                                                   \
		int r = a == FAIL ? error_of(C_##name) : real args;                                                    \
		if (a == KILL_AFTER)                                                                                   \
			die();                                                                                         \
		return r;                                                                                              \
	}

/* open and friends: the mode is there only with O_CREAT or O_TMPFILE. */
#define WRAP_OPEN(name, params, args)                                                                                  \
	int name params                                                                                                \
	{                                                                                                              \
		int(*real) params = (int(*) params)resolve(C_##name);                                                  \
		va_list ap;                                                                                            \
		va_start(ap, flags);                                                                                   \
		mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;                                \
		va_end(ap);                                                                                            \
		enum act a = step(C_##name, CALLER);                                                                   \
		if (a == FAIL)                                                                                         \
			return errno = error_of(C_##name), -1;                                                         \
		int r = real args;                                                                                     \
		if (a == KILL_AFTER)                                                                                   \
			die();                                                                                         \
		return r;                                                                                              \
	}

extern ssize_t __getdelim(char **restrict, size_t *restrict, int, FILE *restrict);
extern int __open_2(const char *, int), __open64_2(const char *, int);
extern int __openat_2(int, const char *, int), __openat64_2(int, const char *, int);
extern ssize_t __read_chk(int, void *, size_t, size_t), __pread_chk(int, void *, size_t, off_t, size_t),
	__pread64_chk(int, void *, size_t, off64_t, size_t);

WRAP_OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(openat, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))
WRAP_OPEN(openat64, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))
WRAP(int, __open_2, (const char *path, int flags), (path, flags), -1)
WRAP(int, __open64_2, (const char *path, int flags), (path, flags), -1)
WRAP(int, __openat_2, (int dir, const char *path, int flags), (dir, path, flags), -1)
WRAP(int, __openat64_2, (int dir, const char *path, int flags), (dir, path, flags), -1)

WRAP_IO(read, (int fd, void *b, size_t n), (fd, b, n))
WRAP_IO(__read_chk, (int fd, void *b, size_t n, size_t room), (fd, b, n, room))
WRAP_IO(pread, (int fd, void *b, size_t n, off_t at), (fd, b, n, at))
WRAP_IO(pread64, (int fd, void *b, size_t n, off64_t at), (fd, b, n, at))
WRAP_IO(__pread_chk, (int fd, void *b, size_t n, off_t at, size_t room), (fd, b, n, at, room))
WRAP_IO(__pread64_chk, (int fd, void *b, size_t n, off64_t at, size_t room), (fd, b, n, at, room))
WRAP_IO(write, (int fd, const void *b, size_t n), (fd, b, n))
WRAP_IO(pwrite, (int fd, const void *b, size_t n, off_t at), (fd, b, n, at))
WRAP_IO(pwrite64, (int fd, const void *b, size_t n, off64_t at), (fd, b, n, at))
WRAP_IO(copy_file_range, (int in, off64_t *io, int out, off64_t *oo, size_t n, unsigned f), (in, io, out, oo, n, f))

WRAP(int, fsync, (int fd), (fd), -1)
WRAP(int, fdatasync, (int fd), (fd), -1)
WRAP(int, syncfs, (int fd), (fd), -1)
WRAP(int, sync_file_range, (int fd, off64_t at, off64_t n, unsigned flags), (fd, at, n, flags), -1)
WRAP(int, ftruncate, (int fd, off_t n), (fd, n), -1)
WRAP(int, ftruncate64, (int fd, off64_t n), (fd, n), -1)
WRAP(int, fallocate, (int fd, int mode, off_t at, off_t n), (fd, mode, at, n), -1)
WRAP(int, fallocate64, (int fd, int mode, off64_t at, off64_t n), (fd, mode, at, n), -1)
WRAP_POSITIVE(posix_fallocate, (int fd, off_t at, off_t n), (fd, at, n))
WRAP_POSITIVE(posix_fallocate64, (int fd, off64_t at, off64_t n), (fd, at, n))
WRAP(void *, mmap, (void *p, size_t n, int prot, int flags, int fd, off_t at), (p, n, prot, flags, fd, at), MAP_FAILED)
WRAP(void *, mmap64, (void *p, size_t n, int prot, int flags, int fd, off64_t at), (p, n, prot, flags, fd, at),
     MAP_FAILED)

WRAP(int, stat, (const char *restrict path, struct stat *restrict st), (path, st), -1)
WRAP(int, stat64, (const char *restrict path, struct stat64 *restrict st), (path, st), -1)
WRAP(int, lstat, (const char *restrict path, struct stat *restrict st), (path, st), -1)
WRAP(int, lstat64, (const char *restrict path, struct stat64 *restrict st), (path, st), -1)
WRAP(int, fstat, (int fd, struct stat *st), (fd, st), -1)
WRAP(int, fstat64, (int fd, struct stat64 *st), (fd, st), -1)
WRAP(int, fstatat, (int dir, const char *restrict path, struct stat *restrict st, int flags), (dir, path, st, flags),
     -1)
WRAP(int, fstatat64, (int dir, const char *restrict path, struct stat64 *restrict st, int flags),
     (dir, path, st, flags), -1)
WRAP(int, statx, (int dir, const char *restrict path, int flags, unsigned mask, struct statx *restrict st),
     (dir, path, flags, mask, st), -1)

WRAP(int, rename, (const char *from, const char *to), (from, to), -1)
WRAP(int, renameat, (int fd, const char *from, int td, const char *to), (fd, from, td, to), -1)
WRAP(int, renameat2, (int fd, const char *from, int td, const char *to, unsigned flags), (fd, from, td, to, flags), -1)
WRAP(int, linkat, (int fd, const char *from, int td, const char *to, int flags), (fd, from, td, to, flags), -1)
WRAP(int, unlink, (const char *path), (path), -1)
WRAP(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags), -1)
WRAP(int, rmdir, (const char *path), (path), -1)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
WRAP(int, mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode), -1)
WRAP(int, symlinkat, (const char *target, int dir, const char *path), (target, dir, path), -1)
WRAP(ssize_t, readlinkat, (int dir, const char *restrict path, char *restrict b, size_t n), (dir, path, b, n), -1)
WRAP(DIR *, opendir, (const char *path), (path), NULL)
WRAP(DIR *, fdopendir, (int fd), (fd), NULL)
WRAP(struct dirent *, readdir, (DIR * d), (d), NULL)
WRAP(struct dirent64 *, readdir64, (DIR * d), (d), NULL)
WRAP(int, flock, (int fd, int op), (fd, op), -1)
WRAP(ssize_t, getrandom, (void *b, size_t n, unsigned flags), (b, n, flags), -1)
WRAP(int, utimensat, (int dir, const char *path, const struct timespec t[2], int flags), (dir, path, t, flags), -1)
WRAP(int, futimens, (int fd, const struct timespec t[2]), (fd, t), -1)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), -1)
WRAP(int, fchmodat, (int dir, const char *path, mode_t mode, int flags), (dir, path, mode, flags), -1)
WRAP(int, fchown, (int fd, uid_t u, gid_t g), (fd, u, g), -1)
WRAP(int, fchownat, (int dir, const char *path, uid_t u, gid_t g, int flags), (dir, path, u, g, flags), -1)
WRAP(FILE *, fopen, (const char *restrict path, const char *restrict mode), (path, mode), NULL)
WRAP(FILE *, fopen64, (const char *restrict path, const char *restrict mode), (path, mode), NULL)
WRAP(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL)
WRAP(ssize_t, getline, (char **restrict b, size_t *restrict n, FILE *restrict f), (b, n, f), -1)
WRAP(ssize_t, getdelim, (char **restrict b, size_t *restrict n, int end, FILE *restrict f), (b, n, end, f), -1)
WRAP(ssize_t, __getdelim, (char **restrict b, size_t *restrict n, int end, FILE *restrict f), (b, n, end, f), -1)
WRAP(char *, realpath, (const char *restrict path, char *restrict b), (path, b), NULL)
WRAP(int, faccessat, (int dir, const char *path, int mode, int flags), (dir, path, mode, flags), -1)
WRAP(int, fflush, (FILE * f), (f), EOF)

WRAP_POSITIVE(pthread_create,
              (pthread_t *restrict t, const pthread_attr_t *restrict attr, void *(*f)(void *), void *restrict arg),
              (t, attr, f, arg))

/* A close that fails has closed the descriptor all the same, as in Linux. */
int close(int fd)
{
	int (*real)(int) = (int (*)(int))resolve(C_close);
	enum act a = step(C_close, CALLER);
	int r = real(fd);
	if (a == KILL_AFTER)
		die();
	if (a == FAIL)
		return errno = error_of(C_close), -1;
	return r;
}

/* Some calls have no wrapper in libc; of these openat2 counts. */
long syscall(long number, ...)
{
	static long (*_Atomic real)(long, ...);
	long (*call)(long, ...) = atomic_load(&real);
	long v[6];
	va_list ap;
	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		v[i] = va_arg(ap, long);
	va_end(ap);
	if (!call)
		atomic_store(&real, call = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"));
	enum act a = number == SYS_openat2 ? step(C_openat2, CALLER) : PASS;
	if (a == FAIL)
		return errno = error_of(C_openat2), -1;
	long r = call(number, v[0], v[1], v[2], v[3], v[4], v[5]);
	if (a == KILL_AFTER)
		die();
	return r;
}
