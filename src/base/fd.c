/* SPDX-License-Identifier: MIT */
/* Whole reads and writes. See fd.h. */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

ssize_t slu_pread(int fd, void *buf, size_t n, uint64_t offset)
{
	size_t done = 0;

	while (done < n) {
		ssize_t r = pread(fd, (char *)buf + done, n - done, (off_t)(offset + done));
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (r == 0)
			break;
		done += (size_t)r;
	}
	return (ssize_t)done;
}

int slu_pwrite(int fd, const void *buf, size_t n, uint64_t offset, const char *what)
{
	size_t done = 0;

	while (done < n) {
		ssize_t r = pwrite(fd, (const char *)buf + done, n - done, (off_t)(offset + done));
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return slu_fail_sys(-errno, "cannot write %s", what);
		if (r == 0)
			return slu_fail(-ENOSPC, "cannot write %s: no room", what);
		done += (size_t)r;
	}
	return 0;
}

int slu_sync(int fd, const char *what)
{
	if (fsync(fd) < 0)
		return slu_fail_sys(-errno, "cannot sync %s", what);
	return 0;
}

int slu_openat(int dirfd, const char *name, int flags, mode_t mode)
{
	int fd;

	do
		fd = openat(dirfd, name, flags | O_CLOEXEC, mode);
	while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}
