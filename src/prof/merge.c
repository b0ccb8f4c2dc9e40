/* SPDX-License-Identifier: MIT */
/*
 * One log into the model: its files by name, its calls, and of each thread the intervals that ranks.c will sweep.
 *
 * Counters stay at their largest value rather than wrap. A record that makes no sense is left out and counted in cut.
 */
#include "prof/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

static void add32(uint32_t *a, uint32_t b)
{
	if (__builtin_add_overflow(*a, b, a))
		*a = UINT32_MAX;
}

static void add64(uint64_t *a, uint64_t b)
{
	if (__builtin_add_overflow(*a, b, a))
		*a = UINT64_MAX;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static const char *file_name(const void *arg, uint32_t index, size_t *ret_len)
{
	const struct slu_prof_file *f = &((const struct slu_prof *)arg)->files[index];

	*ret_len = f->name_len;
	return f->name;
}

static int find_file(struct slu_build *b, const char *name, size_t len, uint32_t flags, struct slu_prof_file **ret_file)
{
	struct slu_prof *p = b->p;
	uint32_t index;
	bool is_new;
	int r = slu_names_find(&b->names, name, len, (uint32_t)p->n_files, file_name, p, &index, &is_new);

	if (r < 0)
		return r;
	if (is_new) {
		const char *copy = slu_store_strn(p->store, name, len);

		if (!copy)
			return -ENOMEM;
		r = slu_room(&p->files, p->n_files, sizeof(*p->files));
		if (r < 0)
			return r;
		p->files[p->n_files++] = (struct slu_prof_file){ .name = copy,
			                                         .name_len = (uint32_t)len,
			                                         .first = UINT64_MAX,
			                                         .cls = (uint8_t)slu_classify(name, len, flags) };
	}
	*ret_file = &p->files[index];
	return 0;
}

static void add_side(struct slu_prof_side *s, const struct slu_log_side *log)
{
	add32(&s->calls, log->calls);
	add32(&s->sequential, log->sequential);
	add32(&s->consecutive, log->consecutive);
	for (int i = 0; i < SLU_SIZE_CLASSES - 1; i++)
		add32(&s->sizes[i], log->sizes[i]);
	add64(&s->bytes, log->bytes);
	add64(&s->ns, log->ns);
}

static void add_file(struct slu_prof_file *f, const struct slu_log_file *log, const struct slu_prof_process *p,
                     uint64_t begin)
{
	uint64_t first = slu_job_time(p, begin + ((uint64_t)log->first << 20));
	uint64_t last = slu_job_time(p, begin + ((uint64_t)log->last << 20));

	f->flags |= (uint16_t)log->flags;
	if (f->cls == SLU_CLASS_LIBRARY && log->flags & SLU_FILE_SERVED)
		f->cls = SLU_CLASS_DATA;
	add32(&f->users, 1);
	f->first = slu_min(f->first, first);
	f->last = slu_max(f->last, slu_max(first, last));
	add64(&f->meta_ns, log->meta_ns);
	add64(&f->mapped_bytes, log->mapped_bytes);
	for (int i = 0; i < SLU_COUNTED; i++)
		add32(&f->count[i], log->count[i]);
	add32(&f->errors, log->errors);
	add_side(&f->read, &log->read);
	add_side(&f->write, &log->write);
}

static void add_to_process(struct slu_prof_process *p, const struct slu_log_file *log, unsigned cls)
{
	p->files++;
	if (!slu_class_counts(cls))
		return;
	add64(&p->opens, log->count[SLU_FAMILY_OPEN]);
	add64(&p->reads, log->read.calls);
	add64(&p->writes, log->write.calls);
	add64(&p->read_bytes, log->read.bytes);
	add64(&p->read_bytes, log->mapped_bytes);
	add64(&p->written_bytes, log->write.bytes);
	add64(&p->read_ns, log->read.ns);
	add64(&p->write_ns, log->write.ns);
	add64(&p->meta_ns, log->meta_ns);
	if (log->read.bytes || log->mapped_bytes)
		p->reads_data = true;
}

/* A record without calls: of a descriptor that a child has inherited and left alone, or the one that is kept ready for
 * what comes after the bound. */
static bool is_unused(const struct slu_log_file *log)
{
	uint64_t any = log->mapped_bytes | log->read.calls | log->write.calls | log->errors;

	for (int i = 0; i < SLU_COUNTED; i++)
		any |= log->count[i];
	return !any;
}

static int merge_files(struct slu_build *b, size_t index, const struct slu_image *img, const struct slu_image_chunk *c)
{
	struct slu_prof_process *p = &b->p->processes[index];
	size_t n;
	const struct slu_log_file *logs = slu_image_records(img, c, sizeof(*logs), &n);

	for (size_t i = 0; i < n; i++) {
		const struct slu_log_file *log = &logs[i];
		struct slu_prof_file *f;
		const char *name;
		size_t len = 0;
		int r;

		if (!(log->flags & SLU_FILE_VALID) || is_unused(log))
			continue; /* the first: it was being written when the process was killed */
		name = slu_image_name(img, log->name, &len);
		if (!name) {
			b->cut++;
			continue;
		}
		r = find_file(b, name, len, log->flags, &f);
		if (r < 0)
			return r;
		add_file(f, log, p, img->header.begin);
		add_to_process(p, log, f->cls);
		b->mapped |= log->mapped_bytes;
	}
	return 0;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void merge_calls(struct slu_build *b, struct slu_prof_process *p, const struct slu_log_thread *log)
{
	for (size_t i = 0; i < SLU_ARRAY_SIZE(log->calls); i++) {
		const struct slu_log_tally *from = &log->calls[i];
		struct slu_log_tally *to = &b->calls[slu_min(i, SLU_N_CALLS)];

		add64(&to->count, from->count);
		add64(&to->errors, from->errors);
		add64(&to->ns, from->ns);
		add64(&to->bytes, from->bytes);
		to->slowest = slu_max(to->slowest, from->slowest);
		add64(&p->calls, from->count);
		add64(&p->errors, from->errors);
	}
	for (int k = 0; k < SLU_LOG2_CLASSES; k++) {
		for (int i = 0; i < 2; i++)
			b->p->size_log2[i][k] += log->size_log2[i][k];
		for (int i = 0; i < 3; i++)
			b->p->time_log2[i][k] += log->time_log2[i][k];
	}
}

static int compare_runs(const void *a, const void *b)
{
	const struct slu_iv_run *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* A run on the job's clock; false: it makes no sense. */
static bool convert_run(struct slu_iv_run *r, const struct slu_log_run *log, const struct slu_prof_process *p)
{
	double len, sum = (double)log->read_ns + (double)log->write_ns + (double)log->meta_ns, scale;

	if (log->begin == 0 || log->end < log->begin)
		return false;
	*r = (struct slu_iv_run){ .begin = slu_job_time(p, log->begin), .end = slu_job_time(p, log->end) };
	if (r->end == r->begin)
		r->end++;
	len = (double)(r->end - r->begin);
	scale = sum > len ? 1 / sum : 1 / len;
	r->read = (float)((double)log->read_ns * scale);
	r->write = (float)((double)log->write_ns * scale);
	r->meta = (float)((double)log->meta_ns * scale);
	r->compute = (float)((double)log->compute_ns / len);
	if (r->compute > 1)
		r->compute = 1;
	r->read_bytes = log->read_bytes;
	r->written_bytes = log->written_bytes;
	r->calls = (uint32_t)slu_min(log->calls, UINT32_MAX);
	return true;
}

static int merge_runs(struct slu_build *b, struct slu_thread *t, const struct slu_image *img,
                      const struct slu_log_thread *log)
{
	struct slu_prof_process *p = &b->p->processes[t->process];
	const struct slu_log_run *runs;
	bool sorted = true;
	size_t n;

	runs = slu_image_runs(img, log, &n);
	t->runs = calloc(n + 1, sizeof(*t->runs));
	if (!t->runs)
		return slu_fail_memory();
	for (size_t i = 0; i < n; i++) {
		struct slu_iv_run *r = &t->runs[t->n_runs];

		if (!convert_run(r, &runs[i], p)) {
			b->cut += runs[i].begin != 0;
			continue;
		}
		add64(&t->read_ns, runs[i].read_ns);
		add64(&t->write_ns, runs[i].write_ns);
		add64(&t->meta_ns, runs[i].meta_ns);
		p->end = slu_max(p->end, r->end);
		sorted &= !t->n_runs || r[-1].begin <= r->begin;
		t->n_runs++;
	}
	if (!sorted)
		slu_sort(t->runs, t->n_runs, sizeof(*t->runs), compare_runs);
	return 0;
}

static int merge_threads(struct slu_build *b, size_t index, const struct slu_image *img,
                         const struct slu_image_chunk *c)
{
	size_t n;
	const struct slu_log_thread *log = slu_image_records(img, c, sizeof(*log), &n);
	struct slu_thread *t;
	int r;

	if (n == 0)
		return 0;
	r = slu_room(&b->threads, b->n_threads, sizeof(*b->threads));
	if (r < 0)
		return r;
	t = &b->threads[b->n_threads++];
	*t = (struct slu_thread){ .process = (uint32_t)index,
		                  .place = (slu_ref)((c->at - sizeof(struct slu_log_chunk)) / 8) };
	b->p->processes[index].n_threads++;
	merge_calls(b, &b->p->processes[index], log);
	r = merge_runs(b, t, img, log);
	return r < 0 ? r : slu_build_spans(b, t, img, log);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

struct events_arg {
	struct slu_build *b;
	const struct slu_image *img;
	struct slu_thread *threads; /* of this log */
	size_t n_threads;
};

static struct slu_thread *owner_of(const struct events_arg *a, slu_ref owner)
{
	for (size_t i = 0; i < a->n_threads; i++)
		if (a->threads[i].place == owner || a->threads[i].place + sizeof(struct slu_log_chunk) / 8 == owner)
			return &a->threads[i];
	return NULL;
}

/* Whether an event is about a pipe or the like: waiting for another process is not I/O. */
static bool is_ipc(const struct slu_image *img, slu_ref ref)
{
	const struct slu_log_file *f = slu_image_file(img, ref);

	return f && f->flags & SLU_FILE_NOT_A_FILE;
}

static enum slu_iv_kind kind_of(unsigned call)
{
	enum slu_family f = slu_call_family(call);

	return f == SLU_FAMILY_READ ? SLU_IV_READ : f == SLU_FAMILY_WRITE ? SLU_IV_WRITE : SLU_IV_META;
}

static int take_events(void *arg, slu_ref owner, const struct slu_log_event *events, size_t n)
{
	struct events_arg *a = arg;
	struct slu_thread *t = owner_of(a, owner);
	struct slu_prof_process *p;

	if (!t) {
		a->b->cut++;
		return 0;
	}
	p = &a->b->p->processes[t->process];
	for (size_t i = 0; i < n; i++) {
		const struct slu_log_event *e = &events[i];
		enum slu_iv_kind kind = kind_of(e->call);

		if (!e->begin || t->n_events == t->max_events)
			continue;
		a->b->p->job.n_events++;
		if (is_ipc(a->img, e->file))
			continue;
		t->events[t->n_events++] = (struct slu_iv_event){ .begin = slu_job_time(p, e->begin),
			                                          .ns = e->ns ? e->ns : 1,
			                                          .what = slu_iv_what(kind, e->bytes) };
		add64(kind == SLU_IV_READ ? &t->read_ns : kind == SLU_IV_WRITE ? &t->write_ns : &t->meta_ns, e->ns);
	}
	return 0;
}

static int compare_events(const void *a, const void *b)
{
	const struct slu_iv_event *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int make_event_room(struct events_arg *a)
{
	for (size_t i = 0; i < a->img->n_chunks; i++) {
		const struct slu_image_chunk *c = &a->img->chunks[i];
		struct slu_thread *t = c->kind == SLU_CHUNK_EVENTS ? owner_of(a, c->owner) : NULL;

		if (t)
			t->max_events += c->bytes / sizeof(struct slu_log_event);
	}
	for (size_t i = 0; i < a->n_threads; i++) {
		struct slu_thread *t = &a->threads[i];

		t->read_ns = t->write_ns = t->meta_ns = 0; /* not from runs then */
		if (t->max_events && !(t->events = calloc(t->max_events, sizeof(*t->events))))
			return slu_fail_memory();
	}
	return 0;
}

static int merge_events(struct slu_build *b, struct slu_thread *threads, size_t n, const struct slu_image *img)
{
	struct events_arg a = { .b = b, .img = img, .threads = threads, .n_threads = n };
	int r = make_event_room(&a);

	if (r == 0)
		r = slu_image_events(img, take_events, &a);
	for (size_t i = 0; r == 0 && i < n; i++) {
		struct slu_thread *t = &threads[i];
		bool sorted = true;

		for (size_t k = 1; k < t->n_events && sorted; k++)
			sorted = t->events[k - 1].begin <= t->events[k].begin;
		if (!sorted)
			slu_sort(t->events, t->n_events, sizeof(*t->events), compare_events);
	}
	return r;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static void note_header(struct slu_build *b, struct slu_prof_process *p, const struct slu_log_header *h)
{
	b->full += !!(h->flags & SLU_LOG_FULL);
	b->no_space += !!(h->flags & SLU_LOG_NO_SPACE);
	b->events_lost += !!(h->flags & SLU_LOG_EVENTS_LOST);
	b->other_threads += h->other_threads;
	b->killed += p->state == SLU_PROF_KILLED;
	p->flags = h->flags; /* a live one may have changed since */
	p->missed = h->missed;
}

int slu_build_merge(struct slu_build *b, size_t index, const struct slu_image *img)
{
	struct slu_prof_process *p = &b->p->processes[index];
	size_t first = b->n_threads;
	int r = 0;

	note_header(b, p, &img->header);
	b->cut += img->cut;
	for (size_t i = 0; r == 0 && i < img->n_chunks; i++) {
		if (img->chunks[i].kind == SLU_CHUNK_FILES)
			r = merge_files(b, index, img, &img->chunks[i]);
		else if (img->chunks[i].kind == SLU_CHUNK_THREAD)
			r = merge_threads(b, index, img, &img->chunks[i]);
	}
	if (r == 0 && img->header.flags & SLU_LOG_EVENTS && !(img->header.flags & SLU_LOG_EVENTS_LOST))
		r = merge_events(b, b->threads + first, b->n_threads - first, img);
	for (size_t i = first; i < b->n_threads; i++) {
		struct slu_thread *t = &b->threads[i];

		t->io_ns = t->read_ns + t->write_ns + t->meta_ns;
		add64(&p->io_ns, t->io_ns);
	}
	return r;
}
