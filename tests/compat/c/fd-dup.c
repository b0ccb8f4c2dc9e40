/* SPDX-License-Identifier: MIT */
/* dup, dup2, dup3, F_DUPFD; the lowest free number; flags of descriptors and of descriptions. */
#include "compat.h"
#include <signal.h>

static void run(void)
{
	signal(SIGPIPE, SIG_IGN);
	int a = (int)R(open(P("text/lines.txt"), O_RDONLY)), b = (int)R(open(P("comp.txt"), O_RDONLY | O_CLOEXEC));
	int c = (int)R(dup(a));
	R(close(a));
	int d = (int)R(open(P("small.bin"), O_RDONLY)); /* takes a's number */
	R(d == a);
	R(read(c, buf, 10));
	R(dup2(c, 30));
	R(lseek(30, 0, SEEK_CUR));
	R(dup2(30, 30));
	R(dup2(99, 99));
	R(dup2(99, 30));
	R(lseek(30, 0, SEEK_CUR));
	R(dup3(30, 30, 0));
	R(dup3(30, 31, O_CLOEXEC));
	R(dup3(30, 31, O_NONBLOCK));
	R(dup2(30, -1));
	R(dup2(30, 1 << 28));
	R(fcntl(31, F_GETFD));
	R(fcntl(30, F_GETFD));
	R(fcntl(b, F_GETFD));
	R(fcntl(b, F_DUPFD, 0));
	R(fcntl(b, F_DUPFD, 40));
	R(fcntl(40, F_GETFD));
	R(fcntl(b, F_DUPFD_CLOEXEC, 40));
	R(fcntl(41, F_GETFD));
	R(fcntl(b, F_DUPFD, -1));
	R(fcntl(b, F_DUPFD, 1 << 28));
	R(fcntl(41, F_SETFD, 0));
	R(fcntl(41, F_GETFD));
	R(fcntl(40, F_SETFD, FD_CLOEXEC));
	R(fcntl(40, F_GETFD));
	/* one file dup2'ed over another, and over a pipe, and a pipe over a file */
	R(dup2(d, 31));
	bytes("now the other", buf, R(pread(31, buf, 5000, 0)));
	int p[2];
	R(pipe(p));
	R(dup2(d, p[0]));
	bytes("instead of the pipe", buf, R(pread(p[0], buf, 5000, 0)));
	R(write(p[1], "x", 1));
	R(dup2(p[1], d));
	R(lseek(d, 0, SEEK_CUR));
	R(lseek(31, 0, SEEK_END));
	/* O_APPEND and O_NONBLOCK belong to the description: duplicates share them, other opens do not */
	int e = (int)R(open(P("text/lines.txt"), O_RDONLY)), f = (int)R(open(P("text/lines.txt"), O_RDONLY)),
	    g = (int)R(dup(e));
	R(fcntl(e, F_GETFL));
	R(fcntl(e, F_SETFL, O_NONBLOCK));
	R(fcntl(g, F_GETFL));
	R(fcntl(f, F_GETFL));
	R(fcntl(e, F_SETFL, O_APPEND));
	R(fcntl(g, F_GETFL));
	R(fcntl(e, F_SETFL, O_NOATIME));
	R(fcntl(g, F_GETFL));
	R(fcntl(f, F_GETFL));
	R(fcntl(g, F_SETFL, 0));
	R(fcntl(e, F_GETFL));
	pid_t pid = fork();
	if (pid == 0) {
		R(fcntl(e, F_SETFL, O_APPEND));
		R(fcntl(e, F_SETFD, FD_CLOEXEC));
		_exit(0);
	}
	ended("child", pid);
	R(fcntl(e, F_GETFL));
	R(fcntl(e, F_GETFD));
	R(fcntl(e, 12345));
	R(fcntl(99, F_GETFL));
	R(fcntl(99, F_DUPFD, 0));
	R(fcntl(e, F_GETOWN));
	R(fcntl(e, F_GETSIG));
	R(fcntl(e, F_GETPIPE_SZ));
	R(fcntl(e, F_GET_SEALS));
	R(fcntl(e, F_GETLEASE));
	/* stdin, as shells do it */
	R(dup2(f, 0));
	drain("stdin", 0);
	R(close(0));
	R(open(P("comp.txt"), O_RDONLY));
	drain("stdin again", 0);
}
