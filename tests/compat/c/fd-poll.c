/* SPDX-License-Identifier: MIT */
/* poll and select: a regular file is always ready. */
#include "compat.h"
#include <poll.h>
#include <sys/select.h>

static void run(void)
{
	int fd = (int)R(open(P("comp.txt"), O_RDONLY)), dir = (int)R(open(P("class-a"), O_RDONLY));
	int e = (int)R(open(P("empty"), O_RDONLY));
	int set[] = { fd, dir, e };
	for (int i = 0; i < 3; i++) {
		struct pollfd p = { .fd = set[i], .events = POLLIN | POLLOUT | POLLPRI };
		R(poll(&p, 1, 0));
		R(p.revents);
		p.revents = 0;
		R(ppoll(&p, 1, NULL, NULL));
		R(p.revents);
		fd_set r, w, x;
		FD_ZERO(&r);
		FD_ZERO(&w);
		FD_ZERO(&x);
		FD_SET(set[i], &r);
		FD_SET(set[i], &w);
		FD_SET(set[i], &x);
		struct timeval zero = { 0, 0 };
		R(select(set[i] + 1, &r, &w, &x, &zero));
		R(FD_ISSET(set[i], &r) != 0);
		R(FD_ISSET(set[i], &w) != 0);
		R(FD_ISSET(set[i], &x) != 0);
	}
	R(close(fd));
	struct pollfd p = { .fd = fd, .events = POLLIN };
	R(poll(&p, 1, 0));
	R(p.revents);
	fd_set r;
	FD_ZERO(&r);
	FD_SET(fd, &r);
	R(select(fd + 1, &r, NULL, NULL, NULL));
}
