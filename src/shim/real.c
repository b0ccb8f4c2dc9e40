/* SPDX-License-Identifier: MIT */
/*
 * Making files real: the bytes in a sealed file in memory, behind the same descriptors.
 *
 * For everything that only the kernel can do with a file: hand it to another program, send it over a
 * socket, read it in the background. The bytes are checked while they are copied.
 */
#include "shim/adopt.h"
#include "shim/process.h"
#include "shim/shim.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * At fork and vfork files are made real beforehand, but not at any price: up to so many bytes in all, and of those
 * that are closed at exec (which a child may change) only small ones.
 */
enum { PIECE = 1 << 20, EAGER_BYTES = 1 << 30, EAGER_CLOSED = 16 << 20 };

static int copy_to(struct slu_file *f, int fd)
{
	SLU_AUTO(mem) uint8_t *buf = NULL;
	uint64_t at = 0;
	size_t room = slu_max(f->large ? PIECE : f->size, 1);

	/* One read of the whole where that is how it is checked; else pieces. */
	buf = malloc(room);
	if (!buf)
		return -ENOMEM;
	while (at < f->size) {
		ssize_t n = slu_file_pread(f, buf, room, at), put;
		if (n <= 0)
			return n < 0 ? (int)n : -EIO;
		put = pwrite(fd, buf, (size_t)n, (off_t)at);
		if (put < 0 && errno != EINTR)
			return -errno;
		at += put > 0 ? (uint64_t)put : 0;
	}
	return 0;
}

/* Read-only, as the program opened it; and because older kernels do not map a sealed one shared otherwise. */
static int reopen_readonly(int fd)
{
	char name[32];
	int ro;

	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	ro = open(name, O_RDONLY | O_CLOEXEC);
	if (ro < 0)
		return fd; /* no /proc: sealed is good enough */
	close(fd);
	return ro;
}

static int copy_named(struct slu_file *f, const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING), r;

	if (fd < 0)
		return -errno;
	if ((r = copy_to(f, fd)) < 0) {
		close(fd);
		return r;
	}
	(void)fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
	return reopen_readonly(fd);
}

int slu_real_copy(struct slu_file *f)
{
	return copy_named(f, "sluice");
}

/* Behind each descriptor of @o, which keeps its number and its close-on-exec flag. */
static int put_behind(struct slu_open *o, int real)
{
	uint32_t slot = (uint32_t)(o - slu_shim.fds.opens) + 1, top = atomic_load(&slu_shim.fds.top);
	int r = 0;

	for (uint32_t fd = 0; fd <= top && r >= 0; fd++) {
		int flags;
		if (slu_fds_slot(&slu_shim.fds, (int)fd) != slot)
			continue;
		flags = fcntl((int)fd, F_GETFD);
		r = dup3(real, (int)fd, flags >= 0 && (flags & FD_CLOEXEC) ? O_CLOEXEC : 0);
	}
	return r < 0 ? -errno : 0;
}

/* The position goes to the kernel: a read at the same time waits. Other processes that share it keep it too. */
static int hand_over(struct slu_open *o, struct slu_shared *s, int real)
{
	uint64_t word = atomic_exchange(&s->position, SLU_MOVED), next = word + SLU_MAX_POSITION + 1;
	int r;

	if (next == SLU_MOVED)
		next = slu_position(word);                      /* after so many eras the first one comes again */
	(void)lseek(real, (off_t)slu_position(word), SEEK_SET); /* any position is good */
	r = put_behind(o, real);
	if (r == 0) {
		atomic_store(&o->left_era, slu_era(next));
		atomic_store(&o->real, true);
	}
	if (r < 0 || atomic_load(&s->holders) > 1)
		atomic_store(&s->position, r < 0 ? word : next);
	if (r < 0)
		return r;
	if (slu_shim.vfs.ledger)
		slu_ledger_tally(slu_shim.vfs.ledger, o->mount->number, SLU_TALLY_MATERIAL, 1);
	return 0;
}

static int make_real(struct slu_open *o, enum slu_real_how how)
{
	struct slu_shared *s = slu_fds_shared(&slu_shim.fds, o);
	char name[SLU_ADOPT_NAME] = "sluice";
	bool readable;
	int real, r;

	if ((o->kind != SLU_OPEN_FILE && o->kind != SLU_OPEN_DIR) || o->path_only || atomic_load(&o->real))
		return 0;
	(void)slu_adopt_name(o, name); /* without one it is a file like any other */
	real = o->kind == SLU_OPEN_DIR ? -EISDIR : copy_named(&o->file, name);
	readable = real >= 0;
	/* What cannot be read keeps a placeholder, but one by whose name another process knows it. */
	if (real < 0 && (o->kind == SLU_OPEN_DIR || how == SLU_REAL_OR_BROKEN) &&
	    (real = slu_new_placeholder(name)) < 0)
		return -errno;
	if (real < 0)
		return real;
	atomic_store(&slu_shim.any_real, true);
	(void)fcntl(real, F_SETFL, (int)atomic_load(&s->flags) & (O_APPEND | O_NONBLOCK));
	slu_fds_stop(&slu_shim.fds); /* nobody closes or duplicates meanwhile */
	r = atomic_load(&o->real) ? 0 : readable ? hand_over(o, s, real) : put_behind(o, real);
	slu_fds_go(&slu_shim.fds);
	close(real);
	return r;
}

bool slu_real_fd(int fd, enum slu_real_how how)
{
	struct slu_open *o = slu_get_unreal(fd);
	int r, saved = errno;

	if (!o)
		return true;
	r = make_real(o, how);
	if (r < 0)
		(void)slu_shim_fail_open(o, r);
	else
		errno = saved;
	slu_put(o);
	return r == 0;
}

static bool is_wanted(const struct slu_open *o, enum slu_inherit which, bool closed_at_exec)
{
	if (!closed_at_exec || which == SLU_INHERIT_ALL)
		return true;
	return which == SLU_INHERIT_FORK && o->kind == SLU_OPEN_FILE && o->file.size <= EAGER_CLOSED;
}

void slu_real_inherited(enum slu_inherit which)
{
	uint32_t top = slu_shim.fds.table ? atomic_load(&slu_shim.fds.top) : 0;
	uint64_t left = EAGER_BYTES;
	int saved = errno;

	if (slu_fds_is_inside())
		return; /* in a handler over a half-made descriptor: it must stay what it is */
	for (uint32_t fd = 0; slu_shim.fds.table && fd <= top; fd++) {
		struct slu_open *o = slu_get_unreal((int)fd);
		int flags;
		if (!o)
			continue;
		flags = fcntl((int)fd, F_GETFD);
		if (flags >= 0 && is_wanted(o, which, flags & FD_CLOEXEC) && o->file.size <= left) {
			left -= o->file.size;
			(void)!make_real(o, SLU_REAL_OR_BROKEN); /* else it stays a placeholder, which cannot be read */
		}
		slu_put(o);
	}
	errno = saved;
}
