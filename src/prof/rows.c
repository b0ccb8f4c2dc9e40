/* SPDX-License-Identifier: MIT */
/* The tables of a model, row by row: what JSON and CSV have in common. docs/report-json.md says what each field is. */
#include "prof/fields.h"

#include <sluice/trace.h>

#include "base/macros.h"
#include "prof/out.h"
#include "trace/calls.h"

void slu_row_rank(struct slu_fields *f, const struct slu_prof_rank *r)
{
	slu_field_i64(f, "rank", r->rank);
	slu_field_str(f, "host", r->host);
	slu_field_u64(f, "processes", r->n_processes);
	slu_field_u64(f, "threads", r->n_threads);
	slu_field_u64(f, "readers", r->n_readers);
	slu_field_seconds(f, "begin", r->begin);
	slu_field_seconds(f, "end", r->end);
	slu_field_seconds(f, "wall_s", r->wall_ns);
	slu_field_seconds(f, "compute_s", r->compute_ns);
	slu_field_seconds(f, "wait_s", r->wait_ns);
	slu_field_seconds(f, "decode_s", r->decode_ns);
	slu_field_seconds(f, "checkpoint_s", r->checkpoint_ns);
	slu_field_seconds(f, "io_span_s", r->io_span_ns);
	slu_field_seconds(f, "io_s", r->io_ns);
	slu_field_seconds(f, "io_read_s", r->io_read_ns);
	slu_field_seconds(f, "io_write_s", r->io_write_ns);
	slu_field_seconds(f, "io_meta_s", r->io_meta_ns);
	slu_field_seconds(f, "union_s", r->union_ns);
	slu_field_seconds(f, "exposed_s", r->exposed_ns);
	slu_field_seconds(f, "hidden_s", r->hidden_ns);
	slu_field_seconds(f, "starved_s", r->starved_ns);
	slu_field_seconds(f, "other_s", r->other_ns);
	slu_field_seconds(f, "exposed_read_s", r->exposed_read_ns);
	slu_field_seconds(f, "exposed_write_s", r->exposed_write_ns);
	slu_field_seconds(f, "exposed_checkpoint_s", r->exposed_checkpoint_ns);
	slu_field_u64(f, "calls", r->calls);
	slu_field_u64(f, "opens", r->opens);
	slu_field_u64(f, "reads", r->reads);
	slu_field_u64(f, "writes", r->writes);
	slu_field_u64(f, "read_bytes", r->read_bytes);
	slu_field_u64(f, "written_bytes", r->written_bytes);
	slu_field_double(f, "read_bandwidth", r->read_bandwidth);
	slu_field_double(f, "read_throughput", r->read_throughput);
	slu_field_double(f, "iops", r->iops);
	slu_field_double(f, "wait_share", r->wait_share);
	slu_field_double(f, "exposed_share", r->exposed_share);
	slu_field_double(f, "hidden_share", r->hidden_share);
	slu_field_double(f, "union_share", r->union_share);
	slu_field_double(f, "compute_share", r->compute_share);
	slu_field_double(f, "starved_share", r->starved_share);
	slu_field_double(f, "other_share", r->other_share);
	slu_field_double(f, "hidden_part", r->hidden_part);
}

void slu_row_epoch(struct slu_fields *f, const struct slu_prof_epoch *e)
{
	slu_field_rank(f, "rank", e->rank);
	slu_field_str(f, "name", e->name);
	slu_field_i64(f, "index", e->index);
	slu_field_seconds(f, "begin", e->begin);
	slu_field_seconds(f, "end", e->end);
	slu_field_seconds(f, "wall_s", e->wall_ns);
	slu_field_seconds(f, "train_s", e->train_ns);
	slu_field_seconds(f, "read_s", e->read_ns);
	slu_field_seconds(f, "load_s", e->load_ns);
	slu_field_seconds(f, "other_s", e->other_ns);
	slu_field_u64(f, "read_bytes", e->read_bytes);
	slu_field_seconds(f, "read_union_s", e->read_union_ns);
	slu_field_double(f, "read_bandwidth", e->read_bandwidth);
	slu_field_u64(f, "calls", e->calls);
}

void slu_row_span(struct slu_fields *f, const struct slu_prof_span *s)
{
	slu_field_rank(f, "rank", s->rank);
	slu_field_str(f, "name", s->name);
	slu_field_str(f, "kind", slu_span_name(s->kind));
	slu_field_u64(f, "count", s->count);
	slu_field_seconds(f, "seconds", s->ns);
	slu_field_seconds(f, "first", s->first);
	slu_field_seconds(f, "last", s->last);
}

void slu_row_call(struct slu_fields *f, const struct slu_prof_call *c)
{
	slu_field_str(f, "name", c->name);
	slu_field_str(f, "family", c->family);
	slu_field_u64(f, "count", c->count);
	slu_field_u64(f, "errors", c->errors);
	slu_field_seconds(f, "seconds", c->ns);
	slu_field_seconds(f, "slowest_s", c->slowest_ns);
	slu_field_u64(f, "bytes", c->bytes);
}

void slu_row_process(struct slu_fields *f, const struct slu_prof_process *p)
{
	slu_field_str(f, "log", p->log);
	slu_field_str(f, "host", p->host);
	slu_field_u64(f, "pid", p->pid);
	slu_field_u64(f, "ppid", p->ppid);
	slu_field_u64(f, "part", p->part);
	slu_field_rank(f, "parent", p->parent);
	slu_field_rank(f, "rank", p->rank);
	slu_field_rank(f, "told_rank", p->told_rank);
	slu_field_rank(f, "local_rank", p->local_rank);
	slu_field_rank(f, "world", p->world);
	slu_field_str(f, "rank_from", p->rank_from);
	slu_field_str(f, "exe", p->exe);
	slu_field_str(f, "command", p->command);
	slu_field_str(f, "cwd", p->cwd);
	slu_field_str(f, "state", slu_prof_state_name(p->state));
	slu_field_seconds(f, "begin", p->begin);
	slu_field_seconds(f, "end", p->end);
	slu_field_u64(f, "threads", p->n_threads);
	slu_field_u64(f, "files", p->files);
	slu_field_u64(f, "calls", p->calls);
	slu_field_u64(f, "errors", p->errors);
	slu_field_u64(f, "missed", p->missed);
	slu_field_seconds(f, "io_s", p->io_ns);
	slu_field_seconds(f, "busy_s", p->busy_ns);
	slu_field_bool(f, "reads_data", p->reads_data);
	slu_field_bool(f, "has_compute", p->has_compute);
	slu_field_u64(f, "opens", p->opens);
	slu_field_u64(f, "reads", p->reads);
	slu_field_u64(f, "writes", p->writes);
	slu_field_u64(f, "read_bytes", p->read_bytes);
	slu_field_u64(f, "written_bytes", p->written_bytes);
	slu_field_seconds(f, "read_s", p->read_ns);
	slu_field_seconds(f, "write_s", p->write_ns);
	slu_field_seconds(f, "meta_s", p->meta_ns);
}

static void side(struct slu_fields *f, const char *key, const struct slu_prof_side *s)
{
	uint64_t sizes[SLU_SIZE_CLASSES];

	slu_field_group(f, key);
	slu_field_u64(f, "calls", s->calls);
	slu_field_u64(f, "bytes", s->bytes);
	slu_field_seconds(f, "seconds", s->ns);
	slu_field_u64(f, "sequential", s->sequential);
	slu_field_u64(f, "consecutive", s->consecutive);
	slu_prof_side_sizes(s, sizes);
	slu_field_array(f, "sizes", sizes, SLU_SIZE_CLASSES);
	slu_field_group_end(f);
}

void slu_row_file(struct slu_fields *f, const struct slu_prof_file *file)
{
	static const char *const counts[SLU_COUNTED] = { "opens", "closes", "seeks",   "stats", "lists",
		                                         "maps",  "syncs",  "changes", "others" };

	slu_field_strn(f, "name", file->name, file->name_len);
	slu_field_str(f, "class", slu_prof_class_name(file->cls));
	slu_field_bool(f, "many", file->flags & SLU_FILE_MANY);
	slu_field_bool(f, "directory", file->flags & SLU_FILE_IS_DIR);
	slu_field_bool(f, "served", file->flags & SLU_FILE_SERVED);
	slu_field_bool(f, "created", file->flags & SLU_FILE_CREATED);
	slu_field_bool(f, "hdf5", file->flags & SLU_FILE_HDF5);
	slu_field_u64(f, "users", file->users);
	slu_field_seconds(f, "first", file->first);
	slu_field_seconds(f, "last", file->last);
	for (int i = 0; i < SLU_COUNTED; i++)
		slu_field_u64(f, counts[i], file->count[i]);
	slu_field_u64(f, "errors", file->errors);
	slu_field_u64(f, "mapped_bytes", file->mapped_bytes);
	slu_field_seconds(f, "meta_s", file->meta_ns);
	side(f, "read", &file->read);
	side(f, "write", &file->write);
}
