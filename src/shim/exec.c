/* SPDX-License-Identifier: MIT */
/*
 * New programs: exec in all its forms, posix_spawn, system, popen.
 *
 * Whatever environment the program gives, the next one gets what it needs to see the mounts: LD_PRELOAD, the mounts,
 * the ledger, the working directory. Built on the stack: a vfork child must not allocate. Descriptors that it
 * will inherit are made real.
 */
#include <alloca.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim/adopt.h"
#include "shim/process.h"
#include "shim/shim.h"
#include "vfs/spec.h"

extern char **environ;

/* "NAME=value", as they were when this process started; NULL: not set. */
static const char *mounts_env, *ledger_env;

static const char *keep(const char *name)
{
	const char *value = getenv(name);
	size_t n = value ? strlen(name) + 1 + strlen(value) + 1 : 0;
	char *copy = value ? mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;

	if (copy == MAP_FAILED)
		return NULL;
	(void)snprintf(copy, n, "%s=%s", name, value);
	return copy;
}

void slu_exec_start(void)
{
	mounts_env = keep(SLU_ENV_MOUNTS);
	ledger_env = keep(SLU_ENV_LEDGER);
}

/* ---- the environment -------------------------------------------------------------------------------------------- */

static bool is_var(const char *entry, const char *name)
{
	size_t n = strlen(name);

	return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

static const char *find_var(char *const *env, const char *name)
{
	for (; env && *env; env++)
		if (is_var(*env, name))
			return *env + strlen(name) + 1;
	return NULL;
}

/* Whether a list of libraries has ours. */
static bool has_shim(const char *list)
{
	size_t n = strlen(slu_shim.preload);

	for (const char *p = list; n && (p = strstr(p, slu_shim.preload)); p += n)
		if ((p == list || strchr(": ", p[-1])) && (p[n] == 0 || strchr(": ", p[n])))
			return true;
	return false;
}

struct new_env {
	size_t entries;  /* at most, with the NULL */
	size_t preload;  /* bytes of our LD_PRELOAD */
	const char *cwd; /* "SLUICE_CWD=...", or NULL */
	char cwd_buf[PATH_MAX + 16];
};

static void measure(struct new_env *e, char *const *env)
{
	const char *list = find_var(env, "LD_PRELOAD");

	e->entries = 6;
	for (size_t i = 0; env && env[i]; i++)
		e->entries++;
	e->preload = sizeof("LD_PRELOAD=:") + strlen(slu_shim.preload) + (list ? strlen(list) : 0);
	e->cwd = slu_cwd_env(e->cwd_buf, sizeof(e->cwd_buf));
}

/* A sanitizer's library must stay the first. */
static void write_preload(char *to, size_t room, const char *list)
{
	if (!list || !*list)
		(void)snprintf(to, room, "LD_PRELOAD=%s", slu_shim.preload);
	else if (strstr(list, "libasan") || strstr(list, "libtsan") || strstr(list, "libclang_rt"))
		(void)snprintf(to, room, "LD_PRELOAD=%s:%s", list, slu_shim.preload);
	else
		(void)snprintf(to, room, "LD_PRELOAD=%s:%s", slu_shim.preload, list);
}

static char **fill(const struct new_env *e, char *const *env, char **to, char *preload)
{
	const char *list = find_var(env, "LD_PRELOAD");
	bool add_preload = !list || !has_shim(list);
	size_t n = 0;

	for (size_t i = 0; env && env[i]; i++)
		if (!is_var(env[i], SLU_ENV_CWD) && !is_var(env[i], SLU_ENV_ADOPT) &&
		    !(add_preload && is_var(env[i], "LD_PRELOAD")))
			to[n++] = env[i];
	if (add_preload) {
		write_preload(preload, e->preload, list);
		to[n++] = preload;
	}
	if (mounts_env && !find_var(env, SLU_ENV_MOUNTS)) {
		to[n++] = (char *)(uintptr_t)mounts_env;
		if (ledger_env && !find_var(env, SLU_ENV_LEDGER))
			to[n++] = (char *)(uintptr_t)ledger_env;
	}
	if (e->cwd)
		to[n++] = (char *)(uintptr_t)e->cwd;
	if (atomic_load(&slu_shim.any_real))
		to[n++] = (char *)(uintptr_t)(SLU_ENV_ADOPT "=1");
	to[n] = NULL;
	return to;
}

/* The environment for a new program, on the caller's stack. */
#define NEW_ENV(e, env) (measure(&(e), env), fill(&(e), env, alloca((e).entries * sizeof(char *)), alloca((e).preload)))

/* ---- exec -------------------------------------------------------------------------------------------------------- */

/*
 * What this process holds in the slab is not given back: should exec fail, it would be another's by then. A forked
 * child that becomes another program so loses a slot for each file that was open; vfork and posix_spawn lose none.
 */
static void leave(void)
{
	if (!slu_in_vfork)
		slu_real_inherited(SLU_INHERIT_EXEC);
}

/* A program in a mount: a real file with its bytes, under a name that the kernel takes. */
static int program_in_mount(struct slu_where *w, char name[32])
{
	struct stat st;
	int r = slu_stat_where(w, &st), fd;

	if (r < 0)
		return slu_shim_fail(r);
	if (!S_ISREG(st.st_mode) || !(st.st_mode & 0111)) {
		errno = EACCES;
		return -1;
	}
	fd = slu_open_where(w, O_RDONLY); /* without close-on-exec: a script's interpreter opens it again */
	if (fd < 0 || !slu_real_fd(fd, SLU_REAL))
		return -1;
	(void)snprintf(name, 32, "/proc/self/fd/%d", fd);
	return fd;
}

/* What a script's first line asks for. */
struct script {
	char line[256];
	const char *interpreter; /* NULL: not a script */
	const char *argument;    /* or NULL */
};

static void read_script(int fd, struct script *ret_script)
{
	ssize_t n = slu_own_pread(fd, ret_script->line, sizeof(ret_script->line) - 1, 0);
	char *p = ret_script->line + 2, *end;

	ret_script->interpreter = ret_script->argument = NULL;
	if (n < 3 || memcmp(ret_script->line, "#!", 2) != 0)
		return;
	ret_script->line[n] = 0;
	ret_script->line[strcspn(ret_script->line, "\n")] = 0;
	p += strspn(p, " \t");
	ret_script->interpreter = *p ? p : NULL;
	p += strcspn(p, " \t");
	if (!*p)
		return;
	*p++ = 0;
	p += strspn(p, " \t");
	for (end = p + strlen(p); end > p && (end[-1] == ' ' || end[-1] == '\t');)
		*--end = 0;
	ret_script->argument = *p ? p : NULL;
}

/* A script in a mount, as the kernel would start it, but under its own path: its interpreter opens it through us. */
static int exec_script(const struct script *s, const char *path, char *const argv[], char *const env[])
{
	size_t n = 0, k = 0;
	const char **with;

	while (argv && argv[n])
		n++;
	with = alloca((n + 4) * sizeof(*with));
	with[k++] = s->interpreter;
	if (s->argument)
		with[k++] = s->argument;
	with[k++] = path;
	for (size_t i = 1; i < n; i++)
		with[k++] = argv[i];
	with[k] = NULL;
	return execve(s->interpreter, (char *const *)(uintptr_t)with, env);
}

SHIM int execve(const char *path, char *const argv[], char *const env[])
{
	SLU_WHERE(w);
	struct new_env e;
	struct script script;
	char name[32];
	int fd = -1;

	if (!slu_shim_on())
		return NEXT(execve)(path, argv, env);
	if (slu_where(&w, AT_FDCWD, path, 0) || (NEXT(access)(w.path, F_OK) < 0 && slu_where_again(&w))) {
		if ((fd = program_in_mount(&w, name)) < 0)
			return -1;
		read_script(fd, &script);
		if (script.interpreter) {
			slu_own_close(fd);
			return exec_script(&script, path, argv, env);
		}
		w.path = name;
	}
	slu_exec_note(w.path);
	leave();
	(void)NEXT(execve)(w.path, argv, NEW_ENV(e, env));
	if (fd >= 0 && !slu_in_vfork)
		slu_own_close(fd);
	return -1;
}

SHIM int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

SHIM int execvpe(const char *file, char *const argv[], char *const env[])
{
	struct new_env e;

	if (!slu_shim_on())
		return NEXT(execvpe)(file, argv, env);
	if (!slu_no_path(file) && strchr(file, '/'))
		return execve(file, argv, env);
	leave();
	(void)NEXT(execvpe)(file, argv, NEW_ENV(e, env));
	return -1;
}

SHIM int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

SHIM int fexecve(int fd, char *const argv[], char *const env[])
{
	struct new_env e;

	if (!slu_shim_on())
		return NEXT(fexecve)(fd, argv, env);
	if (!slu_real_fd(fd, SLU_REAL))
		return -1;
	leave();
	(void)NEXT(fexecve)(fd, argv, NEW_ENV(e, env));
	return -1;
}

int execveat(int dirfd, const char *path, char *const argv[], char *const env[], int flags);
SHIM int execveat(int dirfd, const char *path, char *const argv[], char *const env[], int flags)
{
	SLU_WHERE(w);
	struct new_env e;
	char name[32];

	if (!slu_shim_on())
		return NEXT(execveat)(dirfd, path, argv, env, flags);
	if (!slu_no_path(path) && !path[0] && (flags & AT_EMPTY_PATH)) {
		if (!slu_real_fd(dirfd, SLU_REAL))
			return -1;
		w.dirfd = dirfd;
		w.path = path;
	} else if (slu_where(&w, dirfd, path, 0)) {
		if (program_in_mount(&w, name) < 0)
			return -1;
		w.dirfd = AT_FDCWD;
		w.path = name;
	}
	leave();
	(void)NEXT(execveat)(w.dirfd, w.path, argv, NEW_ENV(e, env), flags);
	return -1;
}

/* ---- with the arguments one by one ---------------------------------------------------------------------------------
 */

/* How many arguments there are from @first on, with the NULL. */
static size_t count_args(const char *first, va_list ap)
{
	size_t n = 1;

	for (const char *a = first; a; a = va_arg(ap, const char *))
		n++;
	return n;
}

#define LIST_ARGS(first, argv, ap)                                                                                     \
	do {                                                                                                           \
		size_t n_, i_ = 0;                                                                                     \
		va_start(ap, first);                                                                                   \
		n_ = count_args(first, ap);                                                                            \
		va_end(ap);                                                                                            \
		argv = alloca(n_ * sizeof(char *));                                                                    \
		va_start(ap, first);                                                                                   \
		for (const char *a_ = first; i_ < n_; a_ = i_ < n_ ? va_arg(ap, const char *) : NULL)                  \
			argv[i_++] = (char *)(uintptr_t)a_;                                                            \
	} while (0)

SHIM int execl(const char *path, const char *first, ...)
{
	char **argv;
	va_list ap;

	LIST_ARGS(first, argv, ap);
	va_end(ap);
	return execve(path, argv, environ);
}

SHIM int execlp(const char *file, const char *first, ...)
{
	char **argv;
	va_list ap;

	LIST_ARGS(first, argv, ap);
	va_end(ap);
	return execvpe(file, argv, environ);
}

SHIM int execle(const char *path, const char *first, ...)
{
	char **argv, *const *env;
	va_list ap;

	LIST_ARGS(first, argv, ap);
	env = va_arg(ap, char *const *);
	va_end(ap);
	return execve(path, argv, env);
}

/* ---- system and popen, which start their shells inside libc ---------------------------------------------------------
 */

/* They use the environment as it is: put back what the program has taken out of it. */
static void mend_environment(void)
{
	const char *list = getenv("LD_PRELOAD");
	char both[2 * PATH_MAX + 16], cwd[PATH_MAX + 16];
	const char *here = slu_cwd_env(cwd, sizeof(cwd));

	if (!list || !has_shim(list)) {
		write_preload(both, sizeof(both), list);
		(void)setenv("LD_PRELOAD", both + strlen("LD_PRELOAD="), 1);
	}
	if (mounts_env && !getenv(SLU_ENV_MOUNTS))
		(void)setenv(SLU_ENV_MOUNTS, mounts_env + strlen(SLU_ENV_MOUNTS "="), 1);
	if (ledger_env && !getenv(SLU_ENV_LEDGER))
		(void)setenv(SLU_ENV_LEDGER, ledger_env + strlen(SLU_ENV_LEDGER "="), 1);
	if (here)
		(void)setenv(SLU_ENV_CWD, here + strlen(SLU_ENV_CWD "="), 1);
	else
		(void)unsetenv(SLU_ENV_CWD);
	if (atomic_load(&slu_shim.any_real))
		(void)setenv(SLU_ENV_ADOPT, "1", 1);
	slu_real_inherited(SLU_INHERIT_EXEC);
}

SHIM int system(const char *command)
{
	if (command && slu_shim_on())
		mend_environment();
	return NEXT(system)(command);
}

SHIM FILE *popen(const char *command, const char *mode)
{
	if (slu_shim_on())
		mend_environment();
	return NEXT(popen)(command, mode);
}
SHIM_ALIAS(_IO_popen, popen);

/* ---- posix_spawn ----------------------------------------------------------------------------------------------------
 */

/*
 * Its actions run inside libc. A descriptor of ours in them is made real when the action is added; a file of ours
 * to be opened is opened now, and closed with the actions.
 */
enum { MAX_HELD = 64 };
static struct {
	_Atomic(const void *) actions;
	_Atomic int fd;
	char *cwd; /* "SLUICE_CWD=..." */
	int err;   /* what the child would fail with */
} held[MAX_HELD];

static int hold_for(const void *actions, int fd, char *cwd, int err)
{
	for (unsigned i = 0; i < MAX_HELD; i++) {
		const void *none = NULL;
		if (atomic_compare_exchange_strong(&held[i].actions, &none, actions)) {
			held[i].cwd = cwd;
			held[i].err = err;
			atomic_store(&held[i].fd, fd);
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
	struct new_env e;
	char name[32];
	int fd = -1, r, saved = errno;
	char **with;

	if (slu_where(&w, AT_FDCWD, path, 0) || (NEXT(access)(w.path, F_OK) < 0 && slu_where_again(&w))) {
		if ((fd = program_in_mount(&w, name)) < 0) {
			r = errno;
			errno = saved;
			return r;
		}
		w.path = name;
	}
	slu_exec_note(w.path);
	with = NEW_ENV(e, env);
	if (held_cwd(actions)) {
		e.cwd = held_cwd(actions);
		with = fill(&e, env, with, alloca(e.preload));
	}
	r = NEXT(posix_spawn)(pid, w.path, actions, attr, argv, with);
	if (fd >= 0)
		slu_own_close(fd);
	errno = saved;
	return r;
}

SHIM int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                     const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	if (!slu_shim_on())
		return NEXT(posix_spawn)(pid, path, actions, attr, argv, env);
	if (held_error(actions))
		return held_error(actions);
	slu_real_inherited(SLU_INHERIT_EXEC);
	return spawn(pid, path, actions, attr, argv, env);
}

SHIM int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                      const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
	struct new_env e;
	char **with;

	if (!slu_shim_on())
		return NEXT(posix_spawnp)(pid, file, actions, attr, argv, env);
	if (held_error(actions))
		return held_error(actions);
	slu_real_inherited(SLU_INHERIT_EXEC);
	if (!slu_no_path(file) && strchr(file, '/'))
		return spawn(pid, file, actions, attr, argv, env);
	with = NEW_ENV(e, env);
	if (held_cwd(actions)) {
		e.cwd = held_cwd(actions);
		with = fill(&e, env, with, alloca(e.preload));
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
			slu_own_close(fd);
		errno = saved;
		return hold_for(actions, -1, NULL, r) < 0 ? ENOMEM : 0;
	}
	if (hold_for(actions, fd, NULL, 0) < 0) {
		slu_own_close(fd);
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

SHIM int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path)
{
	SLU_WHERE(w);
	char dir[PATH_MAX], *cwd = NULL;

	if (!slu_where(&w, AT_FDCWD, path, 0) || slu_where_error(&w) || slu_where_path(&w, dir) < 0 ||
	    !(cwd = cwd_entry(dir)) || hold_for(actions, -1, cwd, 0) < 0)
		return NEXT(posix_spawn_file_actions_addchdir_np)(actions, path);
	return NEXT(posix_spawn_file_actions_addchdir_np)(actions, "/");
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
	if (r < 0)
		return hold_for(actions, -1, NULL, -r) < 0 ? ENOMEM : 0;
	return posix_spawn_file_actions_addchdir_np(actions, dir);
}

static void let_go(const posix_spawn_file_actions_t *actions)
{
	for (unsigned i = 0; i < MAX_HELD; i++) {
		if (atomic_load(&held[i].actions) != actions)
			continue;
		if (atomic_load(&held[i].fd) >= 0)
			slu_own_close(atomic_load(&held[i].fd));
		free(held[i].cwd);
		held[i].cwd = NULL;
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
