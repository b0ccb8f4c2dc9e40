/* SPDX-License-Identifier: MIT */
/*
 * Planning a batch: which samples, where they are, how the batch is laid out, and what must come from storage.
 *
 * What is to be read is sorted by place, and neighbours become one read: an order that keeps neighbours together
 * (block, sequential) reads in large pieces.
 */
#include <stdlib.h>
#include <string.h>

#include "load/loader.h"
#include "pack/many.h"

enum {
	GAP = 4096,              /* bytes that are read for nothing rather than with two reads */
	MERGED = 1 << 20,        /* the most that neighbours grow to */
	SLICE_BYTES = 256 << 10, /* less is not worth another thread */
	SLICE_IMAGES = 4,
	STAGE_ALIGN = 64,
};

static int grow_job(struct slu_job *j, size_t n)
{
	if (n <= j->room)
		return 0;
	free(j->at);
	free(j->stored);
	free(j->slot);
	free(j->reads);
	j->at = malloc(n * sizeof(*j->at));
	j->stored = malloc(n * sizeof(*j->stored));
	j->slot = malloc(n * sizeof(*j->slot));
	j->reads = malloc(n * sizeof(*j->reads));
	j->room = j->at && j->stored && j->slot && j->reads ? n : 0;
	return j->room ? 0 : slu_fail_memory();
}

/* ---- which, and where ----------------------------------------------------------------------------------------------
 */

static bool ask_resident(void *arg, uint64_t i)
{
	struct slu_loader *l = arg;
	struct slu_sample s;

	return slu_pack_sample(l->pack, i, &s) == 0 && slu_is_resident(&l->residency, l->pack, &s);
}

static int pick(struct slu_loader *l, struct slu_job *j, uint64_t first, int64_t *samples)
{
	if (l->picker) {
		j->n = slu_order_pick(l->picker, ask_resident, l, j->n, (uint64_t *)samples);
		if (!j->picker_state && !(j->picker_state = malloc(SLU_ORDER_STATE_MAX)))
			return slu_fail_memory();
		j->picker_state_len = slu_order_picker_save(l->picker, j->picker_state);
		return 0;
	}
	for (size_t k = 0; k < j->n; k++)
		samples[k] = (int64_t)slu_order_at(&l->order, slu_order_share_at(&l->share, first + k));
	return 0;
}

/* A picker that was begun with another batch size has its batches elsewhere. */
static uint64_t picker_position(const struct slu_loader *l)
{
	uint64_t taken = l->share.samples - slu_order_picker_left(l->picker);

	return slu_min(l->share.start + taken * l->share.world, slu_max(l->share.n, l->share.start));
}

/* Where all of them are; one whose record is damaged has no bytes and is bad. */
static void locate(struct slu_loader *l, struct slu_job *j, const int64_t *samples)
{
	for (size_t k = 0; k < j->n;) {
		ssize_t r = slu_pack_locate_many(l->pack, samples + k, j->n - k, j->at + k);
		if (r < 0) {
			slu_job_set_lacks(j, k);
			slu_job_bad(l, j, k, (int)r);
			r = 1;
		}
		k += (size_t)r;
	}
}

/* Arrays must have the size that the pack's schema promises. */
static void check_sizes(struct slu_loader *l, struct slu_job *j, const int64_t *samples)
{
	uint64_t want = l->skip + l->sample_bytes;

	for (size_t k = 0; k < j->n; k++) {
		if (j->at[k].size == want || slu_job_lacks(j, k))
			continue;
		slu_job_bad(l, j, k,
		            slu_fail(-EBADMSG, "%s: sample %lld has %llu bytes, not the %llu of the pack's schema",
		                     l->pack->path, (long long)samples[k], (unsigned long long)j->at[k].size,
		                     (unsigned long long)want));
		slu_job_set_lacks(j, k);
	}
}

/* One by one only where that fails: then it is known whose label cannot be read. */
static void label(struct slu_loader *l, struct slu_job *j, const int64_t *samples)
{
	int64_t *labels = j->batch->labels;

	j->batch->info.labels = labels;
	if (slu_pack_values(l->pack, &l->label, samples, j->n, labels) == 0)
		return;
	for (size_t k = 0; k < j->n; k++) {
		int r = slu_pack_value(l->pack, &l->label, (uint64_t)samples[k], &labels[k]);
		if (r == 0 || slu_job_lacks(j, k))
			continue;
		slu_job_bad(l, j, k, r);
		slu_job_set_lacks(j, k);
	}
}

static int lay_out(struct slu_loader *l, struct slu_job *j)
{
	int64_t *offsets = j->batch->offsets, end = 0;

	for (size_t k = 0; k < j->n; k++) {
		offsets[k] = end;
		end += (int64_t)(l->fixed ? l->sample_bytes : j->at[k].size);
	}
	offsets[j->n] = end;
	return slu_batch_make_room(j->batch, l->skip, (size_t)end);
}

/* ---- what must be read
 * ------------------------------------------------------------------------------------------------ */

static size_t find_missing(struct slu_loader *l, struct slu_job *j)
{
	bool all = l->opt.io == SLU_LOAD_IO_URING || l->opt.io == SLU_LOAD_IO_PREAD;
	size_t n = 0;

	memset(j->stored, 0, j->n * sizeof(*j->stored));
	for (size_t k = 0; l->aio && k < j->n; k++)
		if (j->at[k].stored && (all || !slu_seems_resident(&l->residency, l->pack, &j->at[k])))
			j->slot[n++] = k;
	return n;
}

static int by_place(const void *a, const void *b, void *arg)
{
	const struct slu_sample *at = arg, *x = &at[*(const size_t *)a], *y = &at[*(const size_t *)b];

	if (x->shard != y->shard)
		return x->shard < y->shard ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool joins(const struct slu_sample *s, const struct slu_aio_read *r, uint32_t shard)
{
	uint64_t end = r->offset + r->len;

	return s->shard == shard && s->offset <= end + GAP && slu_max(end, s->offset + s->stored) - r->offset <= MERGED;
}

/* One read for neighbours. r->got is borrowed for where it goes in the stage. */
static void merge(struct slu_job *j, size_t missing)
{
	uint32_t shard = 0;

	j->nreads = j->stage_used = 0;
	for (size_t m = 0; m < missing; m++) {
		const struct slu_sample *s = &j->at[j->slot[m]];
		struct slu_aio_read *r = j->nreads ? &j->reads[j->nreads - 1] : NULL;
		if (!r || !joins(s, r, shard)) {
			if (r)
				j->stage_used = r->got + slu_up(r->len, STAGE_ALIGN);
			r = &j->reads[j->nreads++];
			*r = (struct slu_aio_read){ .owner = j, .offset = s->offset, .got = j->stage_used };
			shard = s->shard;
			r->fd = (int)shard; /* its descriptor comes later */
		}
		r->len = slu_max(r->len, s->offset + s->stored - r->offset);
		j->stored[j->slot[m]] = (const uint8_t *)(uintptr_t)(r->got + (s->offset - r->offset));
	}
	if (j->nreads)
		j->stage_used = j->reads[j->nreads - 1].got + j->reads[j->nreads - 1].len;
}

/* Places in the stage become addresses, shards descriptors. A shard that cannot be opened is left to whoever maps it:
 * then the failure is told for each sample. */
static int place(struct slu_loader *l, struct slu_job *j, size_t missing)
{
	size_t kept = 0;
	int r;

	slu_big_trim(&j->stage, &j->stage_len, j->stage_used);
	if ((r = slu_big_room(&j->stage, &j->stage_len, j->stage_used)) < 0)
		return r;
	for (size_t m = 0; m < missing; m++) {
		size_t k = j->slot[m];
		j->stored[k] = slu_residency_fd(&l->residency, l->pack, j->at[k].shard) < 0
		                       ? NULL
		                       : j->stage + (uintptr_t)j->stored[k];
	}
	for (size_t i = 0; i < j->nreads; i++) {
		struct slu_aio_read *rd = &j->reads[i];
		int fd = slu_residency_fd(&l->residency, l->pack, (uint32_t)rd->fd);
		if (fd < 0)
			continue;
		rd->fd = fd;
		rd->buf = j->stage + rd->got;
		j->reads[kept++] = *rd;
	}
	j->nreads = kept;
	return 0;
}

static int plan_reads(struct slu_loader *l, struct slu_job *j)
{
	size_t missing = find_missing(l, j);

	j->nreads = j->stage_used = 0;
	if (!missing)
		return 0;
	qsort_r(j->slot, missing, sizeof(*j->slot), by_place, j->at);
	merge(j, missing);
	return place(l, j, missing);
}

static size_t count_slices(const struct slu_loader *l, const struct slu_job *j)
{
	uint64_t n = l->opt.jpeg ? j->n / SLICE_IMAGES : j->batch->info.bytes / SLICE_BYTES;

	if (l->nworkers == 1)
		n = 1;
	return (size_t)slu_max(slu_min(n, j->n), 1);
}

static int plan(struct slu_loader *l, struct slu_job *j, uint64_t number)
{
	uint64_t first = number * l->opt.batch_size;
	int64_t *samples;
	int r;

	j->n = (size_t)slu_min(l->opt.batch_size,
	                       l->picker ? slu_order_picker_left(l->picker) : l->share.samples - first);
	if ((r = grow_job(j, j->n)) < 0 || (r = slu_batch_new(l->pool, j->n, &j->batch)) < 0)
		return r;
	samples = j->batch->samples;
	if ((r = pick(l, j, first, samples)) < 0)
		return r;
	j->batch->info.count = j->n;
	j->position = l->picker ? picker_position(l) : slu_order_share_next(&l->share, number + 1);
	j->batch->info.position = j->position;
	locate(l, j, samples);
	if (l->fixed && !l->opt.jpeg)
		check_sizes(l, j, samples);
	if (l->has_labels)
		label(l, j, samples);
	if ((r = lay_out(l, j)) < 0)
		return r;
	return plan_reads(l, j);
}

void slu_plan(struct slu_loader *l, struct slu_job *j, uint64_t number)
{
	int r = plan(l, j, number);

	j->slices = j->next_slice = j->slices_done = 0;
	if (r < 0) {
		j->error = r;
		free(j->message);
		j->message = strdup(slu_errmsg()); /* NULL: then without a sentence */
		j->nreads = j->reads_left = 0;
		j->state = SLU_JOB_DONE;
		return;
	}
	j->slices = count_slices(l, j);
	j->reads_left = j->nreads;
	j->state = j->nreads ? SLU_JOB_READING : SLU_JOB_WORKING;
}
