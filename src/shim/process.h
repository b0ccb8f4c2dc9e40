/* SPDX-License-Identifier: MIT */
/* What process.c and env.c need at start, and the placeholder. */
#ifndef SLU_SHIM_PROCESS_H
#define SLU_SHIM_PROCESS_H

/* Is there at each fork(). */
void slu_process_start(void);

/* Takes the environment that new programs will get. */
void slu_env_start(void);

/* A descriptor that cannot be read, or -1 and errno; and the one that all others are made of. */
int slu_new_placeholder(const char *name);
int slu_make_placeholder(void);

#endif
