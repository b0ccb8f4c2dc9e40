/* SPDX-License-Identifier: MIT */
/* One entry of a listing, as a line or as a JSON object. */
#ifndef SLU_CLI_ENTRY_H
#define SLU_CLI_ENTRY_H

#include "cli/cli.h"

struct slu_entry_style {
	bool details; /* ls -l */
	bool human;   /* sizes in kB, MB, ... */
};

/* @name is what the line shows. */
SLU_MUST_USE int slu_entry_text(const struct slu_entry_style *style, struct slu_pack *p, uint64_t node,
                                const char *name);

/* The line that begins a directory in a recursive listing. */
SLU_MUST_USE int slu_entry_heading(struct slu_pack *p, uint64_t dir, bool first);

SLU_MUST_USE int slu_entry_json(struct slu_json *j, struct slu_pack *p, uint64_t node);

#endif
