/* SPDX-License-Identifier: MIT */
/* Opens all descriptors that there may be; then the others: each call fails with EMFILE, nothing breaks. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char p[4096], b[100];
	struct rlimit l = { (rlim_t)atoi(argv[2]), (rlim_t)atoi(argv[2]) };
	struct stat st;
	int n = 0, fd, last = -1;
	setrlimit(RLIMIT_NOFILE, &l);
	for (int round = 0; round < 3; round++) {
		snprintf(p, sizeof(p), "%s/hello", argv[1]);
		for (n = 0; (fd = open(p, O_RDONLY)) >= 0; n++)
			last = fd;
		if (errno != EMFILE)
			return printf("open: %s\n", strerror(errno)), 1;
		/* what is open can be read; what needs no descriptor works */
		if (pread(last, b, 6, 0) != 6 || memcmp(b, "hello\n", 6) != 0)
			return printf("pread: %s\n", strerror(errno)), 1;
		if (stat(p, &st) || fstat(last, &st) || access(p, R_OK))
			return printf("stat: %s\n", strerror(errno)), 1;
		void *m = mmap(NULL, 6, PROT_READ, MAP_PRIVATE, last, 0);
		if (m != MAP_FAILED && memcmp(m, "hello\n", 6) != 0)
			return printf("mmap: other bytes\n"), 1;
		if (fopen(p, "r") || errno != EMFILE)
			return printf("fopen: %s\n", strerror(errno)), 1;
		snprintf(p, sizeof(p), "%s/dir", argv[1]);
		if (opendir(p) || errno != EMFILE)
			return printf("opendir: %s\n", strerror(errno)), 1;
		if (dup(last) != -1 || errno != EMFILE)
			return printf("dup: %s\n", strerror(errno)), 1;
		for (int i = 3; i <= last; i++)
			close(i);
	}
	printf("%d\n", last - 2);
	return 0;
}
