/* SPDX-License-Identifier: MIT */
/*
 * Rows of numbers with names, declared once (rows.c) and written in two forms: as members of a JSON object, or as
 * fields of a line of CSV (RFC 4180), whose first line are the names. There, members of an inner object have its name
 * before theirs (read_bytes), elements of an array their number after it, and what cannot be told is empty.
 */
#ifndef SLU_PROF_FIELDS_H
#define SLU_PROF_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "prof/model.h"

struct slu_fields {
	struct slu_json *json; /* NULL: CSV */
	FILE *csv;
	bool names; /* the first line */
	bool filled;
	const char *group;
};

void slu_field_str(struct slu_fields *f, const char *key, const char *s);
void slu_field_strn(struct slu_fields *f, const char *key, const char *s, size_t len);
void slu_field_u64(struct slu_fields *f, const char *key, uint64_t v);
void slu_field_i64(struct slu_fields *f, const char *key, int64_t v);
void slu_field_rank(struct slu_fields *f, const char *key, int32_t v); /* none if it is negative */
void slu_field_double(struct slu_fields *f, const char *key, double v);
void slu_field_bool(struct slu_fields *f, const char *key, bool v);
void slu_field_seconds(struct slu_fields *f, const char *key, uint64_t ns);
void slu_field_array(struct slu_fields *f, const char *key, const uint64_t *v, size_t n);
void slu_field_group(struct slu_fields *f, const char *key);
void slu_field_group_end(struct slu_fields *f);

/* ---- rows.c ---- */

void slu_row_rank(struct slu_fields *f, const struct slu_prof_rank *r);
void slu_row_epoch(struct slu_fields *f, const struct slu_prof_epoch *e);
void slu_row_span(struct slu_fields *f, const struct slu_prof_span *s);
void slu_row_call(struct slu_fields *f, const struct slu_prof_call *c);
void slu_row_process(struct slu_fields *f, const struct slu_prof_process *p);
void slu_row_file(struct slu_fields *f, const struct slu_prof_file *file);

#endif
