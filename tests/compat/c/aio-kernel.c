/* SPDX-License-Identifier: MIT */
/* The kernel's asynchronous reads: through libaio, and through syscall(). */
#include "compat.h"
#include <linux/aio_abi.h>

#ifdef USE_LIBAIO /* its structures have the kernel's layout */
extern int io_setup(int, aio_context_t *);
extern int io_submit(aio_context_t, long, struct iocb **);
extern int io_getevents(aio_context_t, long, long, struct io_event *, struct timespec *);
extern int io_destroy(aio_context_t);
#define CALL(x)                                                                                                        \
	({                                                                                                             \
		long r_ = (x);                                                                                         \
		if (r_ < 0)                                                                                            \
			errno = (int)-r_, r_ = -1;                                                                     \
		r_;                                                                                                    \
	})
#else
#define io_setup(n, c) syscall(SYS_io_setup, n, c)
#define io_submit(c, n, l) syscall(SYS_io_submit, c, n, l)
#define io_getevents(c, m, n, e, t) syscall(SYS_io_getevents, c, m, n, e, t)
#define io_destroy(c) syscall(SYS_io_destroy, c)
#define CALL(x) (x)
#endif

static void one_file(const char *rel)
{
	printf("--- %s\n", rel);
	aio_context_t c = 0;
	int fd = (int)R(open(P(rel), O_RDONLY));
	R(CALL(io_setup(16, &c)));
	struct iocb cb[4], *list[4];
	struct iovec v[2] = { { buf + 600000, 10 }, { buf + 700000, 3000 } };
	memset(cb, 0, sizeof(cb));
	for (int i = 0; i < 4; i++) {
		cb[i].aio_fildes = (uint32_t)fd;
		cb[i].aio_lio_opcode = i == 3 ? IOCB_CMD_PREADV : IOCB_CMD_PREAD;
		cb[i].aio_buf = i == 3 ? (uintptr_t)v : (uintptr_t)(buf + i * 200000);
		cb[i].aio_nbytes = i == 3 ? 2 : 66000;
		cb[i].aio_offset = i * 100;
		cb[i].aio_data = (uint64_t)i + 100;
		list[i] = &cb[i];
	}
	long n = R(CALL(io_submit(c, 4, list))), have = 0;
	struct io_event e[4];
	long long res[4] = { -1, -1, -1, -1 };
	while (have < n) {
		long got = io_getevents(c, 1, 4, e, NULL);
		if (got <= 0)
			break;
		for (long i = 0; i < got; i++) {
			MUST(e[i].data >= 100 && e[i].data < 104 && e[i].obj == (uintptr_t)&cb[e[i].data - 100]);
			res[(e[i].data - 100) % 4] = (long long)e[i].res;
		}
		have += got;
	}
	for (int i = 0; i < 3; i++)
		bytes("pread", buf + i * 200000, res[i]);
	printf("preadv: %lld\n", res[3]);
	bytes("vector", buf + 700000, res[3] > 10 ? res[3] - 10 : 0);
	cb[0].aio_fildes = 99;
	R(CALL(io_submit(c, 1, list)));
	cb[0].aio_fildes = (uint32_t)fd;
	cb[0].aio_lio_opcode = IOCB_CMD_PWRITE;
	R(CALL(io_submit(c, 1, list)));
	R(lseek(fd, 0, SEEK_CUR));
	R(CALL(io_destroy(c)));
	R(close(fd));
}

static void run(void)
{
	static const char *const rels[] = { "text/lines.txt", "comp.txt", "raw70k.bin", "big.bin", "empty" };
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++)
		one_file(rels[i]);
}
