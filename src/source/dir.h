/* SPDX-License-Identifier: MIT */
/* What dir.c (reading) and dir-list.c (listing) share. */
#ifndef SLU_SOURCE_DIR_H
#define SLU_SOURCE_DIR_H

#include <limits.h>
#include <sys/stat.h>

#include "source/source.h"

struct slu_dir_source {
	struct slu_source source; /* first */
	char *path;               /* as given, without a final slash */
	int fd;
};

int slu_dir_list(struct slu_source *s, const struct slu_source_list_options *opt, struct slu_listing *ret_listing);

/* In ns; what does not fit (before 1677, after 2262) becomes the nearest that does. */
static inline int64_t slu_dir_mtime(const struct stat *st)
{
	int64_t ns;

	if (__builtin_mul_overflow((int64_t)st->st_mtim.tv_sec, 1000000000, &ns) ||
	    __builtin_add_overflow(ns, (int64_t)st->st_mtim.tv_nsec, &ns))
		return st->st_mtim.tv_sec < 0 ? INT64_MIN : INT64_MAX;
	return ns;
}

#endif
