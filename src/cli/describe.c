/* SPDX-License-Identifier: MIT */
/* What sluice info tells, as text and as JSON. */
#include "cli/describe.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/macros.h"
#include "base/size.h"

static double per_sample(uint64_t bytes, const struct slu_pack_info *in)
{
	return in->samples ? (double)bytes / (double)in->samples : 0;
}

static void array_json(struct slu_json *j, const struct slu_schema *s)
{
	slu_json_object(j, "array");
	slu_json_str(j, "dtype", s->dtype);
	slu_json_u64(j, "skip", s->skip);
	slu_json_array(j, "shape");
	for (uint32_t i = 0; i < s->ndim && i < SLU_MAX_DIMS; i++)
		slu_json_u64(j, NULL, s->shape[i]);
	slu_json_end(j);
	slu_json_end(j);
}

static void counts_json(struct slu_json *j, const struct slu_facts *f)
{
	const struct slu_pack_info *in = &f->info;
	const struct {
		const char *key;
		uint64_t value;
	} counts[] = {
		{ "version_major", in->version_major },
		{ "version_minor", in->version_minor },
		{ "features_required", in->features_required },
		{ "features_optional", in->features_optional },
		{ "samples", in->samples },
		{ "directories", in->dirs },
		{ "links", in->links },
		{ "raw_bytes", in->raw_bytes },
		{ "stored_bytes", in->stored_bytes },
		{ "disk_bytes", in->disk_bytes },
		{ "index_bytes", in->index_bytes },
		{ "record_bytes", in->record_bytes },
		{ "name_bytes", in->name_bytes },
		{ "shards", in->shards },
		{ "dictionaries", in->dictionaries },
		{ "label_names", f->labels },
	};

	for (size_t i = 0; i < SLU_ARRAY_SIZE(counts); i++)
		slu_json_u64(j, counts[i].key, counts[i].value);
}

int slu_describe_json(struct slu_json *j, struct slu_pack *p, const struct slu_facts *f)
{
	const struct slu_pack_info *in = &f->info;

	slu_json_str(j, "identity", f->identity);
	counts_json(j, f);
	slu_json_double(j, "ratio", slu_cli_ratio(in->raw_bytes, in->disk_bytes));
	slu_json_double(j, "stored_ratio", slu_cli_ratio(in->raw_bytes, in->stored_bytes));
	slu_json_double(j, "index_bytes_per_sample", per_sample(in->index_bytes, in));
	slu_json_double(j, "record_bytes_per_sample", per_sample(in->record_bytes, in));
	slu_json_double(j, "name_bytes_per_sample", per_sample(in->name_bytes, in));
	if (f->has_schema)
		array_json(j, &f->schema);
	slu_json_strn(j, "notes", f->notes, f->notes_len);
	slu_json_array(j, "columns");
	for (int k = 0; k < f->columns; k++) {
		struct slu_column c;
		int r = slu_pack_column_at(p, k, &c);

		if (r == -ENOENT) /* of a kind that a later version brought */
			continue;
		if (r < 0)
			return r;
		slu_json_object(j, NULL);
		slu_json_str(j, "name", c.name);
		slu_json_u64(j, "bits", c.bits);
		slu_json_end(j);
	}
	slu_json_end(j);
	return 0;
}

static void bytes_text(const char *what, uint64_t bytes, const char *after)
{
	char size[16];

	printf("  %-14s %" PRIu64 " (%s)%s", what, bytes, slu_size_format(bytes, size), after);
}

static void sizes_text(const struct slu_pack_info *in)
{
	bytes_text("raw bytes", in->raw_bytes, "\n");
	bytes_text("stored bytes", in->stored_bytes, ", ratio ");
	printf("%.3f\n", slu_cli_ratio(in->raw_bytes, in->stored_bytes));
	bytes_text("bytes on disk", in->disk_bytes, ", ratio ");
	printf("%.3f\n", slu_cli_ratio(in->raw_bytes, in->disk_bytes));
	bytes_text("index bytes", in->index_bytes, "\n");
	if (in->samples)
		printf("    per sample   %.2f: %.2f for record and lookup, %.2f for the name\n",
		       per_sample(in->index_bytes, in), per_sample(in->record_bytes, in),
		       per_sample(in->name_bytes, in));
}

static int columns_text(struct slu_pack *p, int n)
{
	const char *before = " ";
	int r = 0;

	printf("  %-14s", "columns");
	for (int k = 0; k < n; k++) {
		struct slu_column c;

		r = slu_pack_column_at(p, k, &c);
		if (r == -ENOENT) /* of a kind that a later version brought */
			continue;
		if (r < 0)
			break;
		fputs(before, stdout);
		(void)slu_put_escaped(stdout, c.name);
		printf(" (%" PRIu32 " bit%s)", c.bits, slu_cli_s(c.bits));
		before = ", ";
	}
	puts(before[0] == ',' ? "" : " none");
	return r == -ENOENT ? 0 : r;
}

static void schema_text(const struct slu_schema *s)
{
	printf("  %-14s ", "arrays");
	(void)slu_put_escaped(stdout, s->dtype);
	fputs(" (", stdout);
	for (uint32_t i = 0; i < s->ndim && i < SLU_MAX_DIMS; i++)
		printf("%s%" PRIu64, i ? ", " : "", s->shape[i]);
	printf("), after %" PRIu32 " bytes\n", s->skip);
}

/* Line by line, each with its control characters escaped. */
static void notes_text(const char *text, size_t len)
{
	char line[1024];

	if (len)
		puts("  notes");
	for (size_t n; len; text += n, len -= n) {
		const char *end = memchr(text, '\n', len);
		size_t shown = end ? (size_t)(end - text) : len;

		n = end ? shown + 1 : len;
		(void)snprintf(line, sizeof(line), "%.*s", (int)slu_min(shown, sizeof(line)), text);
		fputs("    ", stdout);
		(void)slu_put_escaped(stdout, line);
		putchar('\n');
	}
}

int slu_describe_text(struct slu_pack *p, const struct slu_facts *f)
{
	const struct slu_pack_info *in = &f->info;
	int r;

	printf("  %-14s %s\n", "identity", f->identity);
	printf("  %-14s %" PRIu32 ".%" PRIu32 ", features: required %#" PRIx64 ", optional %#" PRIx64 "\n", "format",
	       in->version_major, in->version_minor, in->features_required, in->features_optional);
	printf("  %-14s %" PRIu64 "\n", "samples", in->samples);
	printf("  %-14s %" PRIu64 "\n", "directories", in->dirs);
	printf("  %-14s %" PRIu64 "\n", "links", in->links);
	printf("  %-14s %" PRIu32 "\n", "shards", in->shards);
	sizes_text(in);
	printf("  %-14s %" PRIu32 "\n", "dictionaries", in->dictionaries);
	r = columns_text(p, f->columns);
	if (r < 0)
		return r;
	printf("  %-14s %" PRIu64 "\n", "label names", f->labels);
	if (f->has_schema)
		schema_text(&f->schema);
	notes_text(f->notes, f->notes_len);
	return 0;
}
