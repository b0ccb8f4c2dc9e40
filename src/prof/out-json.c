/* SPDX-License-Identifier: MIT */
/* A model as JSON: docs/report-json.md. */
#include "prof/out.h"

#include <string.h>

#include "base/macros.h"

static void seconds(struct slu_json *j, const char *key, uint64_t ns)
{
	slu_json_double(j, key, (double)ns / 1e9);
}

static void rank_or_null(struct slu_json *j, const char *key, int32_t rank)
{
	if (rank < 0)
		slu_json_str(j, key, NULL);
	else
		slu_json_i64(j, key, rank);
}

const char *slu_prof_note_name(unsigned id)
{
	static const char *const names[SLU_N_NOTES] = { "unreadable", "killed",      "running",  "full",
		                                        "no-space",   "events-lost", "missed",   "threads",
		                                        "mapped",     "clocks",      "no-spans", "cut" };

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
	seconds(j, "began_unix_s", k->began_unix_ns);
	seconds(j, "wall_s", k->wall_ns);
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
		seconds(j, "gain_s", a->gain_ns);
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

static void rank(struct slu_json *j, const struct slu_prof_rank *r)
{
	slu_json_object(j, NULL);
	slu_json_i64(j, "rank", r->rank);
	slu_json_str(j, "host", r->host);
	slu_json_u64(j, "processes", r->n_processes);
	slu_json_u64(j, "threads", r->n_threads);
	slu_json_u64(j, "readers", r->n_readers);
	seconds(j, "begin", r->begin);
	seconds(j, "end", r->end);
	seconds(j, "wall_s", r->wall_ns);
	seconds(j, "compute_s", r->compute_ns);
	seconds(j, "wait_s", r->wait_ns);
	seconds(j, "decode_s", r->decode_ns);
	seconds(j, "checkpoint_s", r->checkpoint_ns);
	seconds(j, "io_span_s", r->io_span_ns);
	seconds(j, "io_s", r->io_ns);
	seconds(j, "io_read_s", r->io_read_ns);
	seconds(j, "io_write_s", r->io_write_ns);
	seconds(j, "io_meta_s", r->io_meta_ns);
	seconds(j, "union_s", r->union_ns);
	seconds(j, "exposed_s", r->exposed_ns);
	seconds(j, "hidden_s", r->hidden_ns);
	seconds(j, "starved_s", r->starved_ns);
	seconds(j, "other_s", r->other_ns);
	seconds(j, "exposed_read_s", r->exposed_read_ns);
	seconds(j, "exposed_write_s", r->exposed_write_ns);
	slu_json_u64(j, "calls", r->calls);
	slu_json_u64(j, "opens", r->opens);
	slu_json_u64(j, "reads", r->reads);
	slu_json_u64(j, "writes", r->writes);
	slu_json_u64(j, "read_bytes", r->read_bytes);
	slu_json_u64(j, "written_bytes", r->written_bytes);
	slu_json_double(j, "read_bandwidth", r->read_bandwidth);
	slu_json_double(j, "read_throughput", r->read_throughput);
	slu_json_double(j, "iops", r->iops);
	slu_json_double(j, "wait_share", r->wait_share);
	slu_json_double(j, "exposed_share", r->exposed_share);
	slu_json_double(j, "hidden_share", r->hidden_share);
	slu_json_double(j, "union_share", r->union_share);
	slu_json_double(j, "compute_share", r->compute_share);
	slu_json_double(j, "starved_share", r->starved_share);
	slu_json_double(j, "other_share", r->other_share);
	slu_json_double(j, "hidden_part", r->hidden_part);
	slu_json_end(j);
}

static void ranks(struct slu_json *j, const struct slu_prof *p)
{
	slu_json_array(j, "ranks");
	for (size_t i = 0; i < p->n_ranks; i++)
		rank(j, &p->ranks[i]);
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

static void epoch(struct slu_json *j, const char *key, const struct slu_prof_epoch *e)
{
	slu_json_object(j, key);
	rank_or_null(j, "rank", e->rank);
	slu_json_str(j, "name", e->name);
	slu_json_i64(j, "index", e->index);
	seconds(j, "begin", e->begin);
	seconds(j, "end", e->end);
	seconds(j, "wall_s", e->wall_ns);
	seconds(j, "train_s", e->train_ns);
	seconds(j, "read_s", e->read_ns);
	seconds(j, "load_s", e->load_ns);
	seconds(j, "other_s", e->other_ns);
	slu_json_u64(j, "read_bytes", e->read_bytes);
	seconds(j, "read_union_s", e->read_union_ns);
	slu_json_double(j, "read_bandwidth", e->read_bandwidth);
	slu_json_u64(j, "calls", e->calls);
	slu_json_end(j);
}

static void epochs(struct slu_json *j, const struct slu_prof *p)
{
	slu_json_array(j, "epochs");
	for (size_t i = 0; i < p->n_epochs; i++)
		epoch(j, NULL, &p->epochs[i]);
	slu_json_end(j);
	if (p->n_epochs)
		epoch(j, "epoch_mean", &p->epoch_mean);
	else
		slu_json_str(j, "epoch_mean", NULL);
	slu_json_array(j, "spans");
	for (size_t i = 0; i < p->n_spans; i++) {
		const struct slu_prof_span *s = &p->spans[i];

		slu_json_object(j, NULL);
		rank_or_null(j, "rank", s->rank);
		slu_json_str(j, "name", s->name);
		slu_json_str(j, "kind", slu_span_name(s->kind));
		slu_json_u64(j, "count", s->count);
		seconds(j, "seconds", s->ns);
		seconds(j, "first", s->first);
		seconds(j, "last", s->last);
		slu_json_end(j);
	}
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
	seconds(j, "seconds", a->ns);
	seconds(j, "read_s", a->read_ns);
	seconds(j, "write_s", a->write_ns);
	seconds(j, "meta_s", a->meta_ns);
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
		seconds(j, "read_s", g->read_ns);
		seconds(j, "write_s", g->write_ns);
		seconds(j, "meta_s", g->meta_ns);
		seconds(j, "seconds", g->ns);
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
	for (size_t i = 0; i < p->n_calls; i++) {
		const struct slu_prof_call *c = &p->calls[i];

		slu_json_object(j, NULL);
		slu_json_str(j, "name", c->name);
		slu_json_str(j, "family", c->family);
		slu_json_u64(j, "count", c->count);
		slu_json_u64(j, "errors", c->errors);
		seconds(j, "seconds", c->ns);
		seconds(j, "slowest_s", c->slowest_ns);
		slu_json_u64(j, "bytes", c->bytes);
		slu_json_end(j);
	}
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
	seconds(j, "bin_s", t->bin_ns);
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

static void process(struct slu_json *j, const struct slu_prof_process *p)
{
	slu_json_object(j, NULL);
	slu_json_str(j, "log", p->log);
	slu_json_str(j, "host", p->host);
	slu_json_u64(j, "pid", p->pid);
	slu_json_u64(j, "ppid", p->ppid);
	slu_json_u64(j, "part", p->part);
	rank_or_null(j, "parent", p->parent);
	rank_or_null(j, "rank", p->rank);
	rank_or_null(j, "told_rank", p->told_rank);
	rank_or_null(j, "local_rank", p->local_rank);
	rank_or_null(j, "world", p->world);
	slu_json_str(j, "rank_from", p->rank_from);
	slu_json_str(j, "exe", p->exe);
	slu_json_str(j, "command", p->command);
	slu_json_str(j, "cwd", p->cwd);
	slu_json_str(j, "state", slu_prof_state_name(p->state));
	seconds(j, "begin", p->begin);
	seconds(j, "end", p->end);
	slu_json_u64(j, "threads", p->n_threads);
	slu_json_u64(j, "files", p->files);
	slu_json_u64(j, "calls", p->calls);
	slu_json_u64(j, "errors", p->errors);
	slu_json_u64(j, "missed", p->missed);
	seconds(j, "io_s", p->io_ns);
	seconds(j, "busy_s", p->busy_ns);
	slu_json_bool(j, "reads_data", p->reads_data);
	slu_json_bool(j, "has_compute", p->has_compute);
	slu_json_u64(j, "opens", p->opens);
	slu_json_u64(j, "reads", p->reads);
	slu_json_u64(j, "writes", p->writes);
	slu_json_u64(j, "read_bytes", p->read_bytes);
	slu_json_u64(j, "written_bytes", p->written_bytes);
	seconds(j, "read_s", p->read_ns);
	seconds(j, "write_s", p->write_ns);
	seconds(j, "meta_s", p->meta_ns);
	slu_json_end(j);
}

static void side(struct slu_json *j, const char *key, const struct slu_prof_side *s)
{
	uint64_t sizes[SLU_SIZE_CLASSES];

	slu_json_object(j, key);
	slu_json_u64(j, "calls", s->calls);
	slu_json_u64(j, "bytes", s->bytes);
	seconds(j, "seconds", s->ns);
	slu_json_u64(j, "sequential", s->sequential);
	slu_json_u64(j, "consecutive", s->consecutive);
	slu_prof_side_sizes(s, sizes);
	numbers(j, "sizes", sizes, SLU_SIZE_CLASSES);
	slu_json_end(j);
}

static void file(struct slu_json *j, const struct slu_prof_file *f)
{
	static const char *const counts[SLU_COUNTED] = { "opens", "closes", "seeks",   "stats", "lists",
		                                         "maps",  "syncs",  "changes", "others" };

	slu_json_object(j, NULL);
	slu_json_strn(j, "name", f->name, f->name_len);
	slu_json_str(j, "class", slu_prof_class_name(f->cls));
	slu_json_bool(j, "many", f->flags & SLU_FILE_MANY);
	slu_json_bool(j, "directory", f->flags & SLU_FILE_IS_DIR);
	slu_json_bool(j, "served", f->flags & SLU_FILE_SERVED);
	slu_json_bool(j, "created", f->flags & SLU_FILE_CREATED);
	slu_json_bool(j, "hdf5", f->flags & SLU_FILE_HDF5);
	slu_json_u64(j, "users", f->users);
	seconds(j, "first", f->first);
	seconds(j, "last", f->last);
	for (int i = 0; i < SLU_COUNTED; i++)
		slu_json_u64(j, counts[i], f->count[i]);
	slu_json_u64(j, "errors", f->errors);
	slu_json_u64(j, "mapped_bytes", f->mapped_bytes);
	seconds(j, "meta_s", f->meta_ns);
	side(j, "read", &f->read);
	side(j, "write", &f->write);
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

void slu_out_json(struct slu_json *j, const struct slu_prof *p)
{
	slu_out_json_short(j, p);
	ranks(j, p);
	epochs(j, p);
	groups(j, "classes", p->classes, SLU_N_CLASSES);
	groups(j, "directories", p->directories, p->n_directories);
	groups(j, "extensions", p->extensions, p->n_extensions);
	calls(j, p);
	timeline(j, p);
	slu_json_array(j, "processes");
	for (size_t i = 0; i < p->n_processes; i++)
		process(j, &p->processes[i]);
	slu_json_end(j);
	slu_json_array(j, "files");
	for (size_t i = 0; i < p->n_files; i++)
		file(j, &p->files[i]);
	slu_json_end(j);
}
