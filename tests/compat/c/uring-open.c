/* SPDX-License-Identifier: MIT */
/* io_uring that opens the file itself: no libc call carries the path. */
#include "compat.h"
#include <liburing.h>

static void run(void)
{
	struct io_uring ring;
	struct io_uring_cqe *cqe;
	if (io_uring_queue_init(8, &ring, 0) < 0)
		return;
	io_uring_prep_openat(io_uring_get_sqe(&ring), AT_FDCWD, P("text/lines.txt"), O_RDONLY, 0);
	R(io_uring_submit(&ring));
	R(io_uring_wait_cqe(&ring, &cqe));
	printf("openat by io_uring: %s\n", cqe->res < 0 ? ename(-cqe->res) : "open");
}
