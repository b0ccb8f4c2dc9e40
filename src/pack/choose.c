/* SPDX-License-Identifier: MIT */
/* Choosing codecs. See choose.h. */
#include "pack/choose.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zdict.h>
#include <zstd.h>

#include "base/le.h"
#include "base/macros.h"
#include <sluice/pack.h>

enum {
	LOOK_FILES = 2048,      /* files of a kind looked at, evenly spread */
	LOOK_BYTES = 4 << 20,   /* and bytes */
	LOOK_PIECE = 128 << 10, /* of one file: its beginning */
	DICT_MOST = 32 << 10,   /* a decoder must keep it in its cache */
	DICT_LEAST = 1 << 10,
	DICT_SHARE = 64, /* a dictionary is at most this part of its kind's bytes */
	DICT_MIN_FILES = 64,
	DICT_MEAN_FILE = 32 << 10, /* larger files have their own context */
};

enum goal { GOAL_NONE, GOAL_SPEED, GOAL_SPACE, GOAL_LZ4, GOAL_ZSTD };

static const struct candidate {
	const char *name;
	uint8_t codec;
	bool dict;
	double decode;
} candidates[] = {
	{ "none", SLU_CODEC_RAW, false, 0 },        { "lz4", SLU_CODEC_LZ4, false, 0.2 },
	{ "lz4+dict", SLU_CODEC_LZ4, true, 0.2 },   { "zstd", SLU_CODEC_ZSTD, false, 1.0 },
	{ "zstd+dict", SLU_CODEC_ZSTD, true, 1.0 },
};

/* What is looked at of one kind: pieces end to end; the even ones train, the odd ones judge. */
struct look {
	struct slu_buf data;
	size_t *sizes;
	unsigned n;
	uint64_t kind_files, kind_bytes; /* of the whole kind */
};

struct chooser {
	struct slu_codecs *c;
	struct slu_source *s;
	const struct slu_listing *l;
	const struct slu_choose_options *opt;
	enum goal goal;
	int level;
	uint8_t *kind; /* of each sample */
	struct slu_buf dict_bytes[SLU_MAX_KINDS];
};

/* ---- the word given by the user ------------------------------------------------ */

static const struct word {
	const char *name; /* in its one spelling */
	enum goal goal;
	int level; /* of zstd, where it is tried */
} words[] = {
	{ "auto", GOAL_SPEED, 3 }, { "auto:space", GOAL_SPACE, 12 }, { "none", GOAL_NONE, 0 },
	{ "lz4", GOAL_LZ4, 0 },    { "zstd", GOAL_ZSTD, 3 },
};

static int parse_word(const char *word, struct word *ret_word)
{
	char *end;
	long level;

	for (size_t i = 0; i < SLU_ARRAY_SIZE(words); i++)
		if (!strcmp(word ? word : "auto", words[i].name)) {
			*ret_word = words[i];
			return 0;
		}
	if (strncmp(word, "zstd:", 5) != 0)
		return slu_fail(-EINVAL, "'%s' is not a codec (auto, auto:space, none, lz4, zstd, zstd:LEVEL)", word);
	level = strtol(word + 5, &end, 10);
	if (end == word + 5 || *end || level < 1 || level > ZSTD_maxCLevel())
		return slu_fail(-EINVAL, "'%s' is not a level of zstd (1 to %d)", word + 5, ZSTD_maxCLevel());
	*ret_word = (struct word){ "zstd", GOAL_ZSTD, (int)level };
	return 0;
}

int slu_codec_word(const char *word, char ret_word[16])
{
	struct word w;
	int r = parse_word(word, &w);

	if (r < 0)
		return r;
	if (w.goal == GOAL_ZSTD)
		(void)snprintf(ret_word, 16, "zstd:%d", w.level); /* always fits */
	else
		strcpy(ret_word, w.name);
	return 0;
}

/* ---- kinds: the extensions that hold most bytes -------------------------------- */

/* The extension with its dot, lower case not enforced; "" if none or unusual. */
static const char *extension(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot != name && strlen(dot) < sizeof(((struct slu_codecs *)0)->kinds[0]) ? dot : "";
}

struct tally {
	char ext[16];
	uint64_t bytes;
};

static int by_bytes(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return strcmp(x->ext, y->ext);
}

/* At most so many different extensions are told apart; data sets have a handful. */
enum { MAX_TALLIES = 256 };

static unsigned tally_extensions(const struct slu_listing *l, struct tally t[MAX_TALLIES])
{
	unsigned n = 0, last = 0;

	for (uint64_t i = 0; i < l->nsamples; i++) {
		const char *ext = extension(slu_listing_name(l, &l->samples[i]));
		unsigned k = last; /* neighbours mostly agree */
		if (!*ext)
			continue;
		if (k >= n || strcmp(t[k].ext, ext) != 0)
			for (k = 0; k < n && strcmp(t[k].ext, ext) != 0; k++)
				;
		if (k == n && n < MAX_TALLIES)
			strcpy(t[n++].ext, ext);
		if (k < n) {
			t[k].bytes += l->samples[i].size;
			last = k;
		}
	}
	return n;
}

static int find_kinds(struct slu_codecs *c, const struct slu_listing *l)
{
	SLU_AUTO(mem) struct tally *t = calloc(MAX_TALLIES, sizeof(*t));
	unsigned n;

	if (!t)
		return slu_fail_memory();
	n = tally_extensions(l, t);
	qsort(t, n, sizeof(*t), by_bytes);
	c->nkinds = (unsigned)slu_min(n, SLU_MAX_KINDS - 1);
	for (unsigned k = 0; k < c->nkinds; k++)
		memcpy(c->kinds[k], t[k].ext, sizeof(c->kinds[k]));
	return 0;
}

static unsigned kind_of(const struct slu_codecs *c, const char *name)
{
	const char *ext = extension(name);

	for (unsigned k = 0; *ext && k < c->nkinds; k++)
		if (!strcmp(c->kinds[k], ext))
			return k;
	return SLU_MAX_KINDS - 1;
}

const struct slu_chosen *slu_codecs_for(const struct slu_codecs *c, const char *name)
{
	return &c->chosen[kind_of(c, name)];
}

/* ---- looking at the data -------------------------------------------------------- */

static int look_read(struct chooser *ch, struct slu_source_reader *r, struct look *lk, uint64_t i)
{
	size_t n = slu_min(ch->l->samples[i].size, LOOK_PIECE);
	uint8_t *room;
	int err = slu_buf_grow(&lk->data, n, &room);

	if (err == 0)
		err = ch->s->ops->read(r, i, 0, room, n);
	if (err == 0)
		lk->sizes[lk->n++] = n;
	return err;
}

/* Every step-th file of the kind, so that the number and the bytes stay in bounds. */
static int look_at(struct chooser *ch, unsigned kind, struct look *lk)
{
	struct slu_source_reader *reader;
	uint64_t pieces = 0, step, seen = 0;
	int r;

	for (uint64_t i = 0; i < ch->l->nsamples; i++)
		if (ch->kind[i] == kind && ch->l->samples[i].size) {
			lk->kind_files++;
			lk->kind_bytes += ch->l->samples[i].size;
			pieces += slu_min(ch->l->samples[i].size, LOOK_PIECE);
		}
	if (!lk->kind_files)
		return 0;
	step = slu_max((lk->kind_files + LOOK_FILES - 1) / LOOK_FILES, (pieces + LOOK_BYTES - 1) / LOOK_BYTES);
	lk->sizes = malloc((lk->kind_files / step + 1) * sizeof(*lk->sizes));
	if (!lk->sizes)
		return slu_fail_memory();
	if ((r = ch->s->ops->reader_new(ch->s, ch->l, &reader)) < 0)
		return r;
	for (uint64_t i = 0; i < ch->l->nsamples && r == 0; i++)
		if (ch->kind[i] == kind && ch->l->samples[i].size && seen++ % step == 0)
			r = look_read(ch, reader, lk, i);
	ch->s->ops->reader_free(reader);
	return r;
}

/* Trains on every other piece. An empty result means that no dictionary is worth it. */
static int train(const struct look *lk, struct slu_buf *ret_dict)
{
	size_t want = slu_min(DICT_MOST, lk->kind_bytes / DICT_SHARE), len = 0, at = 0;
	SLU_AUTO(buf) struct slu_buf data = { 0 };
	SLU_AUTO(mem) size_t *sizes = malloc((lk->n / 2 + 1) * sizeof(*sizes));
	unsigned n = 0;
	uint8_t *room;
	int r;

	if (!sizes)
		return slu_fail_memory();
	if (lk->n < DICT_MIN_FILES || want < DICT_LEAST || lk->kind_bytes / lk->kind_files > DICT_MEAN_FILE)
		return 0;
	for (unsigned i = 0; i < lk->n; at += lk->sizes[i], i++)
		if (i % 2 == 0) {
			if ((r = slu_buf_add(&data, lk->data.data + at, lk->sizes[i])) < 0)
				return r;
			sizes[n++] = lk->sizes[i];
		}
	if ((r = slu_buf_grow(ret_dict, want, &room)) < 0)
		return r;
	len = ZDICT_trainFromBuffer(room, want, data.data, sizes, n);
	ret_dict->len = ZDICT_isError(len) ? 0 : len; /* too little in common: an ordinary answer */
	return 0;
}

/* Stored bytes of the pieces kept for judging. */
static int try_candidate(struct chooser *ch, const struct look *lk, const struct candidate *cand,
                         const struct slu_buf *dict, struct slu_choice *ret_row)
{
	struct slu_coding coding = { .code = cand->codec, .level = ch->level };
	struct slu_encoder_dict *ed = NULL;
	struct slu_encoder *e;
	SLU_AUTO(mem) uint8_t *out = malloc(LOOK_PIECE);
	size_t at = 0;
	int r = out ? slu_encoder_new(&e) : slu_fail_memory();

	if (r < 0)
		return r;
	if (cand->dict)
		r = slu_encoder_dict_new(dict->data, dict->len, cand->codec, ch->level, &ed);
	for (unsigned i = 0; i < lk->n && r >= 0; at += lk->sizes[i], i++) {
		ssize_t len;
		if (i % 2 == 0 && lk->n > 1)
			continue;
		len = slu_encode(e, &coding, ed, lk->data.data + at, lk->sizes[i], out);
		r = len < 0 ? (int)len : 0;
		ret_row->files++;
		ret_row->raw_bytes += lk->sizes[i];
		ret_row->stored_bytes += len > 0 ? (size_t)len : lk->sizes[i];
	}
	slu_encoder_dict_free(ed);
	slu_encoder_free(e);
	return r;
}

/* ---- deciding -------------------------------------------------------------------- */

static bool allowed(enum goal goal, const struct candidate *cand)
{
	if (goal == GOAL_LZ4 || goal == GOAL_ZSTD)
		return cand->codec == (goal == GOAL_LZ4 ? SLU_CODEC_LZ4 : SLU_CODEC_ZSTD);
	return true;
}

static double score(enum goal goal, const struct slu_choice *row, double decode)
{
	double ratio = row->raw_bytes ? (double)row->stored_bytes / (double)row->raw_bytes : 1;

	return ratio + (goal == GOAL_SPEED ? 1.0 : 0.02) * decode;
}

static int adopt(struct chooser *ch, unsigned kind, const struct candidate *cand, struct slu_buf *dict)
{
	struct slu_chosen *to = &ch->c->chosen[kind];
	unsigned number = 0;

	if (cand->dict) {
		for (unsigned k = 0; k < SLU_MAX_KINDS; k++)
			number += ch->dict_bytes[k].len > 0;
		ch->dict_bytes[number++] = *dict;
		*dict = (struct slu_buf){ 0 };
	}
	to->coding = (struct slu_coding){ .code = (uint8_t)(cand->codec | number << 3),
		                          .level = ch->level,
		                          .keep_div = ch->goal == GOAL_SPEED ? 5 : 0 };
	if (!cand->dict)
		return 0;
	return slu_encoder_dict_new(ch->dict_bytes[number - 1].data, ch->dict_bytes[number - 1].len, cand->codec,
	                            ch->level, &to->dict);
}

static int judge(struct chooser *ch, unsigned kind, const struct look *lk)
{
	struct slu_choice rows[SLU_ARRAY_SIZE(candidates)] = { 0 };
	SLU_AUTO(buf) struct slu_buf dict = { 0 };
	int best = -1, r = train(lk, &dict);
	double least = 0;

	for (unsigned i = 0; i < SLU_ARRAY_SIZE(candidates) && r == 0; i++) {
		const struct candidate *cand = &candidates[i];
		if (!allowed(ch->goal, cand) || (cand->dict && !dict.len))
			continue;
		rows[i].kind = kind < ch->c->nkinds ? ch->c->kinds[kind] : "(other)";
		rows[i].codec = cand->name;
		if ((r = try_candidate(ch, lk, cand, &dict, &rows[i])) < 0)
			return r;
		rows[i].cost = 100 * score(ch->goal, &rows[i], cand->decode);
		/* A hair's breadth in favour of the simpler one, which comes first. */
		if (best < 0 || rows[i].cost < least - 1e-9) {
			best = (int)i;
			least = rows[i].cost;
		}
	}
	if (r < 0 || best < 0)
		return r;
	rows[best].chosen = true;
	for (unsigned i = 0; i < SLU_ARRAY_SIZE(candidates) && ch->opt->choice; i++)
		if (rows[i].codec)
			ch->opt->choice(ch->opt->arg, &rows[i]);
	return adopt(ch, kind, &candidates[best], &dict);
}

static int dict_section(struct chooser *ch)
{
	struct slu_buf *out = &ch->c->dicts;
	unsigned n = 0;
	uint64_t at;
	uint8_t *head;
	int r;

	while (n < SLU_MAX_KINDS && ch->dict_bytes[n].len)
		n++;
	if (!n)
		return 0;
	if ((r = slu_buf_grow(out, 8 + 8 * ((size_t)n + 1), &head)) < 0)
		return r;
	slu_put32(head, n);
	slu_put64(head + 8, at = out->len);
	for (unsigned i = 0; i < n; i++)
		slu_put64(head + 16 + 8 * (size_t)i, at += ch->dict_bytes[i].len);
	for (unsigned i = 0; i < n && r == 0; i++)
		r = slu_buf_add(out, ch->dict_bytes[i].data, ch->dict_bytes[i].len);
	return r;
}

static int choose_all(struct chooser *ch)
{
	int r = find_kinds(ch->c, ch->l);

	for (uint64_t i = 0; i < ch->l->nsamples && r == 0; i++)
		ch->kind[i] = (uint8_t)kind_of(ch->c, slu_listing_name(ch->l, &ch->l->samples[i]));
	for (unsigned k = 0; k < SLU_MAX_KINDS && r == 0; k++) {
		struct look lk = { 0 };
		if (ch->opt->cancel && *ch->opt->cancel)
			return slu_fail(-ECANCELED, "interrupted while choosing codecs");
		r = look_at(ch, k, &lk);
		if (r == 0 && lk.n)
			r = judge(ch, k, &lk);
		slu_buf_done(&lk.data);
		free(lk.sizes);
	}
	return r == 0 ? dict_section(ch) : r;
}

int slu_codecs_choose(struct slu_codecs *c, struct slu_source *s, const struct slu_listing *l,
                      const struct slu_choose_options *opt)
{
	struct chooser ch = { .c = c, .s = s, .l = l, .opt = opt };
	struct word w;
	int r = parse_word(opt->codec, &w);

	memset(c, 0, sizeof(*c));
	if (r < 0 || w.goal == GOAL_NONE || !l->nsamples)
		return r;
	ch.goal = w.goal;
	ch.level = w.level;
	ch.kind = malloc(l->nsamples);
	if (!ch.kind)
		return slu_fail_memory();
	r = choose_all(&ch);
	for (unsigned k = 0; k < SLU_MAX_KINDS; k++)
		slu_buf_done(&ch.dict_bytes[k]);
	free(ch.kind);
	if (r < 0)
		slu_codecs_done(c);
	return r;
}

void slu_codecs_done(struct slu_codecs *c)
{
	for (unsigned k = 0; k < SLU_MAX_KINDS; k++)
		slu_encoder_dict_free(c->chosen[k].dict);
	slu_buf_done(&c->dicts);
	memset(c, 0, sizeof(*c));
}
