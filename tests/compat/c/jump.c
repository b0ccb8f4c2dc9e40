/* SPDX-License-Identifier: MIT */
/*
 * A handler that jumps out of open, read, stat and close: POSIX allows it, as these are async-signal-safe. What was
 * amid may leak a descriptor; the next calls must work.
 */
#include "compat.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

static sigjmp_buf jump;
static volatile sig_atomic_t armed;

static void handler(int s)
{
	(void)s;
	if (armed)
		siglongjmp(jump, 1);
}

static void run(void)
{
	struct sigaction a = { .sa_handler = handler };
	struct itimerval t = { { 0, 211 }, { 0, 211 } };
	char file[PATH_MAX];
	volatile int jumps = 0, bad = 0;
	snprintf(file, sizeof(file), "%s", P("raw70k.bin"));
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
	for (volatile int i = 0; jumps < 600 && i < 300000; i++) {
		if (sigsetjmp(jump, 1)) {
			armed = 0;
			jumps++;
			close_range(3, 1000, 0);
		}
		armed = 1;
		struct stat st;
		int fd = open(file, O_RDONLY);
		ssize_t n = read(fd, buf, 3000);
		int rc = stat(file, &st);
		off_t at = lseek(fd, 0, SEEK_CUR);
		armed = 0;
		if (n != 3000 || rc || at != 3000)
			bad++;
		close(fd);
	}
	memset(&t, 0, sizeof(t));
	setitimer(ITIMER_REAL, &t, NULL);
	R(bad);
	MUST(jumps > 20);
	close_range(3, 1000, 0);
	int fd = (int)R(open(file, O_RDONLY));
	drain("afterwards", fd);
}
