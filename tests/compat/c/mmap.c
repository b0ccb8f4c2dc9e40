/* SPDX-License-Identifier: MIT */
/* mmap in all its forms. */
#include "compat.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

static void *map(int fd, size_t len, int prot, int flags, off_t off)
{
	errno = 0;
	void *p = mmap(NULL, len, prot, flags, fd, off);
	printf("mmap(len %zu, prot %d, flags %x, off %lld) = %s\n", len, prot, flags, (long long)off,
	       p == MAP_FAILED ? ename(errno) : "mapped");
	return p == MAP_FAILED ? NULL : p;
}

static sigjmp_buf jump;

static void on_signal(int s)
{
	siglongjmp(jump, s);
}

/* What touching a byte gives: its value, or a signal. */
static void touch(const char *what, const volatile unsigned char *p)
{
	int s = sigsetjmp(jump, 1);
	if (s)
		printf("%s: signal %s\n", what, sigabbrev_np(s));
	else
		printf("%s: %u\n", what, *p);
}

static void one_file(const char *rel, size_t size)
{
	printf("--- %s\n", rel);
	int fd = (int)R(open(P(rel), O_RDONLY));
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (size + page - 1) / page * page;
	unsigned char *a = map(fd, size, PROT_READ, MAP_SHARED, 0), *b = map(fd, size, PROT_READ, MAP_PRIVATE, 0);
	unsigned char *c = map(fd, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0);
	map(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED, 0);
	map(fd, size, PROT_WRITE, MAP_SHARED, 0);
	map(fd, size, PROT_READ, MAP_SHARED_VALIDATE, 0);
	map(fd, size, PROT_READ, 0, 0);
	map(fd, 0, PROT_READ, MAP_SHARED, 0);
	map(fd, size, PROT_READ, MAP_SHARED, 1);
	map(fd, (size_t)-1, PROT_READ, MAP_SHARED, 0);
	map(fd, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, 0);
	map(fd, size, PROT_NONE, MAP_PRIVATE, 0);
	unsigned char *over = map(fd, pages + 3 * page, PROT_READ, MAP_SHARED, 0);
	unsigned char *at = size > page ? map(fd, size - page, PROT_READ, MAP_PRIVATE, (off_t)page) : NULL;
	R(read(fd, buf, 10)); /* the offset is the descriptor's own, and still works */
	R(lseek(fd, 0, SEEK_CUR));
	R(close(fd));
	if (!a || !b || !c || !over)
		return;
	bytes("shared", a, (long long)size);
	bytes("private", b, (long long)size);
	if (at)
		bytes("from the second page on", at, (long long)(size - page));
	memset(c, 'w', size / 2 + 1);
	bytes("private, written", c, (long long)size);
	bytes("the others", a, (long long)size);
	touch("last byte", over + size - 1);
	if (size % page)
		touch("behind the end, same page", over + size);
	touch("a page behind the end", over + pages + page);
	touch("writing is for", a);
	R(msync(a, pages, MS_SYNC));
	R(msync(a, pages, MS_ASYNC));
	R(madvise(a, pages, MADV_WILLNEED));
	R(madvise(a, pages, MADV_SEQUENTIAL));
	R(madvise(b, pages, MADV_RANDOM));
	R(madvise(a, pages, MADV_DONTNEED));
	bytes("after DONTNEED", a, (long long)size);
	R(madvise(c, pages, MADV_DONTNEED));
	bytes("private, forgotten", c, (long long)size);
	R(mprotect(b, pages, PROT_READ | PROT_WRITE));
	R(mprotect(a, pages, PROT_READ | PROT_WRITE));
	R(mprotect(a, pages, PROT_NONE));
	touch("protected", a);
	R(mprotect(a, pages, PROT_READ));
	touch("readable again", a);
	if (size > page) {
		unsigned char *m = mremap(a, pages, page, 0);
		R(m == a);
		m = mremap(a, page, pages, MREMAP_MAYMOVE);
		R(m != MAP_FAILED);
		if (m != MAP_FAILED)
			bytes("grown again", m, (long long)size);
		a = m;
	}
	unsigned char vec[2000];
	if (pages / page < sizeof(vec))
		R(mincore(b, pages, vec));
	R(munmap(b, pages));
	R(munmap(over, pages + 3 * page));
	pid_t pid = fork();
	if (pid == 0) {
		bytes("in a child", c, (long long)size);
		_exit(0);
	}
	ended("child", pid);
}

static void run(void)
{
	signal(SIGBUS, on_signal);
	signal(SIGSEGV, on_signal);
	one_file("text/lines.txt", 2000);
	one_file("comp.txt", TEXT);
	one_file("raw70k.bin", RAW);
	one_file("big.bin", BIG);
	one_file("small.bin", 1000);
	one_file("page.bin", 4096);
	int fd = (int)R(open(P("class-a"), O_RDONLY));
	map(fd, 4096, PROT_READ, MAP_SHARED, 0);
	map(fd, 4096, PROT_READ, MAP_PRIVATE, 0);
	R(close(fd));
	map(fd, 4096, PROT_READ, MAP_SHARED, 0);
	map(-1, 4096, PROT_READ, MAP_SHARED, 0);
	map(-1, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	fd = (int)R(open(P("empty"), O_RDONLY));
	unsigned char *e = map(fd, 4096, PROT_READ, MAP_SHARED, 0);
	if (e)
		touch("of an empty file", e);
	map(fd, 0, PROT_READ, MAP_SHARED, 0);
	R(close(fd));
	fd = (int)R(open(P("comp.txt"), O_PATH));
	map(fd, 4096, PROT_READ, MAP_SHARED, 0);
	R(close(fd));
	/* MAP_FIXED over what was reserved, as loaders do */
	char *room = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fd = (int)R(open(P("raw70k.bin"), O_RDONLY));
	R(mmap(room + 8192, 8192, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 4096) == room + 8192);
	R(mmap(room + 8192, 8192, PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 4096) == MAP_FAILED);
	R(mmap64(room, 4096, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == room);
	bytes("fixed", room + 8192, 8192);
	bytes("fixed", room, 4096);
	/* two opens, one file: what is read and what is mapped agree */
	char *m = mmap(NULL, RAW, PROT_READ, MAP_SHARED, fd, 0);
	R(pread(fd, buf, RAW, 0));
	R(memcmp(m, buf, RAW));
	R(lseek(fd, 123, SEEK_SET));
	bytes("read after mmap", buf, R(read(fd, buf, 1000)));
	int d = (int)R(dup(fd));
	R(lseek(d, 0, SEEK_CUR));
	struct stat st;
	R(fstat(d, &st));
	stat_line("after mmap", &st);
	R(fcntl(fd, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK));
	R(ftruncate(fd, 0));
	R(write(fd, "x", 1));
}
