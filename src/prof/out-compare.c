/* SPDX-License-Identifier: MIT */
/* Two jobs side by side, for people and for programs. */
#include "prof/out.h"

#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/macros.h"
#include "base/size.h"

static const char *value(const struct slu_change *c, double v, char buf[SLU_NUMBER])
{
	if (isnan(v))
		return strcpy(buf, "-");
	if (strcmp(c->unit, "s") == 0)
		return slu_time((uint64_t)(v * 1e9), buf);
	if (strcmp(c->unit, "share") == 0)
		return slu_percent(v, buf);
	if (strcmp(c->unit, "bytes/s") == 0)
		return slu_rate(v, buf);
	if (strcmp(c->unit, "bytes") == 0)
		return slu_size_format((uint64_t)v, buf);
	if (v == floor(v))
		return slu_count((uint64_t)v, buf);
	return slu_number(v, buf);
}

static void put_change(const struct slu_text *t, const struct slu_change *c)
{
	char before[SLU_NUMBER], after[SLU_NUMBER], ratio[SLU_NUMBER];

	if ((isnan(c->before) && isnan(c->after)) || (c->before == 0 && c->after == 0))
		return;
	fprintf(t->out, "  %-20s %14s %14s   ", c->label, value(c, c->before, before), value(c, c->after, after));
	slu_ink(t, c->verdict > 0 ? SLU_GREEN : c->verdict < 0 ? SLU_RED : SLU_PLAIN);
	if (isnan(c->ratio))
		fputs("-", t->out);
	else
		fprintf(t->out, "x %s", slu_number(c->ratio, ratio));
	fputs(c->verdict > 0 ? "  better" : c->verdict < 0 ? "  worse" : "", t->out);
	slu_ink(t, SLU_PLAIN);
	putc('\n', t->out);
}

static void put_job(const struct slu_text *t, const char *which, const struct slu_prof *p, uint64_t longest)
{
	slu_ink(t, SLU_BOLD);
	fprintf(t->out, "  %s ", which);
	slu_ink(t, SLU_PLAIN);
	(void)slu_put_escaped(t->out, p->job.directory);
	fputs(": ", t->out);
	(void)slu_put_escaped(t->out, p->job.command);
	putc('\n', t->out);
	if (!p->n_ranks)
		return;
	slu_put_bar(t, p, longest);
	slu_put_legend(t, p);
}

static bool advised(const struct slu_prof *p, const char *id)
{
	for (size_t i = 0; i < p->n_advice; i++)
		if (strcmp(p->advice[i].id, id) == 0)
			return true;
	return false;
}

/* Advice of @of that @other has (or has not) too. */
static void put_advice(const struct slu_text *t, const char *first, const struct slu_prof *of,
                       const struct slu_prof *other, bool both)
{
	for (size_t i = 0; i < of->n_advice; i++)
		if (advised(other, of->advice[i].id) == both)
			slu_put_words(t, first, of->advice[i].title);
}

void slu_out_compare_text(FILE *out, const struct slu_compare *c, const struct slu_look *look)
{
	uint64_t longest = slu_max(c->before->job.wall_ns, c->after->job.wall_ns);
	struct slu_text t;

	slu_text_init(&t, out, look);
	slu_ink(&t, SLU_BOLD);
	slu_put_words(&t, "", c->sentence);
	slu_ink(&t, SLU_PLAIN);
	putc('\n', out);
	put_job(&t, "before", c->before, longest);
	put_job(&t, "after ", c->after, longest);
	slu_ink(&t, SLU_DIM);
	fprintf(out, "\n  %-20s %14s %14s   %s\n", "", "before", "after", "after / before");
	slu_ink(&t, SLU_PLAIN);
	for (size_t i = 0; i < c->n_changes; i++)
		put_change(&t, &c->changes[i]);
	if (c->before->n_advice + c->after->n_advice)
		putc('\n', out);
	put_advice(&t, "  gone:    ", c->before, c->after, false);
	put_advice(&t, "  remains: ", c->after, c->before, true);
	put_advice(&t, "  new:     ", c->after, c->before, false);
}

static void one(struct slu_json *j, const char *key, const struct slu_prof *p)
{
	slu_json_object(j, key);
	slu_out_json_short(j, p);
	slu_json_end(j);
}

void slu_out_compare_json(struct slu_json *j, const struct slu_compare *c)
{
	slu_json_str(j, "sentence", c->sentence);
	one(j, "before", c->before);
	one(j, "after", c->after);
	slu_json_array(j, "compare");
	for (size_t i = 0; i < c->n_changes; i++) {
		const struct slu_change *k = &c->changes[i];

		slu_json_object(j, NULL);
		slu_json_str(j, "what", k->what);
		slu_json_str(j, "unit", k->unit);
		slu_json_double(j, "before", k->before);
		slu_json_double(j, "after", k->after);
		slu_json_double(j, "ratio", k->ratio);
		slu_json_str(j, "better", slu_better_name(k->better));
		slu_json_end(j);
	}
	slu_json_end(j);
}
