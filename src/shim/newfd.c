/* SPDX-License-Identifier: MIT */
/*
 * Calls that make descriptors which have nothing to do with us. A number that was ours and was closed past us (a system
 * call, libc inside fclose) may come back from one of them: the table must not take it for ours any more.
 */
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "shim/traced.h"

static int fresh(int fd)
{
	if (SLU_UNLIKELY(fd >= 0 && slu_fds_slot(&slu_shim.fds, fd)) && !slu_in_vfork)
		slu_fds_drop(&slu_shim.fds, fd);
	if (fd >= 0)
		slu_traced_forget(fd);
	return fd;
}

static int fresh_two(int r, const int fds[2])
{
	if (r == 0) {
		(void)fresh(fds[0]);
		(void)fresh(fds[1]);
	}
	return r;
}

SHIM int pipe(int fds[2])
{
	return fresh_two(NEXT(pipe)(fds), fds);
}

SHIM int pipe2(int fds[2], int flags)
{
	return fresh_two(NEXT(pipe2)(fds, flags), fds);
}

SHIM int socketpair(int domain, int type, int protocol, int fds[2])
{
	return fresh_two(NEXT(socketpair)(domain, type, protocol, fds), fds);
}

SHIM int socket(int domain, int type, int protocol)
{
	return fresh(NEXT(socket)(domain, type, protocol));
}

SHIM int accept(int fd, struct sockaddr *address, socklen_t *len)
{
	return fresh(NEXT(accept)(fd, address, len));
}

SHIM int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	return fresh(NEXT(accept4)(fd, address, len, flags));
}

SHIM int epoll_create(int size)
{
	return fresh(NEXT(epoll_create)(size));
}

SHIM int epoll_create1(int flags)
{
	return fresh(NEXT(epoll_create1)(flags));
}

SHIM int eventfd(unsigned count, int flags)
{
	return fresh(NEXT(eventfd)(count, flags));
}

SHIM int signalfd(int fd, const sigset_t *mask, int flags)
{
	return fresh(NEXT(signalfd)(fd, mask, flags));
}

SHIM int timerfd_create(int clock, int flags)
{
	return fresh(NEXT(timerfd_create)(clock, flags));
}

SHIM int inotify_init(void)
{
	return fresh(NEXT(inotify_init)());
}

SHIM int inotify_init1(int flags)
{
	return fresh(NEXT(inotify_init1)(flags));
}

SHIM int memfd_create(const char *name, unsigned flags)
{
	return fresh(NEXT(memfd_create)(name, flags));
}

/* libc closes the descriptor inside; a cookie stream of ours comes back to us for that. */
int slu_view_fclose(FILE *f)
{
	int fd = slu_shim.fds.table && f && !slu_in_vfork ? fileno(f) : -1;
	struct slu_open *o = fd >= 0 ? slu_get(fd) : NULL;
	bool real = o && atomic_load(&o->real);

	if (o)
		slu_put(o);
	if (real)
		slu_fds_drop(&slu_shim.fds, fd);
	return NEXT(fclose)(f);
}
