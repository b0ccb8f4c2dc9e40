/* SPDX-License-Identifier: MIT */
/*
 * Looking at a process that is held in a system call: which path it asked for, and which code asked.
 *
 * All of it is read from a process that is not ours to trust: what it says goes into a report and nowhere else.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/macros.h"
#include "cli/watch.h"
#include "vfs/spec.h"

static const struct slu_seen_call calls[] = {
#ifdef __NR_open
	{ __NR_open, "open", -1, 0, 1, SLU_SEEN_OPEN },
#endif
#ifdef __NR_creat
	{ __NR_creat, "creat", -1, 0, -1, SLU_SEEN_OPEN },
#endif
	{ __NR_openat, "openat", 0, 1, 2, SLU_SEEN_OPEN },
#ifdef __NR_stat
	{ __NR_stat, "stat", -1, 0, -1, SLU_SEEN_STAT },
#endif
#ifdef __NR_lstat
	{ __NR_lstat, "lstat", -1, 0, -1, SLU_SEEN_STAT },
#endif
#ifdef __NR_newfstatat
	{ __NR_newfstatat, "newfstatat", 0, 1, 3, SLU_SEEN_STAT },
#endif
#ifdef __NR_statx
	{ __NR_statx, "statx", 0, 1, 2, SLU_SEEN_STAT },
#endif
#ifdef __NR_access
	{ __NR_access, "access", -1, 0, -1, SLU_SEEN_STAT },
#endif
	{ __NR_faccessat, "faccessat", 0, 1, -1, SLU_SEEN_STAT },
#ifdef __NR_faccessat2
	{ __NR_faccessat2, "faccessat2", 0, 1, 3, SLU_SEEN_STAT },
#endif
#ifdef __NR_readlink
	{ __NR_readlink, "readlink", -1, 0, -1, SLU_SEEN_LINK },
#endif
	{ __NR_readlinkat, "readlinkat", 0, 1, -1, SLU_SEEN_LINK },
	{ __NR_execve, "execve", -1, 0, -1, SLU_SEEN_EXEC },
	{ __NR_execveat, "execveat", 0, 1, 4, SLU_SEEN_EXEC },
};

size_t slu_call_count(void)
{
	return SLU_ARRAY_SIZE(calls);
}

const struct slu_seen_call *slu_call_get(size_t i)
{
	return &calls[i];
}

const struct slu_seen_call *slu_call_find(int nr)
{
	for (size_t i = 0; i < SLU_ARRAY_SIZE(calls); i++)
		if (calls[i].nr == nr)
			return &calls[i];
	return NULL;
}

/* ---- the path ---- */

/* A string of at most PATH_MAX bytes at @address of the process. Pages are asked for one by one: the last may be
 * missing. */
static int read_string(pid_t pid, uint64_t address, char ret_text[PATH_MAX])
{
	size_t page = 4096, n = page - address % page;
	struct iovec to = { .iov_base = ret_text, .iov_len = PATH_MAX };
	struct iovec from[2] = { { .iov_base = (void *)(uintptr_t)address, .iov_len = n },
		                 { .iov_base = (void *)(uintptr_t)(address + n), .iov_len = PATH_MAX - n } };
	ssize_t got = process_vm_readv(pid, &to, 1, from, 2, 0);

	if (got < 0)
		return -errno;
	return memchr(ret_text, 0, (size_t)got) ? 0 : -ENAMETOOLONG;
}

/* The directory that a relative path starts from. */
static int read_base(pid_t pid, int dirfd, char ret_base[PATH_MAX])
{
	char name[64];
	ssize_t n;

	if (dirfd == AT_FDCWD)
		(void)snprintf(name, sizeof(name), "/proc/%d/cwd", (int)pid);
	else
		(void)snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int)pid, dirfd);
	n = readlink(name, ret_base, PATH_MAX - 1);
	if (n <= 0 || ret_base[0] != '/')
		return -ENOENT;
	ret_base[n] = 0;
	return 0;
}

int slu_asked_read(pid_t pid, const struct slu_seen_call *call, uint64_t ip, const uint64_t args[6],
                   struct slu_asked *ret_asked)
{
	char text[PATH_MAX], base[PATH_MAX] = "/";
	int r = read_string(pid, args[call->path], text);

	if (r < 0 || !text[0])
		return -ENOENT; /* the kernel will say EFAULT; or the path is empty and means a descriptor */
	if (text[0] != '/' && read_base(pid, call->dirfd < 0 ? AT_FDCWD : (int)args[call->dirfd], base) < 0)
		return -ENOENT;
	ret_asked->call = call;
	ret_asked->pid = pid;
	ret_asked->ip = ip;
	ret_asked->flags = call->flags < 0 ? 0 : args[call->flags];
	if (call->kind == SLU_SEEN_OPEN && call->flags < 0) /* creat() */
		ret_asked->flags = O_WRONLY | O_CREAT;
	return slu_path_simplify(base, text, ret_asked->path) < 0 ? -ENOENT : 0;
}

/* ---- the code ---- */

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What stands behind an address of a process. */
struct region {
	bool has_shim;       /* the process has the shim */
	char file[PATH_MAX]; /* the mapped file, or "" */
	uint64_t base;       /* the lowest address of that file */
};

static void read_region(pid_t pid, uint64_t ip, struct region *ret_region)
{
	char name[32], line[PATH_MAX + 128], seen[PATH_MAX] = "";
	uint64_t seen_base = 0;
	FILE *maps;

	*ret_region = (struct region){ 0 };
	(void)snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "re");
	if (!maps)
		return;
	while (fgets(line, sizeof(line), maps)) {
		uint64_t from, to;
		int at = 0;
		char *file;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", &from, &to, &at) < 2 || !at)
			continue;
		file = line + at;
		file[strcspn(file, "\n")] = 0;
		if (strcmp(file, seen) != 0) {
			(void)snprintf(seen, sizeof(seen), "%s", file);
			seen_base = from;
		}
		if (strncmp(last_name(file), "libsluice-shim", 14) == 0)
			ret_region->has_shim = true;
		if (ip >= from && ip < to) {
			strcpy(ret_region->file, seen);
			ret_region->base = seen_base;
		}
	}
	(void)fclose(maps);
}

/*
 * Whether the address lies in libc's function syscall(). A program that has the shim has the shim's own in its place;
 * so this one was called by the shim, which asks the kernel now and then what is behind a mount.
 */
static bool is_in_syscall(const struct region *r, uint64_t ip)
{
	enum { AT_MOST = 96 }; /* bytes of that function, on every machine */
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), *function = libc ? dlsym(libc, "syscall") : NULL;
	Dl_info info;
	uint64_t offset;

	if (libc)
		(void)dlclose(libc); /* which is here to stay all the same */
	if (!function || !dladdr(function, &info) || strcmp(last_name(info.dli_fname), last_name(r->file)) != 0)
		return false;
	offset = (uint64_t)((uintptr_t)function - (uintptr_t)info.dli_fbase);
	return ip - r->base >= offset && ip - r->base < offset + AT_MOST;
}

static const char *code_of(const struct region *r)
{
	const char *name = last_name(r->file);

	if (strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "ld-", 3) == 0 || strncmp(name, "ld64", 4) == 0)
		return "by the dynamic linker";
	if (strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-", 5) == 0 || strncmp(name, "libpthread", 10) == 0)
		return "from inside libc";
	return "by a system call instruction of its own";
}

static void read_program(pid_t pid, char ret_program[16])
{
	char name[32], exe[PATH_MAX];
	ssize_t n;

	(void)snprintf(name, sizeof(name), "/proc/%d/exe", (int)pid);
	n = readlink(name, exe, sizeof(exe) - 1);
	exe[n < 0 ? 0 : n] = 0;
	(void)snprintf(ret_program, 16, "%.15s", n < 0 ? "?" : last_name(exe));
}

bool slu_asked_who(const struct slu_asked *a, char program[16], char *detail, size_t cap)
{
	struct region r;

	read_region(a->pid, a->ip, &r);
	if (r.has_shim && (strncmp(last_name(r.file), "libsluice-shim", 14) == 0 || is_in_syscall(&r, a->ip)))
		return false;
	read_program(a->pid, program);
	if (r.has_shim)
		(void)snprintf(detail, cap, "%s %s, in %s", a->call->name, code_of(&r), last_name(r.file));
	else
		(void)snprintf(detail, cap, "%s; the shim is not loaded in this program", a->call->name);
	return true;
}
