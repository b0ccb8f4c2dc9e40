/* SPDX-License-Identifier: MIT */
/* A model as tables of CSV (RFC 4180): lines end with CR LF, the first has the names. Rows are those of the JSON. */
#include "prof/out.h"

#include <string.h>

#include "base/macros.h"
#include "prof/fields.h"

typedef void row_fn(struct slu_fields *f, const void *record);

/* The names are those of a record of zeros. */
static void table(FILE *out, row_fn *row, const void *records, size_t n, size_t size, const void *zeros)
{
	struct slu_fields names = { .csv = out, .names = true };

	row(&names, zeros);
	fputs("\r\n", out);
	for (size_t i = 0; i < n; i++) {
		struct slu_fields f = { .csv = out };

		row(&f, (const char *)records + i * size);
		fputs("\r\n", out);
	}
}

#define TABLE(what, type, row, list, zero)                                                                             \
	static void what##_row(struct slu_fields *f, const void *record)                                               \
	{                                                                                                              \
		row(f, (const struct type *)record);                                                                   \
	}                                                                                                              \
	static void what(FILE *out, const struct slu_prof *p)                                                          \
	{                                                                                                              \
		static const struct type zeros = zero;                                                                 \
		table(out, what##_row, p->list, p->n_##list, sizeof(zeros), &zeros);                                   \
	}

#define NAMED                                                                                                          \
	{                                                                                                              \
		.name = ""                                                                                             \
	}
#define PROCESS                                                                                                        \
	{                                                                                                              \
		.log = "", .host = "", .exe = "", .command = "", .cwd = "", .rank_from = ""                            \
	}
#define RANK                                                                                                           \
	{                                                                                                              \
		.host = ""                                                                                             \
	}
#define CALL                                                                                                           \
	{                                                                                                              \
		.name = "", .family = ""                                                                               \
	}

TABLE(files, slu_prof_file, slu_row_file, files, NAMED)
TABLE(calls, slu_prof_call, slu_row_call, calls, CALL)
TABLE(ranks, slu_prof_rank, slu_row_rank, ranks, RANK)
TABLE(epochs, slu_prof_epoch, slu_row_epoch, epochs, NAMED)
TABLE(spans, slu_prof_span, slu_row_span, spans, NAMED)
TABLE(processes, slu_prof_process, slu_row_process, processes, PROCESS)

/* Other than in JSON, a row for each bin of each rank. */
static void bin_row(struct slu_fields *f, int32_t rank, uint64_t begin, const struct slu_prof_bin *b)
{
	slu_field_rank(f, "rank", rank);
	slu_field_seconds(f, "begin", begin);
	slu_field_double(f, "compute", (double)b->compute);
	slu_field_double(f, "exposed", (double)b->exposed);
	slu_field_double(f, "hidden", (double)b->hidden);
	slu_field_double(f, "wait", (double)b->wait);
	slu_field_double(f, "read_bytes", (double)b->read_bytes);
	slu_field_double(f, "written_bytes", (double)b->written_bytes);
	slu_field_double(f, "calls", (double)b->calls);
	fputs("\r\n", f->csv);
}

static void timeline(FILE *out, const struct slu_prof *p)
{
	const struct slu_prof_timeline *t = &p->timeline;

	bin_row(&(struct slu_fields){ .csv = out, .names = true }, 0, 0, &(struct slu_prof_bin){ 0 });
	for (size_t r = 0; r < p->n_ranks; r++)
		for (uint32_t i = 0; i < t->n_bins; i++)
			bin_row(&(struct slu_fields){ .csv = out }, p->ranks[r].rank, i * t->bin_ns,
			        &t->bins[r * t->n_bins + i]);
}

const struct slu_csv_table slu_csv_tables[SLU_N_CSV_TABLES] = {
	{ "files.csv", files }, { "calls.csv", calls },         { "ranks.csv", ranks },       { "epochs.csv", epochs },
	{ "spans.csv", spans }, { "processes.csv", processes }, { "timeline.csv", timeline },
};
