/* SPDX-License-Identifier: MIT */
/* What descriptors are called in /proc/self/fd, for one who reads that directory. */
#include "compat.h"

static void run(void)
{
	char p[PATH_MAX];
	int fd = (int)R(open(P("comp.txt"), O_RDONLY)), d = (int)R(open(P("class-b"), O_RDONLY));
	DIR *dir = opendir("/proc/self/fd");
	for (struct dirent *e; (e = readdir(dir));)
		if (atoi(e->d_name) == fd || atoi(e->d_name) == d) {
			ssize_t n = readlinkat(dirfd(dir), e->d_name, p, sizeof(p));
			line("%s -> %.*s", e->d_name, (int)n, p);
		}
	closedir(dir);
	print_lines("descriptors");
}
