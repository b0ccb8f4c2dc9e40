/* SPDX-License-Identifier: MIT */
/* See thin.h. */
#include "prof/thin.h"

enum { STEPS = 32 }; /* of a power of two; below this, each length is a class */

static unsigned class_of(uint64_t ns)
{
	unsigned top;

	if (ns < STEPS)
		return (unsigned)ns;
	top = 63u - (unsigned)__builtin_clzll(ns);
	return (top - 4) * STEPS + (unsigned)(ns >> (top - 5) & (STEPS - 1));
}

void slu_thin_count(struct slu_thin *t, uint64_t ns)
{
	t->classes[class_of(ns)]++;
	t->total++;
}

void slu_thin_choose(struct slu_thin *t, uint64_t most)
{
	unsigned class = SLU_THIN_CLASSES;

	t->every = 1;
	t->turn = t->shown = 0;
	while (class > 0 && t->shown + t->classes[class - 1] <= most)
		t->shown += t->classes[--class];
	t->from = class;
	if (class == 0 || t->shown == most)
		return;
	/* The class that does not fit whole. */
	t->from = class - 1;
	t->every = (t->classes[t->from] + most - t->shown - 1) / (most - t->shown);
	t->shown += (t->classes[t->from] + t->every - 1) / t->every;
}

bool slu_thin_shows(struct slu_thin *t, uint64_t ns)
{
	unsigned class = class_of(ns);

	return class > t->from || (class == t->from && (t->every == 1 || t->turn++ % t->every == 0));
}

uint64_t slu_thin_least(const struct slu_thin *t)
{
	return t->from < STEPS ? t->from : (uint64_t)(STEPS + t->from % STEPS) << (t->from / STEPS - 1);
}
