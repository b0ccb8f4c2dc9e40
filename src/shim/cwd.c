/* SPDX-License-Identifier: MIT */
/*
 * The working directory. The kernel cannot have one inside a pack, so that it is kept here; the kernel's
 * own then is the root directory. A new program gets it by the environment (SLUICE_CWD).
 *
 * Read by every relative path while it lies in or above a mount, changed seldom: each change is written to a place of
 * its own, and then shown by one store. So neither a fork nor a signal in the midst of it can do harm.
 */
#include "shim/traced.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim/heap.h"
#include "vfs/host.h"
#include "vfs/spec.h"

/* Whoever reads has copied it long before as many changes have come. */
enum { RING = 64 };

static char ring[RING][PATH_MAX];
static _Atomic unsigned turn;
static _Atomic(const char *) cwd;

/* A vfork child's own, in memory of its own: its parent's must not change. */
static _Thread_local char *vfork_cwd __attribute__((tls_model("initial-exec")));

static void store(const char *path)
{
	char *place = ring[atomic_fetch_add(&turn, 1) % RING];

	strcpy(place, path);
	atomic_store(&cwd, place);
}

static void load(char ret_path[PATH_MAX])
{
	strcpy(ret_path, atomic_load(&cwd));
}

int slu_cwd_get(char ret_path[PATH_MAX])
{
	if (!slu_cwd_is_inside())
		return slu_host_getcwd(ret_path);
	if (slu_in_vfork && vfork_cwd) {
		strcpy(ret_path, vfork_cwd);
		return 0;
	}
	load(ret_path);
	return 0;
}

/* The kernel's directory has changed: can relative paths lead into a mount now? */
static void note_host_cwd(void)
{
	char path[PATH_MAX];
	bool above;

	if (slu_in_vfork)
		return;
	above = slu_host_getcwd(path) == 0 &&
	        (slu_vfs_above(&slu_shim.vfs, path) || slu_vfs_match(&slu_shim.vfs, path));
	atomic_store(&slu_shim.cwd_state, above ? SLU_CWD_ABOVE : SLU_CWD_CLEAR);
}

void slu_cwd_start(const char *from_env)
{
	char host[PATH_MAX];

	if (from_env && from_env[0] == '/' && strlen(from_env) < PATH_MAX && slu_host_getcwd(host) == 0 &&
	    strcmp(host, "/") == 0 &&
	    (slu_vfs_match(&slu_shim.vfs, from_env) || slu_vfs_above(&slu_shim.vfs, from_env))) {
		store(from_env);
		atomic_store(&slu_shim.cwd_state, SLU_CWD_INSIDE);
		return;
	}
	note_host_cwd();
}

const char *slu_cwd_env(char *buf, size_t cap)
{
	char path[PATH_MAX];

	if (!slu_cwd_is_inside() || slu_cwd_get(path) < 0)
		return NULL;
	(void)snprintf(buf, cap, SLU_ENV_CWD "=%s", path);
	return buf;
}

void slu_cwd_after_vfork(void)
{
	if (vfork_cwd)
		(void)munmap(vfork_cwd, PATH_MAX);
	vfork_cwd = NULL;
}

/* ---- changing it ----------------------------------------------------------------------------------------------- */

/* "": the kernel's. */
static int store_in_vfork(const char *path)
{
	char *own = vfork_cwd;

	if (!own)
		own = mmap(NULL, PATH_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (own == MAP_FAILED)
		return -1;
	vfork_cwd = strcpy(own, path);
	return 0;
}

static int enter(const char *path)
{
	if (NEXT(chdir)("/") < 0)
		return -1;
	if (slu_in_vfork)
		return store_in_vfork(path);
	store(path);
	atomic_store(&slu_shim.cwd_state, SLU_CWD_INSIDE);
	slu_traced_moved();
	return 0;
}

static int chdir_found(struct slu_where *w)
{
	char path[PATH_MAX];
	int err = slu_where_error(w), r;

	if (!err && w->p.kind == SLU_PLACE_NODE && w->p.node_kind != SLU_DIR)
		err = ENOTDIR;
	if (!err && (r = slu_where_path(w, path)) < 0)
		err = -r;
	if (!err)
		return enter(path);
	errno = err;
	return -1;
}

static void left_for_host(void)
{
	int saved = errno;

	if (slu_in_vfork)
		(void)store_in_vfork(""); /* for want of memory: the parent's, which is as wrong as any */
	else if (slu_shim_on())
		note_host_cwd();
	slu_traced_moved();
	errno = saved;
}

SHIM int chdir(const char *path)
{
	SLU_WHERE(w);
	int r;

	if (slu_where(&w, AT_FDCWD, path, 0))
		return chdir_found(&w);
	r = NEXT(chdir)(w.path);
	if (r < 0)
		return slu_where_again(&w) ? chdir_found(&w) : r;
	left_for_host();
	return r;
}

SHIM int fchdir(int fd)
{
	struct slu_open *o = slu_get(fd);
	char path[PATH_MAX];
	int r;

	if (!o) {
		r = NEXT(fchdir)(fd);
		if (r == 0)
			left_for_host();
		return r;
	}
	r = o->kind == SLU_OPEN_DIR || o->kind == SLU_OPEN_MADE ? slu_open_path(o, path) : -ENOTDIR;
	slu_put(o);
	return r < 0 ? slu_shim_fail(r) : enter(path);
}

/* libc's goes to the root directory, and puts /dev/null on the first three, by calls of its own. */
SHIM int daemon(int stay, int keep_open)
{
	int r = NEXT(daemon)(stay, keep_open);

	if (r < 0 || !slu_shim_carries())
		return r;
	if (!stay)
		left_for_host();
	for (int fd = 0; fd <= 2 && !keep_open; fd++) {
		if (slu_shim_on())
			slu_fds_drop(&slu_shim.fds, fd);
		slu_traced_forget(fd);
	}
	return r;
}

/* ---- asking for it ------------------------------------------------------------------------------------------------
 */

bool slu_cwd_is_inside(void)
{
	if (slu_in_vfork && vfork_cwd)
		return vfork_cwd[0] != 0;
	return atomic_load_explicit(&slu_shim.cwd_state, memory_order_relaxed) == SLU_CWD_INSIDE;
}

SHIM char *getcwd(char *buf, size_t size)
{
	char path[PATH_MAX];
	size_t n;

	if (!slu_cwd_is_inside() || slu_cwd_get(path) < 0)
		return NEXT(getcwd)(buf, size);
	n = strlen(path) + 1;
	if (buf && size == 0) {
		errno = EINVAL;
		return NULL;
	}
	if (size && size < n) {
		errno = ERANGE;
		return NULL;
	}
	if (!buf && !(buf = slu_host_alloc(size ? size : n)))
		return NULL;
	return memcpy(buf, path, n);
}

char *__getcwd_chk(char *buf, size_t size, size_t room);
SHIM char *__getcwd_chk(char *buf, size_t size, size_t room)
{
	return size > room || !slu_cwd_is_inside() ? NEXT(__getcwd_chk)(buf, size, room) : getcwd(buf, size);
}

char *getwd(char *buf);
SHIM char *getwd(char *buf)
{
	return slu_cwd_is_inside() ? getcwd(buf, PATH_MAX) : NEXT(getwd)(buf);
}

/* $PWD, if it is another name of the same directory. */
static const char *other_name(void)
{
	const char *pwd = getenv("PWD");
	struct stat here, there;

	return pwd && pwd[0] == '/' && slu_view_stat(pwd, &there) == 0 && slu_view_stat(".", &here) == 0 &&
	                       here.st_dev == there.st_dev && here.st_ino == there.st_ino
	               ? pwd
	               : NULL;
}

char *__getwd_chk(char *buf, size_t room);
SHIM char *__getwd_chk(char *buf, size_t room)
{
	return slu_cwd_is_inside() && room >= PATH_MAX ? getcwd(buf, PATH_MAX) : NEXT(__getwd_chk)(buf, room);
}

SHIM char *get_current_dir_name(void)
{
	int saved = errno;
	const char *pwd = slu_cwd_is_inside() ? other_name() : NULL;

	errno = saved;
	if (pwd)
		return slu_host_strdup(pwd);
	return slu_cwd_is_inside() ? getcwd(NULL, 0) : NEXT(get_current_dir_name)();
}
