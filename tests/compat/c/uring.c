/* SPDX-License-Identifier: MIT */
/* io_uring on a descriptor that open() gave: nothing but the kernel sees the reads. */
#include "compat.h"
#include <liburing.h>

static int go(struct io_uring *ring, const char *what)
{
	struct io_uring_cqe *cqe;
	int rc = io_uring_submit(ring);
	if (rc < 0 || (rc = io_uring_wait_cqe(ring, &cqe)) < 0) {
		printf("%s: %s\n", what, ename(-rc));
		return -1;
	}
	int res = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	if (res < 0)
		printf("%s: %s\n", what, ename(-res));
	else
		printf("%s: %d\n", what, res);
	return res;
}

static void run(void)
{
	static const char *const rels[] = { "text/lines.txt", "comp.txt", "raw70k.bin", "big.bin", "empty" };
	struct io_uring ring;
	int rc = io_uring_queue_init(8, &ring, 0);
	if (rc < 0) {
		printf("no io_uring here: %s\n", ename(-rc));
		return;
	}
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++) {
		int fd = (int)R(open(P(rels[i]), O_RDONLY));
		io_uring_prep_read(io_uring_get_sqe(&ring), fd, buf, 5000, 10);
		bytes(rels[i], buf, go(&ring, "read"));
		struct iovec v[2] = { { buf, 100 }, { buf + 100, 90000 } };
		io_uring_prep_readv(io_uring_get_sqe(&ring), fd, v, 2, 0);
		bytes(rels[i], buf, go(&ring, "readv"));
		io_uring_prep_read(io_uring_get_sqe(&ring), fd, buf, 100, (uint64_t)-1);
		bytes(rels[i], buf, go(&ring, "read at the offset"));
		R(lseek(fd, 0, SEEK_CUR));
		io_uring_prep_write(io_uring_get_sqe(&ring), fd, buf, 1, 0);
		go(&ring, "write");
		R(io_uring_register_files(&ring, &fd, 1));
		struct io_uring_sqe *s = io_uring_get_sqe(&ring);
		io_uring_prep_read(s, 0, buf, 700, 0);
		s->flags |= IOSQE_FIXED_FILE;
		bytes(rels[i], buf, go(&ring, "read of a registered file"));
		R(io_uring_unregister_files(&ring));
		R(close(fd));
	}
	io_uring_queue_exit(&ring);
}
