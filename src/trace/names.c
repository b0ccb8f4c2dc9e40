/* SPDX-License-Identifier: MIT */
/*
 * Which file a path or a descriptor means.
 *
 * Names are absolute, without "." and doubled slashes; ".." stays, since only the kernel knows what it means. A
 * descriptor that nobody has told us about is asked of /proc once.
 */
#include "trace/record.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the working directory -------------------------------------------------------------------------------------- */

/* An odd version: it is not known. Changed under the lock; who reads it looks whether the version is still the same. */
void slu_rec_moved(struct slu_recorder *r, const char *to)
{
	uint32_t version;

	slu_rec_lock(&r->lock);
	version = atomic_load(&r->cwd_version) | 1;
	atomic_store(&r->cwd_version, version);
	if (to) {
		size_t n = strnlen(to, PATH_MAX - 1);
		memcpy(r->cwd, to, n);
		r->cwd[n] = 0;
		atomic_store(&r->cwd_version, version + 1);
	} else {
		atomic_store(&r->cwd_version, version + 2);
	}
	slu_rec_unlock(&r->lock);
}

/* Copies it to @buf: its length, 0 if it is not to be had. */
static size_t working_directory(struct slu_recorder *r, char buf[PATH_MAX])
{
	uint32_t version = atomic_load_explicit(&r->cwd_version, memory_order_acquire);
	long n;

	if (SLU_LIKELY(version % 2 == 0)) {
		size_t len = strnlen(r->cwd, PATH_MAX - 1);
		memcpy(buf, r->cwd, len);
		buf[len] = 0;
		atomic_thread_fence(memory_order_acquire);
		if (SLU_LIKELY(atomic_load_explicit(&r->cwd_version, memory_order_relaxed) == version))
			return len;
	}
	n = syscall(SYS_getcwd, buf, PATH_MAX);
	if (n <= 1 || buf[0] != '/')
		return 0;
	slu_rec_lock(&r->lock);
	if (atomic_load(&r->cwd_version) == version) { /* nobody has moved meanwhile */
		memcpy(r->cwd, buf, (size_t)n);
		atomic_store_explicit(&r->cwd_version, version + 1, memory_order_release);
	}
	slu_rec_unlock(&r->lock);
	return (size_t)n - 1;
}

/* ---- paths ------------------------------------------------------------------------------------------------------ */

typedef unsigned char bytes16 __attribute__((vector_size(16)));

/* Whether there may be a "//", "/." or a slash at the end in the 16 bytes at @p, or the one after. */
static bool may_be_unclean(const char *p)
{
	bytes16 a, b, bad;
	uint64_t any[2];

	memcpy(&a, p, sizeof(a));
	memcpy(&b, p + 1, sizeof(b));
	bad = (bytes16)(a == '/') & (bytes16)((b == '/') | (b == '.') | (b == 0));
	memcpy(any, &bad, sizeof(any));
	return any[0] | any[1];
}

static bool is_clean_slowly(const char *path, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (path[i] == '/' && (path[i + 1] == '/' || path[i + 1] == 0 ||
		                       (path[i + 1] == '.' && (path[i + 2] == '/' || path[i + 2] == 0))))
			return len == 1;
	return true;
}

/* Whether a path is as we want it already. */
static bool is_clean(const char *path, size_t len)
{
	if (path[0] != '/')
		return false;
	if (len >= 16) {
		bool may = may_be_unclean(path + len - 16);
		for (size_t i = 0; i + 16 <= len; i += 16)
			may |= may_be_unclean(path + i);
		if (SLU_LIKELY(!may))
			return true;
	}
	return is_clean_slowly(path, len);
}

/* Adds the names of @path to the @len bytes in @buf. */
static size_t add_names(char buf[PATH_MAX], size_t len, const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "/");
		if (n > 0 && !(n == 1 && path[0] == '.')) {
			if (len + 1 + n >= PATH_MAX)
				break; /* the kernel refuses it too */
			buf[len++] = '/';
			memcpy(buf + len, path, n);
			len += n;
		}
		path += n + (path[n] == '/');
	}
	buf[len] = 0;
	return len;
}

/* The directory that a relative path starts from: the length of its name in @buf. */
static size_t start_of_path(struct slu_recorder *r, int dirfd, char buf[PATH_MAX])
{
	const char *name;
	slu_ref file;
	size_t len;

	if (dirfd == AT_FDCWD)
		return working_directory(r, buf);
	file = slu_rec_fd_file(r, dirfd);
	name = slu_rec_file_name(r, file, &len);
	if (len >= PATH_MAX)
		return 0;
	memcpy(buf, name, len);
	return len;
}

slu_ref slu_rec_path_file(struct slu_recorder *r, int dirfd, const char *path, uint32_t flags)
{
	size_t len = strnlen(path, PATH_MAX - 1);
	char buf[PATH_MAX];

	if (len == 0)
		return dirfd == AT_FDCWD ? r->rest : slu_rec_fd_file(r, dirfd); /* AT_EMPTY_PATH */
	if (SLU_LIKELY(is_clean(path, len)))
		return slu_rec_file(r, path, len, flags);
	len = path[0] == '/' ? 0 : start_of_path(r, dirfd, buf);
	if (len == 1 && buf[0] == '/')
		len = 0;
	len = add_names(buf, len, path);
	if (len == 0)
		buf[len++] = '/';
	return slu_rec_file(r, buf, len, flags);
}

/* ---- descriptors ------------------------------------------------------------------------------------------------ */

/* "socket:[123]" is "socket": one record for all of a kind. */
static size_t kind_only(char *name, size_t len)
{
	char *colon = memchr(name, ':', len);

	return colon && colon[1] == '[' && name[0] != 'a' ? (size_t)(colon - name) : len;
}

static slu_ref ask_kernel(struct slu_recorder *r, int fd)
{
	char link[40], name[PATH_MAX];
	long n;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = syscall(SYS_readlink, link, name, sizeof(name) - 1);
	if (n <= 0)
		return r->rest;
	if (name[0] == '/')
		return slu_rec_file(r, name, (size_t)n, strncmp(name, "/memfd:", 7) ? 0 : SLU_FILE_NOT_A_FILE);
	return slu_rec_file(r, name, kind_only(name, (size_t)n), SLU_FILE_NOT_A_FILE);
}

slu_ref slu_rec_fd_file(struct slu_recorder *r, int fd)
{
	struct slu_rec_fd *e = slu_rec_fd_entry(r, fd);
	slu_ref file = e ? atomic_load_explicit(&e->file, memory_order_relaxed) : 0;
	int max;

	if (SLU_LIKELY(file != 0))
		return file;
	file = ask_kernel(r, fd);
	if (!e || file == r->rest)
		return file;
	atomic_store_explicit(&e->file, file, memory_order_relaxed);
	atomic_store_explicit(&e->moved, 0, memory_order_relaxed);
	max = atomic_load(&r->max_fd);
	while (fd > max && !atomic_compare_exchange_weak(&r->max_fd, &max, fd))
		;
	return file;
}
