/* SPDX-License-Identifier: MIT */
/* Recorded: mappings, and I/O in the background, of which only the asking is seen. */
#include <aio.h>
#include <linux/aio_abi.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim/traced.h"

/* ---- mappings: of files only, since a program's malloc() comes here too
 * ---------------------------------------------- */

SHIM void *mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	uint64_t begin = fd >= 0 && !(flags & MAP_ANONYMOUS) ? slu_traced_begin() : 0;
	void *m;

	if (SLU_UNLIKELY(flags & MAP_FIXED) && slu_traced_begin())
		(void)slu_rec_unmapping(&slu_shim.rec, at, len);
	m = slu_view_mmap(at, len, prot, flags, fd, offset);
	if (SLU_LIKELY(!begin))
		return m;
	slu_traced_fd(begin, SLU_CALL_MMAP, fd, m == MAP_FAILED);
	if (m != MAP_FAILED) {
		struct slu_rec_fd *e = slu_rec_fd_entry(&slu_shim.rec, fd);
		slu_ref file = e ? atomic_load(&e->file) : 0;
		if (file)
			slu_rec_mapped(&slu_shim.rec, m, len, file);
	}
	return m;
}
SHIM_OWN(mmap);
SHIM_ALIAS(mmap64, mmap);

static slu_ref unmapping(uint64_t begin, void *at, size_t len)
{
	int saved = errno;
	slu_ref file = SLU_UNLIKELY(begin) ? slu_rec_unmapping(&slu_shim.rec, at, len) : 0;

	errno = saved;
	return file;
}

SHIM int munmap(void *at, size_t len)
{
	bool any = atomic_load_explicit(&slu_shim.rec.n_maps, memory_order_relaxed);
	uint64_t begin = SLU_UNLIKELY(any) ? slu_traced_begin() : 0;
	slu_ref file = unmapping(begin, at, len);
	int r = slu_view_munmap(at, len);

	if (SLU_UNLIKELY(file))
		slu_traced_closed(begin, SLU_CALL_MUNMAP, file, r < 0);
	return r;
}
SHIM_OWN(munmap);

SHIM void *mremap(void *old, size_t old_len, size_t len, int flags, ...)
{
	bool any = atomic_load_explicit(&slu_shim.rec.n_maps, memory_order_relaxed);
	uint64_t begin = SLU_UNLIKELY(any) ? slu_traced_begin() : 0;
	slu_ref file = unmapping(begin, old, old_len);
	va_list ap;
	void *to, *m;

	va_start(ap, flags);
	to = va_arg(ap, void *);
	va_end(ap);
	m = slu_view_mremap(old, old_len, len, flags, to);
	if (SLU_UNLIKELY(file) && m != MAP_FAILED)
		slu_rec_mapped(&slu_shim.rec, m, len, file);
	return m;
}

SHIM int msync(void *at, size_t len, int flags)
{
	uint64_t begin = slu_traced_begin();
	int r = NEXT(msync)(at, len, flags);

	if (SLU_UNLIKELY(begin))
		slu_traced_closed(begin, SLU_CALL_MSYNC, slu_rec_map_file(&slu_shim.rec, at), r < 0);
	return r;
}

/* ---- in the background: as asked for
 * --------------------------------------------------------------------------------- */

static void asked(uint64_t begin, bool writes, int fd, uint64_t n, uint64_t offset, bool failed)
{
	struct slu_rec_call c;

	if (SLU_LIKELY(!begin))
		return;
	c = slu_traced_call(begin, writes ? SLU_CALL_AIO_WRITE : SLU_CALL_AIO_READ, failed);
	c.bytes = failed ? 0 : n;
	c.offset = offset;
	slu_rec_fd(&slu_shim.rec, &slu_rec_tls, &c, fd);
}

SHIM int aio_read(struct aiocb *a)
{
	uint64_t begin = slu_traced_begin();
	int r = slu_view_aio_read(a);

	asked(begin, false, a->aio_fildes, a->aio_nbytes, (uint64_t)a->aio_offset, r < 0);
	return r;
}
SHIM_ALIAS(aio_read64, aio_read);

SHIM int aio_write(struct aiocb *a)
{
	uint64_t begin = slu_traced_begin();
	int r = NEXT(aio_write)(a);

	asked(begin, true, a->aio_fildes, a->aio_nbytes, (uint64_t)a->aio_offset, r < 0);
	return r;
}
SHIM_ALIAS(aio_write64, aio_write);

/* One call asks for many: its time is the first one's. */
SHIM int lio_listio(int mode, struct aiocb *const list[], int n, struct sigevent *event)
{
	uint64_t begin = slu_traced_begin();
	int r = slu_view_lio_listio(mode, list, n, event);

	for (int i = 0; begin && i < n; i++)
		if (list[i] && list[i]->aio_lio_opcode != LIO_NOP) {
			asked(begin, list[i]->aio_lio_opcode == LIO_WRITE, list[i]->aio_fildes, list[i]->aio_nbytes,
			      (uint64_t)list[i]->aio_offset, r < 0);
			begin = SLU_UNTIMED;
		}
	return r;
}
SHIM_ALIAS(lio_listio64, lio_listio);

void slu_traced_submitted(uint64_t begin, long n, struct iocb **list)
{
	for (long i = 0; begin && i < n; i++) {
		bool writes = list[i]->aio_lio_opcode == IOCB_CMD_PWRITE || list[i]->aio_lio_opcode == IOCB_CMD_PWRITEV;
		if (writes || list[i]->aio_lio_opcode == IOCB_CMD_PREAD || list[i]->aio_lio_opcode == IOCB_CMD_PREADV)
			asked(begin, writes, (int)list[i]->aio_fildes, list[i]->aio_nbytes,
			      (uint64_t)list[i]->aio_offset, false);
		begin = SLU_UNTIMED;
	}
}

SHIM int io_submit(aio_context_t context, long n, struct iocb **list)
{
	uint64_t begin = slu_traced_begin();
	int r = slu_view_io_submit(context, n, list);

	slu_traced_submitted(begin, r, list);
	return r;
}

/* ---- io_uring: how much was submitted; what it is cannot be seen
 * -------------------------------------------------------- */

void slu_traced_uring(uint64_t begin, long n)
{
	for (long i = 0; begin && i < n; i++) {
		struct slu_rec_call c = slu_traced_call(i ? SLU_UNTIMED : begin, SLU_CALL_URING, false);
		slu_rec_named(&slu_shim.rec, &slu_rec_tls, &c, "io_uring");
	}
}

struct io_uring;
struct io_uring_cqe;
struct __kernel_timespec;

#define SUBMITTED(name, params, args)                                                                                  \
	int name params;                                                                                               \
	SHIM int name params                                                                                           \
	{                                                                                                              \
		uint64_t begin = slu_traced_begin();                                                                   \
		int n = NEXT(name) args;                                                                               \
		slu_traced_uring(begin, n);                                                                            \
		return n;                                                                                              \
	}

SUBMITTED(io_uring_submit, (struct io_uring * ring), (ring))
SUBMITTED(io_uring_submit_and_wait, (struct io_uring * ring, unsigned n_wait), (ring, n_wait))
SUBMITTED(io_uring_submit_and_get_events, (struct io_uring * ring), (ring))
SUBMITTED(io_uring_submit_and_wait_timeout,
          (struct io_uring * ring, struct io_uring_cqe **cqe, unsigned n_wait, struct __kernel_timespec *timeout,
           sigset_t *mask),
          (ring, cqe, n_wait, timeout, mask))
