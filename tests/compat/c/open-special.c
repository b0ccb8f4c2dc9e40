/* SPDX-License-Identifier: MIT */
/* O_PATH, O_TMPFILE, openat2, and files reopened through /proc/self/fd and /dev/fd. */
#include "compat.h"
#include <linux/openat2.h>

static long openat2_(int d, const char *p, uint64_t flags, uint64_t mode, uint64_t resolve)
{
	struct open_how how = { .flags = flags, .mode = mode, .resolve = resolve };
	return syscall(SYS_openat2, d, p, &how, sizeof(how));
}

static void o_path(void)
{
	struct stat st;
	char c;
	int fd = (int)R(open(P("text/lines.txt"), O_PATH));
	R(read(fd, &c, 1));
	R(pread(fd, &c, 1, 0));
	R(lseek(fd, 0, SEEK_CUR));
	R(fcntl(fd, F_GETFL) & (O_PATH | O_ACCMODE));
	R(fstat(fd, &st));
	stat_line("through O_PATH", &st);
	R(close(fd));
	int d = (int)R(open(P("class-a"), O_PATH | O_DIRECTORY));
	R(close((int)R(openat(d, "img-00.jpg", O_RDONLY))));
	R(fstatat(d, "img-00.jpg", &st, 0));
	stat_line("below O_PATH", &st);
	R(fchdir(d));
	R(access("img-00.jpg", R_OK));
	R(chdir("/"));
	R(fchmod(d, 0700));
	R(close(d));
	int l = (int)R(open(P("links/rel"), O_PATH | O_NOFOLLOW));
	R(fstat(l, &st));
	stat_line("a link's O_PATH", &st);
	long long n = R(readlinkat(l, "", buf, 100));
	bytes("its target", buf, n);
	R(close(l));
	R(open(P("links/dangling"), O_PATH));
	R(open(P("text/lines.txt"), O_PATH | O_DIRECTORY));
}

static void reopen(const char *pattern, int fd, int flags)
{
	char p[64];
	snprintf(p, sizeof(p), pattern, fd);
	errno = 0;
	int again = open(p, flags);
	printf("open(%s, %x) = %d %s\n", p, flags, again, again < 0 ? ename(errno) : "");
	if (again >= 0) {
		printf("  offset %lld\n", (long long)lseek(again, 0, SEEK_CUR));
		drain("  content", again);
		close(again);
	}
}

static void proc_fd(void)
{
	int fd = (int)R(open(P("text/lines.txt"), O_RDONLY));
	R(lseek(fd, 10, SEEK_SET));
	reopen("/proc/self/fd/%d", fd, O_RDONLY);
	reopen("/dev/fd/%d", fd, O_RDONLY);
	reopen("/proc/self/fd/%d", fd, O_RDWR);
	R(lseek(fd, 0, SEEK_CUR));
	char p[64], target[PATH_MAX];
	snprintf(p, sizeof(p), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(p, target, sizeof(target));
	printf("readlink of /proc/self/fd: %.*s\n", (int)n, target);
	struct stat a, b;
	R(stat(p, &a));
	R(fstat(fd, &b));
	MUST(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
	stat_line("stat of /proc/self/fd", &a);
	FILE *f = fopen(p, "r");
	printf("fopen of it: %s\n", f && fgets(buf, 100, f) ? buf : "no\n");
	if (f)
		fclose(f);
	int d = (int)R(open(P("class-a"), O_RDONLY | O_DIRECTORY));
	snprintf(p, sizeof(p), "/proc/self/fd/%d/img-00.jpg", d);
	R(access(p, R_OK));
	snprintf(p, sizeof(p), "/proc/self/fd/%d", d);
	R(close((int)R(open(p, O_RDONLY | O_DIRECTORY))));
	R(close(d));
	R(close(fd));
}

static void at2(void)
{
	int d = (int)R(open(point, O_RDONLY | O_DIRECTORY));
	R(close((int)R(openat2_(AT_FDCWD, P("text/lines.txt"), O_RDONLY, 0, 0))));
	int fd = (int)R(openat2_(d, "text/lines.txt", O_RDONLY | O_CLOEXEC, 0, 0));
	drain("openat2", fd);
	R(close(fd));
	R(openat2_(d, "text/lines.txt", O_RDWR, 0, 0));
	R(openat2_(d, "new", O_WRONLY | O_CREAT, 0644, 0));
	R(openat2_(d, "text/lines.txt", O_RDONLY, 0644, 0));
	R(openat2_(d, "links/rel", O_RDONLY, 0, RESOLVE_NO_SYMLINKS));
	R(close((int)R(openat2_(d, "links/rel", O_RDONLY, 0, RESOLVE_BENEATH))));
	R(openat2_(d, "links/out", O_RDONLY, 0, RESOLVE_BENEATH));
	R(openat2_(d, "../outside.txt", O_RDONLY, 0, RESOLVE_BENEATH));
	R(openat2_(d, "/text/lines.txt", O_RDONLY, 0, RESOLVE_BENEATH));
	R(close((int)R(openat2_(d, "/text/lines.txt", O_RDONLY, 0, RESOLVE_IN_ROOT))));
	R(close((int)R(openat2_(d, "../../text/lines.txt", O_RDONLY, 0, RESOLVE_IN_ROOT))));
	R(openat2_(d, "no-such", O_RDONLY, 0, 0));
	R(close(d));
}

static void run(void)
{
	o_path();
	proc_fd();
	at2();
	R(open(point, O_TMPFILE | O_RDWR, 0600));
	R(open(P("class-a"), O_TMPFILE | O_WRONLY, 0600));
	R(open(P("text/lines.txt"), O_TMPFILE | O_RDWR, 0600));
	R(open(P("no-such"), O_TMPFILE | O_RDWR, 0600));
}
