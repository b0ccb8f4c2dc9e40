/* SPDX-License-Identifier: MIT */
/* epoll: it will not have a regular file, nor a directory. */
#include "compat.h"
#include <sys/epoll.h>

static void run(void)
{
	static const char *const rels[] = { "comp.txt", "class-a", "empty" };
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++) {
		int fd = (int)R(open(P(rels[i]), O_RDONLY)), ep = (int)R(epoll_create1(EPOLL_CLOEXEC));
		struct epoll_event ev = { .events = EPOLLIN };
		R(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev));
		R(epoll_ctl(ep, EPOLL_CTL_MOD, fd, &ev));
		R(epoll_ctl(ep, EPOLL_CTL_DEL, fd, &ev));
		close(ep);
		close(fd);
	}
}
