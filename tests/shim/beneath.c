/* SPDX-License-Identifier: MIT */
/*
 * `beneath HOST full|rename|bind`: HOST/par/over is a mount over a host's directory and HOST/link leads there. Every
 * call that would change something there or move it is refused, with the error of a read-only or busy mount.
 */
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "../lib/test.h"

static const char *host;

/* HOST/REL; valid until the fourth call after it. */
static const char *at(const char *rel)
{
	static char path[4][4096];
	static unsigned n;
	n = (n + 1) % 4;
	snprintf(path[n], sizeof(path[n]), "%s/%s", host, rel);
	return path[n];
}

#define REFUSED(call, error)                                                                                           \
	do {                                                                                                           \
		T_EQ(call, -1);                                                                                        \
		T_EQ(errno, error);                                                                                    \
	} while (0)

/* With no descriptor left the links on the way can still be told, or the call fails. */
static void all_in_use(void)
{
	struct rlimit few = { 64, 64 };
	struct stat st;
	T_OK(setrlimit(RLIMIT_NOFILE, &few));
	while (open("/dev/null", O_RDONLY) >= 0)
		;
	T_EQ(errno, EMFILE);
	T_EQ(unlink(at("link/victim")), -1);
	T_EQ(mkdir(at("link/new"), 0755), -1);
	T_EQ(truncate(at("link/hello"), 0), -1);
	T_EQ(symlink("x", at("link/new")), -1);
	T_EQ(rename(at("link/victim"), at("moved")), -1);
	T_EQ(chmod(at("link/hello"), 0777), -1);
	T_EQ(stat(at("link/victim"), &st), -1);
	if (stat(at("link/hello"), &st) == 0)
		T_EQ(st.st_size, 6); /* the pack's */
}

static void renames(void)
{
	int fd = T_OK(open(host, O_RDONLY | O_DIRECTORY));
	REFUSED(rename(at("par"), at("moved")), EBUSY);
	T_EQ(rename(at("par/over"), at("moved")), -1);
	REFUSED(renameat(fd, "par", fd, "moved"), EBUSY);
	REFUSED(renameat2(fd, "par", fd, "other", RENAME_EXCHANGE), EBUSY);
	REFUSED(renameat2(fd, "other", fd, "par", RENAME_EXCHANGE), EBUSY);
	REFUSED(rename(host, at("../elsewhere")), EBUSY);
	T_OK(chdir(host));
	REFUSED(rename("par", "moved"), EBUSY);
	REFUSED(rename("./wk/../par", "moved"), EBUSY);
	T_EQ(rmdir(at("par/over")), -1);
}

static int bind_to(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int s = T_OK(socket(AF_UNIX, SOCK_STREAM, 0));
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	int r = bind(s, (struct sockaddr *)&a, sizeof(a));
	int saved = errno;
	close(s);
	errno = saved;
	return r;
}

static void binds(void)
{
	T_OK(chdir(host)); /* a socket's name is short */
	REFUSED(bind_to("par/over/new"), EROFS);
	REFUSED(bind_to("link/new"), EROFS);
	REFUSED(bind_to("par/over/hello"), EADDRINUSE);
	T_EQ(bind_to("wk/socket"), 0);
	T_EQ(unlink("wk/socket"), 0);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	host = argv[1];
	if (strcmp(argv[2], "full") == 0)
		all_in_use();
	else if (strcmp(argv[2], "rename") == 0)
		renames();
	else
		binds();
	return 0;
}
