/* SPDX-License-Identifier: MIT */
/* See slices.h. */
#include "prof/slices.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"
#include "base/macros.h"
#include "prof/build.h"

struct walk {
	const struct slu_slice_fns *fns;
	void *arg;
	struct slu_slice slice;
};

static int give(struct walk *w, uint64_t begin, uint64_t end)
{
	w->slice.begin = slu_job_time(w->slice.process, begin);
	w->slice.ns = slu_job_time(w->slice.process, end) - w->slice.begin;
	return w->fns->slice(w->arg, &w->slice);
}

static int give_span(struct walk *w, const struct slu_log_span *s)
{
	if (!s->begin || s->end < s->begin)
		return 0; /* not filled in, or damage */
	w->slice.kind = SLU_SLICE_SPAN;
	w->slice.span = s;
	return give(w, s->begin, s->end);
}

/* Those that had not ended end with the process. */
static int open_spans(struct walk *w)
{
	const struct slu_log_thread *t = w->slice.thread;
	uint64_t end = w->slice.process->end - (uint64_t)w->slice.process->shift;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < slu_min(t->depth, SLU_SPAN_DEPTH); i++) {
		const struct slu_log_open_span *o = &t->open_spans[i];
		struct slu_log_span s = { .begin = o->begin,
			                  .end = slu_max(end, o->begin),
			                  .name = o->name,
			                  .kind = o->kind,
			                  .index = o->index,
			                  .count = 1 };

		r = give_span(w, &s);
	}
	return r;
}

static int thread_slices(struct walk *w, bool with_runs)
{
	const struct slu_log_thread *t = w->slice.thread;
	size_t n;
	const struct slu_log_span *spans = slu_image_spans(w->slice.img, t, &n);
	int r = w->fns->thread ? w->fns->thread(w->arg, w->slice.process, t) : 0;

	if (!w->fns->slice)
		return r;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = give_span(w, &spans[i]);
	if (r == 0)
		r = open_spans(w);
	if (r < 0 || !with_runs)
		return r;
	const struct slu_log_run *runs = slu_image_runs(w->slice.img, t, &n);

	w->slice.kind = SLU_SLICE_RUN;
	for (size_t i = 0; r == 0 && i < n; i++) {
		w->slice.run = &runs[i];
		if (runs[i].begin && runs[i].end >= runs[i].begin)
			r = give(w, runs[i].begin, runs[i].end);
	}
	return r;
}

/* The thread whose record is at @owner, or whose chunk's header is. */
static const struct slu_log_thread *thread_at(const struct slu_image *img, slu_ref owner)
{
	for (size_t i = 0; i < img->n_chunks; i++) {
		const struct slu_image_chunk *c = &img->chunks[i];
		uint64_t at = (uint64_t)owner * 8;
		size_t n;

		if (c->kind == SLU_CHUNK_THREAD && (at == c->at || at == c->at - sizeof(struct slu_log_chunk))) {
			const struct slu_log_thread *t = slu_image_records(img, c, sizeof(*t), &n);

			return n ? t : NULL;
		}
	}
	return NULL;
}

static int take_events(void *arg, slu_ref owner, const struct slu_log_event *events, size_t n)
{
	struct walk *w = arg;
	int r = 0;

	w->slice.thread = thread_at(w->slice.img, owner);
	w->slice.kind = SLU_SLICE_CALL;
	for (size_t i = 0; r == 0 && w->slice.thread && i < n; i++) {
		w->slice.event = &events[i];
		if (events[i].begin)
			r = give(w, events[i].begin, events[i].begin + events[i].ns);
	}
	return r;
}

static int log_slices(struct walk *w)
{
	const struct slu_image *img = w->slice.img;
	uint32_t flags = img->header.flags;
	int r = 0;

	for (size_t i = 0; r == 0 && i < img->n_chunks; i++) {
		size_t n;

		if (img->chunks[i].kind != SLU_CHUNK_THREAD)
			continue;
		w->slice.thread = slu_image_records(img, &img->chunks[i], sizeof(*w->slice.thread), &n);
		if (n)
			r = thread_slices(w, !(flags & SLU_LOG_EVENTS) || flags & SLU_LOG_EVENTS_LOST);
	}
	if (r == 0 && w->fns->slice && flags & SLU_LOG_EVENTS)
		r = slu_image_events(img, take_events, w);
	return r;
}

int slu_slices(const struct slu_prof *p, const struct slu_slice_fns *fns, void *arg)
{
	SLU_AUTO(fd) int dirfd = slu_openat(AT_FDCWD, p->job.directory, O_RDONLY | O_DIRECTORY, 0);
	struct walk w = { .fns = fns, .arg = arg };

	if (dirfd < 0)
		return slu_fail_sys(dirfd, "cannot open the trace %s", p->job.directory);
	for (size_t i = 0; i < p->n_processes; i++) {
		SLU_AUTO(image) struct slu_image *img = NULL;
		int r = slu_image_load_at(dirfd, p->processes[i].log, 0, &img);

		if (r == -ENOMEM)
			return r;
		if (r < 0)
			continue;
		w.slice = (struct slu_slice){ .img = img, .process = &p->processes[i] };
		r = log_slices(&w);
		if (r < 0)
			return r;
	}
	return 0;
}
