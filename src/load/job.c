/* SPDX-License-Identifier: MIT */
/* Jobs: batches on their way, their memory, and what went wrong with them. See loader.h. */
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
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
	/* What all stages together keep for the next ones is bounded as they are themselves. */
	if (l->spare_bytes + j->stage_len > l->opt.ahead_bytes) {
		slu_big_free(j->stage, j->stage_len);
		j->stage = NULL;
		j->stage_len = 0;
	}
	l->spare_bytes += j->stage_len;
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

static bool is_no_fault_of_its_own(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE;
}

void slu_job_bad(struct slu_loader *l, struct slu_job *j, size_t k, int err)
{
	const char *message = slu_errmsg();
	size_t n = strlen(message) + 1;
	struct slu_bad *b = malloc(sizeof(*b) + n);

	pthread_mutex_lock(&l->lock);
	if (!b || is_no_fault_of_its_own(err)) {
		if (!j->error)
			j->message = strdup(message);
		j->error = b ? err : -ENOMEM; /* a bad sample that cannot be noted must not pass for a good one */
		free(b);
	} else {
		b->k = k;
		b->err = err;
		memcpy(b->message, message, n);
		b->next = j->bad;
		j->bad = b;
	}
	pthread_mutex_unlock(&l->lock);
}

static int by_sample(const void *a, const void *b)
{
	const struct slu_bad *x = *(struct slu_bad *const *)a, *y = *(struct slu_bad *const *)b;

	return x->k < y->k ? -1 : x->k > y->k;
}

void slu_job_sort_bad(struct slu_job *j)
{
	SLU_AUTO(mem) struct slu_bad **all = NULL;
	size_t n = 0;

	for (struct slu_bad *b = j->bad; b; b = b->next)
		n++;
	if (n < 2)
		return;
	if (!(all = malloc(n * sizeof(struct slu_bad *)))) {
		j->error = -ENOMEM;
		return;
	}
	n = 0;
	for (struct slu_bad *b = j->bad; b; b = b->next)
		all[n++] = b;
	qsort(all, n, sizeof(struct slu_bad *), by_sample);
	for (size_t i = 0; i < n; i++)
		all[i]->next = i + 1 < n ? all[i + 1] : NULL;
	j->bad = all[0];
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
