/* SPDX-License-Identifier: MIT */
/*
 * The JSON writer. See json.h.
 *
 * Layout: the members of the two outermost levels stand on lines of their own, what is
 * deeper stays on its parent's line. A long array below the top object is thus one
 * element a line, which line tools can work on.
 */
#include "base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Objects and arrays down to this depth have their members on lines of their own. */
#define LINE_DEPTH 2

static bool in_object(const struct slu_json *j)
{
	return j->depth > 0 && (j->objects >> (j->depth - 1) & 1);
}

static void new_line(struct slu_json *j)
{
	fprintf(j->out, "\n%*s", 2 * (int)j->depth, "");
}

/* What comes before a value: the comma, the place, the key. */
static void start_value(struct slu_json *j, const char *key)
{
	assert(in_object(j) == (key != NULL));
	if (j->depth > 0) {
		uint64_t bit = UINT64_C(1) << (j->depth - 1);
		bool filled = j->filled & bit;

		if (filled)
			putc(',', j->out);
		j->filled |= bit;
		if (j->depth <= LINE_DEPTH)
			new_line(j);
		else if (filled)
			putc(' ', j->out);
	}
	if (key) {
		putc('"', j->out);
		fputs(key, j->out);
		fputs("\": ", j->out);
	}
}

static void open_level(struct slu_json *j, const char *key, bool object)
{
	uint64_t bit;

	start_value(j, key);
	assert(j->depth < SLU_JSON_DEPTH);
	bit = UINT64_C(1) << j->depth++;
	j->objects = object ? j->objects | bit : j->objects & ~bit;
	j->filled &= ~bit;
	putc(object ? '{' : '[', j->out);
}

void slu_json_init(struct slu_json *j, FILE *out)
{
	*j = (struct slu_json){ .out = out };
}

void slu_json_object(struct slu_json *j, const char *key)
{
	open_level(j, key, true);
}

void slu_json_array(struct slu_json *j, const char *key)
{
	open_level(j, key, false);
}

void slu_json_end(struct slu_json *j)
{
	assert(j->depth > 0);
	bool object = in_object(j);
	bool filled = j->filled >> (j->depth - 1) & 1;

	j->depth--;
	if (filled && j->depth < LINE_DEPTH)
		new_line(j);
	putc(object ? '}' : ']', j->out);
}

void slu_json_end_all(struct slu_json *j)
{
	while (j->depth > 0)
		slu_json_end(j);
	putc('\n', j->out);
}

size_t slu_utf8_length(const char *s, size_t len)
{
	const unsigned char *u = (const unsigned char *)s;
	uint32_t c, least;
	size_t n;

	if (len == 0)
		return 0;
	if (u[0] < 0x80)
		return 1;
	/* 0xC0 and 0xC1 could only begin overlong forms, 0xF5 and above what Unicode has not. */
	if (u[0] < 0xC2 || u[0] > 0xF4)
		return 0;
	n = u[0] < 0xE0 ? 2 : u[0] < 0xF0 ? 3 : 4;
	if (len < n)
		return 0;
	c = u[0] & (0x7Fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((u[i] & 0xC0) != 0x80)
			return 0;
		c = c << 6 | (u[i] & 0x3F);
	}
	least = n == 2 ? 0x80 : n == 3 ? 0x800 : 0x10000;
	if (c < least || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
		return 0;
	return n;
}

/* Writes the escape of a byte that cannot stand in a JSON string as it is. */
static void put_escape(FILE *out, unsigned char b)
{
	static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
	const char *at = b ? strchr(plain, b) : NULL;

	if (at)
		fprintf(out, "\\%c", letter[at - plain]);
	else if (b < 0x80)
		fprintf(out, "\\u%04x", b);
	else
		fprintf(out, "\\udc%02x", b);
}

void slu_json_strn(struct slu_json *j, const char *key, const char *s, size_t len)
{
	size_t from = 0, i = 0;

	start_value(j, key);
	putc('"', j->out);
	while (i < len) {
		unsigned char b = (unsigned char)s[i];
		bool special = b < 0x20 || b == '"' || b == '\\' || b == 0x7F;
		size_t n = special ? 0 : slu_utf8_length(s + i, len - i);

		if (n > 0) {
			i += n;
			continue;
		}
		fwrite(s + from, 1, i - from, j->out);
		put_escape(j->out, b);
		from = ++i;
	}
	fwrite(s + from, 1, len - from, j->out);
	putc('"', j->out);
}

void slu_json_str(struct slu_json *j, const char *key, const char *s)
{
	if (s) {
		slu_json_strn(j, key, s, strlen(s));
		return;
	}
	start_value(j, key);
	fputs("null", j->out);
}

/* A million files have fifty numbers each: printf() would take most of the time. */
static void put_u64(FILE *out, uint64_t v)
{
	char digits[20];
	size_t n = sizeof(digits);

	do {
		digits[--n] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	fwrite(digits + n, 1, sizeof(digits) - n, out);
}

void slu_json_u64(struct slu_json *j, const char *key, uint64_t v)
{
	start_value(j, key);
	put_u64(j->out, v);
}

void slu_json_i64(struct slu_json *j, const char *key, int64_t v)
{
	start_value(j, key);
	fprintf(j->out, "%" PRId64, v);
}

void slu_json_double(struct slu_json *j, const char *key, double v)
{
	char text[40];
	const char *s = text;

	start_value(j, key);
	if (!isfinite(v)) {
		fputs("null", j->out);
		return;
	}
	/* The fewest digits that bring the value back; 17 always do. */
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	/* The host's locale may have a decimal comma, of one byte or more. JSON has a point. */
	while (*s) {
		size_t n = strspn(s, "0123456789+-e");

		fwrite(s, 1, n, j->out);
		s += n;
		if (*s)
			putc('.', j->out);
		s += strcspn(s, "0123456789+-e");
	}
}

void slu_json_bool(struct slu_json *j, const char *key, bool v)
{
	start_value(j, key);
	fputs(v ? "true" : "false", j->out);
}

void slu_json_decimal(struct slu_json *j, const char *key, uint64_t v, unsigned digits)
{
	char text[10] = ".";
	uint64_t unit = 1, rest;
	size_t n = digits;

	for (unsigned i = 0; i < digits; i++)
		unit *= 10;
	rest = v % unit;
	start_value(j, key);
	put_u64(j->out, v / unit);
	if (!rest)
		return;
	for (size_t i = digits; i > 0; i--, rest /= 10)
		text[i] = (char)('0' + rest % 10);
	while (text[n] == '0')
		n--;
	fwrite(text, 1, n + 1, j->out);
}

void slu_json_raw(struct slu_json *j, const char *key, const char *text)
{
	start_value(j, key);
	fputs(text, j->out);
}
