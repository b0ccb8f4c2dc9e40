/* SPDX-License-Identifier: MIT */
/*
 * The environment of new programs. Whatever the program gives, the next one gets what it needs to see the mounts:
 * LD_PRELOAD, the mounts, the ledger, the working directory; and where to record.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "shim/adopt.h"
#include "shim/exec.h"
#include "shim/process.h"
#include "trace/record.h"
#include "vfs/spec.h"

/*
 * What is carried on, as it was when this process started: "NAME=value", NULL where it was not set. The first of a
 * group tells whether the program has put others in its place: then the whole group is left to it.
 */
enum { GROUPS = 2, GROUP = 3 };
static struct {
	const char *name;
	const char *entry;
} carried[GROUPS][GROUP] = {
	{ { SLU_ENV_MOUNTS, NULL }, { SLU_ENV_LEDGER, NULL } },
	{ { SLU_ENV_TRACE, NULL }, { SLU_ENV_TRACE_EVENTS, NULL }, { SLU_ENV_TRACE_BOUND, NULL } },
};

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

void slu_env_start(void)
{
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned i = 0; i < GROUP && carried[g][i].name; i++)
			carried[g][i].entry = keep(carried[g][i].name);
}

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

void slu_env_measure(struct slu_new_env *e, char *const *env)
{
	const char *list = find_var(env, "LD_PRELOAD");

	e->entries = 4 + GROUPS * GROUP; /* ours, and the NULL */
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

char **slu_env_fill(const struct slu_new_env *e, char *const *env, char **to, char *preload)
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
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned i = 0; !find_var(env, carried[g][0].name) && i < GROUP && carried[g][i].name; i++)
			if (carried[g][i].entry && !find_var(env, carried[g][i].name))
				to[n++] = (char *)(uintptr_t)carried[g][i].entry;
	if (e->cwd)
		to[n++] = (char *)(uintptr_t)e->cwd;
	if (atomic_load(&slu_shim.any_real))
		to[n++] = (char *)(uintptr_t)(SLU_ENV_ADOPT "=1");
	to[n] = NULL;
	return to;
}

void slu_env_mend(void)
{
	const char *list = getenv("LD_PRELOAD");
	char both[2 * PATH_MAX + 16], cwd[PATH_MAX + 16];
	const char *here = slu_cwd_env(cwd, sizeof(cwd));

	if (!list || !has_shim(list)) {
		write_preload(both, sizeof(both), list);
		(void)setenv("LD_PRELOAD", both + strlen("LD_PRELOAD="), 1);
	}
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned i = 0; i < GROUP && carried[g][i].name; i++)
			if (carried[g][i].entry && !getenv(carried[g][i].name))
				(void)setenv(carried[g][i].name, carried[g][i].entry + strlen(carried[g][i].name) + 1,
				             1);
	if (here)
		(void)setenv(SLU_ENV_CWD, here + strlen(SLU_ENV_CWD "="), 1);
	else
		(void)unsetenv(SLU_ENV_CWD);
	if (atomic_load(&slu_shim.any_real))
		(void)setenv(SLU_ENV_ADOPT, "1", 1);
}
