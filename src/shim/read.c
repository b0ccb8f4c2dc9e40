/* SPDX-License-Identifier: MIT */
/* Reading and positions; copies between descriptors; hints. */
#include "shim/shim.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MAX_COUNT = 0x7ffff000 }; /* what the kernel reads at most in one call */

static int check_readable(const struct slu_open *o)
{
	if (SLU_LIKELY(o->kind == SLU_OPEN_FILE && !o->path_only))
		return 0;
	errno = o->path_only ? EBADF : EISDIR;
	return -1;
}

/* What the kernel does not take, whatever the file. */
static bool beyond_limits(uint64_t offset, size_t n)
{
	return (ssize_t)n < 0 || (offset != SLU_MOVED && offset + n > INT64_MAX);
}

static void tally(const struct slu_open *o, uint64_t n)
{
	if (SLU_LIKELY(!slu_shim.vfs.ledger))
		return;
	slu_ledger_tally(slu_shim.vfs.ledger, o->mount->number, SLU_TALLY_READ, 1);
	slu_ledger_tally(slu_shim.vfs.ledger, o->mount->number, SLU_TALLY_BYTES, n);
}

static ssize_t pread_ours(struct slu_open *o, void *buf, size_t n, uint64_t offset)
{
	int saved = errno;
	ssize_t got;

	if (check_readable(o) < 0)
		return -1;
	if ((int64_t)offset < 0 || beyond_limits(offset, n)) {
		errno = EINVAL;
		return -1;
	}
	got = slu_file_pread(&o->file, buf, slu_min(n, MAX_COUNT), offset);
	if (SLU_UNLIKELY(got < 0))
		return slu_shim_fail_open(o, (int)got);
	tally(o, (uint64_t)got);
	errno = saved;
	return got;
}

/* Until the kernel has the file that another thread is making real. */
static bool wait_until_real(struct slu_open *o)
{
	/* Another process may share the position and be killed while it has it: then it is lost. */
	for (int i = 0; i < 1000000 && atomic_load(&slu_fds_shared(&slu_shim.fds, o)->position) == SLU_MOVED; i++) {
		if (atomic_load(&o->real))
			return true;
		sched_yield();
	}
	return atomic_load(&o->real);
}

/* Takes the next @n bytes: where they start. SLU_MOVED: the file is real now. */
static uint64_t take_bytes(struct slu_open *o, size_t n, uint64_t *ret_len)
{
	struct slu_shared *s = slu_fds_shared(&slu_shim.fds, o);
	uint64_t word, moved;

	while ((word = slu_fds_advance(s, o->file.size, slu_min(n, MAX_COUNT), ret_len)) == SLU_MOVED) {
		if (wait_until_real(o))
			return SLU_MOVED;
		if (atomic_load(&s->position) == SLU_MOVED)
			atomic_store(&s->position, o->file.size); /* lost: the end is where nothing wrong can be read */
	}
	/* Made real meanwhile: what was taken before is ours, what was taken after is the others' who share the
	 * position. */
	if (SLU_UNLIKELY(atomic_load(&o->left_era) == slu_era(word))) {
		moved = word + *ret_len;
		atomic_compare_exchange_strong(&s->position, &moved, word);
		while (!atomic_load(&o->real))
			sched_yield();
		return SLU_MOVED;
	}
	return slu_position(word);
}

static ssize_t read_ours(int fd, struct slu_open *o, void *buf, size_t n)
{
	struct slu_shared *s = slu_fds_shared(&slu_shim.fds, o);
	uint64_t at, len, word;
	int saved = errno;
	ssize_t got;

	if (check_readable(o) < 0)
		return -1;
	if (SLU_UNLIKELY(beyond_limits(slu_position(atomic_load_explicit(&s->position, memory_order_relaxed)), n))) {
		errno = EINVAL;
		return -1;
	}
	at = take_bytes(o, n, &len);
	if (SLU_UNLIKELY(at == SLU_MOVED))
		return NEXT(read)(fd, buf, n);
	if (len == 0)
		return 0;
	got = slu_file_pread(&o->file, buf, len, at);
	if (SLU_LIKELY(got >= 0)) {
		tally(o, (uint64_t)got);
		errno = saved;
		return got;
	}
	word = atomic_load(&s->position); /* back, unless another has read on from there */
	if (slu_position(word) == at + len)
		atomic_compare_exchange_strong(&s->position, &word, slu_era(word) | at);
	return slu_shim_fail_open(o, (int)got);
}

static int64_t seek_target(const struct slu_open *o, uint64_t position, off_t offset, int whence)
{
	int64_t size = (int64_t)o->file.size, base;

	switch (whence) {
	case SEEK_SET:
		base = 0;
		break;
	case SEEK_CUR:
		base = (int64_t)position;
		break;
	case SEEK_END:
		base = size;
		break;
	case SEEK_DATA:
		return offset < 0 || offset >= size ? -ENXIO : offset;
	case SEEK_HOLE:
		return offset < 0 || offset >= size ? -ENXIO : size;
	default:
		return -EINVAL;
	}
	if (__builtin_add_overflow(base, offset, &base))
		return -EINVAL;
	return base < 0 ? -EINVAL : base;
}

static off_t seek_ours(int fd, struct slu_open *o, off_t offset, int whence)
{
	struct slu_shared *s = slu_fds_shared(&slu_shim.fds, o);
	uint64_t word = atomic_load(&s->position);
	int64_t to;

	do {
		if (SLU_UNLIKELY(word == SLU_MOVED)) {
			if (wait_until_real(o))
				return NEXT(lseek)(fd, offset, whence);
			if (atomic_compare_exchange_strong(&s->position, &word, o->file.size))
				word = o->file.size; /* lost, as in take_bytes() */
		}
		to = o->path_only ? -EBADF : seek_target(o, slu_position(word), offset, whence);
		if (to < 0 || (uint64_t)to > SLU_MAX_POSITION) {
			errno = to < 0 ? (int)-to : EINVAL;
			return -1;
		}
	} while (!atomic_compare_exchange_weak(&s->position, &word, slu_era(word) | (uint64_t)to));
	return to;
}

/* A thread that is cancelled ends here, as in libc's read(), and holds nothing. */
static void put_cancelled(void *o)
{
	slu_put(o);
}

static inline void cancel_point(struct slu_open *o)
{
	pthread_cleanup_push(put_cancelled, o);
	pthread_testcancel();
	pthread_cleanup_pop(0);
}

/* ---- one buffer ---------------------------------------------------------------------------------------- */

ssize_t slu_view_read(int fd, void *buf, size_t n)
{
	struct slu_open *o = slu_get_unreal(fd);
	ssize_t got;

	if (!o)
		return NEXT(read)(fd, buf, n);
	cancel_point(o);
	got = read_ours(fd, o, buf, n);
	slu_put(o);
	return got;
}

ssize_t slu_view_pread(int fd, void *buf, size_t n, off_t offset)
{
	struct slu_open *o = slu_get_unreal(fd);
	ssize_t got;

	if (!o)
		return NEXT(pread)(fd, buf, n, offset);
	cancel_point(o);
	got = pread_ours(o, buf, n, (uint64_t)offset);
	slu_put(o);
	return got;
}

/* _FORTIFY_SOURCE: too large a count is glibc's to deal with. */
ssize_t slu_view___read_chk(int fd, void *buf, size_t n, size_t room)
{
	if (n > room || !slu_fds_slot(&slu_shim.fds, fd))
		return NEXT(__read_chk)(fd, buf, n, room);
	return slu_view_read(fd, buf, n);
}

ssize_t slu_view___pread_chk(int fd, void *buf, size_t n, off_t offset, size_t room)
{
	if (n > room || !slu_fds_slot(&slu_shim.fds, fd))
		return NEXT(__pread_chk)(fd, buf, n, offset, room);
	return slu_view_pread(fd, buf, n, offset);
}

/* ---- several -------------------------------------------------------------------------------------------- */

/* @offset < 0: at the position. */
static ssize_t read_vector(int fd, struct slu_open *o, const struct iovec *iov, int n, int64_t offset)
{
	size_t total = 0, sum = 0;

	if (n < 0 || n > IOV_MAX) {
		errno = EINVAL;
		return -1;
	}
	if (check_readable(o) < 0)
		return -1;
	for (int i = 0; i < n; i++)
		if ((ssize_t)iov[i].iov_len < 0 || (ssize_t)(sum += iov[i].iov_len) < 0) {
			errno = EINVAL;
			return -1;
		}
	for (int i = 0; i < n; i++) {
		ssize_t got = offset < 0 ? read_ours(fd, o, iov[i].iov_base, iov[i].iov_len)
		                         : pread_ours(o, iov[i].iov_base, iov[i].iov_len, (uint64_t)offset + total);
		if (got < 0)
			return total ? (ssize_t)total : -1;
		total += (size_t)got;
		if ((size_t)got < iov[i].iov_len)
			break;
	}
	return (ssize_t)total;
}

ssize_t slu_view_readv(int fd, const struct iovec *iov, int n)
{
	struct slu_open *o = slu_get_unreal(fd);
	ssize_t got;

	if (!o)
		return NEXT(readv)(fd, iov, n);
	got = read_vector(fd, o, iov, n, -1);
	slu_put(o);
	return got;
}

ssize_t slu_view_preadv(int fd, const struct iovec *iov, int n, off_t offset)
{
	struct slu_open *o = slu_get_unreal(fd);
	ssize_t got = -1;

	if (!o)
		return NEXT(preadv)(fd, iov, n, offset);
	if (offset < 0)
		errno = EINVAL;
	else
		got = read_vector(fd, o, iov, n, offset);
	slu_put(o);
	return got;
}

ssize_t slu_view_preadv2(int fd, const struct iovec *iov, int n, off_t offset, int flags)
{
	struct slu_open *o = slu_get_unreal(fd);
	ssize_t got = -1;

	if (!o)
		return NEXT(preadv2)(fd, iov, n, offset, flags);
	if (offset < -1)
		errno = EINVAL;
	else if (flags & ~(RWF_HIPRI | RWF_DSYNC | RWF_SYNC | RWF_NOWAIT | RWF_APPEND))
		errno = EOPNOTSUPP;
	else
		got = read_vector(fd, o, iov, n, offset);
	slu_put(o);
	return got;
}

/* ---- positions ------------------------------------------------------------------------------------------- */

off_t slu_view_lseek(int fd, off_t offset, int whence)
{
	struct slu_open *o = slu_get_unreal(fd);
	off_t at;

	if (!o)
		return NEXT(lseek)(fd, offset, whence);
	at = seek_ours(fd, o, offset, whence);
	slu_put(o);
	return at;
}

/* ---- copies and hints: the kernel does them, on a real file ------------------------------------------------- */

/* Whether the kernel can copy from @fd and to @out now; errno is @dir_err for a directory. */
static bool ready_to_copy(int fd, int out, int dir_err)
{
	struct slu_open *o = slu_get(fd);
	bool dir = o && o->kind != SLU_OPEN_FILE && !o->path_only;

	if (o)
		slu_put(o);
	if (dir)
		errno = dir_err;
	return !dir && slu_real_fd(fd, SLU_REAL) && slu_real_fd(out, SLU_REAL);
}

ssize_t slu_view_sendfile(int out, int in, off_t *offset, size_t n)
{
	return ready_to_copy(in, out, EINVAL) ? NEXT(sendfile)(out, in, offset, n) : -1;
}

ssize_t slu_view_splice(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t n, unsigned flags)
{
	return ready_to_copy(in, out, EINVAL) ? NEXT(splice)(in, in_offset, out, out_offset, n, flags) : -1;
}

ssize_t slu_view_copy_file_range(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t n, unsigned flags)
{
	return ready_to_copy(in, out, EISDIR) ? NEXT(copy_file_range)(in, in_offset, out, out_offset, n, flags) : -1;
}

int slu_view_posix_fadvise(int fd, off_t offset, off_t len, int advice)
{
	struct slu_open *o = slu_get_unreal(fd);
	int err = 0;

	if (!o)
		return NEXT(posix_fadvise)(fd, offset, len, advice);
	if (o->path_only)
		err = EBADF;
	else if (advice < POSIX_FADV_NORMAL || advice > POSIX_FADV_NOREUSE || len < 0)
		err = EINVAL;
	slu_put(o);
	return err;
}

ssize_t slu_view_readahead(int fd, off64_t offset, size_t n)
{
	struct slu_open *o = slu_get_unreal(fd);
	ssize_t r = 0;

	if (!o)
		return NEXT(readahead)(fd, offset, n);
	if (o->kind != SLU_OPEN_FILE) {
		errno = EINVAL;
		r = -1;
	}
	slu_put(o);
	return r;
}
