/* SPDX-License-Identifier: MIT */
/* Writing samples into shards. See writer.h; what comes after the last sample is in finish.c. */
#include "pack/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/hash.h"
#include "base/macros.h"
#include "base/parallel.h"
#include <sluice/pack.h>

enum {
	CHUNK_BYTES = 1 << 20, /* large enough to write well, small enough to share out */
	CHUNK_FILES = 256,
	STREAM_BYTES = 4 << 20, /* raw samples from here on pass through in pieces of this size */
};

#define CHECKPOINT_BYTES (UINT64_C(256) << 20)

struct worker {
	struct slu_source_reader *reader;
	struct slu_encoder *encoder;
	struct slu_hash_state *hash;
	struct slu_buf in, out;
	int fd; /* of shard @shard, or -1 */
	uint32_t shard;
};

struct writer {
	struct slu_writer_job *job;
	uint64_t *chunks; /* the first sample of each, and the end */
	uint64_t nchunks;
	struct worker *workers;
	unsigned nworkers;
	_Atomic bool npy_broken;

	pthread_mutex_t lock; /* all below */
	pthread_cond_t turned;
	uint64_t turn; /* the chunk whose turn it is to get its place */
	struct slu_cursor cursor;
	bool stopped;              /* somebody failed: do not wait for anyone */
	uint8_t *written;          /* per chunk */
	uint64_t prefix;           /* chunks written without a gap */
	uint64_t journaled;        /* samples */
	uint64_t since_checkpoint; /* bytes in the prefix beyond the journal */
	bool checkpointing;
	struct slu_progress progress;
};

/* A chunk on its way: samples @from .. @to - 1 and where they go. */
struct chunk {
	uint64_t number, from, to;
	uint32_t shard;
	uint64_t start[CHUNK_FILES];
};

static bool cancelled(const struct writer *w)
{
	return w->job->opt->cancel && *w->job->opt->cancel;
}

/* ---- chunks -------------------------------------------------------------------------------- */

static bool is_streamed(const struct writer *w, uint64_t i)
{
	const struct slu_listing *l = &w->job->c->l;
	const struct slu_chosen *chosen;

	if (l->samples[i].size < STREAM_BYTES)
		return false;
	chosen = slu_codecs_for(w->job->codecs, slu_listing_name(l, &l->samples[i]));
	return l->samples[i].size > SLU_COMPRESS_MAX || slu_code_codec(chosen->coding.code) == SLU_CODEC_RAW;
}

/* Neighbours of one shard; a sample that is large by itself is alone. */
static int make_chunks(struct writer *w)
{
	const struct slu_contents *c = w->job->c;
	uint64_t n = c->l.nsamples, bytes = 0, at = w->job->done;
	uint32_t shard = 0;

	w->chunks = malloc((n - at + 2) * sizeof(*w->chunks));
	if (!w->chunks)
		return slu_fail_memory();
	for (uint64_t i = at; i < n; i++) {
		uint64_t size = c->l.samples[i].size;
		bool new_shard = false;
		while (i >= slu_shard_last(c, shard)) {
			shard++;
			new_shard = true;
		}
		if (w->nchunks == 0 || new_shard || i - w->chunks[w->nchunks - 1] == CHUNK_FILES ||
		    bytes + size > CHUNK_BYTES) {
			w->chunks[w->nchunks++] = i;
			bytes = 0;
		}
		bytes += size;
	}
	w->chunks[w->nchunks] = n;
	w->written = calloc(w->nchunks + 1, 1);
	return w->written ? 0 : slu_fail_memory();
}

/* ---- places --------------------------------------------------------------------------------- */

/* Waits for the chunk's turn and gives its samples their places. 1: stopped meanwhile. */
static int take_places(struct writer *w, struct chunk *ch)
{
	int r = 0;

	pthread_mutex_lock(&w->lock);
	while (w->turn != ch->number && !w->stopped)
		pthread_cond_wait(&w->turned, &w->lock);
	if (w->stopped) {
		r = 1;
	} else {
		for (uint64_t i = ch->from; i < ch->to; i++)
			ch->start[i - ch->from] = slu_cursor_lay(&w->cursor, w->job->c, i);
		ch->shard = w->cursor.shard;
		w->job->c->shards[ch->shard].data_end = w->cursor.at;
		if (w->cursor.at >= SLU_LIMIT40)
			r = slu_fail(-EFBIG, "shard %u is larger than a shard may be (1 TiB); make more shards",
			             ch->shard);
		w->turn++;
		pthread_cond_broadcast(&w->turned);
	}
	pthread_mutex_unlock(&w->lock);
	return r;
}

static int worker_shard(struct writer *w, struct worker *k, uint32_t shard)
{
	char name[SLU_SHARD_NAME_MAX];
	int fd;

	if (k->fd >= 0 && k->shard == shard)
		return 0;
	if (k->fd >= 0)
		close(slu_take_fd(&k->fd));
	fd = slu_openat(w->job->dirfd, slu_shard_name(shard, name), O_RDWR | O_CREAT, 0666);
	if (fd < 0)
		return slu_fail_sys(fd, "cannot make %s of %s", name, w->job->dest);
	k->fd = fd;
	k->shard = shard;
	return 0;
}

static int put(struct writer *w, struct worker *k, const void *data, size_t n, uint64_t at)
{
	char what[SLU_PATH_MAX];
	int r;

	(void)snprintf(what, sizeof(what), "shard %u of %s", k->shard, w->job->dest); /* cut off at worst */
	if ((r = slu_pwrite(k->fd, data, n, at, what)) < 0)
		return r;
	/* Start writing it out now, so that the sync at the end finds little left to do. */
	if (n >= 65536)
		(void)sync_file_range(k->fd, (off_t)at, (off_t)n, SYNC_FILE_RANGE_WRITE); /* a hint */
	return 0;
}

/* ---- the journal ------------------------------------------------------------------------------ */

static int sync_shards(struct writer *w, uint32_t first, uint32_t last)
{
	char name[SLU_SHARD_NAME_MAX];

	for (uint32_t s = first; s <= last; s++) {
		SLU_AUTO(fd) int fd = slu_openat(w->job->dirfd, slu_shard_name(s, name), O_RDWR, 0);
		if (fd == -ENOENT)
			continue; /* no sample in it */
		if (fd < 0)
			return slu_fail_sys(fd, "cannot open %s of %s", name, w->job->dest);
		if (fdatasync(fd) < 0)
			return slu_fail_sys(-errno, "cannot sync %s of %s", name, w->job->dest);
	}
	return 0;
}

static uint32_t shard_of(const struct slu_contents *c, uint64_t i)
{
	uint32_t s = 0;

	while (i >= slu_shard_last(c, s))
		s++;
	return s;
}

/* Samples @from .. @to - 1 become part of what a later run can take over. */
static int journal(struct writer *w, uint64_t from, uint64_t to)
{
	const struct slu_contents *c = w->job->c;
	int r;

	if (from == to)
		return 0;
	if ((r = sync_shards(w, shard_of(c, from), shard_of(c, to - 1))) < 0)
		return r;
	return slu_journal_add(w->job->journal, from, c->stored + from, to - from,
	                       w->npy_broken ? SLU_JOURNAL_NPY_BROKEN : 0);
}

/* Called with the lock held; lets go of it while syncing, which one thread does at a time. */
static int checkpoint(struct writer *w)
{
	uint64_t limit = w->job->opt->checkpoint_bytes ? w->job->opt->checkpoint_bytes : CHECKPOINT_BYTES;
	uint64_t from = w->journaled, to = w->chunks[w->prefix];
	int r;

	if (w->checkpointing || w->since_checkpoint < limit)
		return 0;
	w->checkpointing = true;
	w->since_checkpoint = 0;
	pthread_mutex_unlock(&w->lock);
	r = journal(w, from, to);
	pthread_mutex_lock(&w->lock);
	w->journaled = r == 0 ? to : from;
	w->checkpointing = false;
	return r;
}

static int chunk_written(struct writer *w, const struct chunk *ch)
{
	const struct slu_contents *c = w->job->c;
	int r;

	pthread_mutex_lock(&w->lock);
	w->written[ch->number] = 1;
	while (w->prefix < w->nchunks && w->written[w->prefix]) {
		for (uint64_t i = w->chunks[w->prefix]; i < w->chunks[w->prefix + 1]; i++)
			w->since_checkpoint += c->stored[i].stored;
		w->prefix++;
	}
	w->progress.done_files += ch->to - ch->from;
	for (uint64_t i = ch->from; i < ch->to; i++)
		w->progress.done_bytes += c->l.samples[i].size;
	if (w->job->opt->progress)
		w->job->opt->progress(w->job->opt->arg, &w->progress);
	r = checkpoint(w);
	pthread_mutex_unlock(&w->lock);
	return r;
}

/* ---- samples ------------------------------------------------------------------------------------- */

static void look_for_schema(struct writer *w, const uint8_t *data, size_t n, uint64_t size)
{
	if (w->job->npy && !atomic_load_explicit(&w->npy_broken, memory_order_relaxed) &&
	    !slu_npy_same(w->job->npy, data, n, size))
		w->npy_broken = true;
}

/* Reads sample @i and appends it, encoded, to the worker's out buffer, which has room. */
static int encode_sample(struct writer *w, struct worker *k, uint64_t i)
{
	struct slu_contents *c = w->job->c;
	const struct slu_entry *e = &c->l.samples[i];
	const struct slu_chosen *chosen = slu_codecs_for(w->job->codecs, slu_listing_name(&c->l, e));
	bool raw = slu_code_codec(chosen->coding.code) == SLU_CODEC_RAW;
	uint8_t *out = k->out.data + k->out.len, *in = out;
	ssize_t len = 0;
	int r;

	if (!raw) {
		k->in.len = 0;
		if ((r = slu_buf_reserve(&k->in, e->size + 1)) < 0)
			return r;
		in = k->in.data;
	}
	if ((r = w->job->source->ops->read(k->reader, i, 0, in, e->size)) < 0)
		return r;
	look_for_schema(w, in, e->size, e->size);
	if (!raw) {
		len = slu_encode(k->encoder, &chosen->coding, chosen->dict, in, e->size, out);
		if (len < 0)
			return (int)len;
		if (len == 0)
			memcpy(out, in, e->size);
	}
	c->stored[i].stored = len ? (uint64_t)len : e->size;
	c->stored[i].code = len ? chosen->coding.code : 0;
	c->stored[i].hash = slu_hash64(out, c->stored[i].stored);
	k->out.len += c->stored[i].stored;
	return 0;
}

/* Writes a chunk that is in memory: neighbours without a gap between them in one go. */
static int put_chunk(struct writer *w, struct worker *k, const struct chunk *ch)
{
	const struct slu_stored *stored = w->job->c->stored + ch->from;
	uint64_t n = ch->to - ch->from, in_memory = 0;
	int r = worker_shard(w, k, ch->shard);

	for (uint64_t i = 0, j; i < n && r == 0; i = j) {
		uint64_t len = 0;
		for (j = i; j < n && ch->start[j] == ch->start[i] + len; j++)
			len += stored[j].stored;
		r = put(w, k, k->out.data + in_memory, len, ch->start[i]);
		in_memory += len;
	}
	return r;
}

static int write_in_memory(struct writer *w, struct worker *k, struct chunk *ch)
{
	uint64_t room = 1;
	int r;

	for (uint64_t i = ch->from; i < ch->to; i++)
		room += w->job->c->l.samples[i].size;
	k->out.len = 0;
	if ((r = slu_buf_reserve(&k->out, room)) < 0)
		return r;
	for (uint64_t i = ch->from; i < ch->to; i++)
		if ((r = encode_sample(w, k, i)) < 0)
			return r;
	if ((r = take_places(w, ch)) != 0)
		return r;
	return put_chunk(w, k, ch);
}

/* A large raw sample: its place is known before it is read. */
static int write_streamed(struct writer *w, struct worker *k, struct chunk *ch)
{
	struct slu_contents *c = w->job->c;
	uint64_t i = ch->from, size = c->l.samples[i].size;
	int r;

	c->stored[i] = (struct slu_stored){ .stored = size };
	k->out.len = 0;
	if ((r = slu_buf_reserve(&k->out, STREAM_BYTES)) < 0 || (r = take_places(w, ch)) != 0 ||
	    (r = worker_shard(w, k, ch->shard)) < 0)
		return r;
	slu_hash_reset(k->hash);
	for (uint64_t at = 0; at < size; at += STREAM_BYTES) {
		size_t n = slu_min(STREAM_BYTES, size - at);
		if (cancelled(w))
			return slu_fail(-ECANCELED, "interrupted");
		if ((r = w->job->source->ops->read(k->reader, i, at, k->out.data, n)) < 0)
			return r;
		if (at == 0)
			look_for_schema(w, k->out.data, n, size);
		slu_hash_add(k->hash, k->out.data, n);
		if ((r = put(w, k, k->out.data, n, ch->start[0] + at)) < 0)
			return r;
	}
	c->stored[i].hash = slu_hash_end(k->hash);
	return 0;
}

static void stop(struct writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->stopped = true;
	pthread_cond_broadcast(&w->turned);
	pthread_mutex_unlock(&w->lock);
}

static int write_item(void *arg, unsigned worker, uint64_t item)
{
	struct writer *w = arg;
	struct worker *k = &w->workers[worker];
	struct chunk ch = { .number = item, .from = w->chunks[item], .to = w->chunks[item + 1] };
	int r;

	if (cancelled(w))
		r = slu_fail(-ECANCELED, "interrupted");
	else if (ch.to - ch.from == 1 && is_streamed(w, ch.from))
		r = write_streamed(w, k, &ch);
	else
		r = write_in_memory(w, k, &ch);
	if (r == 0)
		r = chunk_written(w, &ch);
	if (r < 0)
		stop(w);
	return r > 0 ? 0 : r; /* who was only stopped has nothing to report */
}

/* ---- all together ------------------------------------------------------------------------------------ */

static int start_workers(struct writer *w)
{
	w->nworkers = slu_threads(w->job->opt->threads);
	w->workers = calloc(w->nworkers, sizeof(*w->workers));
	if (!w->workers)
		return slu_fail_memory();
	for (unsigned i = 0; i < w->nworkers; i++)
		w->workers[i].fd = -1;
	for (unsigned i = 0; i < w->nworkers; i++) {
		struct worker *k = &w->workers[i];
		int r = w->job->source->ops->reader_new(w->job->source, &w->job->c->l, &k->reader);
		if (r < 0 || (r = slu_encoder_new(&k->encoder)) < 0 || (r = slu_hash_new(&k->hash)) < 0)
			return r;
	}
	return 0;
}

static void free_workers(struct writer *w)
{
	for (unsigned i = 0; w->workers && i < w->nworkers; i++) {
		struct worker *k = &w->workers[i];
		w->job->source->ops->reader_free(k->reader);
		slu_encoder_free(k->encoder);
		slu_hash_free(k->hash);
		slu_buf_done(&k->in);
		slu_buf_done(&k->out);
		if (k->fd >= 0)
			close(k->fd);
	}
	free(w->workers);
}

int slu_write_samples(struct slu_writer_job *job)
{
	struct writer w = { .job = job, .lock = PTHREAD_MUTEX_INITIALIZER, .turned = PTHREAD_COND_INITIALIZER };
	int r;

	w.npy_broken = job->npy_broken;
	w.journaled = job->done;
	w.progress = (struct slu_progress){ .phase = SLU_PHASE_WRITE,
		                            .total_files = job->c->l.nsamples,
		                            .total_bytes = job->c->l.nbytes,
		                            .done_files = job->done };
	for (uint64_t i = 0; i < job->done; i++)
		w.progress.done_bytes += job->c->l.samples[i].size;
	slu_write_place(job, &w.cursor);
	if ((r = make_chunks(&w)) == 0 && (r = start_workers(&w)) == 0)
		r = slu_parallel(w.nworkers, w.nchunks, write_item, &w);
	/* Interrupted: save what there is. If that fails too, the older journal still holds. */
	if (r == -ECANCELED && journal(&w, w.journaled, w.chunks[w.prefix]) == 0)
		w.journaled = w.chunks[w.prefix];
	if (r == -ECANCELED)
		(void)slu_fail(r, "interrupted after %llu of %llu files; --resume goes on from there",
		               (unsigned long long)w.journaled, (unsigned long long)job->c->l.nsamples);
	job->npy_broken = w.npy_broken;
	free_workers(&w);
	free(w.chunks);
	free(w.written);
	pthread_mutex_destroy(&w.lock);
	pthread_cond_destroy(&w.turned);
	return r;
}
