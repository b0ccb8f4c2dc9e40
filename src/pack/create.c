/* SPDX-License-Identifier: MIT */
/*
 * Making a pack: list the source, decide, write, finish, publish. Each step is a file of
 * its own; this one is their order and what happens when one of them fails.
 */
#include <sluice/create.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/macros.h"
#include "base/options.h"
#include "pack/choose.h"
#include "pack/labels.h"
#include "pack/staging.h"
#include "pack/writer.h"

#define DEFAULT_SHARD_BYTES (UINT64_C(8) << 30)

struct creation {
	const struct slu_create_options *opt;
	const char *dest;
	struct slu_source *source;
	struct slu_staging staging;
	struct slu_contents c;
	struct slu_codecs codecs;
	struct slu_npy npy;
	struct slu_journal journal;
	struct slu_writer_job job;
};

static void tell(const struct creation *cr, enum slu_phase phase)
{
	struct slu_progress pr = { .phase = phase, .total_files = cr->c.l.nsamples, .total_bytes = cr->c.l.nbytes };

	if (phase == SLU_PHASE_FINISH) {
		pr.done_files = pr.total_files;
		pr.done_bytes = pr.total_bytes;
	}
	if (cr->opt->progress)
		cr->opt->progress(cr->opt->arg, &pr);
}

/* A pack inside its own source would be packed into itself. */
static int check_apart(const char *source, const char *dest)
{
	SLU_AUTO(mem) char *dir = realpath(source, NULL), *parent = NULL, *copy = strdup(dest);
	size_t n;
	char *slash;

	if (!copy)
		return slu_fail_memory();
	if (!dir)
		return errno == ENOMEM ? slu_fail_memory()
		                       : slu_fail_sys(-errno, "cannot open the directory %s", source);
	n = strlen(copy);
	while (n > 1 && copy[n - 1] == '/')
		copy[--n] = 0;
	slash = strrchr(copy, '/');
	if (slash)
		*(slash == copy ? slash + 1 : slash) = 0;
	parent = realpath(slash ? copy : ".", NULL);
	if (!parent)
		return errno == ENOMEM ? slu_fail_memory()
		                       : slu_fail_sys(-errno, "cannot open the directory %s", slash ? copy : ".");
	n = strlen(dir);
	if (strncmp(parent, dir, n) == 0 && (parent[n] == 0 || parent[n] == '/' || dir[n - 1] == '/'))
		return slu_fail(-EINVAL, "%s would be inside %s, the directory that it is made from", dest, source);
	return 0;
}

/* ---- plan ------------------------------------------------------------------------------------ */

static void tell_listed(void *arg, uint64_t files)
{
	const struct creation *cr = arg;
	struct slu_progress pr = { .phase = SLU_PHASE_LIST, .done_files = files };

	if (cr->opt->progress)
		cr->opt->progress(cr->opt->arg, &pr);
}

static int list(struct creation *cr)
{
	struct slu_source_list_options o = { .threads = cr->opt->threads,
		                             .skip_special = cr->opt->skip_special,
		                             .progress = tell_listed,
		                             .arg = cr,
		                             .cancel = cr->opt->cancel };
	int r = cr->source->ops->list(cr->source, &o, &cr->c.l);

	if (r < 0)
		return r;
	cr->c.stored = calloc(cr->c.l.nsamples + 1, sizeof(*cr->c.stored));
	return cr->c.stored ? 0 : slu_fail_memory();
}

/* Shards are cut at samples so that each has about the same number of bytes; a sample counts
 * one byte more than it has, so that empty ones spread too. */
static int cut_shards(struct creation *cr)
{
	uint64_t limit = cr->opt->shard_bytes ? cr->opt->shard_bytes : DEFAULT_SHARD_BYTES;
	uint64_t total = cr->c.l.nbytes + cr->c.l.nsamples, sum = 0, sample = 0;
	uint64_t n = cr->opt->shards ? cr->opt->shards : (cr->c.l.nbytes + limit - 1) / limit;

	n = slu_max(slu_min(n, cr->c.l.nsamples), 1);
	if (n > SLU_MAX_SHARDS)
		return slu_fail(-EINVAL, "%llu shards are too many (at most %d)", (unsigned long long)n,
		                SLU_MAX_SHARDS);
	cr->c.shards = calloc(n, sizeof(*cr->c.shards));
	if (!cr->c.shards)
		return slu_fail_memory();
	cr->c.nshards = (uint32_t)n;
	for (uint64_t s = 1; s < n; s++) {
		uint64_t target = (uint64_t)((unsigned __int128)total * s / n);
		/* A sample goes to the side that its middle is on. */
		while (sample < cr->c.l.nsamples && sum + (cr->c.l.samples[sample].size + 1) / 2 < target)
			sum += cr->c.l.samples[sample++].size + 1;
		cr->c.shards[s].first = sample;
	}
	return 0;
}

static int write_notes(struct creation *cr)
{
	char word[16], text[32];
	int r = slu_codec_word(cr->opt->codec, word);

	if (r < 0)
		return r;
	r = snprintf(text, sizeof(text), "codec=%s\n", word); /* always fits */
	return slu_buf_add(&cr->c.notes, text, (size_t)r);
}

/* If every name ends in .npy, the first file tells what the others must be like. */
static int find_schema(struct creation *cr)
{
	const struct slu_listing *l = &cr->c.l;
	struct slu_source_reader *reader;
	SLU_AUTO(mem) uint8_t *head = NULL;
	size_t n;
	int r;

	for (uint64_t i = 0; i < l->nsamples; i++) {
		const char *name = slu_listing_name(l, &l->samples[i]);
		size_t len = strlen(name);
		if (len < 4 || strcmp(name + len - 4, ".npy") != 0 || l->samples[i].size != l->samples[0].size)
			return 0;
	}
	if (!l->nsamples || !l->samples[0].size)
		return 0;
	n = slu_min(l->samples[0].size, 65536);
	head = malloc(n);
	if (!head)
		return slu_fail_memory();
	if ((r = cr->source->ops->reader_new(cr->source, l, &reader)) < 0)
		return r;
	r = cr->source->ops->read(reader, 0, 0, head, n);
	cr->source->ops->reader_free(reader);
	if (r == 0)
		r = slu_npy_recognise(&cr->npy, head, n, l->samples[0].size);
	if (r > 0)
		cr->job.npy = &cr->npy;
	return r < 0 ? r : 0;
}

static int choose(struct creation *cr)
{
	struct slu_choose_options o = {
		.codec = cr->opt->codec, .choice = cr->opt->choice, .arg = cr->opt->arg, .cancel = cr->opt->cancel
	};
	int r = slu_codecs_choose(&cr->codecs, cr->source, &cr->c.l, &o);

	return r < 0 ? r : slu_buf_add(&cr->c.dicts, cr->codecs.dicts.data, cr->codecs.dicts.len);
}

/* What an interrupted run must have had in common with this one for its bytes to serve. */
static int plan_hash(const struct creation *cr, uint8_t ret_hash[16])
{
	const struct slu_listing *l = &cr->c.l;
	const struct {
		const void *data;
		size_t len;
	} parts[] = {
		{ l->names.data, l->names.len },
		{ l->dirs, l->ndirs * sizeof(*l->dirs) },
		{ l->samples, l->nsamples * sizeof(*l->samples) },
		{ l->links, l->nlinks * sizeof(*l->links) },
		{ l->attrs, l->nattrs * sizeof(*l->attrs) },
		{ cr->c.notes.data, cr->c.notes.len },
		{ cr->c.dicts.data, cr->c.dicts.len },
	};
	SLU_AUTO(buf) struct slu_buf all = { 0 };
	int r = 0;

	for (size_t i = 0; i < SLU_ARRAY_SIZE(parts) && r == 0; i++) {
		uint8_t h[16];
		slu_hash128(parts[i].data, parts[i].len, h);
		r = slu_buf_add(&all, h, sizeof(h));
	}
	for (uint32_t s = 0; s < cr->c.nshards && r == 0; s++)
		r = slu_buf_add(&all, &cr->c.shards[s].first, sizeof(uint64_t));
	if (r == 0)
		slu_hash128(all.data, all.len, ret_hash);
	return r;
}

static int plan(struct creation *cr)
{
	int r;

	if ((r = list(cr)) < 0 || (r = cut_shards(cr)) < 0 || (r = write_notes(cr)) < 0 ||
	    (cr->opt->labels && (r = slu_labels_add(&cr->c, cr->opt->labels)) < 0) || (r = find_schema(cr)) < 0)
		return r;
	tell(cr, SLU_PHASE_CHOOSE);
	return choose(cr);
}

/* ---- carrying it out ------------------------------------------------------------------------------ */

/* Takes over what an interrupted run has written, as far as it is sound. */
static int take_over(struct creation *cr, const uint8_t plan[16])
{
	uint64_t flags = 0, told;
	int r = slu_journal_load(&cr->journal, cr->staging.fd, plan, cr->c.stored, cr->c.l.nsamples, &cr->job.done,
	                         &flags);

	if (r < 0)
		return r;
	told = cr->job.done;
	cr->job.npy_broken = flags & SLU_JOURNAL_NPY_BROKEN;
	if ((r = slu_write_take_over(&cr->job)) < 0 || (told && told == cr->job.done))
		return r;
	/* The journal told of more, or of something else: a new one tells what is there. */
	slu_journal_close(&cr->journal);
	if (!cr->job.done && (r = slu_staging_clear(&cr->staging)) < 0)
		return r;
	if ((r = slu_journal_create(&cr->journal, cr->staging.fd, plan)) < 0 || !cr->job.done)
		return r;
	return slu_journal_add(&cr->journal, 0, cr->c.stored, cr->job.done, flags);
}

static int begin(struct creation *cr)
{
	uint8_t plan[16];
	int r = plan_hash(cr, plan);

	if (r < 0)
		return r;
	if (cr->staging.found)
		return take_over(cr, plan);
	return slu_journal_create(&cr->journal, cr->staging.fd, plan);
}

static int carry_out(struct creation *cr, struct slu_create_result *res)
{
	int r;

	cr->job.source = cr->source;
	cr->job.c = &cr->c;
	cr->job.codecs = &cr->codecs;
	cr->job.opt = cr->opt;
	cr->job.dest = cr->dest;
	cr->job.dirfd = cr->staging.fd;
	cr->job.journal = &cr->journal;
	if ((r = begin(cr)) < 0)
		return r;
	res->resumed_files = cr->job.done;
	if ((r = slu_write_samples(&cr->job)) < 0)
		return r;
	tell(cr, SLU_PHASE_FINISH);
	if (cr->job.npy && !cr->job.npy_broken &&
	    (r = slu_buf_add(&cr->c.schema, cr->npy.schema.data, cr->npy.schema.len)) < 0)
		return r;
	if ((r = slu_write_finish(&cr->job, &res->disk_bytes, res->identity)) < 0)
		return r;
	return slu_staging_publish(&cr->staging);
}

static void fill_result(const struct creation *cr, struct slu_create_result *res)
{
	res->files = cr->c.l.nsamples;
	res->dirs = cr->c.l.ndirs;
	res->links = cr->c.l.nlinks;
	res->raw_bytes = cr->c.l.nbytes;
	res->shards = cr->c.nshards;
	res->skipped = cr->c.l.skipped;
}

int slu_create(const char *source, const char *dest, const struct slu_create_options *opt,
               struct slu_create_result *ret_result)
{
	struct slu_create_options o;
	struct creation cr = { .opt = &o, .dest = dest };
	struct slu_create_result res = { 0 };
	char word[16];
	int r = slu_options_take(opt, sizeof(o), sizeof(o), &o);

	if (r < 0)
		return r;
	cr.staging.fd = cr.staging.parentfd = cr.journal.fd = -1;
	if ((r = slu_codec_word(cr.opt->codec, word)) == 0 && (r = check_apart(source, dest)) == 0 &&
	    (r = slu_source_dir(source, &cr.source)) == 0 &&
	    (r = slu_staging_open(&cr.staging, dest, cr.opt->force, cr.opt->resume)) == 0 && (r = plan(&cr)) == 0)
		r = carry_out(&cr, &res);
	if (r == 0)
		fill_result(&cr, &res);
	slu_journal_close(&cr.journal);
	/* Whoever asked to be able to resume, or was interrupted, keeps what is there. */
	slu_staging_close(&cr.staging, cr.opt->resume || r == -ECANCELED);
	slu_npy_done(&cr.npy);
	slu_codecs_done(&cr.codecs);
	slu_contents_done(&cr.c);
	slu_source_close(cr.source);
	if (r == 0)
		*ret_result = res;
	return r;
}
