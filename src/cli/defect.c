/* SPDX-License-Identifier: MIT */
/* One defect that sluice verify has found, as a line or as a JSON object. */
#include "cli/cli.h"

#include <inttypes.h>

void slu_defect_json(struct slu_json *j, const struct slu_defect *d)
{
	slu_json_object(j, NULL);
	slu_json_str(j, "file", d->file);
	if (d->offset != UINT64_MAX)
		slu_json_u64(j, "offset", d->offset);
	if (d->sample != UINT64_MAX)
		slu_json_u64(j, "sample", d->sample);
	if (d->path)
		slu_json_str(j, "path", d->path);
	slu_json_str(j, "message", d->message);
	slu_json_end(j);
}

/* One line whatever the names hold: a report, where ls gives bytes. */
void slu_defect_text(const struct slu_defect *d)
{
	fputs(d->file, stdout);
	if (d->offset != UINT64_MAX)
		printf(" at %" PRIu64, d->offset);
	if (d->sample != UINT64_MAX)
		printf(", sample %" PRIu64, d->sample);
	if (d->path) {
		fputs(" (", stdout);
		(void)slu_put_escaped(stdout, d->path);
		putchar(')');
	}
	fputs(": ", stdout);
	(void)slu_put_escaped(stdout, d->message);
	putchar('\n');
}
