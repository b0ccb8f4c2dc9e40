/* SPDX-License-Identifier: MIT */
/* Labels of samples: from the first directory level, or from a CSV file. */
#ifndef SLU_PACK_LABELS_H
#define SLU_PACK_LABELS_H

#include "pack/contents.h"

/* @how: "dir", or the path of a CSV file of path,label. Adds the column and, where labels
 * have names, those. Every sample must get one. */
SLU_MUST_USE int slu_labels_add(struct slu_contents *c, const char *how);

#endif
