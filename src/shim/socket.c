/* SPDX-License-Identifier: MIT */
/* Sockets: descriptors of ours that are sent and received, and names of sockets that would lie in a mount. */
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "shim/adopt.h"
#include "shim/shim.h"

/* Calls @fn for each descriptor that goes with @m, until one gives false: whether none did. */
static bool each_right(const struct msghdr *m, bool (*fn)(int fd))
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR((struct msghdr *)(uintptr_t)m, c)) {
		size_t n = c->cmsg_len < CMSG_LEN(0) ? 0 : (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < n; i++) {
			int fd;
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (!fn(fd))
				return false;
		}
	}
	return true;
}

static bool make_real(int fd)
{
	return slu_real_fd(fd, SLU_REAL);
}

SHIM ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	if (m && m->msg_controllen && slu_shim.fds.table && !each_right(m, make_real))
		return -1;
	return NEXT(sendmsg)(fd, m, flags);
}

SHIM int sendmmsg(int fd, struct mmsghdr *m, unsigned n, int flags)
{
	for (unsigned i = 0; m && i < n && slu_shim.fds.table; i++)
		if (m[i].msg_hdr.msg_controllen && !each_right(&m[i].msg_hdr, make_real))
			return -1;
	return NEXT(sendmmsg)(fd, m, n, flags);
}

static bool adopt(int fd)
{
	slu_fds_drop(&slu_shim.fds, fd); /* the number was closed past us */
	slu_adopt(fd);
	return true;
}

static void adopt_all(const struct msghdr *m)
{
	int saved = errno;

	if (m->msg_controllen && slu_shim_on() && !slu_in_vfork)
		(void)each_right(m, adopt);
	errno = saved;
}

SHIM ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	ssize_t n = NEXT(recvmsg)(fd, m, flags);

	if (n >= 0)
		adopt_all(m);
	return n;
}

SHIM int recvmmsg(int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *timeout)
{
	int got = NEXT(recvmmsg)(fd, m, n, flags, timeout);

	for (int i = 0; i < got; i++)
		adopt_all(&m[i].msg_hdr);
	return got;
}

SHIM int bind(int fd, const struct sockaddr *address, socklen_t len)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)(const void *)address;
	size_t head = offsetof(struct sockaddr_un, sun_path);
	char path[sizeof(un->sun_path) + 1];
	SLU_WHERE(w);

	if (!slu_shim_on() || len <= head || len > sizeof(*un) || un->sun_family != AF_UNIX || !un->sun_path[0])
		return NEXT(bind)(fd, address, len);
	memcpy(path, un->sun_path, len - head);
	path[len - head] = 0;
	if (!slu_where(&w, AT_FDCWD, path, SLU_NOFOLLOW))
		return NEXT(bind)(fd, address, len);
	errno = w.err < 0 ? slu_where_error(&w) : w.p.kind == SLU_PLACE_ABSENT ? EROFS : EADDRINUSE;
	return -1;
}
