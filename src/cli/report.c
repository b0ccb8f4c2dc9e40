/* SPDX-License-Identifier: MIT */
/*
 * What sluice pack tells: its phases, the table from which the codecs were chosen, and
 * the result; as text, or as one JSON object that is written as things come to be known.
 */
#include "cli/cli.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/size.h"

static const char *phase_name(enum slu_phase phase)
{
	switch (phase) {
	case SLU_PHASE_LIST:
		return "list";
	case SLU_PHASE_CHOOSE:
		return "choose";
	case SLU_PHASE_WRITE:
		return "write";
	case SLU_PHASE_FINISH:
		return "finish";
	}
	return "work";
}

void slu_report_init(struct slu_report *rep, const struct slu_cli *c, const char *codec)
{
	*rep = (struct slu_report){ .cli = c, .phase = SLU_PHASE_LIST, .phase_ns = slu_now_ns() };
	/* Where the user has chosen, only a dictionary is left to decide: a detail. */
	rep->table = !c->quiet && (c->verbose || !codec || strncmp(codec, "auto", 4) == 0);
	slu_bar_init(&rep->bar, c);
	slu_json_init(&rep->json, stdout);
}

void slu_report_json_start(struct slu_report *rep, const char *source, const char *pack, const char *codec)
{
	slu_json_object(&rep->json, NULL);
	slu_json_u64(&rep->json, "schema", 1);
	slu_json_str(&rep->json, "source", source);
	slu_json_str(&rep->json, "pack", pack);
	slu_json_str(&rep->json, "codec", codec ? codec : "auto");
}

/* With -v, the time that the phase now over has taken. */
static void end_phase(struct slu_report *rep)
{
	uint64_t now = slu_now_ns();

	if (rep->cli->verbose && !rep->cli->quiet) {
		slu_bar_clear(&rep->bar);
		fprintf(stderr, "%-6s %8.3f s\n", phase_name(rep->phase), (double)(now - rep->phase_ns) / 1e9);
	}
	rep->phase_ns = now;
}

void slu_report_progress(void *arg, const struct slu_progress *pr)
{
	struct slu_report *rep = arg;

	if (pr->phase != rep->phase) {
		end_phase(rep);
		rep->phase = pr->phase;
	}
	slu_bar_draw(&rep->bar, phase_name(pr->phase), pr);
}

static void choice_json(struct slu_report *rep, const struct slu_choice *c)
{
	struct slu_json *j = &rep->json;

	if (rep->choices == 0)
		slu_json_array(j, "choices");
	slu_json_object(j, NULL);
	slu_json_str(j, "kind", c->kind);
	slu_json_str(j, "codec", c->codec);
	slu_json_u64(j, "files", c->files);
	slu_json_u64(j, "raw_bytes", c->raw_bytes);
	slu_json_u64(j, "stored_bytes", c->stored_bytes);
	slu_json_double(j, "cost", c->cost);
	slu_json_bool(j, "chosen", c->chosen);
	slu_json_end(j);
}

static void choice_text(struct slu_report *rep, const struct slu_choice *c)
{
	char raw[16], stored[16];
	size_t n;

	slu_bar_clear(&rep->bar);
	if (rep->choices == 0)
		fprintf(stderr, "%-12s %-10s %8s %10s %10s %7s %7s\n", "kind", "codec", "files", "raw", "stored",
		        "ratio", "cost");
	n = slu_put_escaped(stderr, c->kind);
	fprintf(stderr, "%*s %-10s %8" PRIu64 " %10s %10s %7.2f %7.1f%s\n", n < 12 ? (int)(12 - n) : 0, "", c->codec,
	        c->files, slu_size_format(c->raw_bytes, raw), slu_size_format(c->stored_bytes, stored),
	        slu_cli_ratio(c->raw_bytes, c->stored_bytes), c->cost, c->chosen ? "  chosen" : "");
}

void slu_report_choice(void *arg, const struct slu_choice *c)
{
	struct slu_report *rep = arg;

	if (rep->cli->json)
		choice_json(rep, c);
	else if (rep->table)
		choice_text(rep, c);
	rep->choices++;
}

static void result_json(struct slu_report *rep, const struct slu_create_result *res, const char *identity, uint64_t ns)
{
	struct slu_json *j = &rep->json;

	if (rep->choices)
		slu_json_end(j);
	slu_json_str(j, "identity", identity);
	slu_json_u64(j, "files", res->files);
	slu_json_u64(j, "directories", res->dirs);
	slu_json_u64(j, "links", res->links);
	slu_json_u64(j, "resumed_files", res->resumed_files);
	slu_json_u64(j, "skipped", res->skipped);
	slu_json_u64(j, "shards", res->shards);
	slu_json_u64(j, "raw_bytes", res->raw_bytes);
	slu_json_u64(j, "disk_bytes", res->disk_bytes);
	slu_json_double(j, "ratio", slu_cli_ratio(res->raw_bytes, res->disk_bytes));
	slu_json_double(j, "seconds", (double)ns / 1e9);
	if (!res->resumed_files)
		slu_json_double(j, "mb_per_s", slu_cli_rate(res->raw_bytes, ns));
}

static void result_text(const struct slu_report *rep, const char *pack, const struct slu_create_result *res,
                        const char *identity, uint64_t ns)
{
	char raw[16], disk[16];

	slu_cli_put_name(pack);
	printf(": %" PRIu64 " file%s, %s -> %s on disk, ratio %.3f, %.2f s", res->files, slu_cli_s(res->files),
	       slu_size_format(res->raw_bytes, raw), slu_size_format(res->disk_bytes, disk),
	       slu_cli_ratio(res->raw_bytes, res->disk_bytes), (double)ns / 1e9);
	/* What an earlier run has read must not make this one look faster. */
	if (res->resumed_files)
		printf(", %" PRIu64 " of the files from the interrupted run", res->resumed_files);
	else
		printf(", %.1f MB/s", slu_cli_rate(res->raw_bytes, ns));
	if (res->skipped)
		printf(", %" PRIu64 " special file%s left out", res->skipped, slu_cli_s(res->skipped));
	putchar('\n');
	if (rep->cli->verbose)
		printf("identity %s\n%" PRIu64 " bytes -> %" PRIu64 " bytes on disk, directories %" PRIu64
		       ", links %" PRIu64 ", shards %" PRIu32 "\n",
		       identity, res->raw_bytes, res->disk_bytes, res->dirs, res->links, res->shards);
}

void slu_report_result(struct slu_report *rep, const char *pack, const struct slu_create_result *res, uint64_t ns)
{
	char identity[33];

	end_phase(rep);
	slu_cli_hex(res->identity, identity);
	if (rep->cli->json)
		result_json(rep, res, identity, ns);
	else if (!rep->cli->quiet)
		result_text(rep, pack, res, identity, ns);
}
