/* SPDX-License-Identifier: MIT */
/* readv, preadv, preadv2 with its flags, and their 64 names. */
#include "compat.h"

extern ssize_t preadv64(int, const struct iovec *, int, int64_t);
extern ssize_t preadv64v2(int, const struct iovec *, int, int64_t, int);

static struct iovec v[1100];

static void split(size_t a, size_t b, size_t c)
{
	memset(buf, 0, 300000);
	v[0] = (struct iovec){ buf, a };
	v[1] = (struct iovec){ buf + 100000, b };
	v[2] = (struct iovec){ buf + 200000, c };
}

static void show_parts(long long n)
{
	bytes("part 0", buf, (long long)v[0].iov_len);
	bytes("part 1", buf + 100000, (long long)v[1].iov_len);
	bytes("part 2", buf + 200000, (long long)v[2].iov_len);
	(void)n;
}

static void one_file(const char *rel)
{
	printf("--- %s\n", rel);
	int fd = (int)R(open(P(rel), O_RDONLY));
	split(10, 0, 20);
	show_parts(R(readv(fd, v, 3)));
	R(lseek(fd, 0, SEEK_CUR));
	split(3, 70000, 1);
	show_parts(R(preadv(fd, v, 3, 100)));
	show_parts(R(preadv64(fd, v, 3, 7)));
	R(lseek(fd, 0, SEEK_CUR));
	split(10, 20, 30);
	show_parts(R(preadv2(fd, v, 3, 5, 0)));
	show_parts(R(preadv64v2(fd, v, 3, 6, 0)));
	show_parts(R(preadv2(fd, v, 3, -1, 0)));
	R(lseek(fd, 0, SEEK_CUR));
	show_parts(R(preadv64v2(fd, v, 3, -1, RWF_HIPRI) >= -1));
	R(lseek(fd, 30, SEEK_SET));
	long n = preadv2(fd, v, 3, 0, RWF_NOWAIT); /* may say EAGAIN where nothing is in memory yet */
	MUST(n >= 0 || errno == EAGAIN || errno == EOPNOTSUPP);
	R(preadv2(fd, v, 3, 0, 0x40000000));
	R(preadv2(fd, v, 3, -2, 0));
	R(preadv(fd, v, 3, -1));
	R(readv(fd, v, 0));
	R(readv(fd, v, -1));
	R(readv(fd, v, 1025));
	R(preadv(fd, v, 1025, 0));
	v[1].iov_len = (size_t)-1;
	R(readv(fd, v, 3));
	for (int i = 0; i < 1024; i++)
		v[i] = (struct iovec){ buf + i, 1 };
	bytes("1024 single bytes", buf, R(preadv(fd, v, 1024, 0)));
	R(lseek(fd, 0, SEEK_END));
	R(readv(fd, v, 3));
	R(preadv(fd, v, 3, (off_t)1 << 40));
	v[0] = (struct iovec){ (char *)"x", 1 };
	R(writev(fd, v, 1));
	R(pwritev(fd, v, 1, 0));
	R(pwritev2(fd, v, 1, 0, 0));
	R(close(fd));
	R(readv(fd, v, 1));
	R(preadv(fd, v, 1, 0));
	R(preadv2(fd, v, 1, 0, 0));
}

static void run(void)
{
	one_file("text/lines.txt");
	one_file("comp.txt");
	one_file("raw70k.bin");
	one_file("big.bin");
	one_file("empty");
	int d = (int)R(open(P("class-a"), O_RDONLY));
	R(readv(d, v, 1));
	R(preadv(d, v, 1, 0));
}
