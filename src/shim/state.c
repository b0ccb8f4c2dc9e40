/* SPDX-License-Identifier: MIT */
/* The shim's state and its start. See shim.h. */
#include "shim/shim.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "shim/adopt.h"
#include "shim/process.h"
#include "shim/traced.h"
#include "vfs/spec.h"

struct slu_shim slu_shim = { .placeholder = -1 };

/* What a name that no one has gives. */
static long no_such_function(void)
{
	errno = ENOSYS;
	return -1;
}

void *slu_next(_Atomic(void *) *slot, const char *name)
{
	int saved = errno;
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		f = (void *)no_such_function;
	atomic_store_explicit(slot, f, memory_order_relaxed);
	errno = saved;
	return f;
}

/*
 * Write-only and sealed against writing: read, mmap, sendfile and all others that go past us fail.
 */
int slu_new_placeholder(const char *name)
{
	char path[32];
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING), wo = -1;

	if (fd >= 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		wo = open(path, O_WRONLY | O_CLOEXEC);
	}
	if (fd >= 0)
		close(fd);
	if (wo < 0)
		wo = open("/dev/null", O_WRONLY | O_CLOEXEC); /* no /proc, or a kernel without memfd */
	return wo;
}

int slu_make_placeholder(void)
{
	int fd = slu_new_placeholder("sluice");

	return fd < 0 ? -1 : slu_vfs_keep(&slu_shim.vfs, fd);
}

static void find_own_path(void)
{
	Dl_info info;

	if (dladdr((void *)slu_shim_start, &info) && info.dli_fname)
		(void)snprintf(slu_shim.preload, sizeof(slu_shim.preload), "%s", info.dli_fname);
}

/* The view, if there are mounts. */
static int start_view(void)
{
	const char *mounts = getenv(SLU_ENV_MOUNTS), *ledger = getenv(SLU_ENV_LEDGER);

	if (!mounts || !*mounts)
		return SLU_SHIM_OFF;
	if (slu_vfs_init(&slu_shim.vfs, mounts) < 0 || slu_shim.vfs.n == 0 || slu_fds_init(&slu_shim.fds) < 0)
		return SLU_SHIM_OFF; /* nobody to tell: `sluice run` has checked them before */
	if (ledger && *ledger && slu_ledger_open(ledger, &slu_shim.vfs.ledger) < 0)
		slu_shim.vfs.ledger = NULL;
	atomic_store(&slu_shim.placeholder, slu_make_placeholder());
	slu_cwd_start(getenv(SLU_ENV_CWD));
	slu_dir_start();
	return SLU_SHIM_ON;
}

static int start(void)
{
	int state = start_view();

	slu_traced_start();
	if (state == SLU_SHIM_ON || atomic_load(&slu_shim.rec.on)) {
		find_own_path();
		slu_process_start();
	}
	return state;
}

void slu_shim_start(void)
{
	int saved = errno, fresh = SLU_SHIM_NEW;

	if (atomic_compare_exchange_strong(&slu_shim.state, &fresh, SLU_SHIM_STARTING))
		atomic_store(&slu_shim.state, start());
	errno = saved;
}

__attribute__((constructor(101))) static void start_early(void)
{
	int saved = errno;

	slu_shim_start();
	/* Not where a call of the host's malloc may have started us: packs are opened for this. */
	if (slu_shim_on() && getenv(SLU_ENV_ADOPT))
		slu_adopt_inherited();
	errno = saved;
}

/* ---- errors ------------------------------------------------------------------------------------------ */

/* What a program understands: damage is an I/O error. */
static int plain_errno(int err)
{
	switch (-err) {
	case EILSEQ:
	case EBADMSG:
	case EPROTONOSUPPORT:
		return EIO;
	default:
		return -err;
	}
}

int slu_shim_fail(int err)
{
	errno = plain_errno(err);
	return -1;
}

int slu_shim_fail_open(const struct slu_open *o, int err)
{
	char path[PATH_MAX];

	if (err == -ENOENT)
		err = -EIO; /* the file is open: it is its shard that is missing */
	if (slu_shim.vfs.ledger && plain_errno(err) == EIO)
		slu_ledger_note(slu_shim.vfs.ledger, SLU_NOTE_DAMAGED, EIO, slu_open_path(o, path) == 0 ? path : NULL,
		                slu_errmsg());
	return slu_shim_fail(err);
}
