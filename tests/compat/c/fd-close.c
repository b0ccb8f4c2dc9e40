/* SPDX-License-Identifier: MIT */
/* close, close_range, closefrom, and the limit of descriptors. */
#include "compat.h"
#include <linux/close_range.h>
#include <sys/resource.h>

extern int __close(int);

static void which(void)
{
	printf("open:");
	for (int i = 3; i < 100; i++)
		if (fcntl(i, F_GETFD) >= 0)
			printf(" %d%s", i, fcntl(i, F_GETFD) & FD_CLOEXEC ? "c" : "");
	printf("\n");
}

static void fill(void)
{
	for (int i = 0; i < 8; i++)
		if (open(P(i % 2 ? "comp.txt" : "class-a"), O_RDONLY) < 0)
			printf("open failed: %s\n", ename(errno));
	which();
}

static void run(void)
{
	int fd = (int)R(open(P("comp.txt"), O_RDONLY));
	R(close(fd));
	R(close(fd));
	R(close(-1));
	R(close(12345));
	fd = (int)R(open(P("comp.txt"), O_RDONLY));
	R(__close(fd));
	R(read(fd, buf, 1));
	fill();
	R(close_range(4, 6, 0));
	which();
	R(close_range(3, 8, CLOSE_RANGE_CLOEXEC));
	which();
	R(close_range(8, 7, 0));
	R(close_range(0, 1, 0x4000));
	bytes("still there", buf, R(pread(8, buf, 100, 0)));
	R(close_range(3, ~0U, 0));
	which();
	fill();
	closefrom(5);
	which();
	R(syscall(SYS_close_range, 3, ~0U, 0));
	which();
	fill();
	for (int i = 3; i < 1024; i++)
		close(i);
	which();
	fd = (int)R(open(P("comp.txt"), O_RDONLY));
	drain("after all was closed", fd);
	DIR *d = RP(opendir(P("class-a")));
	int n = 0;
	while (readdir(d))
		n++;
	R(n);
	R(closedir(d));
	R(close(fd));
	/* the limit */
	struct rlimit old, lim;
	getrlimit(RLIMIT_NOFILE, &old);
	lim = (struct rlimit){ 20, old.rlim_max };
	R(setrlimit(RLIMIT_NOFILE, &lim));
	int last = -1;
	for (int i = 0; i < 40; i++) {
		fd = open(P("comp.txt"), O_RDONLY);
		if (fd < 0)
			break;
		last = fd;
	}
	printf("%s after %d\n", ename(errno), last);
	RP(fopen(P("comp.txt"), "r"));
	RP(opendir(P("class-a")));
	R(dup(3));
	R(fcntl(3, F_DUPFD, 5));
	R(dup2(3, 25));
	R(pread(3, buf, 100, 0));
	struct stat st;
	R(stat(P("comp.txt"), &st));
	R(access(P("comp.txt"), R_OK));
	R(close(7));
	R(open(P("class-a"), O_RDONLY));
	R(open(P("class-a"), O_RDONLY));
	which();
	R(setrlimit(RLIMIT_NOFILE, &old));
	R(open(P("class-a"), O_RDONLY));
	for (int i = 3; i < 40; i++)
		close(i);
	/* many at once */
	int max = 0, opened = 0;
	for (int i = 0; i < 900; i++)
		if ((fd = open(P("comp.txt"), O_RDONLY)) >= 0)
			opened++, max = fd;
	printf("%d opened, the last is %d\n", opened, max);
	bytes("from the last", buf, R(pread(max, buf, 100, 1000)));
}
