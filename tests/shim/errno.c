/* SPDX-License-Identifier: MIT */
/* Calls that succeed leave errno alone, in the mount and outside; calls that fail outside set what they always set. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEEPS(x)                                                                                                       \
	do {                                                                                                           \
		errno = 4321;                                                                                          \
		long r_ = (long)(x);                                                                                   \
		if (errno != 4321 || r_ == -1) {                                                                       \
			printf("%s: result %ld, errno %d\n", #x, r_, errno);                                           \
			bad = 1;                                                                                       \
		}                                                                                                      \
	} while (0)
#define SAYS(x, e)                                                                                                     \
	do {                                                                                                           \
		errno = 0;                                                                                             \
		long r_ = (long)(x);                                                                                   \
		if (errno != (e)) {                                                                                    \
			printf("%s: result %ld, errno %s, not %s\n", #x, r_, strerror(errno), strerror(e));            \
			bad = 1;                                                                                       \
		}                                                                                                      \
	} while (0)

int main(int argc, char **argv)
{
	char b[4096], f[4096], d[4096];
	struct stat st;
	int bad = 0;
	for (int i = 1; i < argc; i++) {
		snprintf(f, sizeof(f), "%s/hello", argv[i]);
		snprintf(d, sizeof(d), "%s/dir", argv[i]);
		int fd, e, dd;
		KEEPS(fd = open(f, O_RDONLY));
		KEEPS(read(fd, b, 3));
		KEEPS(pread(fd, b, 3, 1));
		KEEPS(lseek(fd, 0, SEEK_SET));
		KEEPS(fstat(fd, &st));
		KEEPS(stat(f, &st));
		KEEPS(lstat(f, &st));
		KEEPS(fstatat(AT_FDCWD, f, &st, 0));
		KEEPS(access(f, R_OK));
		KEEPS(e = dup(fd));
		KEEPS(dup2(fd, e));
		KEEPS(fcntl(fd, F_GETFL));
		KEEPS(mmap(NULL, 6, PROT_READ, MAP_PRIVATE, fd, 0));
		KEEPS(close(e));
		KEEPS(close(fd));
		DIR *s = opendir(d);
		KEEPS(readdir(s));
		KEEPS(dd = dirfd(s));
		KEEPS(openat(dd, "inner", O_RDONLY));
		KEEPS(closedir(s));
		FILE *g = fopen(f, "r");
		KEEPS(fread(b, 1, 3, g));
		KEEPS(fseek(g, 0, SEEK_SET));
		KEEPS(fclose(g));
		KEEPS(chdir(d));
		KEEPS(getcwd(b, sizeof(b)));
		KEEPS(chdir("/"));
		snprintf(f, sizeof(f), "%s/no-such", argv[i]);
		SAYS(open(f, O_RDONLY), ENOENT);
		SAYS(stat(f, &st), ENOENT);
		SAYS(opendir(f), ENOENT);
		SAYS(fopen(f, "r"), ENOENT);
		SAYS(readlink(d, b, 10), EINVAL);
	}
	SAYS(read(1234, b, 1), EBADF);
	SAYS(close(1234), EBADF);
	SAYS(open("/proc/self/no-such", O_RDONLY), ENOENT);
	SAYS(mkdir("/proc/x", 0755), ENOENT);
	SAYS(dup(1234), EBADF);
	SAYS(mmap(NULL, 10, PROT_READ, MAP_PRIVATE, 1234, 0), EBADF);
	return bad;
}
