/* SPDX-License-Identifier: MIT */
/* sluice report --chrome: one file for timeline viewers. */
#include "cli/out-file.h"
#include "cli/report.h"
#include "prof/out-chrome.h"

static void tell(const struct slu_cli *c, const char *path, const struct slu_chrome_sum *sum)
{
	char merged[96] = "";

	if (sum->merged)
		(void)snprintf(merged, sizeof(merged), ", and %llu of %llu merged events",
		               (unsigned long long)sum->merged_shown, (unsigned long long)sum->merged);
	slu_cli_error(
		c,
		"'%s' has the longest %llu of %llu calls and %llu of %llu spans%s: viewers could not open all of them",
		path, (unsigned long long)sum->calls_shown, (unsigned long long)sum->calls,
		(unsigned long long)sum->spans_shown, (unsigned long long)sum->spans, merged);
}

int slu_report_chrome(const struct slu_cli *c, const char *path, const struct slu_prof *p)
{
	struct slu_chrome_sum sum;
	struct slu_out_file file;
	int r = slu_out_file_open(&file, path);

	if (r < 0)
		return r;
	r = slu_out_chrome(file.f, p, &sum);
	if (r < 0) {
		slu_out_file_drop(&file);
		return r;
	}
	r = slu_out_file_keep(&file);
	if (r == 0 && sum.thinned)
		tell(c, path, &sum);
	return r;
}
