/* SPDX-License-Identifier: MIT */
/* POSIX asynchronous reads: glibc's threads do them, with calls of its own. */
#include "compat.h"
#include <aio.h>
#include <signal.h>

static void wait_for(struct aiocb *cb, const char *what)
{
	const struct aiocb *list[] = { cb };
	while (aio_error(cb) == EINPROGRESS)
		aio_suspend(list, 1, NULL);
	int e = aio_error(cb);
	ssize_t n = aio_return(cb);
	printf("%s: %zd %s\n", what, n, ename(e));
	if (n >= 0)
		bytes(what, (void *)cb->aio_buf, n);
}

static void run(void)
{
	static const char *const rels[] = { "text/lines.txt", "comp.txt", "raw70k.bin", "big.bin", "empty" };
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++) {
		int fd = (int)R(open(P(rels[i]), O_RDONLY));
		struct aiocb a = { .aio_fildes = fd, .aio_buf = buf, .aio_nbytes = 5000, .aio_offset = 3 };
		R(aio_read(&a));
		wait_for(&a, rels[i]);
		a.aio_offset = 1 << 30;
		R(aio_read(&a));
		wait_for(&a, "behind the end");
		a.aio_offset = 0;
		R(aio_write(&a));
		wait_for(&a, "aio_write");
		R(lseek(fd, 0, SEEK_CUR));
		struct aiocb b[4], *list[4];
		for (int k = 0; k < 4; k++) {
			b[k] = (struct aiocb){ .aio_fildes = fd,
				               .aio_buf = buf + k * 10000,
				               .aio_nbytes = 700,
				               .aio_offset = k * 500,
				               .aio_lio_opcode = k == 3 ? LIO_NOP : LIO_READ };
			list[k] = &b[k];
		}
		R(lio_listio(LIO_WAIT, list, 4, NULL));
		for (int k = 0; k < 3; k++)
			wait_for(&b[k], "lio_listio");
		struct aiocb64 c = { .aio_fildes = fd, .aio_buf = buf, .aio_nbytes = 100 };
		R(aio_read64(&c));
		const struct aiocb64 *l64[] = { &c };
		while (aio_error64(&c) == EINPROGRESS)
			aio_suspend64(l64, 1, NULL);
		bytes("aio_read64", buf, aio_return64(&c));
		struct aiocb s = { .aio_fildes = fd };
		R(aio_fsync(O_SYNC, &s));
		wait_for(&s, "aio_fsync");
		R(aio_cancel(fd, NULL));
		R(close(fd));
	}
	struct aiocb bad = { .aio_fildes = 99, .aio_buf = buf, .aio_nbytes = 10 };
	if (R(aio_read(&bad)) == 0)
		wait_for(&bad, "a bad descriptor");
}
