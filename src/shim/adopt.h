/* SPDX-License-Identifier: MIT */
/* Descriptors that come from another process. See adopt.c. */
#ifndef SLU_SHIM_ADOPT_H
#define SLU_SHIM_ADOPT_H

#include "vfs/fds.h"

enum { SLU_ADOPT_NAME = 96 };

/* The name under which another process knows @o again. -1: it has none. */
int slu_adopt_name(const struct slu_open *o, char ret_name[SLU_ADOPT_NAME]);

/* Knows @fd again, if it is such. */
void slu_adopt(int fd);

/* All that this program has been started with. */
void slu_adopt_inherited(void);

/* Set for a new program where there may be some. */
#define SLU_ENV_ADOPT "SLUICE_FDS"

#endif
