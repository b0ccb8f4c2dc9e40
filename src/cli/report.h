/* SPDX-License-Identifier: MIT */
/* Parts of sluice report. */
#ifndef SLU_CLI_REPORT_H
#define SLU_CLI_REPORT_H

#include <stdbool.h>

#include "base/err.h"
#include "cli/cli.h"
#include "prof/model.h"

/* Writes the tables to the directory @dir. @force: into one that has files, replacing those of the same names. */
SLU_MUST_USE int slu_report_csv(const char *dir, bool force, const struct slu_prof *p);

/* Writes the file @path for timeline viewers, and tells on stderr if not all is in it. */
SLU_MUST_USE int slu_report_chrome(const struct slu_cli *c, const char *path, const struct slu_prof *p);

/* Shows the job again and again until it has ended. */
SLU_MUST_USE int slu_report_follow(const char *directory);

#endif
