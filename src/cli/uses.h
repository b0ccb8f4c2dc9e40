/* SPDX-License-Identifier: MIT */
/* Which file functions a program and its libraries use, and whether the shim has them. */
#ifndef SLU_CLI_USES_H
#define SLU_CLI_USES_H

#include "cli/io-symbols.h"
#include "cli/libs.h"

struct slu_use {
	const char *symbol; /* borrowed from the libs */
	const char *user;   /* path of the object that imports it; likewise */
	enum slu_io_class class;
	bool covered; /* the shim exports it */
};

/* Of struct slu_use, by symbol, users in the order of loading. @shim is the shim's own file, read. */
SLU_MUST_USE int slu_uses_gather(const struct slu_libs *l, const struct slu_elf *shim, struct slu_buf *ret_uses);

size_t slu_uses_count(const struct slu_buf *uses);
const struct slu_use *slu_uses_get(const struct slu_buf *uses, size_t i);

enum slu_use_state {
	SLU_USE_COVERED,
	SLU_USE_BY_ITSELF,
	SLU_USE_NOT_SERVED, /* sees no pack, and is not used to read data */
	SLU_USE_GAP,        /* the program would see something wrong */
	SLU_USE_STATES
};

enum slu_use_state slu_use_state(const struct slu_use *u);

/* How many different symbols there are in each state. */
void slu_uses_tally(const struct slu_buf *uses, size_t ret_n[SLU_USE_STATES]);

#endif
