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

/* Whether the use is a gap: something that the program would see wrongly. */
bool slu_use_is_gap(const struct slu_use *u);

/* How many different symbols with (@gaps) or without a gap there are. */
size_t slu_uses_symbols(const struct slu_buf *uses, bool gaps);

#endif
