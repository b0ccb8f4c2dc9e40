/* SPDX-License-Identifier: MIT */
/* Orders as text. See order.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "base/size.h"
#include "order/order.h"

static const char *const names[] = {
	[SLU_ORDER_SEQUENTIAL] = "sequential",
	[SLU_ORDER_GLOBAL] = "global",
	[SLU_ORDER_BLOCK] = "block",
	[SLU_ORDER_LOCAL] = "local",
	[SLU_ORDER_OPPORTUNISTIC] = "opportunistic",
	[SLU_ORDER_REPLACEMENT] = "replacement",
	[SLU_ORDER_GROUPED] = "grouped",
};

/* Between colons; the last one ends with the text. */
struct part {
	const char *text;
	size_t len;
};

enum { PARTS = 3 };

/* At most PARTS of @text; how many there are. */
static size_t split(const char *text, struct part parts[PARTS])
{
	size_t n = 0;

	for (;; text++) {
		size_t len = strcspn(text, ":");
		if (n < PARTS)
			parts[n] = (struct part){ text, len };
		n++;
		text += len;
		if (!*text)
			return n;
	}
}

/* A size of at least 1. Zero, which means the default in a spec, is nothing that anybody asks for. */
static int number(const char *order, const struct part *p, const char *what, uint64_t *ret_value)
{
	char text[32];
	uint64_t v;

	if (p->len < sizeof(text)) {
		memcpy(text, p->text, p->len);
		text[p->len] = 0;
		if (slu_size_parse(text, &v) == 0 && v > 0) {
			*ret_value = v;
			return 0;
		}
	}
	return slu_fail(-EINVAL, "order '%s': '%.*s' is not %s (such as 1024 or 64K)", order, (int)p->len, p->text,
	                what);
}

static int find_mode(const char *text, const struct part *p, enum slu_order_mode *ret_mode)
{
	for (size_t m = 0; m < SLU_ARRAY_SIZE(names); m++)
		if (strlen(names[m]) == p->len && memcmp(names[m], p->text, p->len) == 0) {
			*ret_mode = (enum slu_order_mode)m;
			return 0;
		}
	return slu_fail(-EINVAL,
	                "there is no order '%s'; there are sequential, global, block:K, local, opportunistic, "
	                "replacement and grouped:FIELD",
	                text);
}

static int parse_block(const char *text, const struct part *p, size_t n, struct slu_order_spec *s)
{
	int r;

	if (n < 2)
		return slu_fail(-EINVAL, "the order block needs the size of a block, as in block:1024");
	if (n > 3)
		return slu_fail(-EINVAL, "order '%s' has too many parts; it is block:K or block:K:M", text);
	r = number(text, &p[1], "a number of samples", &s->size);
	return r < 0 || n < 3 ? r : number(text, &p[2], "a number of blocks", &s->window);
}

static int parse_grouped(const char *text, const struct part *p, size_t n, struct slu_order_spec *s)
{
	if (n < 2 || p[1].len == 0)
		return slu_fail(-EINVAL, "the order grouped needs the name of a column, as in grouped:length");
	if (n > 3)
		return slu_fail(-EINVAL, "order '%s' has too many parts; it is grouped:FIELD or grouped:FIELD:G", text);
	if (p[1].len >= sizeof(s->field))
		return slu_fail(-EINVAL, "order '%.32s...': the column's name has more than %d bytes", text,
		                SLU_ORDER_FIELD_MAX - 1);
	memcpy(s->field, p[1].text, p[1].len);
	return n < 3 ? 0 : number(text, &p[2], "a number of samples", &s->size);
}

static int parse_opportunistic(const char *text, const struct part *p, size_t n, struct slu_order_spec *s)
{
	if (n > 2)
		return slu_fail(-EINVAL, "order '%s' has too many parts; it is opportunistic or opportunistic:L", text);
	return n < 2 ? 0 : number(text, &p[1], "a number of samples", &s->size);
}

int slu_order_parse(const char *text, struct slu_order_spec *ret_spec)
{
	struct slu_order_spec s = { 0 };
	struct part p[PARTS];
	size_t n = split(text, p);
	int r = find_mode(text, &p[0], &s.mode);

	if (r < 0)
		return r;
	if (s.mode == SLU_ORDER_BLOCK)
		r = parse_block(text, p, n, &s);
	else if (s.mode == SLU_ORDER_GROUPED)
		r = parse_grouped(text, p, n, &s);
	else if (s.mode == SLU_ORDER_OPPORTUNISTIC)
		r = parse_opportunistic(text, p, n, &s);
	else if (n > 1)
		r = slu_fail(-EINVAL, "order '%s': %s takes no parameters", text, names[s.mode]);
	if (r < 0 || (r = slu_order_spec_check(&s)) < 0)
		return r;
	if (s.mode == SLU_ORDER_BLOCK && s.window == SLU_ORDER_WINDOW_BLOCKS)
		s.window = 0; /* one spec, one text */
	if (s.mode == SLU_ORDER_OPPORTUNISTIC && s.size == SLU_ORDER_LOOKAHEAD)
		s.size = 0;
	*ret_spec = s;
	return 0;
}

int slu_order_spec_check(const struct slu_order_spec *spec)
{
	if ((size_t)spec->mode >= SLU_ARRAY_SIZE(names))
		return slu_fail(-EINVAL, "there is no order of number %d", (int)spec->mode);
	if (spec->mode == SLU_ORDER_BLOCK && !spec->size)
		return slu_fail(-EINVAL, "the order block needs the size of a block, as in block:1024");
	if (spec->mode == SLU_ORDER_OPPORTUNISTIC && spec->size > SLU_ORDER_LOOKAHEAD)
		return slu_fail(-EINVAL, "the opportunistic order looks ahead %d samples at most, not %" PRIu64,
		                SLU_ORDER_LOOKAHEAD, spec->size);
	if (spec->mode == SLU_ORDER_GROUPED &&
	    (!spec->field[0] || !memchr(spec->field, 0, sizeof(spec->field)) || strchr(spec->field, ':')))
		return slu_fail(-EINVAL, "the order grouped needs the name of a column, as in grouped:length");
	return 0;
}

const char *slu_order_format(const struct slu_order_spec *spec, char buf[SLU_ORDER_TEXT_MAX])
{
	const char *colon = spec->mode == SLU_ORDER_GROUPED ? ":" : "";
	int n = snprintf(buf, SLU_ORDER_TEXT_MAX, "%s%s%s", names[spec->mode], colon, *colon ? spec->field : "");

	if (spec->size && !(spec->mode == SLU_ORDER_OPPORTUNISTIC && spec->size == SLU_ORDER_LOOKAHEAD))
		n += snprintf(buf + n, SLU_ORDER_TEXT_MAX - (size_t)n, ":%" PRIu64, spec->size);
	if (spec->mode == SLU_ORDER_BLOCK && spec->window && spec->window != SLU_ORDER_WINDOW_BLOCKS)
		(void)snprintf(buf + n, SLU_ORDER_TEXT_MAX - (size_t)n, ":%" PRIu64, spec->window); /* always fits */
	return buf;
}
