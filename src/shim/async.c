/* SPDX-License-Identifier: MIT */
/*
 * Reading in the background: POSIX aio, libaio, io_uring. The kernel or libc's own threads read, so that the files are
 * made real. What is put into an io_uring cannot be seen: once a program has one, every file is real when opened.
 */
#include <aio.h>
#include <linux/aio_abi.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/async.h"
#include "shim/shim.h"

int slu_view_aio_read(struct aiocb *a)
{
	return slu_real_fd(a->aio_fildes, SLU_REAL) ? NEXT(aio_read)(a) : -1;
}

int slu_view_lio_listio(int mode, struct aiocb *const list[], int n, struct sigevent *event)
{
	for (int i = 0; i < n; i++)
		if (list[i] && list[i]->aio_lio_opcode == LIO_READ && !slu_real_fd(list[i]->aio_fildes, SLU_REAL))
			return -1;
	return NEXT(lio_listio)(mode, list, n, event);
}

bool slu_aio_ready(long n, struct iocb **list)
{
	for (long i = 0; i < n && list; i++)
		if (list[i] && !slu_real_fd((int)list[i]->aio_fildes, SLU_REAL))
			return false;
	return true;
}

/* libaio's, which returns a negative errno. */
int slu_view_io_submit(aio_context_t context, long n, struct iocb **list)
{
	int saved = errno, r;

	if (!slu_aio_ready(n, list))
		r = -errno;
	else
		r = (r = (int)syscall(SYS_io_submit, context, n, list)) < 0 ? -errno : r;
	errno = saved;
	return r;
}

/* ---- io_uring: liburing's ways to make one ----------------------------------------------------------------------- */

void slu_uring_begins(void)
{
	if (!slu_shim_on() || atomic_exchange(&slu_shim.always_real, true))
		return;
	slu_real_inherited(SLU_INHERIT_ALL);
}

struct io_uring;
struct io_uring_params;

int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
SHIM int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
	slu_uring_begins();
	return NEXT(io_uring_queue_init)(entries, ring, flags);
}

int io_uring_queue_init_params(unsigned entries, struct io_uring *ring, struct io_uring_params *p);
SHIM int io_uring_queue_init_params(unsigned entries, struct io_uring *ring, struct io_uring_params *p)
{
	slu_uring_begins();
	return NEXT(io_uring_queue_init_params)(entries, ring, p);
}

int io_uring_queue_init_mem(unsigned entries, struct io_uring *ring, struct io_uring_params *p, void *buf, size_t size);
SHIM int io_uring_queue_init_mem(unsigned entries, struct io_uring *ring, struct io_uring_params *p, void *buf,
                                 size_t size)
{
	slu_uring_begins();
	return NEXT(io_uring_queue_init_mem)(entries, ring, p, buf, size);
}

int io_uring_setup(unsigned entries, struct io_uring_params *p);
SHIM int io_uring_setup(unsigned entries, struct io_uring_params *p)
{
	slu_uring_begins();
	return NEXT(io_uring_setup)(entries, p);
}
