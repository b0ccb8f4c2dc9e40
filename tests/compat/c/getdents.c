/* SPDX-License-Identifier: MIT */
/* getdents64 as libc exports it and as a system call: small buffers, positions, ends. */
#include "compat.h"

struct linux_dirent64 {
	uint64_t d_ino;
	int64_t d_off;
	unsigned short d_reclen;
	unsigned char d_type;
	char d_name[];
};

static long get(bool raw, int fd, void *p, size_t n)
{
	return raw ? syscall(SYS_getdents64, fd, p, n) : (long)getdents64(fd, p, n);
}

static void all(bool raw, const char *rel, size_t room)
{
	char what[100];
	int fd = open(P(rel), O_RDONLY | O_DIRECTORY);
	long n;
	int calls = 0;
	while ((n = get(raw, fd, buf, room)) > 0) {
		calls++;
		for (long at = 0; at < n;) {
			struct linux_dirent64 *e = (void *)(buf + at);
			line("%s type %d", e->d_name, e->d_type);
			MUST(e->d_reclen > 0 && e->d_ino);
			at += e->d_reclen;
			MUST(at <= n);
			if (!e->d_reclen)
				return;
		}
	}
	snprintf(what, sizeof(what), "%s %s room %zu ends with %ld %s", raw ? "syscall" : "getdents64", rel, room, n,
	         n < 0 ? ename(errno) : "");
	MUST(calls > 1 || room > 2000 || strcmp(rel, "many") != 0);
	print_lines(what);
	R(get(raw, fd, buf, room));
	R(lseek(fd, 0, SEEK_SET));
	MUST(get(raw, fd, buf, 4096) > 0);
	/* from a position in the middle the rest is the same */
	R(lseek(fd, 0, SEEK_SET));
	n = get(raw, fd, buf, 200);
	struct linux_dirent64 *e = (void *)buf;
	int64_t off = e->d_off;
	char second[256] = "";
	if (n > e->d_reclen)
		snprintf(second, sizeof(second), "%s", ((struct linux_dirent64 *)(void *)(buf + e->d_reclen))->d_name);
	MUST(lseek(fd, off, SEEK_SET) == off);
	n = get(raw, fd, buf, 4096);
	MUST(n > 0 && (!*second || strcmp(e->d_name, second) == 0));
	close(fd);
}

static void run(void)
{
	for (int raw = 0; raw < 2; raw++) {
		all(raw, "many", 1024);
		all(raw, "many", 65536);
		all(raw, "class-a", 300);
		all(raw, "names", 600);
		all(raw, "links", 4096);
		all(raw, "empty-dir", 4096);
		int fd = (int)R(open(P("names"), O_RDONLY));
		R(get(raw, fd, buf, 8));
		R(close(fd));
		R(get(raw, fd, buf, 4096));
		fd = (int)R(open(P("empty"), O_RDONLY));
		R(get(raw, fd, buf, 4096));
		R(close(fd));
	}
}
