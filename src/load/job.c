/* SPDX-License-Identifier: MIT */
/* Jobs: batches on their way, their memory, and what went wrong with them. See loader.h. */
#include <stdlib.h>
#include <string.h>

#include "load/loader.h"

static void clear_bad(struct slu_job *j)
{
	struct slu_bad *next;

	for (; j->bad; j->bad = next) {
		next = j->bad->next;
		free(j->bad);
	}
}

/* Ready to be planned again; keeps its memory. */
static void empty(struct slu_job *j)
{
	clear_bad(j);
	slu_batch_unref(j->batch);
	j->batch = NULL;
	free(j->message);
	j->message = NULL;
	j->error = 0;
	j->stage_used = j->nreads = 0;
}

void slu_job_put_back(struct slu_loader *l, struct slu_job *j)
{
	empty(j);
	j->next = l->spare;
	l->spare = j;
}

void slu_job_free(struct slu_job *j)
{
	empty(j);
	slu_big_free(j->stage, j->stage_len);
	free(j->at);
	free(j->stored);
	free(j->slot);
	free(j->reads);
	free(j->picker_state);
	free(j);
}

struct slu_job *slu_job_take_first(struct slu_loader *l)
{
	struct slu_job *j = l->first;

	if (!j)
		return NULL;
	l->first = j->next;
	if (!l->first)
		l->end = &l->first;
	l->njobs--;
	l->ahead_bytes -= slu_job_bytes(j);
	return j;
}

void slu_job_bad(struct slu_loader *l, struct slu_job *j, size_t k, int err)
{
	const char *message = slu_errmsg();
	size_t n = strlen(message) + 1;
	struct slu_bad *b = malloc(sizeof(*b) + n), **at;

	pthread_mutex_lock(&l->lock);
	if (!b) {
		j->error = -ENOMEM; /* a bad sample that cannot be noted must not pass for a good one */
	} else {
		b->k = k;
		b->err = err;
		memcpy(b->message, message, n);
		for (at = &j->bad; *at && (*at)->k < k; at = &(*at)->next)
			;
		b->next = *at;
		*at = b;
	}
	pthread_mutex_unlock(&l->lock);
}

void slu_loader_fail(struct slu_loader *l, int err)
{
	if (l->failed)
		return;
	l->failed = err;
	free(l->failure);
	l->failure = strdup(slu_errmsg()); /* NULL: then without a sentence */
	pthread_cond_signal(&l->ready);
}
