/* SPDX-License-Identifier: MIT */
/* See fields.h. */
#include "prof/fields.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Begins a field of CSV; true: its value comes now, false: it was its name. */
static bool begin(struct slu_fields *f, const char *key)
{
	if (f->filled)
		putc(',', f->csv);
	f->filled = true;
	if (f->names)
		fprintf(f->csv, "%s%s%s", f->group ? f->group : "", f->group ? "_" : "", key);
	return !f->names;
}

void slu_field_strn(struct slu_fields *f, const char *key, const char *s, size_t len)
{
	if (f->json) {
		slu_json_strn(f->json, key, s, len);
		return;
	}
	if (!begin(f, key))
		return;
	if (strcspn(s, "\",\r\n") >= len) {
		fwrite(s, 1, len, f->csv);
		return;
	}
	putc('"', f->csv);
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"')
			putc('"', f->csv);
		putc(s[i], f->csv);
	}
	putc('"', f->csv);
}

void slu_field_str(struct slu_fields *f, const char *key, const char *s)
{
	slu_field_strn(f, key, s, strlen(s));
}

void slu_field_u64(struct slu_fields *f, const char *key, uint64_t v)
{
	if (f->json)
		slu_json_u64(f->json, key, v);
	else if (begin(f, key))
		fprintf(f->csv, "%" PRIu64, v);
}

void slu_field_i64(struct slu_fields *f, const char *key, int64_t v)
{
	if (f->json)
		slu_json_i64(f->json, key, v);
	else if (begin(f, key))
		fprintf(f->csv, "%" PRId64, v);
}

void slu_field_rank(struct slu_fields *f, const char *key, int32_t v)
{
	if (v >= 0)
		slu_field_i64(f, key, v);
	else if (f->json)
		slu_json_str(f->json, key, NULL);
	else
		(void)begin(f, key);
}

/* JSON's way to write a number is CSV's too; only what is none differs. */
void slu_field_double(struct slu_fields *f, const char *key, double v)
{
	struct slu_json j;

	if (f->json) {
		slu_json_double(f->json, key, v);
	} else if (begin(f, key) && isfinite(v)) {
		slu_json_init(&j, f->csv);
		slu_json_double(&j, NULL, v);
	}
}

void slu_field_bool(struct slu_fields *f, const char *key, bool v)
{
	if (f->json)
		slu_json_bool(f->json, key, v);
	else if (begin(f, key))
		fputs(v ? "true" : "false", f->csv);
}

void slu_field_seconds(struct slu_fields *f, const char *key, uint64_t ns)
{
	struct slu_json j;

	if (f->json) {
		slu_json_seconds(f->json, key, ns);
	} else if (begin(f, key)) {
		slu_json_init(&j, f->csv);
		slu_json_seconds(&j, NULL, ns);
	}
}

void slu_field_array(struct slu_fields *f, const char *key, const uint64_t *v, size_t n)
{
	if (f->json)
		slu_json_array(f->json, key);
	for (size_t i = 0; i < n; i++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "%s_%zu", key, i); /* keys are short */
		slu_field_u64(f, f->json ? NULL : name, v[i]);
	}
	if (f->json)
		slu_json_end(f->json);
}

void slu_field_group(struct slu_fields *f, const char *key)
{
	if (f->json)
		slu_json_object(f->json, key);
	else
		f->group = key;
}

void slu_field_group_end(struct slu_fields *f)
{
	if (f->json)
		slu_json_end(f->json);
	f->group = NULL;
}
