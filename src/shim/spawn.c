/* SPDX-License-Identifier: MIT */
/*
 * posix_spawn.
 *
 * Its actions run inside libc. A descriptor of ours in them is made real when the action is added; a file of ours
 * to be opened is opened now, and closed with the actions; a directory of ours to start in goes into the environment.
 * What the child would fail with is kept, and is what posix_spawn() gives. There is room for MAX_HELD of these in a
 * process; beyond it they are refused with ENOMEM.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim/exec.h"
#include "vfs/spec.h"

enum { MAX_HELD = 64 };
static struct {
	/* Whose it is; the others are written before it is, and read by its owner only. */
	_Atomic(const void *) actions;
	int fd;    /* or -1 */
	char *cwd; /* "SLUICE_CWD=...", or NULL */
	int err;   /* what the child would fail with */
} held[MAX_HELD];

/* Taken, and nobody's yet: a child forked now by another thread must not find the last owner's descriptor in it. */
static const char taken;

static int hold_for(const void *actions, int fd, char *cwd, int err)
{
	for (unsigned i = 0; i < MAX_HELD; i++) {
		const void *none = NULL;
		if (atomic_compare_exchange_strong(&held[i].actions, &none, &taken)) {
			held[i].fd = fd;
			held[i].cwd = cwd;
			held[i].err = err;
			atomic_store(&held[i].actions, actions);
			return 0;
		}
	}
	return -ENOMEM;
}

static const char *held_cwd(const void *actions)
{
	const char *found = NULL;

	for (unsigned i = 0; actions && i < MAX_HELD; i++)
		if (atomic_load(&held[i].actions) == actions && held[i].cwd)
			found = held[i].cwd;
	return found;
}

static int held_error(const void *actions)
{
	for (unsigned i = 0; actions && i < MAX_HELD; i++)
		if (atomic_load(&held[i].actions) == actions && held[i].err)
			return held[i].err;
	return 0;
}

static int spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
                 char *const argv[], char *const env[])
{
	SLU_WHERE(w);
	struct slu_new_env e;
	char name[32];
	int fd = -1, r, saved = errno;
	char **with;

	if (slu_where(&w, AT_FDCWD, path, 0) || (NEXT(access)(w.path, F_OK) < 0 && slu_where_again(&w))) {
		if ((fd = slu_exec_in_mount(&w, name)) < 0) {
			r = errno;
			errno = saved;
			return r;
		}
		w.path = name;
	}
	slu_exec_note(w.path);
	with = SLU_NEW_ENV(e, env);
	if (held_cwd(actions)) {
		e.cwd = held_cwd(actions);
		with = slu_env_fill(&e, env, with, alloca(e.preload));
	}
	r = NEXT(posix_spawn)(pid, w.path, actions, attr, argv, with);
	if (fd >= 0)
		slu_view_close(fd);
	errno = saved;
	return r;
}

SHIM int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                     const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	if (!slu_shim_carries())
		return NEXT(posix_spawn)(pid, path, actions, attr, argv, env);
	if (held_error(actions))
		return held_error(actions);
	slu_real_inherited(SLU_INHERIT_EXEC);
	return spawn(pid, path, actions, attr, argv, env);
}

SHIM int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                      const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	struct slu_new_env e;
	char **with;

	if (!slu_shim_carries())
		return NEXT(posix_spawnp)(pid, file, actions, attr, argv, env);
	if (held_error(actions))
		return held_error(actions);
	slu_real_inherited(SLU_INHERIT_EXEC);
	if (!slu_no_path(file) && strchr(file, '/'))
		return spawn(pid, file, actions, attr, argv, env);
	with = SLU_NEW_ENV(e, env);
	if (held_cwd(actions)) {
		e.cwd = held_cwd(actions);
		with = slu_env_fill(&e, env, with, alloca(e.preload));
	}
	return NEXT(posix_spawnp)(pid, file, actions, attr, argv, with);
}

SHIM int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int fd, int to)
{
	return slu_real_fd(fd, SLU_REAL_OR_BROKEN) ? NEXT(posix_spawn_file_actions_adddup2)(actions, fd, to) : errno;
}

SHIM int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *restrict actions, int to,
                                          const char *restrict path, int flags, mode_t mode)
{
	SLU_WHERE(w);
	int fd, saved = errno, r;

	if (!slu_where(&w, AT_FDCWD, path, 0))
		return NEXT(posix_spawn_file_actions_addopen)(actions, to, path, flags, mode);
	fd = slu_open_where(&w, flags | O_CLOEXEC);
	if (fd < 0 || !slu_real_fd(fd, SLU_REAL)) { /* said when the child would find out */
		r = errno;
		if (fd >= 0)
			slu_view_close(fd);
		errno = saved;
		return hold_for(actions, -1, NULL, r) < 0 ? ENOMEM : 0;
	}
	if (hold_for(actions, fd, NULL, 0) < 0) {
		slu_view_close(fd);
		return ENOMEM;
	}
	r = NEXT(posix_spawn_file_actions_adddup2)(actions, fd, to);
	errno = saved;
	return r;
}

static char *cwd_entry(const char *dir)
{
	size_t n = strlen(dir) + sizeof(SLU_ENV_CWD "=");
	char *entry = malloc(n);

	if (entry)
		(void)snprintf(entry, n, SLU_ENV_CWD "=%s", dir);
	return entry;
}

/* To start in @dir, a directory of ours, or to fail with @err. */
static int add_chdir(posix_spawn_file_actions_t *actions, const char *dir, int err)
{
	char *cwd = err ? NULL : cwd_entry(dir);

	if ((!err && !cwd) || hold_for(actions, -1, cwd, err) < 0) {
		free(cwd);
		return ENOMEM;
	}
	return err ? 0 : NEXT(posix_spawn_file_actions_addchdir_np)(actions, "/");
}

SHIM int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path)
{
	SLU_WHERE(w);
	char dir[PATH_MAX];
	struct stat st;
	int r, saved = errno;

	if (!slu_where(&w, AT_FDCWD, path, 0))
		return NEXT(posix_spawn_file_actions_addchdir_np)(actions, path);
	r = slu_stat_where(&w, &st);
	if (r == 0)
		r = S_ISDIR(st.st_mode) ? slu_where_path(&w, dir) : -ENOTDIR;
	if (r < 0)
		(void)slu_shim_fail(r); /* as the child would get it */
	r = r < 0 ? errno : 0;
	errno = saved;
	return add_chdir(actions, dir, r);
}

SHIM int posix_spawn_file_actions_addfchdir_np(posix_spawn_file_actions_t *actions, int fd)
{
	struct slu_open *o = slu_get(fd);
	char dir[PATH_MAX];
	int r;

	if (!o)
		return NEXT(posix_spawn_file_actions_addfchdir_np)(actions, fd);
	r = o->kind == SLU_OPEN_FILE ? -ENOTDIR : slu_open_path(o, dir);
	slu_put(o);
	return add_chdir(actions, dir, r < 0 ? -r : 0);
}

static void let_go(const posix_spawn_file_actions_t *actions)
{
	for (unsigned i = 0; i < MAX_HELD; i++) {
		if (atomic_load(&held[i].actions) != actions)
			continue;
		if (held[i].fd >= 0)
			slu_view_close(held[i].fd);
		free(held[i].cwd);
		atomic_store(&held[i].actions, NULL);
	}
}

SHIM int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions)
{
	let_go(actions);
	return NEXT(posix_spawn_file_actions_destroy)(actions);
}

/* One that was never destroyed may have stood at the same place. */
SHIM int posix_spawn_file_actions_init(posix_spawn_file_actions_t *actions)
{
	let_go(actions);
	return NEXT(posix_spawn_file_actions_init)(actions);
}
