/* SPDX-License-Identifier: MIT */
/* Which descriptors a program finds open when it looks at all of them, itself and in children. */
#include "compat.h"

static void scan(const char *what)
{
	struct stat st;
	printf("%s:", what);
	for (int i = 0; i < 1100; i++) {
		bool a = fcntl(i, F_GETFD) >= 0, b = fstat(i, &st) == 0;
		if (a || b)
			printf(" %d", i);
		MUST(a == b);
	}
	printf("\n");
}

static void run(void)
{
	scan("at first");
	int fd = (int)R(open(P("comp.txt"), O_RDONLY));
	scan("one open");
	R(read(fd, buf, 10));
	R(dup2(fd, 77));
	scan("two open");
	R(close(fd));
	R(close(77));
	scan("none");
	pid_t pid = fork();
	if (pid == 0) {
		scan("in a child");
		_exit(0);
	}
	ended("child", pid);
	R(dup(984)); /* whatever number: it is not there */
	R(dup2(1000, 5));
	R(lseek(1000, 0, SEEK_CUR));
	scan("at last");
}
