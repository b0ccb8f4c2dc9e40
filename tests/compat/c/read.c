/* SPDX-License-Identifier: MIT */
/* read, pread and the fortified forms: ends of files, odd lengths and offsets, bad arguments. */
#include "compat.h"

extern ssize_t __read(int, void *, size_t);
extern ssize_t __read_chk(int, void *, size_t, size_t);
extern ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
extern ssize_t __pread64_chk(int, void *, size_t, int64_t, size_t);
extern ssize_t __pread64(int, void *, size_t, int64_t);
extern ssize_t pread64(int, void *, size_t, int64_t);

static void one_file(const char *rel, off_t size)
{
	printf("--- %s\n", rel);
	int fd = (int)R(open(P(rel), O_RDONLY));
	bytes("first", buf, R(read(fd, buf, 1000)));
	bytes("second", buf, R(read(fd, buf, 1)));
	R(lseek(fd, 0, SEEK_CUR));
	bytes("none", buf, R(read(fd, buf, 0)));
	drain("rest", fd);
	R(read(fd, buf, 100));
	R(read(fd, buf, 0));
	R(lseek(fd, 0, SEEK_CUR));
	bytes("all at once", buf, R(pread(fd, buf, sizeof(buf), 0)));
	bytes("in the middle", buf, R(pread(fd, buf, 5000, size / 2)));
	bytes("over the end", buf, R(pread(fd, buf, 5000, size - 7)));
	R(pread(fd, buf, 100, size));
	R(pread(fd, buf, 100, size + 1));
	R(pread(fd, buf, 100, (off_t)1 << 40));
	R(pread(fd, buf, 100, INT64_MAX));
	R(pread(fd, buf, 100, INT64_MAX - 50));
	R(pread(fd, buf, 100, -1));
	R(pread(fd, buf, 0, -1));
	R(pread(fd, buf, 0, 0));
	R(lseek(fd, 3, SEEK_SET));
	bytes("__read", buf, R(__read(fd, buf, 10)));
	bytes("__read_chk", buf, R(__read_chk(fd, buf, 10, sizeof(buf))));
	bytes("__pread_chk", buf, R(__pread_chk(fd, buf, 10, 5, sizeof(buf))));
	bytes("__pread64_chk", buf, R(__pread64_chk(fd, buf, 10, 6, sizeof(buf))));
	bytes("__pread64", buf, R(__pread64(fd, buf, 10, 7)));
	bytes("pread64", buf, R(pread64(fd, buf, 10, 8)));
	R(lseek(fd, 0, SEEK_CUR));
	R(close(fd));
	/* every chunk size: the bytes are the same however they are cut */
	for (size_t chunk = 1; chunk < 200000; chunk = chunk * 3 + 1) {
		fd = open(P(rel), O_RDONLY);
		uint64_t h = 0;
		long long n = 0;
		if (chunk == 1) { /* would take too long: only the first bytes */
			for (ssize_t got; n < 3000 && (got = read(fd, buf, 1)) > 0; n += got)
				h = h * 31 + (unsigned char)buf[0];
		} else {
			for (ssize_t got; (got = read(fd, buf, chunk)) > 0; n += got)
				for (ssize_t i = 0; i < got; i++)
					h = h * 31 + (unsigned char)buf[i];
		}
		printf("chunk %zu: %lld bytes, %016llx\n", chunk, n, (unsigned long long)h);
		close(fd);
	}
}

static void bad(void)
{
	char c;
	printf("--- bad arguments\n");
	int fd = (int)R(open(P("text/lines.txt"), O_RDONLY));
	R(close(fd));
	R(read(fd, &c, 1));
	R(pread(fd, &c, 1, 0));
	R(read(-1, &c, 1));
	R(read(12345, &c, 1));
	fd = (int)R(open(P("class-a"), O_RDONLY));
	R(read(fd, &c, 1));
	R(pread(fd, &c, 1, 0));
	R(read(fd, &c, 0));
	R(close(fd));
	fd = (int)R(open(P("comp.txt"), O_RDONLY));
	R(read(fd, buf, 10));
	R(write(fd, "x", 1));
	R(pwrite(fd, "x", 1, 0));
	R(write(fd, "x", 0));
	R(close(fd));
	fd = (int)R(open(P("empty"), O_RDONLY));
	R(read(fd, (void *)16, 100));
	R(read(fd, &c, 1));
	R(close(fd));
}

static void run(void)
{
	one_file("text/lines.txt", 2000);
	one_file("comp.txt", TEXT);
	one_file("raw70k.bin", RAW);
	one_file("big.bin", BIG);
	one_file("small.bin", 1000);
	one_file("empty", 0);
	bad();
	int fd = (int)R(open(P("big.bin"), O_RDONLY));
	/* A length that no buffer has: the kernel cuts it to what there is (and to 2 GiB). */
	char *volatile where = buf; /* so that the fortified forms do not know its size */
	bytes("huge length", buf, R(read(fd, where, (size_t)1 << 33)));
	R(close(fd));
}
