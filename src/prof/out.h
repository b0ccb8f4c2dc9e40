/* SPDX-License-Identifier: MIT */
/* What a model is shown as. Nothing is computed here; errors of a stream stay in it, for its owner to find. */
#ifndef SLU_PROF_OUT_H
#define SLU_PROF_OUT_H

#include <stdio.h>

#include "base/json.h"
#include "prof/compare.h"
#include "prof/model.h"
#include "prof/text.h"

/* docs/report-json.md. Leaves the outermost object of @j open. */
void slu_out_json(struct slu_json *j, const struct slu_prof *p);

/* One screen for people. */
void slu_out_text(FILE *out, const struct slu_prof *p, const struct slu_look *look);

/* Parts of the JSON, for the comparison: job, answer, advice, access. */
void slu_out_json_short(struct slu_json *j, const struct slu_prof *p);

/* Parts of the text: a bar of the wall time, as long as it is beside @longest_ns, and what its signs mean (parts of
 * which there is nothing are left out). */
void slu_put_bar(const struct slu_text *t, const struct slu_prof *p, uint64_t longest_ns);
void slu_put_legend(const struct slu_text *t, const struct slu_prof *p);

/* Two models, side by side. The JSON leaves the outermost object open. */
void slu_out_compare_text(FILE *out, const struct slu_compare *c, const struct slu_look *look);
void slu_out_compare_json(struct slu_json *j, const struct slu_compare *c);

/* Tables of CSV, by file name. */
enum { SLU_N_CSV_TABLES = 7 };
struct slu_csv_table {
	const char *name;
	void (*write)(FILE *out, const struct slu_prof *p);
};
extern const struct slu_csv_table slu_csv_tables[SLU_N_CSV_TABLES];

/* Names as they appear in JSON and CSV. */
const char *slu_prof_note_name(unsigned id);
const char *slu_prof_state_name(unsigned state);
const char *slu_prof_metric_name(unsigned metric);

#endif
