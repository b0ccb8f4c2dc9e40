/* SPDX-License-Identifier: MIT */
/* Ways to the mount through /proc: root, cwd, other processes, threads. */
#include "compat.h"

static void go(const char *p)
{
	errno = 0;
	int fd = open(p, O_RDONLY);
	char *colon = strstr(p, point);
	printf("%.*s...: %s\n", colon ? (int)(colon - p) : 40, strncmp(p, "/proc/self", 10) ? "other" : p,
	       fd < 0 ? ename(errno) : "open");
	if (fd >= 0) {
		struct stat st;
		if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
			drain("  content", fd);
		close(fd);
	}
}

static void run(void)
{
	char p[PATH_MAX * 2];
	snprintf(p, sizeof(p), "/proc/self/root%s/text/lines.txt", point);
	go(p);
	snprintf(p, sizeof(p), "/proc/self/root/proc/self/root%s/text/lines.txt", point);
	go(p);
	snprintf(p, sizeof(p), "/proc/%d/root%s/text/lines.txt", getpid(), point);
	go(p);
	snprintf(p, sizeof(p), "/proc/thread-self/root%s/text/lines.txt", point);
	go(p);
	R(chdir(P("class-a")));
	go("/proc/self/cwd/img-00.jpg");
	go("/proc/self/cwd/../text/lines.txt");
	go("/proc/self/cwd");
	ssize_t n = readlink("/proc/self/cwd", p, sizeof(p));
	printf("cwd link: %.*s\n", (int)n, p);
	RP(realpath("/proc/self/cwd/../text", p));
	puts(p);
	/* descriptors as the kernel lists them: ours have the names of what they are */
	int fd = (int)R(open(P("comp.txt"), O_RDONLY)), d = (int)R(open(P("class-b"), O_RDONLY));
	char name[40];
	snprintf(name, sizeof(name), "/proc/self/fd/%d", d);
	n = readlink(name, p, sizeof(p));
	printf("%.*s\n", (int)n, p);
	pid_t parent = getpid(), pid = fork();
	if (pid == 0) { /* a descriptor of the parent, by its number */
		snprintf(p, sizeof(p), "/proc/%d/fd/%d", parent, fd);
		close(fd);
		int g = open(p, O_RDONLY);
		drain("the parent's", g);
		_exit(0);
	}
	ended("child", pid);
	snprintf(p, sizeof(p), "/proc/self/fdinfo/%d", fd);
	R(access(p, R_OK));
}
