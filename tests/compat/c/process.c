/* SPDX-License-Identifier: MIT */
/* fork, system, popen, daemon, descriptors sent over sockets, all descriptors closed. */
#include "compat.h"
#include <sys/socket.h>

static void send_fd(int s, int fd)
{
	char data = 'x', control[CMSG_SPACE(sizeof(int))];
	struct iovec v = { &data, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	MUST(sendmsg(s, &m, 0) == 1);
}

static int receive_fd(int s)
{
	char data, control[CMSG_SPACE(sizeof(int))];
	struct iovec v = { &data, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	int fd = -1;
	R(recvmsg(s, &m, 0));
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	if (c)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static void forks(void)
{
	printf("--- fork\n");
	int fd = (int)R(open(P("comp.txt"), O_RDONLY));
	R(read(fd, buf, 100));
	for (int i = 0; i < 3; i++) {
		pid_t pid = i == 1 ? _Fork() : i == 2 ? (pid_t)syscall(SYS_fork) : fork();
		if (pid == 0) {
			bytes("child reads", buf, read(fd, buf, 100));
			int g = open(P("text/lines.txt"), O_RDONLY);
			drain("child opens", g);
			close(fd);
			fflush(stdout);
			_exit(i);
		}
		ended("child", pid);
		R(lseek(fd, 0, SEEK_CUR));
	}
	pid_t pid = fork();
	if (pid == 0) {
		char last[2];
		close(fd); /* a child's close is its own affair */
		_exit((int)read(fd, last, 1) + 2);
	}
	ended("child closes", pid);
	bytes("parent reads on", buf, R(read(fd, buf, 100)));
	/* a chain of ten generations passes the offset on */
	for (int g = 0; g < 10; g++) {
		pid = fork();
		if (pid) {
			if (g == 0)
				ended("generations", pid);
			else
				waitpid(pid, NULL, 0);
			if (g)
				_exit(0);
			break;
		}
		if (read(fd, buf, 10) != 10)
			_exit(1);
		if (g == 9)
			_exit(0);
	}
	R(lseek(fd, 0, SEEK_CUR));
	R(close(fd));
}

static void shells(void)
{
	char cmd[PATH_MAX * 2];
	printf("--- system, popen\n");
	snprintf(cmd, sizeof(cmd), "head -n 2 %s/text/lines.txt; test -d %s/class-a && echo yes", point, point);
	R(system(cmd));
	FILE *f = popen(cmd, "r");
	while (fgets(buf, 100, f))
		printf("popen: %s", buf);
	R(pclose(f));
	int fd = (int)R(open(P("text/one-line.txt"), O_RDONLY));
	R(dup2(fd, 0));
	R(system("cat"));
	R(lseek(0, 0, SEEK_CUR));
	R(lseek(0, 0, SEEK_SET));
	f = popen("cat", "r"); /* inherits stdin */
	while (fgets(buf, 100, f))
		printf("popen cat: %s", buf);
	R(pclose(f));
	R(lseek(0, 2, SEEK_SET));
	f = popen("exec 3<&0; cat <&3 >/dev/null; wc -c", "w");
	R(pclose(f));
	R(close(0));
	R(open("/dev/null", O_RDONLY));
	R(close(fd));
}

static void sockets(void)
{
	int s[2];
	printf("--- SCM_RIGHTS\n");
	static const char *const rels[] = { "comp.txt", "big.bin", "text/lines.txt", "class-a", "empty" };
	for (int i = 0; i < 5; i++) {
		R(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
		int fd = (int)R(open(P(rels[i]), O_RDONLY));
		if (i < 3)
			R(lseek(fd, 55, SEEK_SET));
		pid_t pid = fork();
		if (pid == 0) {
			close(fd);
			close(s[0]);
			int got = receive_fd(s[1]);
			struct stat st;
			R(fstat(got, &st));
			stat_line("received", &st);
			R(lseek(got, 0, SEEK_CUR) >= 0);
			if (i < 3)
				R(lseek(got, 0, SEEK_CUR));
			drain("received", got);
			_exit(0);
		}
		send_fd(s[0], fd);
		ended("forked receiver", pid);
		if (i < 3) {
			R(lseek(fd, 0, SEEK_CUR));
			R(lseek(fd, 66, SEEK_SET));
		}
		pid = fork();
		if (pid == 0) {
			static char *const none[] = { NULL };
			dup2(s[1], 0);
			close_range(3, ~0U, 0);
			execle(getenv("COMPAT_CHILD"), "c", point, "scm", (char *)NULL, none);
			_exit(126);
		}
		send_fd(s[0], fd);
		ended("executed receiver", pid);
		send_fd(s[0], fd); /* to ourselves */
		int got = receive_fd(s[1]);
		drain("to ourselves", got);
		close(got);
		R(close(fd));
		close(s[0]), close(s[1]);
	}
}

static void closing(void)
{
	printf("--- all closed\n");
	for (int i = 3; i < 1024; i++)
		close(i);
	int fd = (int)R(open(P("comp.txt"), O_RDONLY));
	drain("after a loop", fd);
	R(close_range(3, ~0U, 0));
	fd = (int)R(open(P("big.bin"), O_RDONLY));
	drain("after close_range", fd);
	closefrom(3);
	DIR *d = RP(opendir(P("class-a")));
	int n = 0;
	while (readdir(d))
		n++;
	R(n);
	R(closedir(d));
	/* as Python does it: whatever /proc/self/fd lists */
	d = opendir("/proc/self/fd");
	for (struct dirent *e; (e = readdir(d));)
		if (atoi(e->d_name) > 2 && atoi(e->d_name) != dirfd(d))
			close(atoi(e->d_name));
	closedir(d);
	fd = (int)R(open(P("raw70k.bin"), O_RDONLY));
	drain("after closing what /proc lists", fd);
	pid_t pid = fork();
	if (pid == 0) {
		close_range(3, ~0U, 0);
		fd = (int)R(open(P("comp.txt"), O_RDONLY));
		drain("in a child", fd);
		_exit(0);
	}
	ended("child", pid);
	drain("parent", (int)R(open(P("text/lines.txt"), O_RDONLY)));
}

static void demon(void)
{
	int p[2];
	printf("--- daemon\n");
	R(pipe(p));
	R(chdir(P("class-a")));
	int fd = (int)R(open(P("text/lines.txt"), O_RDONLY));
	pid_t pid = fork();
	if (pid == 0) {
		if (daemon(0, 0) < 0)
			_exit(1);
		char cwd[100] = "?";
		dprintf(p[1], "cwd %s\n", getcwd(cwd, sizeof(cwd)));
		dprintf(p[1], "inherited: %zd\n", read(fd, buf, 10));
		int g = open(P("comp.txt"), O_RDONLY);
		dprintf(p[1], "opened: %zd\n", read(g, buf, 10));
		dprintf(p[1], "relative: %s\n", access("img-00.jpg", R_OK) ? ename(errno) : "there");
		_exit(0);
	}
	ended("daemon's parent", pid);
	close(p[1]);
	FILE *f = fdopen(p[0], "r");
	while (fgets(buf, 200, f))
		printf("daemon: %s", buf);
	fclose(f);
}

static void run(void)
{
	forks();
	shells();
	sockets();
	closing();
	demon();
}
