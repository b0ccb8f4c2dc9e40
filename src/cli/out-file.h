/* SPDX-License-Identifier: MIT */
/* Files that a command writes: complete, or not there. */
#ifndef SLU_CLI_OUT_FILE_H
#define SLU_CLI_OUT_FILE_H

#include <stdio.h>

#include "base/err.h"

/* All zero is none. */
struct slu_out_file {
	FILE *f;
	char *path, *temp;
};

SLU_MUST_USE int slu_out_file_open(struct slu_out_file *o, const char *path);

/* Writes what is left, syncs and closes; it still has its temporary name. */
SLU_MUST_USE int slu_out_file_close(struct slu_out_file *o);

/* Closes it if that is not done, and gives it its name. It is gone from @o in any case, and if it fails, from disk. */
SLU_MUST_USE int slu_out_file_keep(struct slu_out_file *o);

/* Throws it away. Nothing happens twice. */
void slu_out_file_drop(struct slu_out_file *o);

#endif
