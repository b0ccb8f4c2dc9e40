/* SPDX-License-Identifier: MIT */
/*
 * A trace for timeline viewers (Perfetto, chrome://tracing): the JSON of Chrome's Trace Event Format, streamed.
 *
 * Processes and threads have their own numbers and names. Spans and calls are complete events ("X") of their threads;
 * runs of calls, where calls were not kept, asynchronous ones, as they need not nest with spans; the timeline's bins
 * are counters. Times are microseconds of the job's clock.
 *
 * Viewers take what they show into memory. So there are at most SLU_CHROME_SPANS spans and SLU_CHROME_CALLS calls: the
 * longest of each. Which those are, a first pass over the logs finds by a histogram of lengths.
 */
#include "prof/out-chrome.h"

#include <string.h>

#include <sluice/trace.h>

#include "base/escape.h"
#include "base/macros.h"
#include "prof/foreign.h"
#include "prof/slices.h"
#include "prof/thin.h"

/* Process numbers of Linux end below this: those of other hosts are put above. */
enum { PID_LIMIT = 1 << 22 };

struct chrome {
	struct slu_json j;
	const struct slu_prof *p;
	struct slu_thin spans, calls;
	const struct slu_prof_process *named; /* whose name has been written last */
	const struct slu_prof_process *last;  /* whose number was asked for */
	uint64_t last_pid;
};

static struct slu_thin *thin_of(struct chrome *c, const struct slu_slice *s)
{
	return s->kind == SLU_SLICE_SPAN ? &c->spans : &c->calls;
}

static int count_slice(void *arg, const struct slu_slice *s)
{
	slu_thin_count(thin_of(arg, s), s->ns);
	return 0;
}

void slu_chrome_text(struct slu_json *j, const char *key, const char *s)
{
	size_t len = strlen(s), n = 0;
	char text[4096], one[SLU_ESCAPED_MAX];
	unsigned columns;

	for (size_t i = 0; i < len && n + sizeof(one) < sizeof(text);) {
		i += slu_escape(s + i, len - i, one, &columns);
		memcpy(text + n, one, strlen(one));
		n += strlen(one);
	}
	slu_json_strn(j, key, text, n);
}

/* Of several hosts, those beyond the first have other numbers than they had there. */
static uint64_t find_pid(const struct slu_prof *p, const struct slu_prof_process *proc)
{
	uint64_t hosts = 0;

	for (size_t i = 0; p->job.n_hosts > 1 && strcmp(p->processes[i].host, proc->host) != 0; i++) {
		size_t k = 0;

		while (k < i && strcmp(p->processes[k].host, p->processes[i].host) != 0)
			k++;
		hosts += k == i;
	}
	return proc->pid + hosts * PID_LIMIT;
}

static uint64_t pid_of(struct chrome *c, const struct slu_prof_process *proc)
{
	if (c->last != proc)
		c->last_pid = find_pid(c->p, proc);
	c->last = proc;
	return c->last_pid;
}

static void begin_event(struct chrome *c, const char *ph, const struct slu_prof_process *proc, uint32_t tid)
{
	slu_json_object(&c->j, NULL);
	slu_json_str(&c->j, "ph", ph);
	slu_json_u64(&c->j, "pid", pid_of(c, proc));
	slu_json_u64(&c->j, "tid", tid);
}

static void put_metadata(struct chrome *c, const struct slu_prof_process *proc, uint32_t tid, const char *what,
                         const char *key, const char *name)
{
	begin_event(c, "M", proc, tid);
	slu_json_str(&c->j, "name", what);
	slu_json_object(&c->j, "args");
	slu_chrome_text(&c->j, key, name);
	slu_json_end(&c->j);
	slu_json_end(&c->j);
}

static void name_process(struct chrome *c, const struct slu_prof_process *proc)
{
	const char *slash = strrchr(proc->exe, '/'), *exe = slash ? slash + 1 : proc->exe;
	char name[2048], rank[32] = "";

	if (proc->rank != SLU_NO_RANK && c->p->n_ranks > 1)
		(void)snprintf(rank, sizeof(rank), "rank %d: ", proc->rank);
	(void)snprintf(name, sizeof(name), "%s%s (%s)", rank, exe, proc->host); /* cut off at worst */
	put_metadata(c, proc, proc->pid, "process_name", "name", name);
	put_metadata(c, proc, proc->pid, "process_labels", "labels", proc->command);
	begin_event(c, "M", proc, proc->pid);
	slu_json_str(&c->j, "name", "process_sort_index");
	slu_json_object(&c->j, "args");
	slu_json_i64(&c->j, "sort_index", proc->rank);
	slu_json_end(&c->j);
	slu_json_end(&c->j);
}

static int name_thread(void *arg, const struct slu_prof_process *p, const struct slu_log_thread *t)
{
	struct chrome *c = arg;
	char name[sizeof(t->name) + 1];

	if (c->named != p)
		name_process(c, p);
	c->named = p;
	memcpy(name, t->name, sizeof(t->name));
	name[sizeof(t->name)] = 0;
	if (*name)
		put_metadata(c, p, t->tid, "thread_name", "name", name);
	return 0;
}

static void put_times(struct chrome *c, const struct slu_slice *s)
{
	slu_json_decimal(&c->j, "ts", s->begin, 3);
	slu_json_decimal(&c->j, "dur", s->ns, 3);
	slu_json_object(&c->j, "args");
}

static void put_span(struct chrome *c, const struct slu_slice *s)
{
	size_t len = 0;
	const char *name = slu_image_name(s->img, s->span->name, &len);

	begin_event(c, "X", s->process, s->thread->tid);
	slu_chrome_text(&c->j, "name", name ? name : "");
	slu_json_str(&c->j, "cat", slu_span_name(s->span->kind));
	put_times(c, s);
	if (s->span->index >= 0)
		slu_json_i64(&c->j, "index", s->span->index);
	if (s->span->count > 1) {
		slu_json_u64(&c->j, "spans", s->span->count);
		slu_json_seconds(&c->j, "inside_s", s->span->ns);
	}
}

static void put_call(struct chrome *c, const struct slu_slice *s)
{
	const struct slu_log_event *e = s->event;
	const struct slu_log_file *f = slu_image_file(s->img, e->file);
	size_t len = 0;
	const char *name = f ? slu_image_name(s->img, f->name, &len) : NULL;

	begin_event(c, "X", s->process, s->thread->tid);
	slu_json_str(&c->j, "name", slu_call_name(e->call));
	slu_json_str(&c->j, "cat", slu_family_name(slu_call_family(e->call)));
	put_times(c, s);
	if (name)
		slu_chrome_text(&c->j, "file", name);
	if (e->bytes)
		slu_json_u64(&c->j, "bytes", e->bytes);
	if (e->bytes && e->offset != UINT64_MAX)
		slu_json_u64(&c->j, "offset", e->offset);
	if (e->error)
		slu_json_u64(&c->j, "errno", e->error);
}

/* Two events: begin and end. */
static void put_run(struct chrome *c, const struct slu_slice *s)
{
	const struct slu_log_run *r = s->run;

	for (int end = 0; end < 2; end++) {
		begin_event(c, end ? "e" : "b", s->process, s->thread->tid);
		slu_json_str(&c->j, "name", "I/O");
		slu_json_str(&c->j, "cat", "run");
		slu_json_u64(&c->j, "id", s->thread->tid);
		slu_json_decimal(&c->j, "ts", s->begin + (end ? s->ns : 0), 3);
		if (end)
			break;
		slu_json_object(&c->j, "args");
		slu_json_u64(&c->j, "calls", r->calls);
		slu_json_u64(&c->j, "read_bytes", r->read_bytes);
		slu_json_u64(&c->j, "written_bytes", r->written_bytes);
		slu_json_seconds(&c->j, "read_s", r->read_ns);
		slu_json_seconds(&c->j, "write_s", r->write_ns);
		slu_json_seconds(&c->j, "meta_s", r->meta_ns);
		slu_json_end(&c->j);
		slu_json_end(&c->j);
	}
	slu_json_end(&c->j);
}

static int put_slice(void *arg, const struct slu_slice *s)
{
	struct chrome *c = arg;

	if (ferror(c->j.out) || !slu_thin_shows(thin_of(c, s), s->ns))
		return 0;
	if (s->kind == SLU_SLICE_RUN) {
		put_run(c, s);
		return 0;
	}
	if (s->kind == SLU_SLICE_SPAN)
		put_span(c, s);
	else
		put_call(c, s);
	slu_json_end(&c->j); /* args */
	slu_json_end(&c->j);
	return 0;
}

/* The first process of a rank, which has its counters. */
static const struct slu_prof_process *first_of(const struct slu_prof *p, int32_t rank)
{
	size_t i = 0;

	while (p->processes[i].rank != rank)
		i++;
	return &p->processes[i];
}

static void put_counter(struct chrome *c, const struct slu_prof_process *proc, uint64_t at, const char *name)
{
	begin_event(c, "C", proc, proc->pid);
	slu_json_str(&c->j, "name", name);
	slu_json_decimal(&c->j, "ts", at, 3);
	slu_json_object(&c->j, "args");
}

static void put_counters(struct chrome *c)
{
	const struct slu_prof_timeline *t = &c->p->timeline;

	for (size_t i = 0; i < slu_min(c->p->n_ranks, SLU_CHROME_RANKS) * t->n_bins; i++) {
		const struct slu_prof_process *proc = first_of(c->p, c->p->ranks[i / t->n_bins].rank);
		const struct slu_prof_bin *b = &t->bins[i];
		uint64_t at = i % t->n_bins * t->bin_ns;
		double seconds = (double)t->bin_ns / 1e9;

		put_counter(c, proc, at, "MB/s");
		slu_json_double(&c->j, "read", (double)b->read_bytes / 1e6 / seconds);
		slu_json_double(&c->j, "written", (double)b->written_bytes / 1e6 / seconds);
		slu_json_end(&c->j);
		slu_json_end(&c->j);
		put_counter(c, proc, at, "share of time");
		slu_json_double(&c->j, "compute", (double)b->compute);
		slu_json_double(&c->j, "exposed I/O", (double)b->exposed);
		slu_json_double(&c->j, "hidden I/O", (double)b->hidden);
		slu_json_end(&c->j);
		slu_json_end(&c->j);
	}
}

static void put_head(struct chrome *c, const struct slu_chrome_sum *sum)
{
	struct slu_json *j = &c->j;

	slu_json_str(j, "displayTimeUnit", "ms");
	slu_json_object(j, "otherData");
	slu_json_str(j, "tool", "sluice report --chrome");
	slu_json_str(j, "version", slu_version());
	slu_chrome_text(j, "trace", c->p->job.directory);
	slu_chrome_text(j, "command", c->p->job.command);
	slu_json_seconds(j, "began_unix_s", c->p->job.began_unix_ns);
	slu_json_bool(j, "thinned", sum->thinned);
	slu_json_u64(j, "spans", sum->spans);
	slu_json_u64(j, "spans_shown", sum->spans_shown);
	slu_json_u64(j, "calls", sum->calls);
	slu_json_u64(j, "calls_shown", sum->calls_shown);
	slu_json_seconds(j, "spans_from_s", slu_thin_least(&c->spans));
	slu_json_seconds(j, "calls_from_s", slu_thin_least(&c->calls));
	slu_json_array(j, "merged");
	for (size_t i = 0; i < c->p->n_merged; i++) {
		const struct slu_prof_merged *m = &c->p->merged[i];

		slu_json_object(j, NULL);
		slu_chrome_text(j, "file", m->path);
		slu_json_str(j, "clock", slu_merge_clock_name(m->clock));
		slu_json_u64(j, "events", m->lengths->total);
		slu_json_u64(j, "shown", m->lengths->shown);
		slu_json_end(j);
	}
	slu_json_end(j);
	slu_json_end(j);
}

int slu_out_chrome(FILE *out, const struct slu_prof *p, struct slu_chrome_sum *ret_sum)
{
	SLU_AUTO(mem) struct chrome *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return slu_fail_memory();
	c->p = p;
	r = slu_slices(p, &(struct slu_slice_fns){ .slice = count_slice }, c);
	if (r < 0)
		return r;
	slu_thin_choose(&c->spans, SLU_CHROME_SPANS);
	slu_thin_choose(&c->calls, SLU_CHROME_CALLS);
	*ret_sum = (struct slu_chrome_sum){ .spans = c->spans.total,
		                            .spans_shown = c->spans.shown,
		                            .calls = c->calls.total,
		                            .calls_shown = c->calls.shown };
	for (size_t i = 0; i < p->n_merged; i++) {
		ret_sum->merged += p->merged[i].lengths->total;
		ret_sum->merged_shown += p->merged[i].lengths->shown;
	}
	ret_sum->thinned = ret_sum->spans_shown < ret_sum->spans || ret_sum->calls_shown < ret_sum->calls ||
	                   ret_sum->merged_shown < ret_sum->merged;
	slu_json_init(&c->j, out);
	slu_json_object(&c->j, NULL);
	put_head(c, ret_sum);
	slu_json_array(&c->j, "traceEvents");
	r = slu_slices(p, &(struct slu_slice_fns){ .thread = name_thread, .slice = put_slice }, c);
	if (r == 0)
		put_counters(c);
	for (size_t i = 0; r == 0 && i < p->n_merged; i++)
		r = slu_foreign_write(&c->j, &p->merged[i], (unsigned)i);
	slu_json_end_all(&c->j);
	return r;
}
