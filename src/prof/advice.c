/* SPDX-License-Identifier: MIT */
/*
 * Advice: rules, each a function of the model that either has nothing to say or says what it saw, with numbers, what to
 * do, and what that would bring. Thresholds have names, and the reasons stand with them.
 *
 * A gain is an estimate of wall time of the mean rank. What time in calls is worth there: calls of several threads
 * overlap, and part of them is hidden, so the sum over calls is scaled by exposed I/O / I/O in all.
 */
#include "prof/build.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/macros.h"
#include "base/size.h"

/* Fewer files than this are opened in a blink. */
#define MANY_FILES 1000
#define SMALL_FILES_SHARE 0.8
#define SERVED_SHARE 0.5
/* What a copy out of a pack in memory does at least, bytes a second: slower reads have something to gain. */
#define PACK_RATE 1e9
/* Below this share of wall time nothing is worth a change. */
#define WORTH 0.02
#define WORTH_MUCH 0.15
#define META_SHARE 0.3
#define ONE_READ 1.5
/* Read again so often that keeping the data in memory pays. */
#define REREADS 1.8
/* What the data may take of the memory. */
#define MEMORY_SHARE 0.5
/* Faster than this it comes from memory already, bytes a second of one thread. */
#define CACHED_RATE 1.5e9
#define IMBALANCE 1.5
#define STALLED 0.1
#define NOT_STALLED 0.05
#define BUSY 0.7
#define IDLE 0.2
#define MANY_READERS 4
#define HIDDEN_PART 0.5
#define CHECKPOINT_SHARE 0.03
#define HDF5_OPENS 16
#define HDF5_MIN 200

const char *slu_prof_severity_name(unsigned severity)
{
	static const char *const names[] = { "fine", "low", "medium", "high" };

	return severity < SLU_ARRAY_SIZE(names) ? names[severity] : "low";
}

static double mean(const struct slu_prof *p, enum slu_prof_metric m)
{
	return p->stats[m].mean;
}

/* @ns in calls on data, as wall time of the mean rank: its exposed part. */
static double worth(const struct slu_prof *p, double ns)
{
	double all = mean(p, SLU_METRIC_IO) * (double)p->n_ranks;

	return all > 0 ? fmin(ns / 1e9 / all, 1) * mean(p, SLU_METRIC_EXPOSED) : 0;
}

static void gain(const struct slu_prof *p, struct slu_prof_advice *a, double seconds)
{
	double wall = mean(p, SLU_METRIC_WALL);

	a->gain_ns = (uint64_t)(fmax(seconds, 0) * 1e9);
	a->gain_share = wall > 0 ? fmax(seconds, 0) / wall : 0;
	a->severity = a->gain_share >= WORTH_MUCH ? SLU_ADVICE_HIGH
	              : a->gain_share >= WORTH    ? SLU_ADVICE_MEDIUM
	                                          : SLU_ADVICE_LOW;
}

static const char *root_of(const struct slu_prof *p)
{
	return *p->access.root ? p->access.root : "DATA";
}

/* As a word for a shell; "" where there is no memory. */
__attribute__((format(printf, 2, 3))) static const char *word(const struct slu_prof *p, const char *fmt, ...)
{
	SLU_AUTO(buf) struct slu_buf b = { 0 };
	char text[PATH_MAX + 512];
	const char *stored = NULL;
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap); /* cut off at worst */
	va_end(ap);
	if (slu_add_shell_word(&b, text) == 0)
		stored = slu_store_strn(p->store, (const char *)b.data, b.len);
	return stored ? stored : "";
}

static const char *pack_command(const struct slu_prof *p, bool run)
{
	const char *dir = root_of(p), *slash = strrchr(dir, '/'), *base = slash && slash[1] ? slash + 1 : "data";
	const char *root = word(p, "%s", dir), *pack = word(p, "%s.slu", base);

	if (!run)
		return slu_store_fmt(p->store, "sluice pack %s -o %s", root, pack);
	return slu_store_fmt(p->store, "sluice pack %s -o %s && sluice run %s -- %s", root, pack,
	                     word(p, "%s.slu:%s", base, dir), *p->job.command ? p->job.command : "PROGRAM");
}

/* Whether the data comes out of a pack already. */
static bool is_packed(const struct slu_prof *p)
{
	return p->access.served_files && (double)p->access.served_files >= SERVED_SHARE * (double)p->access.data_files;
}

/* ---- the rules --------------------------------------------------------------------------------------------------- */

/* Time that a pack would save: all that is not reading, and reading as far as it is slower than a copy. */
static double pack_saves(const struct slu_prof_access *a)
{
	return (double)a->meta_ns + fmax(0, (double)a->read_ns - (double)a->read_bytes / PACK_RATE * 1e9);
}

static bool small_files(const struct slu_prof *p, struct slu_prof_advice *ret)
{
	const struct slu_prof_access *a = &p->access;
	char per[16];

	if (a->data_files < MANY_FILES || (double)a->small_files < SMALL_FILES_SHARE * (double)a->data_files)
		return false;
	gain(p, ret, worth(p, pack_saves(a)));
	ret->id = "small-files";
	ret->title = "Many small files: pack them";
	ret->evidence =
		slu_store_fmt(p->store,
	                      "%" PRIu64 " of %" PRIu64 " data files are small (%s an open); %.2f s went into "
	                      "opening, looking up and closing, %.2f s into reading them.",
	                      a->small_files, a->data_files,
	                      slu_size_format((uint64_t)(isnan(a->bytes_per_open) ? 0 : a->bytes_per_open), per),
	                      (double)a->meta_ns / 1e9, (double)a->read_ns / 1e9);
	ret->action = "Pack the directory once; the program sees the same files, out of a few large ones.";
	ret->command = pack_command(p, true);
	ret->how = "calls that are not reads, and reads beyond 1 GB/s, times the part of I/O that is exposed";
	return true;
}

static const struct slu_prof_call *slowest_meta(const struct slu_prof *p)
{
	for (size_t i = 0; i < p->n_calls; i++) {
		enum slu_family f = slu_call_family(p->calls[i].call);

		if (f != SLU_FAMILY_READ && f != SLU_FAMILY_WRITE)
			return &p->calls[i];
	}
	return NULL;
}

static bool metadata(const struct slu_prof *p, struct slu_prof_advice *ret)
{
	const struct slu_prof_access *a = &p->access;
	const struct slu_prof_call *c = slowest_meta(p);
	double wall = mean(p, SLU_METRIC_WALL) * (double)p->n_ranks;

	if (is_packed(p) || !(a->meta_share >= META_SHARE) || !c || (double)a->meta_ns / 1e9 < WORTH * wall)
		return false;
	gain(p, ret, worth(p, (double)a->meta_ns));
	ret->id = "metadata";
	ret->title = "Much of the I/O is not reading: metadata calls";
	ret->evidence =
		slu_store_fmt(p->store,
	                      "%.0f %% of the time in calls on data (%.2f s) is in calls that move no data; most "
	                      "of it in %s (%" PRIu64 " calls).",
	                      100 * a->meta_share, (double)a->meta_ns / 1e9, c->name, c->count);
	ret->action =
		"List and stat once, not each epoch; keep files open; or pack the data, which answers these calls "
		"without the file system.";
	ret->command = pack_command(p, false);
	ret->how = "all of that time, times the part of I/O that is exposed";
	return true;
}

static bool one_read(const struct slu_prof *p, struct slu_prof_advice *ret)
{
	const struct slu_prof_access *a = &p->access;

	if (a->opens < MANY_FILES || a->data_files < MANY_FILES || !(a->reads_per_open <= ONE_READ))
		return false;
	gain(p, ret, 0);
	ret->id = "one-read";
	ret->title = "Each open serves one read";
	ret->evidence =
		slu_store_fmt(p->store,
	                      "%" PRIu64 " opens and %" PRIu64 " stats for %.2f reads an open: files are opened, read "
	                      "once and closed.",
	                      a->opens, a->stats, a->reads_per_open);
	ret->action = "Read samples by number with the loader: whole batches, without a call for each file.";
	ret->command = is_packed(p) ? "" : pack_command(p, false);
	ret->how = "";
	return true;
}

static bool rereads(const struct slu_prof *p, struct slu_prof_advice *ret)
{
	const struct slu_prof_access *a = &p->access;
	double rate = a->read_ns ? (double)a->read_bytes * 1e9 / (double)a->read_ns : 0;
	char once[16], memory[16];

	if (is_packed(p) || !(a->rereads >= REREADS) || rate >= CACHED_RATE ||
	    (double)a->distinct_bytes > MEMORY_SHARE * (double)a->memory_bytes ||
	    worth(p, (double)a->read_ns) < WORTH * mean(p, SLU_METRIC_WALL))
		return false;
	gain(p, ret, worth(p, (double)a->read_ns * (1 - 1 / a->rereads)));
	ret->id = "rereads";
	ret->title = "The same data is read again and again, and would fit in memory";
	ret->evidence = slu_store_fmt(
		p->store, "Data was read %.1f times over, at %.0f MB/s; it is about %s, and this machine has %s.",
		a->rereads, rate / 1e6, slu_size_format(a->distinct_bytes, once),
		slu_size_format(a->memory_bytes, memory));
	ret->action =
		"Pack it: a pack is shared by all processes through the page cache, smaller where it compresses, and "
		"read ahead in order.";
	ret->command = pack_command(p, false);
	ret->how = "the reading of all passes but the first, times the part of I/O that is exposed";
	return true;
}

static bool imbalance(const struct slu_prof *p, struct slu_prof_advice *ret)
{
	const struct slu_prof_access *a = &p->access;

	if (a->readers < 2 || !(a->reader_imbalance >= IMBALANCE))
		return false;
	gain(p, ret, mean(p, SLU_METRIC_EXPOSED) * (1 - 1 / a->reader_imbalance));
	if (ret->severity > SLU_ADVICE_MEDIUM)
		ret->severity = SLU_ADVICE_MEDIUM;
	ret->id = "imbalance";
	ret->title = "Workers are unbalanced";
	ret->evidence =
		slu_store_fmt(p->store, "Of the %u processes that read in rank %d, one read %.1f times the mean.",
	                      a->readers, a->imbalance_rank, a->reader_imbalance);
	ret->action =
		"Give workers single samples or batches in turn rather than fixed parts of the data, and shuffle before "
		"dividing.";
	ret->command = "";
	ret->how = "exposed I/O, if all read as much as the mean";
	return true;
}

static bool few_workers(const struct slu_prof *p, struct slu_prof_advice *ret)
{
	const struct slu_prof_access *a = &p->access;

	if (p->answer.how == SLU_STALL_BOUND || p->answer.stall_share < STALLED || a->readers < 1 ||
	    !(a->reader_busy >= BUSY))
		return false;
	gain(p, ret, p->answer.stall_share * mean(p, SLU_METRIC_WALL) / 2);
	ret->id = "few-workers";
	ret->title = "Too few workers: training waits while all of them are busy";
	ret->evidence = slu_store_fmt(
		p->store,
		"%.0f %% of the time is waiting, and the %u readers of a rank are busy for %.0f %% of theirs.",
		100 * p->answer.stall_share, a->readers, 100 * a->reader_busy);
	ret->action = slu_store_fmt(
		p->store, "Try num_workers=%u, as far as there are cores; or let each read cost less.", a->readers * 2);
	ret->command = "";
	ret->how = "half the waiting, if twice as many share the work";
	return ret->action != NULL;
}

static bool many_workers(const struct slu_prof *p, struct slu_prof_advice *ret)
{
	const struct slu_prof_access *a = &p->access;
	unsigned enough;

	if (p->answer.how == SLU_STALL_BOUND || p->answer.stall_share >= NOT_STALLED || a->readers < MANY_READERS ||
	    !(a->reader_busy <= IDLE))
		return false;
	enough = (unsigned)slu_max(1, (uint64_t)ceil((double)a->readers * a->reader_busy * 2));
	ret->severity = SLU_ADVICE_LOW;
	ret->id = "many-workers";
	ret->title = "More workers than are needed";
	ret->evidence = slu_store_fmt(
		p->store, "The %u readers of a rank are busy for %.0f %% of their time, and training does not wait.",
		a->readers, 100 * a->reader_busy);
	ret->action = slu_store_fmt(p->store, "num_workers=%u would do; the others take memory and cores.", enough);
	ret->command = ret->how = "";
	return ret->action != NULL;
}

static bool hidden(const struct slu_prof *p, struct slu_prof_advice *ret)
{
	const struct slu_prof_answer *a = &p->answer;
	double all = a->hidden_share + a->exposed_share;

	if (a->how == SLU_STALL_BOUND || a->stall_share >= NOT_STALLED || a->exposed_share >= NOT_STALLED ||
	    !(a->compute_share > 0.5) || (all > 0.01 && a->hidden_share < HIDDEN_PART * all))
		return false;
	ret->severity = SLU_ADVICE_FINE;
	ret->id = "hidden";
	ret->title = "I/O is hidden already: nothing to gain from faster files";
	ret->evidence = slu_store_fmt(
		p->store, "Training computes for %.1f %% of the time; I/O that it does not hide takes %.1f %%.",
		100 * a->compute_share, 100 * a->exposed_share);
	ret->action = "Leave the input as it is.";
	ret->command = ret->how = "";
	return true;
}

static bool checkpoint(const struct slu_prof *p, struct slu_prof_advice *ret)
{
	double spans = 0, writes = 0, wall = mean(p, SLU_METRIC_WALL), lost;

	for (size_t i = 0; i < p->n_ranks; i++) {
		spans += (double)p->ranks[i].exposed_checkpoint_ns / 1e9 / (double)p->n_ranks;
		writes += (double)p->ranks[i].exposed_write_ns / 1e9 / (double)p->n_ranks;
	}
	lost = fmax(spans, writes);
	if (p->answer.how == SLU_STALL_BOUND && spans == 0)
		return false;
	if (!(wall > 0) || lost < CHECKPOINT_SHARE * wall)
		return false;
	gain(p, ret, lost);
	if (ret->severity > SLU_ADVICE_MEDIUM)
		ret->severity = SLU_ADVICE_MEDIUM;
	ret->id = "checkpoint";
	ret->title = "Writing checkpoints stalls training";
	ret->evidence =
		slu_store_fmt(p->store,
	                      "A rank spends %.2f s in checkpoint spans and %.2f s in writes while nothing computes: "
	                      "%.0f %% of its time.",
	                      spans, writes, 100 * lost / wall);
	ret->action =
		"Copy the state in memory and write it from another thread; write less often; let one rank of a node write.";
	ret->command = "";
	ret->how = "all of that time, if writing goes on beside computing";
	return true;
}

static bool is_hdf5(const struct slu_prof_file *f)
{
	static const char *const ends[] = { ".h5", ".hdf5", ".hdf" };

	if (f->flags & SLU_FILE_HDF5)
		return true;
	for (size_t i = 0; i < SLU_ARRAY_SIZE(ends); i++) {
		size_t n = strlen(ends[i]);

		if (f->name_len > n && strcmp(f->name + f->name_len - n, ends[i]) == 0)
			return true;
	}
	return false;
}

static bool hdf5(const struct slu_prof *p, struct slu_prof_advice *ret)
{
	uint64_t files = 0, opens = 0, ns = 0;
	const struct slu_prof_file *most = NULL;

	for (size_t i = 0; i < p->n_by_time; i++) {
		const struct slu_prof_file *f = &p->files[p->by_time[i]];

		/* Each process that uses it must open it once. */
		if (!is_hdf5(f) || f->count[SLU_FAMILY_OPEN] < HDF5_OPENS * (uint64_t)f->users)
			continue;
		files++;
		opens += f->count[SLU_FAMILY_OPEN];
		ns += f->meta_ns;
		if (!most || f->count[SLU_FAMILY_OPEN] > most->count[SLU_FAMILY_OPEN])
			most = f;
	}
	if (opens < HDF5_MIN || !most)
		return false;
	gain(p, ret, worth(p, (double)ns));
	if (ret->severity < SLU_ADVICE_MEDIUM)
		ret->severity = SLU_ADVICE_MEDIUM;
	ret->id = "hdf5";
	ret->title = "HDF5 files are opened and closed for each sample";
	ret->evidence =
		slu_store_fmt(p->store, "%" PRIu64 " file%s opened %" PRIu64 " times; %s alone %u times.", files,
	                      files == 1 ? " was" : "s were", opens, most->name, most->count[SLU_FAMILY_OPEN]);
	ret->action =
		"Open each file once in every worker, at its first sample, and keep it: self.file = self.file or h5py.File(path).";
	ret->command = "";
	ret->how =
		"opens, closes and what goes with them, times the part of I/O that is exposed; the library's own work "
		"at each open comes on top";
	return true;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static bool (*const rules[])(const struct slu_prof *p, struct slu_prof_advice *ret) = {
	small_files, metadata, one_read, rereads, imbalance, few_workers, many_workers, hidden, checkpoint, hdf5,
};

static int compare_advice(const void *a, const void *b)
{
	const struct slu_prof_advice *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	if (x->gain_ns != y->gain_ns)
		return x->gain_ns > y->gain_ns ? -1 : 1;
	return strcmp(x->id, y->id);
}

int slu_build_advice(struct slu_prof *p)
{
	p->advice = calloc(SLU_ARRAY_SIZE(rules), sizeof(*p->advice));
	if (!p->advice)
		return slu_fail_memory();
	for (size_t i = 0; i < SLU_ARRAY_SIZE(rules) && p->n_ranks; i++) {
		struct slu_prof_advice *a = &p->advice[p->n_advice];

		*a = (struct slu_prof_advice){ 0 };
		if (!rules[i](p, a))
			continue;
		if (!a->evidence || !a->command || !a->action)
			return -ENOMEM;
		p->n_advice++;
	}
	slu_sort(p->advice, p->n_advice, sizeof(*p->advice), compare_advice);
	return 0;
}
