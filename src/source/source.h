/* SPDX-License-Identifier: MIT */
/*
 * A source: where original bytes live. Whoever packs asks it for a listing once, and
 * then for the bytes of samples, from several threads, each with a reader of its own.
 */
#ifndef SLU_SOURCE_SOURCE_H
#define SLU_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/listing.h"

struct slu_source {
	const struct slu_source_ops *ops;
};

struct slu_source_list_options {
	unsigned threads;
	bool skip_special;
	void (*progress)(void *arg, uint64_t files);
	void *arg;
	const volatile int *cancel; /* once non-zero: -ECANCELED. May be NULL */
};

struct slu_source_reader; /* each source has its own */

struct slu_source_ops {
	/* Fills an empty listing. */
	int (*list)(struct slu_source *s, const struct slu_source_list_options *opt, struct slu_listing *ret_listing);
	int (*reader_new)(struct slu_source *s, const struct slu_listing *l, struct slu_source_reader **ret_reader);
	void (*reader_free)(struct slu_source_reader *r);
	/*
	 * Reads exactly @n bytes at @offset of sample @i. A sample is read from 0 to its
	 * end in order; the call that reaches the listed size also checks that the sample
	 * has not changed since it was listed: -ESTALE if it has.
	 */
	int (*read)(struct slu_source_reader *r, uint64_t i, uint64_t offset, void *buf, size_t n);
	void (*close)(struct slu_source *s);
};

/* A directory of files. */
SLU_MUST_USE int slu_source_dir(const char *path, struct slu_source **ret_source);

static inline void slu_source_close(struct slu_source *s)
{
	if (s)
		s->ops->close(s);
}

#endif
