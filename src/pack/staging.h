/* SPDX-License-Identifier: MIT */
/*
 * A pack being made: a directory ".NAME.partial" beside the place where the pack will be,
 * which becomes the pack in one rename once everything in it is synced.
 *
 * One writer at a time: the directory is locked while it is written. Nothing is ever
 * removed that is not ours: a directory is replaced or cleaned away only if it holds
 * nothing but files of a pack.
 */
#ifndef SLU_PACK_STAGING_H
#define SLU_PACK_STAGING_H

#include <stdbool.h>

#include "base/err.h"

struct slu_staging {
	char *dest;    /* as given, for messages */
	char *parent;  /* the directory that it is in */
	char *name;    /* its name there */
	char *partial; /* the partial's name there */
	int parentfd;
	int fd; /* the partial directory, locked */
	bool force;
	bool locked; /* it is ours: else nothing in it, nor its name, is touched */
	bool found;  /* an interrupted run's partial was there, and was kept */
};

#define SLU_JOURNAL_NAME "journal"

/* Locks a pack's directory against other writers. -EBUSY */
SLU_MUST_USE int slu_lock_dir(int fd, const char *what);

/* @keep: take over what an interrupted run left. -EEXIST, -EBUSY */
SLU_MUST_USE int slu_staging_open(struct slu_staging *s, const char *dest, bool force, bool keep);

/* Removes all files in the partial directory: a fresh start. */
SLU_MUST_USE int slu_staging_clear(struct slu_staging *s);

/* Puts the finished, synced directory in its place and syncs the name. */
SLU_MUST_USE int slu_staging_publish(struct slu_staging *s);

/* Releases all; removes the partial directory unless @keep. Harmless after publishing. */
void slu_staging_close(struct slu_staging *s, bool keep);

#endif
