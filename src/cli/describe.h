/* SPDX-License-Identifier: MIT */
/* What sluice info knows of a pack, and the two ways in which it tells it. */
#ifndef SLU_CLI_DESCRIBE_H
#define SLU_CLI_DESCRIBE_H

#include "cli/cli.h"

struct slu_facts {
	struct slu_pack_info info;
	char identity[33];
	int columns;
	uint64_t labels; /* names of labels */
	bool has_schema;
	struct slu_schema schema;
	const char *notes; /* the pack's: valid while it is open */
	size_t notes_len;
};

/* Both can fail at the columns, whose table is read as it is told. */
SLU_MUST_USE int slu_describe_json(struct slu_json *j, struct slu_pack *p, const struct slu_facts *f);
SLU_MUST_USE int slu_describe_text(struct slu_pack *p, const struct slu_facts *f);

#endif
