/* SPDX-License-Identifier: MIT */
/*
 * Reads in a loop while somebody truncates the shard: `truncated POINT MODE`. Each read gives the right bytes or EIO.
 * MODE own: the program has a SIGBUS handler, and faults of its own reach it.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static sigjmp_buf jump;
static volatile int seen;

static void on_bus(int s, siginfo_t *i, void *c)
{
	(void)s, (void)i, (void)c;
	seen++;
	siglongjmp(jump, 1);
}

/* A fault of the program's own: a map of its own file, truncated. */
static int own_fault(void)
{
	char name[] = "/tmp/own-XXXXXX";
	int fd = mkstemp(name), before = seen;
	unlink(name);
	if (fd < 0 || ftruncate(fd, 8192))
		return 1;
	volatile char *m = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);
	if (ftruncate(fd, 0))
		return 1;
	if (sigsetjmp(jump, 1) == 0)
		(void)m[0];
	close(fd);
	return seen != before + 1;
}

int main(int argc, char **argv)
{
	static const char *const rel[] = { "big", "raw", "text", "small", "hello" };
	static char b[4 << 20];
	char p[4096];
	int eio = 0, own = strcmp(argv[2], "own") == 0;
	if (own) {
		struct sigaction a = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO };
		sigaction(SIGBUS, &a, NULL);
		if (own_fault())
			return printf("the program's handler did not get its own fault\n"), 1;
	}
	snprintf(p, sizeof(p), "%s/big", argv[1]);
	int held = open(p, O_RDONLY);
	if (read(held, b, 10) != 10)
		return printf("cannot read before\n"), 1;
	printf("ready\n");
	fflush(stdout);
	for (int i = 0; i < 3000 && eio < 50; i++) {
		snprintf(p, sizeof(p), "%s/%s", argv[1], rel[i % 5]);
		int fd = open(p, O_RDONLY);
		ssize_t n = fd < 0 ? -1 : read(fd, b, sizeof(b));
		if (n < 0 && errno != EIO)
			return printf("%s: %s\n", p, strerror(errno)), 1;
		eio += n < 0;
		if (fd >= 0)
			close(fd);
		n = pread(held, b, sizeof(b), 100);
		if (n < 0 && errno != EIO)
			return printf("held: %s\n", strerror(errno)), 1;
		eio += n < 0;
		usleep(1000);
	}
	if (!eio)
		return printf("not one EIO\n"), 1;
	if (own && own_fault())
		return printf("afterwards the program's handler does not get its own fault\n"), 1;
	printf("%s\n", "EIO");
	return 0;
}
