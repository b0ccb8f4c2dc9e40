/* SPDX-License-Identifier: MIT */
/* What new programs need, whichever way they are started: exec.c, spawn.c. */
#ifndef SLU_SHIM_EXEC_H
#define SLU_SHIM_EXEC_H

#include <alloca.h>
#include <limits.h>
#include <stddef.h>

#include "shim/shim.h"

/* ---- env.c: the environment that carries the view on ---- */

struct slu_new_env {
	size_t entries;  /* at most, with the NULL */
	size_t preload;  /* bytes of our LD_PRELOAD */
	const char *cwd; /* "SLUICE_CWD=...", or NULL */
	char cwd_buf[PATH_MAX + 16];
};

/* How much room @env will need with what we add. */
void slu_env_measure(struct slu_new_env *e, char *const *env);

/* Puts @env and what we add into @to and @preload, which have that room. Gives @to. */
char **slu_env_fill(const struct slu_new_env *e, char *const *env, char **to, char *preload);

/* The environment for a new program, on the caller's stack: a vfork child must not allocate. */
#define SLU_NEW_ENV(e, env)                                                                                            \
	(slu_env_measure(&(e), env), slu_env_fill(&(e), env, alloca((e).entries * sizeof(char *)), alloca((e).preload)))

/* Puts back into this process's own environment what the program has taken out of it. */
void slu_env_mend(void);

/* ---- exec.c ---- */

/* A program in a mount: a real file with its bytes, under a name that the kernel takes. Its descriptor, or -1 and errno
 */
int slu_exec_in_mount(struct slu_where *w, char ret_name[32]);

#endif
