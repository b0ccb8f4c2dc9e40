/* SPDX-License-Identifier: MIT */
/* A model as JSON: docs/report-json.md. */
#include "prof/out.h"

#include <string.h>

#include "base/macros.h"
#include "prof/fields.h"

/* One object of a row's fields. */
#define ROW(j, key, row, record)                                                                                       \
	do {                                                                                                           \
		slu_json_object(j, key);                                                                               \
		row(&(struct slu_fields){ .json = (j) }, record);                                                      \
		slu_json_end(j);                                                                                       \
	} while (0)

static void rank_or_null(struct slu_json *j, const char *key, int32_t rank)
{
	if (rank < 0)
		slu_json_str(j, key, NULL);
	else
		slu_json_i64(j, key, rank);
}

const char *slu_prof_note_name(unsigned id)
{
	static const char *const names[SLU_N_NOTES] = { "unreadable",  "killed", "running", "full",   "no-space",
		                                        "events-lost", "missed", "threads", "mapped", "clocks",
		                                        "no-spans",    "merged", "cut" };

	return id < SLU_N_NOTES ? names[id] : "other";
}

const char *slu_prof_state_name(unsigned state)
{
	static const char *const names[] = { "exited", "execed", "killed", "running", "unknown" };

	return state < SLU_ARRAY_SIZE(names) ? names[state] : "unknown";
}

const char *slu_prof_metric_name(unsigned metric)
{
	static const char *const names[SLU_N_METRICS] = { "wall_s",         "compute_s", "wait_s",   "io_s",
		                                          "union_s",        "exposed_s", "hidden_s", "read_bytes",
		                                          "read_bandwidth", "iops" };

	return metric < SLU_N_METRICS ? names[metric] : "other";
}

static void job(struct slu_json *j, const struct slu_prof *p)
{
	const struct slu_prof_job *k = &p->job;

	slu_json_object(j, "job");
	slu_json_str(j, "job", k->job);
	slu_json_str(j, "command", k->command);
	slu_json_str(j, "began", k->began);
	slu_json_seconds(j, "began_unix_s", k->began_unix_ns);
	slu_json_seconds(j, "wall_s", k->wall_ns);
	slu_json_bool(j, "running", k->running);
	slu_json_bool(j, "events", k->events);
	slu_json_u64(j, "n_events", k->n_events);
	slu_json_u64(j, "n_hosts", k->n_hosts);
	slu_json_u64(j, "n_processes", k->n_processes);
	slu_json_u64(j, "n_threads", k->n_threads);
	slu_json_u64(j, "n_ranks", p->n_ranks);
	slu_json_u64(j, "n_files", p->n_files);
	slu_json_end(j);
}

static void answer(struct slu_json *j, const struct slu_prof *p)
{
	const struct slu_prof_answer *a = &p->answer;

	slu_json_object(j, "answer");
	slu_json_str(j, "sentence", a->sentence);
	slu_json_str(j, "stall", slu_prof_stall_name(a->how));
	slu_json_double(j, "stall_share", a->stall_share);
	slu_json_double(j, "exposed_share", a->exposed_share);
	slu_json_double(j, "hidden_share", a->hidden_share);
	slu_json_double(j, "union_share", a->union_share);
	slu_json_double(j, "compute_share", a->compute_share);
	slu_json_double(j, "wait_share", a->wait_share);
	slu_json_double(j, "starved_share", a->starved_share);
	slu_json_double(j, "other_share", a->other_share);
	slu_json_end(j);
}

static void advice(struct slu_json *j, const struct slu_prof *p)
{
	slu_json_array(j, "advice");
	for (size_t i = 0; i < p->n_advice; i++) {
		const struct slu_prof_advice *a = &p->advice[i];

		slu_json_object(j, NULL);
		slu_json_str(j, "id", a->id);
		slu_json_str(j, "severity", slu_prof_severity_name(a->severity));
		slu_json_str(j, "title", a->title);
		slu_json_str(j, "evidence", a->evidence);
		slu_json_str(j, "action", a->action);
		slu_json_str(j, "command", a->command);
		slu_json_seconds(j, "gain_s", a->gain_ns);
		slu_json_double(j, "gain_share", a->gain_share);
		slu_json_str(j, "how", a->how);
		slu_json_end(j);
	}
	slu_json_end(j);
}

static void notes(struct slu_json *j, const struct slu_prof *p)
{
	slu_json_array(j, "notes");
	for (size_t i = 0; i < p->n_notes; i++) {
		slu_json_object(j, NULL);
		slu_json_str(j, "id", slu_prof_note_name(p->notes[i].id));
		slu_json_str(j, "text", p->notes[i].text);
		slu_json_end(j);
	}
	slu_json_end(j);
}

static void ranks(struct slu_json *j, const struct slu_prof *p)
{
	slu_json_array(j, "ranks");
	for (size_t i = 0; i < p->n_ranks; i++)
		ROW(j, NULL, slu_row_rank, &p->ranks[i]);
	slu_json_end(j);
	slu_json_object(j, "over_ranks");
	for (unsigned m = 0; m < SLU_N_METRICS; m++) {
		const struct slu_prof_stat *s = &p->stats[m];

		slu_json_object(j, slu_prof_metric_name(m));
		slu_json_double(j, "mean", s->mean);
		slu_json_double(j, "median", s->median);
		slu_json_double(j, "min", s->min);
		slu_json_double(j, "max", s->max);
		slu_json_double(j, "worst", s->worst);
		slu_json_i64(j, "worst_rank", s->worst_rank);
		slu_json_double(j, "imbalance", s->imbalance);
		slu_json_end(j);
	}
	slu_json_end(j);
}

static void epochs(struct slu_json *j, const struct slu_prof *p)
{
	slu_json_array(j, "epochs");
	for (size_t i = 0; i < p->n_epochs; i++)
		ROW(j, NULL, slu_row_epoch, &p->epochs[i]);
	slu_json_end(j);
	if (p->n_epochs)
		ROW(j, "epoch_mean", slu_row_epoch, &p->epoch_mean);
	else
		slu_json_str(j, "epoch_mean", NULL);
	slu_json_array(j, "spans");
	for (size_t i = 0; i < p->n_spans; i++)
		ROW(j, NULL, slu_row_span, &p->spans[i]);
	slu_json_end(j);
}

static void access_json(struct slu_json *j, const struct slu_prof *p)
{
	const struct slu_prof_access *a = &p->access;

	slu_json_object(j, "access");
	slu_json_u64(j, "files", a->files);
	slu_json_u64(j, "data_files", a->data_files);
	slu_json_u64(j, "small_files", a->small_files);
	slu_json_u64(j, "served_files", a->served_files);
	slu_json_u64(j, "epochs", a->epochs);
	slu_json_u64(j, "opens", a->opens);
	slu_json_u64(j, "stats", a->stats);
	slu_json_double(j, "opens_per_file", a->opens_per_file);
	slu_json_double(j, "opens_per_epoch", a->opens_per_epoch);
	slu_json_double(j, "bytes_per_open", a->bytes_per_open);
	slu_json_double(j, "reads_per_open", a->reads_per_open);
	slu_json_u64(j, "read_bytes", a->read_bytes);
	slu_json_u64(j, "written_bytes", a->written_bytes);
	slu_json_u64(j, "mapped_bytes", a->mapped_bytes);
	slu_json_u64(j, "distinct_bytes", a->distinct_bytes);
	slu_json_double(j, "rereads", a->rereads);
	slu_json_double(j, "rereads_per_epoch", a->rereads_per_epoch);
	slu_json_seconds(j, "seconds", a->ns);
	slu_json_seconds(j, "read_s", a->read_ns);
	slu_json_seconds(j, "write_s", a->write_ns);
	slu_json_seconds(j, "meta_s", a->meta_ns);
	slu_json_double(j, "meta_share", a->meta_share);
	slu_json_double(j, "small_reads_share", a->small_reads_share);
	slu_json_double(j, "sequential_share", a->sequential_share);
	slu_json_double(j, "consecutive_share", a->consecutive_share);
	slu_json_double(j, "random_share", a->random_share);
	slu_json_double(j, "burstiness", a->burstiness);
	slu_json_u64(j, "readers", a->readers);
	slu_json_double(j, "reader_imbalance", a->reader_imbalance);
	rank_or_null(j, "imbalance_rank", a->imbalance_rank);
	slu_json_double(j, "reader_busy", a->reader_busy);
	slu_json_u64(j, "memory_bytes", a->memory_bytes);
	slu_json_str(j, "root", a->root);
	slu_json_end(j);
}

static void numbers(struct slu_json *j, const char *key, const uint64_t *v, size_t n)
{
	slu_json_array(j, key);
	for (size_t i = 0; i < n; i++)
		slu_json_u64(j, NULL, v[i]);
	slu_json_end(j);
}

static void groups(struct slu_json *j, const char *key, const struct slu_prof_group *g, size_t n)
{
	slu_json_array(j, key);
	for (size_t i = 0; i < n; i++, g++) {
		slu_json_object(j, NULL);
		slu_json_str(j, "name", g->name);
		slu_json_u64(j, "files", g->files);
		slu_json_u64(j, "opens", g->opens);
		slu_json_u64(j, "stats", g->stats);
		slu_json_u64(j, "calls", g->calls);
		slu_json_u64(j, "errors", g->errors);
		slu_json_u64(j, "reads", g->reads);
		slu_json_u64(j, "writes", g->writes);
		slu_json_u64(j, "read_bytes", g->read_bytes);
		slu_json_u64(j, "written_bytes", g->written_bytes);
		slu_json_u64(j, "mapped_bytes", g->mapped_bytes);
		slu_json_seconds(j, "read_s", g->read_ns);
		slu_json_seconds(j, "write_s", g->write_ns);
		slu_json_seconds(j, "meta_s", g->meta_ns);
		slu_json_seconds(j, "seconds", g->ns);
		numbers(j, "read_sizes", g->read_sizes, SLU_SIZE_CLASSES);
		numbers(j, "write_sizes", g->write_sizes, SLU_SIZE_CLASSES);
		slu_json_u64(j, "sequential", g->sequential);
		slu_json_u64(j, "consecutive", g->consecutive);
		slu_json_end(j);
	}
	slu_json_end(j);
}

static void calls(struct slu_json *j, const struct slu_prof *p)
{
	slu_json_array(j, "calls");
	for (size_t i = 0; i < p->n_calls; i++)
		ROW(j, NULL, slu_row_call, &p->calls[i]);
	slu_json_end(j);
	slu_json_object(j, "histograms");
	numbers(j, "read_size", p->size_log2[0], SLU_LOG2_CLASSES);
	numbers(j, "write_size", p->size_log2[1], SLU_LOG2_CLASSES);
	numbers(j, "read_time", p->time_log2[0], SLU_LOG2_CLASSES);
	numbers(j, "write_time", p->time_log2[1], SLU_LOG2_CLASSES);
	numbers(j, "other_time", p->time_log2[2], SLU_LOG2_CLASSES);
	slu_json_end(j);
}

static void row(struct slu_json *j, const char *key, const struct slu_prof_timeline *t, size_t r, size_t offset)
{
	slu_json_array(j, key);
	for (uint32_t i = 0; i < t->n_bins; i++)
		slu_json_double(j, NULL, (double)*(const float *)((const char *)&t->bins[r * t->n_bins + i] + offset));
	slu_json_end(j);
}

static void timeline(struct slu_json *j, const struct slu_prof *p)
{
	const struct slu_prof_timeline *t = &p->timeline;

	slu_json_object(j, "timeline");
	slu_json_seconds(j, "bin_s", t->bin_ns);
	slu_json_u64(j, "n_bins", t->n_bins);
	slu_json_array(j, "ranks");
	for (size_t r = 0; r < p->n_ranks; r++) {
		slu_json_object(j, NULL);
		slu_json_i64(j, "rank", p->ranks[r].rank);
		row(j, "compute", t, r, offsetof(struct slu_prof_bin, compute));
		row(j, "exposed", t, r, offsetof(struct slu_prof_bin, exposed));
		row(j, "hidden", t, r, offsetof(struct slu_prof_bin, hidden));
		row(j, "wait", t, r, offsetof(struct slu_prof_bin, wait));
		row(j, "read_bytes", t, r, offsetof(struct slu_prof_bin, read_bytes));
		row(j, "written_bytes", t, r, offsetof(struct slu_prof_bin, written_bytes));
		row(j, "calls", t, r, offsetof(struct slu_prof_bin, calls));
		slu_json_end(j);
	}
	slu_json_end(j);
	slu_json_end(j);
}

void slu_out_json_short(struct slu_json *j, const struct slu_prof *p)
{
	slu_json_str(j, "trace", p->job.directory);
	job(j, p);
	answer(j, p);
	advice(j, p);
	notes(j, p);
	access_json(j, p);
}

static void merged(struct slu_json *j, const struct slu_prof *p)
{
	slu_json_array(j, "merged");
	for (size_t i = 0; i < p->n_merged; i++) {
		const struct slu_prof_merged *m = &p->merged[i];

		slu_json_object(j, NULL);
		slu_json_str(j, "file", m->path);
		slu_json_str(j, "clock", slu_merge_clock_name(m->clock));
		slu_json_double(j, "begin", m->begin / 1e9);
		slu_json_double(j, "end", m->end / 1e9);
		slu_json_u64(j, "events", m->events);
		rank_or_null(j, "rank", m->rank);
		slu_json_u64(j, "compute_spans", m->compute_spans);
		slu_json_u64(j, "wait_spans", m->wait_spans);
		slu_json_end(j);
	}
	slu_json_end(j);
}

void slu_out_json(struct slu_json *j, const struct slu_prof *p)
{
	slu_out_json_short(j, p);
	ranks(j, p);
	epochs(j, p);
	merged(j, p);
	groups(j, "classes", p->classes, SLU_N_CLASSES);
	groups(j, "directories", p->directories, p->n_directories);
	groups(j, "extensions", p->extensions, p->n_extensions);
	calls(j, p);
	timeline(j, p);
	slu_json_array(j, "processes");
	for (size_t i = 0; i < p->n_processes; i++)
		ROW(j, NULL, slu_row_process, &p->processes[i]);
	slu_json_end(j);
	slu_json_array(j, "files");
	for (size_t i = 0; i < p->n_files; i++)
		ROW(j, NULL, slu_row_file, &p->files[i]);
	slu_json_end(j);
}
