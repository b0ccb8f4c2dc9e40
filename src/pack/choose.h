/* SPDX-License-Identifier: MIT */
/*
 * Choosing codecs: per kind of file (its extension), from ratios on a fixed, bounded
 * sample of the data and a table of costs. Never from a clock, so that the same input
 * gives the same pack.
 *
 * The cost of reading a byte is stored/raw + w * decode, where decode is 0 for none,
 * 0.2 for lz4 and 1.0 for zstd, and w is 1 for `auto` and 0.02 for `auto:space`. With
 * these, `auto` takes lz4 exactly where it saves a fifth or more.
 */
#ifndef SLU_PACK_CHOOSE_H
#define SLU_PACK_CHOOSE_H

#include <sluice/create.h>

#include "pack/codec.h"
#include "source/source.h"

enum { SLU_MAX_KINDS = 16 }; /* the last is for all other extensions */

struct slu_chosen {
	struct slu_coding coding;
	struct slu_encoder_dict *dict; /* or NULL */
};

struct slu_codecs {
	char kinds[SLU_MAX_KINDS][16]; /* extensions with the dot, by bytes; "" unused */
	unsigned nkinds;
	struct slu_chosen chosen[SLU_MAX_KINDS];
	struct slu_buf dicts; /* the section */
};

struct slu_choose_options {
	const char *codec; /* as in struct slu_create_options; NULL: auto */
	void (*choice)(void *arg, const struct slu_choice *c);
	void *arg;
	const volatile int *cancel; /* once non-zero: -ECANCELED. May be NULL */
};

/* A --codec word in its one spelling, such as "zstd:3" for "zstd". -EINVAL */
SLU_MUST_USE int slu_codec_word(const char *word, char ret_word[16]);

SLU_MUST_USE int slu_codecs_choose(struct slu_codecs *c, struct slu_source *s, const struct slu_listing *l,
                                   const struct slu_choose_options *opt);
void slu_codecs_done(struct slu_codecs *c);

/* How a file called @name is to be stored. */
const struct slu_chosen *slu_codecs_for(const struct slu_codecs *c, const char *name);

#endif
