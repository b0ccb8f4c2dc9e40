/* SPDX-License-Identifier: MIT */
/* Shared by walk.c and fts.c. */
#ifndef SLU_SHIM_WALK_H
#define SLU_SHIM_WALK_H

#include <stdbool.h>

/* Whether a walk from (@dirfd, @path) can meet a mount: it starts in one, or above one. */
bool slu_walk_is_ours(int dirfd, const char *path);

#endif
