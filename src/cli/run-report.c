/* SPDX-License-Identifier: MIT */
/*
 * What sluice run --why tells: for each mount what was served, then what was not, and why; and what was read
 * elsewhere, since that may be what was meant to come from a pack. See run.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/macros.h"
#include "cli/run.h"

/* Lines of one kind in the text; -v shows all. */
enum { SHOWN = 10 };

static const struct {
	const char *key;   /* in JSON */
	const char *title; /* in the text */
} kinds[] = {
	[SLU_NOTE_DAMAGED] = { "damaged", "damaged, and refused" },
	[SLU_NOTE_WRITE] = { "write", "changes refused: a mount is read-only" },
	[SLU_NOTE_STATIC] = { "static", "programs without a dynamic linker, which see no mount; use 'sluice mount'" },
	[SLU_NOTE_SETUID] = { "setuid",
	                      "programs with privileges of their own, which see no mount; use 'sluice mount'" },
	[SLU_NOTE_RAW] = { "raw", "system calls that went past the shim; use 'sluice mount' if they matter" },
	[SLU_NOTE_PACK] = { "pack", "packs that could not be opened" },
	[SLU_NOTE_MISSING] = { "missing", "asked for, but not in the pack" },
};

static const struct {
	enum slu_tally tally;
	const char *key;
	const char *word;
} tallies[] = {
	{ SLU_TALLY_OPEN, "opens", "open" },          { SLU_TALLY_READ, "reads", "read" },
	{ SLU_TALLY_BYTES, "bytes", "byte" },         { SLU_TALLY_STAT, "stats", "stat" },
	{ SLU_TALLY_LIST, "listings", "listing" },    { SLU_TALLY_MAP, "maps", "map" },
	{ SLU_TALLY_MATERIAL, "materialised", NULL },
};

/* ---- the notes, in order ---- */

static int by_order(const void *a, const void *b)
{
	const struct slu_ledger_entry *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

/* All notes, to be freed; NULL if there are none, or no memory for them. */
static struct slu_ledger_entry *gather_notes(const struct slu_ledger *l, size_t *ret_n)
{
	struct slu_ledger_entry *all = calloc(SLU_LEDGER_NOTES, sizeof(*all));
	size_t n = 0;

	for (unsigned i = 0; all && i < SLU_LEDGER_NOTES; i++)
		if (slu_ledger_get_note(l, i, &all[n]) && (size_t)all[n].what < SLU_ARRAY_SIZE(kinds) &&
		    kinds[all[n].what].key)
			n++;
	if (n)
		qsort(all, n, sizeof(*all), by_order);
	*ret_n = n;
	return all;
}

/* ---- the files ---- */

static bool is_served(const struct slu_outcome *o, unsigned k, uint64_t sample)
{
	return slu_ledger_was_served(o->ledger, k, slu_pack_sample_node(o->view->mount[k].open, sample));
}

static uint64_t count_files(const struct slu_outcome *o, unsigned k)
{
	struct slu_pack *p = o->view->mount[k].open;
	uint64_t n = 0;

	for (uint64_t i = 0; p && i < slu_pack_count(p); i++)
		n += is_served(o, k, i);
	return n;
}

/* Calls @tell for each file of mount @k that was opened, with its whole path. */
static void each_file(const struct slu_outcome *o, unsigned k, void (*tell)(void *arg, const char *path), void *arg)
{
	const struct slu_view_mount *m = &o->view->mount[k];
	char name[SLU_PATH_MAX], path[2 * PATH_MAX];

	for (uint64_t i = 0; m->open && i < slu_pack_count(m->open); i++) {
		if (!is_served(o, k, i) || slu_pack_path(m->open, slu_pack_sample_node(m->open, i), name) < 0)
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", m->point, name);
		tell(arg, path);
	}
}

/* ---- text ---- */

static void tell_file_text(void *arg, const char *path)
{
	fputs("      ", arg);
	(void)slu_put_escaped(arg, path);
	fputc('\n', arg);
}

static void tell_mount_text(const struct slu_outcome *o, unsigned k, FILE *out)
{
	const struct slu_view_mount *m = &o->view->mount[k];
	uint64_t total = m->open ? slu_pack_count(m->open) : 0, n;

	fputs("  ", out);
	(void)slu_put_escaped(out, m->point);
	fputs(" from ", out);
	(void)slu_put_escaped(out, m->pack);
	fprintf(out, "\n    %" PRIu64 " of %" PRIu64 " file%s opened", count_files(o, k), total, slu_cli_s(total));
	for (size_t i = 0; i < SLU_ARRAY_SIZE(tallies); i++) {
		n = slu_ledger_total(o->ledger, k, tallies[i].tally);
		if (tallies[i].word)
			fprintf(out, "%s%" PRIu64 " %s%s", i ? ", " : "; ", n, tallies[i].word, slu_cli_s(n));
		else
			fprintf(out, ", %" PRIu64 " made real for the kernel", n);
	}
	fputc('\n', out);
	if (o->cli->verbose)
		each_file(o, k, tell_file_text, out);
}

static void tell_note_text(const struct slu_ledger_entry *e, FILE *out)
{
	fputs("    ", out);
	(void)slu_put_escaped(out, e->path[0] ? e->path : "(no path)");
	if (e->detail[0]) {
		fputs(": ", out);
		(void)slu_put_escaped(out, e->detail);
	}
	if (e->err)
		fprintf(out, " (%s)", strerror(abs(e->err)));
	fputs(", by ", out);
	(void)slu_put_escaped(out, e->program[0] ? e->program : "?");
	if (e->count > 1)
		fprintf(out, ", %" PRIu64 " times", e->count);
	fputc('\n', out);
}

static void tell_kind_text(const struct slu_outcome *o, enum slu_note what, const struct slu_ledger_entry *all,
                           size_t n, FILE *out)
{
	size_t there = 0, shown = 0;

	for (size_t i = 0; i < n; i++)
		there += all[i].what == what;
	if (!there)
		return;
	fprintf(out, "  %s:\n", kinds[what].title);
	for (size_t i = 0; i < n; i++)
		if (all[i].what == what && (o->cli->verbose || shown < SHOWN)) {
			tell_note_text(&all[i], out);
			shown++;
		}
	if (there > shown)
		fprintf(out, "    and %zu more; -v shows all\n", there - shown);
}

/* Directories of the system, which every program reads: of no interest one by one. */
static bool is_system(const char *dir)
{
	static const char *const all[] = { "/usr", "/lib", "/lib64", "/etc", "/bin", "/sbin", "/var", "/run" };

	for (size_t i = 0; i < SLU_ARRAY_SIZE(all); i++) {
		size_t n = strlen(all[i]);

		if (strncmp(dir, all[i], n) == 0 && (dir[n] == '/' || dir[n] == 0))
			return true;
	}
	return false;
}

static void tell_outside_text(const struct slu_outcome *o, FILE *out)
{
	const struct slu_outside *g;
	uint64_t rest, systems = 0;
	size_t shown = 0, n = slu_watch_outside(o->watch, &g, &rest);

	if (n)
		fputs("sluice run: opened for reading in no mount:\n", out);
	for (size_t i = 0; i < n; i++) {
		if (!o->cli->verbose && is_system(g[i].dir)) {
			systems += g[i].opens;
		} else if (!o->cli->verbose && shown == SHOWN) {
			rest += g[i].opens;
		} else {
			fprintf(out, "  %" PRIu64 " time%s a file in ", g[i].opens, slu_cli_s(g[i].opens));
			(void)slu_put_escaped(out, g[i].dir[0] ? g[i].dir : "/");
			fputc('\n', out);
			shown++;
		}
	}
	if (systems)
		fprintf(out, "  %" PRIu64 " time%s a file of the system (/usr, /etc and the like)\n", systems,
		        slu_cli_s(systems));
	if (rest)
		fprintf(out, "  %" PRIu64 " time%s a file elsewhere\n", rest, slu_cli_s(rest));
}

void slu_report_why_text(const struct slu_outcome *o, FILE *out)
{
	size_t n = 0;
	SLU_AUTO(mem) struct slu_ledger_entry *notes = gather_notes(o->ledger, &n);
	uint64_t lost = slu_ledger_lost(o->ledger);

	fputs("sluice run: served:\n", out);
	for (unsigned k = 0; k < o->view->n; k++)
		tell_mount_text(o, k, out);
	if (n || lost)
		fputs("sluice run: not served:\n", out);
	else
		fputs("sluice run: nothing below the mounts was refused or missed.\n", out);
	for (unsigned what = 1; what < SLU_ARRAY_SIZE(kinds); what++)
		tell_kind_text(o, (enum slu_note)what, notes, n, out);
	if (lost)
		fprintf(out, "  %" PRIu64 " more for which there was no room\n", lost);
	if (!o->watch) {
		fprintf(out, "sluice run: system calls were not watched: %s.\n", o->unwatched);
		return;
	}
	tell_outside_text(o, out);
	if (slu_watch_left(o->watch))
		fputs("sluice run: some of its processes go on in the background; what they do is not in this report.\n",
		      out);
}

/* ---- JSON ---- */

static void tell_file_json(void *arg, const char *path)
{
	slu_json_str(arg, NULL, path);
}

static void json_mounts(const struct slu_outcome *o, struct slu_json *j)
{
	slu_json_array(j, "mounts");
	for (unsigned k = 0; k < o->view->n; k++) {
		const struct slu_view_mount *m = &o->view->mount[k];

		slu_json_object(j, NULL);
		slu_json_str(j, "directory", m->point);
		slu_json_str(j, "pack", m->pack);
		slu_json_u64(j, "files", m->open ? slu_pack_count(m->open) : 0);
		slu_json_u64(j, "files_opened", count_files(o, k));
		for (size_t i = 0; i < SLU_ARRAY_SIZE(tallies); i++)
			slu_json_u64(j, tallies[i].key, slu_ledger_total(o->ledger, k, tallies[i].tally));
		if (o->cli->verbose) {
			slu_json_array(j, "opened");
			each_file(o, k, tell_file_json, j);
			slu_json_end(j);
		}
		slu_json_end(j);
	}
	slu_json_end(j);
}

static void json_notes(const struct slu_outcome *o, struct slu_json *j)
{
	size_t n = 0;
	SLU_AUTO(mem) struct slu_ledger_entry *notes = gather_notes(o->ledger, &n);

	slu_json_array(j, "not_served");
	for (size_t i = 0; i < n; i++) {
		const struct slu_ledger_entry *e = &notes[i];

		slu_json_object(j, NULL);
		slu_json_str(j, "kind", kinds[e->what].key);
		slu_json_str(j, "path", e->path);
		slu_json_str(j, "detail", e->detail);
		if (e->err)
			slu_json_i64(j, "errno", abs(e->err));
		slu_json_str(j, "program", e->program);
		slu_json_i64(j, "pid", e->pid);
		slu_json_u64(j, "count", e->count);
		slu_json_end(j);
	}
	slu_json_end(j);
	slu_json_u64(j, "not_served_lost", slu_ledger_lost(o->ledger));
}

static void json_outside(const struct slu_outcome *o, struct slu_json *j)
{
	const struct slu_outside *g;
	uint64_t rest;
	size_t n;

	slu_json_bool(j, "watched", o->watch != NULL);
	if (!o->watch) {
		slu_json_str(j, "not_watched_because", o->unwatched);
		return;
	}
	n = slu_watch_outside(o->watch, &g, &rest);
	slu_json_array(j, "outside");
	for (size_t i = 0; i < n; i++) {
		slu_json_object(j, NULL);
		slu_json_str(j, "directory", g[i].dir[0] ? g[i].dir : "/");
		slu_json_u64(j, "opens", g[i].opens);
		slu_json_end(j);
	}
	slu_json_end(j);
	slu_json_u64(j, "outside_others", rest);
	slu_json_bool(j, "background", slu_watch_left(o->watch) != 0);
}

void slu_report_why_json(const struct slu_outcome *o, FILE *out)
{
	struct slu_json j;

	slu_json_init(&j, out);
	slu_json_object(&j, NULL);
	slu_json_u64(&j, "schema", 1);
	slu_json_str(&j, "program", o->program);
	if (WIFSIGNALED(o->status))
		slu_json_i64(&j, "signal", WTERMSIG(o->status));
	else
		slu_json_i64(&j, "exit_status", WEXITSTATUS(o->status));
	json_mounts(o, &j);
	json_notes(o, &j);
	json_outside(o, &j);
	slu_json_end_all(&j);
}
