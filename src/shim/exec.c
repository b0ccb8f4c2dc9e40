/* SPDX-License-Identifier: MIT */
/*
 * New programs: exec in all its forms, system, popen.
 *
 * The next program gets an environment in which it sees the mounts (env.c), built on the stack: a vfork child must not
 * allocate. Descriptors that it will inherit are made real.
 */
#include "shim/exec.h"
#include "shim/traced.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/*
 * What this process holds in the slab is not given back: should exec fail, it would be another's by then. A forked
 * child that becomes another program so loses a slot for each file that was open; vfork and posix_spawn lose none.
 */
static void leave(void)
{
	if (!slu_in_vfork)
		slu_real_inherited(SLU_INHERIT_EXEC);
	slu_traced_leave();
}

/* exec has failed. */
static int stay(void)
{
	slu_traced_stay();
	return -1;
}

int slu_exec_in_mount(struct slu_where *w, char ret_name[32])
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
	(void)snprintf(ret_name, 32, "/proc/self/fd/%d", fd);
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
	ssize_t n = slu_view_pread(fd, ret_script->line, sizeof(ret_script->line) - 1, 0);
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
	struct slu_new_env e;
	struct script script;
	char name[32];
	int fd = -1;

	if (!slu_shim_carries())
		return NEXT(execve)(path, argv, env);
	if (slu_where(&w, AT_FDCWD, path, 0) || (NEXT(access)(w.path, F_OK) < 0 && slu_where_again(&w))) {
		if ((fd = slu_exec_in_mount(&w, name)) < 0)
			return -1;
		read_script(fd, &script);
		if (script.interpreter) {
			slu_view_close(fd);
			return exec_script(&script, path, argv, env);
		}
		w.path = name;
	}
	slu_exec_note(w.path);
	leave();
	(void)NEXT(execve)(w.path, argv, SLU_NEW_ENV(e, env));
	if (fd >= 0 && !slu_in_vfork)
		slu_view_close(fd);
	return stay();
}

SHIM int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

SHIM int execvpe(const char *file, char *const argv[], char *const env[])
{
	struct slu_new_env e;

	if (!slu_shim_carries())
		return NEXT(execvpe)(file, argv, env);
	if (!slu_no_path(file) && strchr(file, '/'))
		return execve(file, argv, env);
	leave();
	(void)NEXT(execvpe)(file, argv, SLU_NEW_ENV(e, env));
	return stay();
}

SHIM int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

SHIM int fexecve(int fd, char *const argv[], char *const env[])
{
	struct slu_new_env e;

	if (!slu_shim_carries())
		return NEXT(fexecve)(fd, argv, env);
	if (!slu_real_fd(fd, SLU_REAL))
		return -1;
	leave();
	(void)NEXT(fexecve)(fd, argv, SLU_NEW_ENV(e, env));
	return stay();
}

int execveat(int dirfd, const char *path, char *const argv[], char *const env[], int flags);
SHIM int execveat(int dirfd, const char *path, char *const argv[], char *const env[], int flags)
{
	SLU_WHERE(w);
	struct slu_new_env e;
	char name[32];

	if (!slu_shim_carries())
		return NEXT(execveat)(dirfd, path, argv, env, flags);
	if (!slu_no_path(path) && !path[0] && (flags & AT_EMPTY_PATH)) {
		if (!slu_real_fd(dirfd, SLU_REAL))
			return -1;
		w.dirfd = dirfd;
		w.path = path;
	} else if (slu_where(&w, dirfd, path, 0)) {
		if (slu_exec_in_mount(&w, name) < 0)
			return -1;
		w.dirfd = AT_FDCWD;
		w.path = name;
	}
	leave();
	(void)NEXT(execveat)(w.dirfd, w.path, argv, SLU_NEW_ENV(e, env), flags);
	return stay();
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

/* They use the environment as it is. */
static void before_shell(void)
{
	slu_real_inherited(SLU_INHERIT_EXEC);
	slu_env_mend(); /* which tells of real files */
}

SHIM int system(const char *command)
{
	if (command && slu_shim_carries())
		before_shell();
	return NEXT(system)(command);
}

SHIM FILE *popen(const char *command, const char *mode)
{
	if (slu_shim_carries())
		before_shell();
	return NEXT(popen)(command, mode);
}
SHIM_ALIAS(_IO_popen, popen);
