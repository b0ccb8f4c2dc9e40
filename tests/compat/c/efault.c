/* SPDX-License-Identifier: MIT */
/* Pointers that lead nowhere: the kernel says EFAULT. Each call in a child, as it may end it. */
#include "compat.h"
#include <sys/mman.h>
#include <sys/statfs.h>

#define NOWHERE ((void *)16)
#define TRY(x)                                                                                                         \
	do {                                                                                                           \
		fflush(stdout);                                                                                        \
		pid_t pid_ = fork();                                                                                   \
		if (pid_ == 0) {                                                                                       \
			R(x);                                                                                          \
			fflush(stdout);                                                                                \
			_exit(0);                                                                                      \
		}                                                                                                      \
		ended(#x, pid_);                                                                                       \
	} while (0)

static void run(void)
{
	char *volatile nowhere = NOWHERE;
	struct stat st;
	struct statfs fs;
	struct iovec v = { NOWHERE, 100 };
	static const char *const rels[] = { "text/lines.txt", "comp.txt", "big.bin", "empty" };
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++) {
		int fd = (int)R(open(P(rels[i]), O_RDONLY));
		TRY(read(fd, nowhere, 100));
		TRY(pread(fd, nowhere, 100, 0));
		TRY(readv(fd, &v, 1));
		TRY(readv(fd, (void *)nowhere, 1));
		TRY(pread(fd, nowhere, 100, (off_t)1 << 30));
		R(lseek(fd, 0, SEEK_CUR));
		/* A buffer whose second page is not there: what fits may be read, or the call fails; never a signal. */
		char *m = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		munmap(m + 4096, 4096);
		pid_t pid = fork();
		if (pid == 0) {
			char *volatile at = m + 4090;
			ssize_t n = read(fd, at, 100);
			MUST(n == 6 || n == 0 || (n == -1 && errno == EFAULT));
			MUST(lseek(fd, 0, SEEK_CUR) == (n > 0 ? n : 0));
			fflush(stdout);
			_exit(failures);
		}
		ended("half a buffer", pid);
		TRY(fstat(fd, (void *)nowhere));
		char *volatile large = buf;
		TRY(pread(fd, large, (size_t)-1, 0));
		TRY(pread(fd, large, (size_t)SSIZE_MAX, 0));
		R(close(fd));
	}
	int d = (int)R(open(point, O_RDONLY | O_DIRECTORY));
	TRY(open(nowhere, O_RDONLY));
	TRY(openat(d, nowhere, O_RDONLY));
	TRY(stat(nowhere, &st));
	TRY(stat(P("empty"), (void *)nowhere));
	TRY(statx(d, "empty", 0, STATX_BASIC_STATS, (void *)nowhere));
	TRY(access(nowhere, R_OK));
	TRY(readlink(nowhere, buf, 10));
	TRY(readlink(P("links/rel"), nowhere, 10));
	TRY(statfs(nowhere, &fs));
	TRY(chmod(nowhere, 0600));
	TRY(getdents64(d, nowhere, 4096));
	TRY(unlink(nowhere));
	TRY(chdir(nowhere));
}
