/* SPDX-License-Identifier: MIT */
/*
 * What process cases start: child POINT WORD...
 *   fd N    what descriptor N is: offset, flags, rest of its bytes
 *   cat P   a file by its path
 *   ls P    a directory
 *   cwd     where it is
 *   env     how many variables it has, and whether ours are among them
 *   scm     receives a descriptor over stdin, a socket
 */
#include "compat.h"
#include <sys/socket.h>

extern char **environ;
static char **words;

static void descriptor(int fd)
{
	struct stat st;
	if (fstat(fd, &st) < 0) {
		printf("descriptor %d: %s\n", fd, ename(errno));
		return;
	}
	char what[40];
	snprintf(what, sizeof(what), "descriptor %d", fd);
	stat_line(what, &st);
	printf("offset %lld getfd %d accmode %d\n", (long long)lseek(fd, 0, SEEK_CUR), fcntl(fd, F_GETFD),
	       fcntl(fd, F_GETFL) & O_ACCMODE);
	if (S_ISREG(st.st_mode))
		drain(what, fd);
}

static void receive(void)
{
	char data, control[CMSG_SPACE(sizeof(int))];
	struct iovec v = { &data, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
	R(recvmsg(0, &m, 0));
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int fd = -1;
	if (c)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	descriptor(fd);
}

static void run(void)
{
	for (char **w = words; *w; w++) {
		if (strcmp(*w, "fd") == 0) {
			descriptor(atoi(*++w));
		} else if (strcmp(*w, "cat") == 0) {
			int fd = open(*++w, O_RDONLY);
			if (fd < 0)
				printf("cat %s: %s\n", *w, ename(errno));
			else
				drain(*w, fd);
			close(fd);
		} else if (strcmp(*w, "ls") == 0) {
			DIR *d = opendir(*++w);
			for (struct dirent *e; d && (e = readdir(d));)
				line("%s", e->d_name);
			print_lines(*w);
			if (d)
				closedir(d);
		} else if (strcmp(*w, "cwd") == 0) {
			char b[PATH_MAX];
			printf("cwd %s\n", getcwd(b, sizeof(b)) ? b : ename(errno));
		} else if (strcmp(*w, "env") == 0) {
			int others = 0;
			for (char **e = environ; *e; e++)
				others += strncmp(*e, "LD_PRELOAD=", 11) != 0 && strncmp(*e, "SLUICE_", 7) != 0;
			printf("%d variables, HELLO=%s\n", others, getenv("HELLO") ? getenv("HELLO") : "none");
		} else if (strcmp(*w, "scm") == 0) {
			receive();
		} else {
			printf("an unknown word: %s\n", *w);
		}
	}
}

/* The words come after the point; main() of compat.h sees only that. */
__attribute__((constructor)) static void keep_words(int argc, char **argv)
{
	words = argv + (argc < 2 ? argc : 2);
}
