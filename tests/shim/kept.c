/* SPDX-License-Identifier: MIT */
/*
 * `kept POINT RAW`: a pipe's end is put at every number there is, one after another and then at all of them at once;
 * each can be closed, the reader sees the end of it, and files of POINT can be read. RAW is the host's copy of
 * POINT/raw.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include "../lib/test.h"
#include "lines.h"

enum { FIRST = 10 };

static int limit;

static void one_by_one(int end)
{
	for (int n = FIRST; n < limit; n++) {
		T_EQ(dup2(end, n), n);
		T_EQ(write(n, "x", 1), 1);
		T_EQ(close(n), 0);
		T_EQ(write(n, "x", 1), -1);
		T_EQ(errno, EBADF);
	}
}

static void all_at_once(int end)
{
	for (int n = FIRST; n < limit; n++)
		T_EQ(dup2(end, n), n);
	for (int n = FIRST; n < limit; n++)
		T_EQ(close(n), 0);
}

/* What was written comes, and then the end. */
static void check_end(int fd, int count)
{
	char b[4096];
	ssize_t n;
	T_OK(fcntl(fd, F_SETFL, O_NONBLOCK));
	while ((n = read(fd, b, sizeof(b))) > 0)
		count -= (int)n;
	T_EQ(n, 0);
	T_EQ(count, 0);
	T_EQ(close(fd), 0);
}

static void check_mount(const char *point, const char *raw)
{
	char path[1000];
	int fd = T_OK(open_lines(point, "small", 5, 0));
	T_TRUE(reads_line(fd, 5, 0));
	T_EQ(dup2(fd, 0), 0);
	T_TRUE(reads_line(0, 5, LINE));
	T_EQ(close(fd), 0);

	snprintf(path, sizeof(path), "%s/raw", point);
	fd = T_OK(open(path, O_RDONLY));
	int host = T_OK(open(raw, O_RDONLY));
	size_t size = T_OK(lseek(host, 0, SEEK_END));
	char *a = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0), *b = mmap(NULL, size, PROT_READ, MAP_SHARED, host, 0);
	T_TRUE(a != MAP_FAILED && b != MAP_FAILED);
	T_MEM(a, b, size);
	T_EQ(close(host), 0);
	T_EQ(close(fd), 0);
}

int main(int argc, char **argv)
{
	struct rlimit l;
	int p[2];
	if (argc < 3)
		return 2;
	T_OK(getrlimit(RLIMIT_NOFILE, &l));
	limit = (int)l.rlim_cur;
	T_EQ(close(T_OK(open_lines(argv[1], "small", 4, 0))), 0); /* the pack is open now, its shards are not yet */
	T_OK(pipe(p));
	one_by_one(p[1]);
	all_at_once(p[1]);
	T_EQ(close(p[1]), 0);
	check_end(p[0], limit - FIRST);
	check_mount(argv[1], argv[2]);
	T_EQ(open("/dev/null", O_RDONLY), 3);
	return 0;
}
