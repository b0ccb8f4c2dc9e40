/* SPDX-License-Identifier: MIT */
/* See scan-json.h. */
#include "prof/scan-json.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/macros.h"

/* More than this is no event. */
#define LARGEST (64u << 20)

struct scan {
	FILE *f;
	const char *what;
	uint64_t at;
	struct slu_buf value;
	bool keep; /* what is passed over goes to @value */
};

static int broken(const struct scan *s, const char *why)
{
	if (ferror(s->f))
		return slu_fail_sys(errno ? -errno : -EIO, "cannot read %s", s->what);
	return slu_fail(-EBADMSG, "%s is not a trace in Chrome's JSON: %s at byte %llu", s->what, why,
	                (unsigned long long)s->at);
}

static int next(struct scan *s)
{
	s->at++;
	return getc_unlocked(s->f);
}

static void back(struct scan *s, int c)
{
	s->at--;
	(void)ungetc(c, s->f); /* one is always possible; the end stays the end */
}

/* The next character that is no space. */
static int next_sign(struct scan *s)
{
	int c;

	do
		c = next(s);
	while (c == ' ' || c == '\n' || c == '\r' || c == '\t');
	return c;
}

static int take(struct scan *s, int c)
{
	char byte = (char)c;

	if (!s->keep)
		return 0;
	if (s->value.len >= LARGEST)
		return broken(s, "a value of more than 64 MiB");
	return slu_buf_add(&s->value, &byte, 1);
}

/* After the opening quote. */
static int pass_string(struct scan *s)
{
	int c, r = take(s, '"');

	while (r == 0) {
		c = next(s);
		if (c == EOF)
			return broken(s, "it ends in a string");
		r = take(s, c);
		if (c == '"')
			return r;
		if (c == '\\' && r == 0 && (c = next(s)) != EOF)
			r = take(s, c);
	}
	return r;
}

/* One value whose first character is @c. */
static int pass_value(struct scan *s, int c)
{
	unsigned depth = 0;
	int r;

	for (;; c = next(s)) {
		if (c == EOF)
			return depth ? broken(s, "it ends in a value") : 0;
		if (c == '"') {
			r = pass_string(s);
		} else if (depth == 0 && (c == ',' || c == ']' || c == '}')) {
			back(s, c);
			return 0;
		} else {
			r = take(s, c);
			depth += c == '{' || c == '[';
			depth -= c == '}' || c == ']';
			if (r == 0 && depth == 0 && (c == '}' || c == ']'))
				return 0;
		}
		if (r < 0)
			return r;
	}
}

static int give(struct scan *s, const char *of, int c, slu_scan_fn *fn, void *arg)
{
	int r;

	s->keep = true;
	s->value.len = 0;
	r = pass_value(s, c);
	s->keep = false;
	if (r == 0)
		r = slu_buf_add(&s->value, "", 1);
	return r < 0 ? r : fn(arg, of, (const char *)s->value.data, s->value.len - 1);
}

/* After the opening bracket. */
static int elements(struct scan *s, const char *of, slu_scan_fn *fn, void *arg)
{
	for (;;) {
		int c = next_sign(s), r;

		if (c == ']')
			return 0;
		if (c == ',')
			continue;
		if (c == EOF)
			return *of || ferror(s->f) ? broken(s, "it ends in an array") : 0;
		r = give(s, of, c, fn, arg);
		if (r < 0)
			return r;
	}
}

/* A key, up to its colon; "" for one that is too long to be known. */
static int read_key(struct scan *s, char ret_key[64])
{
	int r;

	s->keep = true;
	s->value.len = 0;
	r = pass_string(s);
	s->keep = false;
	if (r < 0)
		return r;
	ret_key[0] = 0;
	if (s->value.len - 2 < 64) {
		memcpy(ret_key, s->value.data + 1, s->value.len - 2);
		ret_key[s->value.len - 2] = 0;
	}
	return next_sign(s) == ':' ? 0 : broken(s, "no colon after a name");
}

/* After the opening brace. */
static int members(struct scan *s, const char *array, slu_scan_fn *fn, void *arg)
{
	char key[64];

	for (;;) {
		int c = next_sign(s), r;

		if (c == '}')
			return 0;
		if (c == ',')
			continue;
		if (c != '"')
			return broken(s, c == EOF ? "it ends in an object" : "no name");
		r = read_key(s, key);
		if (r < 0)
			return r;
		c = next_sign(s);
		if (c == '[' && strcmp(key, array) == 0)
			r = elements(s, array, fn, arg);
		else if (c == '[' || c == '{')
			r = pass_value(s, c);
		else
			r = give(s, key, c, fn, arg);
		if (r < 0)
			return r;
	}
}

int slu_scan_json(FILE *f, const char *what, const char *array, slu_scan_fn *fn, void *arg)
{
	struct scan s = { .f = f, .what = what };
	int c = next_sign(&s), r;

	if (c == 0xEF && next(&s) == 0xBB && next(&s) == 0xBF) /* a byte order mark */
		c = next_sign(&s);
	if (c == 0x1F)
		return slu_fail(-EBADMSG, "%s is compressed: gunzip it first", what);
	if (c == '[')
		r = elements(&s, "", fn, arg);
	else if (c == '{')
		r = members(&s, array, fn, arg);
	else
		r = broken(&s, "neither an array nor an object");
	slu_buf_done(&s.value);
	return r;
}
