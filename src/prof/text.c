/* SPDX-License-Identifier: MIT */
/* See text.h. */
#include "prof/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/macros.h"
#include "base/size.h"

enum { USUAL_WIDTH = 80, LEAST_WIDTH = 40 };

void slu_text_init(struct slu_text *t, FILE *out, const struct slu_look *look)
{
	*t = (struct slu_text){ .out = out,
		                .width = look->width ? (unsigned)slu_max(look->width, LEAST_WIDTH) : USUAL_WIDTH,
		                .colour = look->colour,
		                .utf8 = look->utf8 };
}

void slu_ink(const struct slu_text *t, enum slu_ink ink)
{
	static const char *const codes[] = { "0", "1", "2", "31", "32", "33", "34" };

	if (t->colour)
		fprintf(t->out, "\033[%sm", codes[ink]);
}

/* How many columns @len bytes take. */
static unsigned columns_of(const char *s, size_t len)
{
	unsigned all = 0;

	for (size_t i = 0; i < len;) {
		char text[SLU_ESCAPED_MAX];
		unsigned columns;

		i += slu_escape(s + i, len - i, text, &columns);
		all += columns;
	}
	return all;
}

/* At most @columns of @len bytes. */
static void put_part(FILE *out, const char *s, size_t len, unsigned columns)
{
	for (size_t i = 0; i < len;) {
		char text[SLU_ESCAPED_MAX];
		unsigned more;

		i += slu_escape(s + i, len - i, text, &more);
		if (more > columns)
			return;
		columns -= more;
		fputs(text, out);
	}
}

void slu_put_words(const struct slu_text *t, const char *first, const char *words)
{
	unsigned indent = columns_of(first, strlen(first)), at = indent;
	bool fresh = true; /* no word on this line yet */

	fputs(first, t->out);
	while (*(words += strspn(words, " \n"))) {
		size_t n = strcspn(words, " \n");
		unsigned columns = columns_of(words, n);

		if (!fresh && at + 1 + columns > t->width) {
			fprintf(t->out, "\n%*s", (int)indent, "");
			at = indent;
			fresh = true;
		}
		if (!fresh)
			putc(' ', t->out);
		put_part(t->out, words, n, columns);
		at += columns + !fresh;
		fresh = false;
		words += n;
	}
	putc('\n', t->out);
}

void slu_put_cell(const struct slu_text *t, const char *s, unsigned columns, bool keep_end)
{
	size_t len = strlen(s), from = 0;
	unsigned all = columns_of(s, len);

	if (all <= columns) {
		put_part(t->out, s, len, all);
		fprintf(t->out, "%*s", (int)(columns - all), "");
	} else if (!keep_end) {
		put_part(t->out, s, len, columns - 3);
		fputs("...", t->out);
	} else {
		while (from < len && all > columns - 3) {
			char text[SLU_ESCAPED_MAX];
			unsigned one;

			from += slu_escape(s + from, len - from, text, &one);
			all -= one;
		}
		fputs("...", t->out);
		put_part(t->out, s + from, len - from, all);
		fprintf(t->out, "%*s", (int)(columns - 3 - all), "");
	}
}

const char *slu_count(uint64_t n, char buf[SLU_NUMBER])
{
	char digits[24], *to = buf;
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = 0;
	return buf;
}

const char *slu_time(uint64_t ns, char buf[SLU_NUMBER])
{
	double s = (double)ns / 1e9;

	if (ns == 0)
		(void)snprintf(buf, SLU_NUMBER, "0 s"); /* all of these fit */
	else if (s < 0.00995)
		(void)snprintf(buf, SLU_NUMBER, "%.2f ms", s * 1e3);
	else
		(void)snprintf(buf, SLU_NUMBER, "%.*f s", s < 9.995 ? 2 : s < 999.95 ? 1 : 0, s);
	return buf;
}

const char *slu_percent(double share, char buf[SLU_NUMBER])
{
	if (isnan(share))
		return strcpy(buf, "-");
	(void)snprintf(buf, SLU_NUMBER, "%.1f %%", 100 * share);
	return buf;
}

const char *slu_rate(double bytes_s, char buf[SLU_NUMBER])
{
	if (!(bytes_s >= 0) || bytes_s > 1e18)
		return strcpy(buf, "-");
	(void)slu_size_format((uint64_t)bytes_s, buf);
	return strcat(buf, "/s");
}

const char *slu_number(double x, char buf[SLU_NUMBER])
{
	if (isnan(x) || fabs(x) > 1e18)
		return strcpy(buf, "-");
	if (x >= 999.5)
		return slu_count((uint64_t)(x + 0.5), buf);
	(void)snprintf(buf, SLU_NUMBER, "%.*f", x < 9.995 ? 2 : x < 99.95 ? 1 : 0, x);
	return buf;
}
