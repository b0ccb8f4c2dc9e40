/* SPDX-License-Identifier: MIT */
/*
 * vfork: the child shares our memory but not our descriptors. What it does with them
 * (dup2, close, close_range, as Python's subprocess does) must not be seen here.
 */
#include "compat.h"

static char *const none[] = { NULL };

static void state(const char *what, int a, int b)
{
	printf("--- %s\n", what);
	R(lseek(a, 0, SEEK_CUR));
	bytes("a", buf, R(pread(a, buf, 100, 50)));
	bytes("b", buf, R(pread(b, buf, 100, 50)));
	R(lseek(0, 0, SEEK_CUR) >= -1);
	struct stat st;
	R(fstat(a, &st));
	stat_line("a", &st);
	R(fcntl(a, F_GETFD));
	R(fcntl(b, F_GETFD));
}

static void run(void)
{
	const char *child = getenv("COMPAT_CHILD");
	int null = (int)R(open("/dev/null", O_RDONLY));
	R(dup2(null, 0));
	int a = (int)R(open(P("comp.txt"), O_RDONLY)), b = (int)R(open(P("text/lines.txt"), O_RDONLY | O_CLOEXEC));
	R(lseek(a, 1234, SEEK_SET));
	fflush(stdout);
	pid_t pid = vfork();
	if (pid == 0) {
		dup2(b, 0);
		close_range(3, ~0U, 0);
		execle(child, "c", point, "fd", "0", (char *)NULL, none);
		_exit(126);
	}
	ended("vfork, stdin from the mount, all closed", pid);
	R(read(0, buf, 10)); /* ours is still /dev/null */
	state("after the first", a, b);
	pid = vfork();
	if (pid == 0) {
		close(a);
		close(b);
		dup2(null, 10);
		_exit(5);
	}
	ended("vfork, close and exit", pid);
	state("after the second", a, b);
	R(fcntl(10, F_GETFD));
	pid = vfork();
	if (pid == 0) {
		dup2(a, b);
		fcntl(a, F_SETFD, FD_CLOEXEC);
		lseek(a, 777, SEEK_SET); /* the description is shared: this is to be seen */
		_exit(6);
	}
	ended("vfork, dup2 of one on the other", pid);
	state("after the third", a, b);
	R(lseek(b, 0, SEEK_SET));
	drain("b", b);
	pid = vfork();
	if (pid == 0) {
		int c = open(P("small.bin"), O_RDONLY);
		dup2(c, 0);
		execle("/usr/bin/md5sum", "md5sum", (char *)NULL, none);
		_exit(126);
	}
	ended("vfork, open in the child", pid);
	state("after the fourth", a, b);
	R(open(P("small.bin"), O_RDONLY)); /* the lowest free number */
	R(chdir(P("class-a")));
	pid = vfork();
	if (pid == 0) {
		if (chdir("/") < 0)
			_exit(1);
		execle(child, "c", point, "cwd", (char *)NULL, none);
		_exit(126);
	}
	ended("vfork, chdir", pid);
	R(access("img-00.jpg", R_OK)); /* we are where we were */
	char cwd[PATH_MAX];
	printf("cwd %s\n", getcwd(cwd, sizeof(cwd)) ? cwd : "?");
}
