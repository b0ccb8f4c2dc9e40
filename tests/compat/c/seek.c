/* SPDX-License-Identifier: MIT */
/* lseek: every whence, ends, holes, and who shares an offset. */
#include "compat.h"

extern int64_t lseek64(int, int64_t, int);
extern off_t __lseek(int, off_t, int);

static void one_file(const char *rel, off_t size)
{
	printf("--- %s\n", rel);
	int fd = (int)R(open(P(rel), O_RDONLY));
	R(lseek(fd, 0, SEEK_END));
	R(lseek(fd, -1, SEEK_END));
	R(read(fd, buf, 10));
	R(lseek(fd, 0, SEEK_SET));
	R(lseek(fd, 5, SEEK_CUR));
	R(lseek(fd, -6, SEEK_CUR));
	R(lseek(fd, -1, SEEK_SET));
	R(lseek(fd, 0, SEEK_CUR));
	R(lseek(fd, size + 100, SEEK_SET));
	R(read(fd, buf, 10));
	R(lseek(fd, 0, SEEK_CUR));
	R(lseek(fd, -size - 101, SEEK_CUR));
	R(lseek(fd, -size - 1, SEEK_END));
	R(lseek(fd, INT64_MAX, SEEK_CUR));
	R(lseek(fd, 0, 17));
	R(lseek(fd, 0, -1));
	R(lseek64(fd, 7, SEEK_SET));
	R(__lseek(fd, 1, SEEK_CUR));
	R(lseek(fd, 0, SEEK_DATA));
	R(lseek(fd, 0, SEEK_HOLE));
	R(lseek(fd, size, SEEK_DATA));
	R(lseek(fd, size, SEEK_HOLE));
	R(lseek(fd, size + 1, SEEK_DATA));
	R(lseek(fd, size + 1, SEEK_HOLE));
	R(lseek(fd, -1, SEEK_DATA));
	R(lseek(fd, -1, SEEK_HOLE));
	R(lseek(fd, 2, SEEK_SET));
	R(close(fd));
	R(lseek(fd, 0, SEEK_SET));
}

static void sharing(void)
{
	printf("--- sharing\n");
	int a = (int)R(open(P("big.bin"), O_RDONLY));
	int b = (int)R(open(P("big.bin"), O_RDONLY));
	int c = (int)R(dup(a));
	int d = (int)R(fcntl(a, F_DUPFD, 20));
	R(read(a, buf, 100));
	R(lseek(a, 0, SEEK_CUR));
	R(lseek(b, 0, SEEK_CUR));
	R(lseek(c, 0, SEEK_CUR));
	R(lseek(d, 1000, SEEK_SET));
	R(lseek(a, 0, SEEK_CUR));
	R(close(a));
	R(lseek(c, 0, SEEK_CUR));
	R(read(c, buf, 10));
	R(lseek(d, 0, SEEK_CUR));
	pid_t pid = fork();
	if (pid == 0) {
		R(read(c, buf, 500));
		R(lseek(b, 77, SEEK_SET));
		int e = (int)R(open(P("text/lines.txt"), O_RDONLY));
		R(lseek(e, 5, SEEK_SET));
		_exit(3);
	}
	ended("child", pid);
	R(lseek(c, 0, SEEK_CUR));
	R(lseek(d, 0, SEEK_CUR));
	R(lseek(b, 0, SEEK_CUR));
	/* grandchildren, and a duplicate made in a child */
	pid = fork();
	if (pid == 0) {
		int e = dup(b);
		pid_t sub = fork();
		if (sub == 0) {
			lseek(e, 4321, SEEK_SET);
			_exit(0);
		}
		waitpid(sub, NULL, 0);
		_exit(0);
	}
	ended("child", pid);
	R(lseek(b, 0, SEEK_CUR));
	bytes("from there", buf, R(read(b, buf, 100)));
	R(close(b));
	R(close(c));
	R(lseek(d, 0, SEEK_CUR));
	R(close(d));
}

static void run(void)
{
	one_file("text/lines.txt", 2000);
	one_file("comp.txt", TEXT);
	one_file("big.bin", BIG);
	one_file("empty", 0);
	sharing();
	int p[2], d = (int)R(open(P("class-a"), O_RDONLY));
	R(lseek(d, 0, SEEK_SET));
	R(lseek(d, 0, SEEK_CUR));
	R(close(d));
	R(pipe(p)); /* outside of the mount nothing changes */
	R(lseek(p[0], 0, SEEK_CUR));
}
