/* SPDX-License-Identifier: MIT */
/*
 * A JSON writer over a stdio stream. What is told goes out at once: no tree is built,
 * so that an output of any size costs no memory.
 *
 * Every value takes a key, which must be NULL at the top and inside arrays, and must
 * not be NULL inside objects. Keys are written as they are: plain ASCII literals.
 *
 * Strings are bytes. Valid UTF-8 goes out as it is; each byte 0xNN that is not part of
 * valid UTF-8 becomes the escape \udcNN, which Python's "surrogateescape" turns back.
 *
 * Output errors are not reported here: they stay in the stream, whose owner asks ferror()
 * and looks at what fflush() or fclose() say.
 */
#ifndef SLU_BASE_JSON_H
#define SLU_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SLU_JSON_DEPTH 64

struct slu_json {
	FILE *out;        /* borrowed */
	unsigned depth;   /* open objects and arrays */
	uint64_t objects; /* bit d: the one at depth d+1 is an object */
	uint64_t filled;  /* bit d: it has a member already */
};

/* @out is borrowed until slu_json_end_all(). */
void slu_json_init(struct slu_json *j, FILE *out);

void slu_json_object(struct slu_json *j, const char *key);
void slu_json_array(struct slu_json *j, const char *key);

/* Closes the innermost object or array. */
void slu_json_end(struct slu_json *j);

/* Closes all that are open and ends the line. */
void slu_json_end_all(struct slu_json *j);

/* A NULL string is null. */
void slu_json_str(struct slu_json *j, const char *key, const char *s);
void slu_json_strn(struct slu_json *j, const char *key, const char *s, size_t len);
void slu_json_u64(struct slu_json *j, const char *key, uint64_t v);
void slu_json_i64(struct slu_json *j, const char *key, int64_t v);
/* Infinities and NaN, which JSON cannot say, are null. */
void slu_json_double(struct slu_json *j, const char *key, double v);
/* @v / 10^@digits (at most 9): exact, and faster. */
void slu_json_decimal(struct slu_json *j, const char *key, uint64_t v, unsigned digits);
static inline void slu_json_seconds(struct slu_json *j, const char *key, uint64_t ns)
{
	slu_json_decimal(j, key, ns, 9);
}
void slu_json_bool(struct slu_json *j, const char *key, bool v);

/* @text is JSON already, one value. */
void slu_json_raw(struct slu_json *j, const char *key, const char *text);

/* How many bytes the well-formed UTF-8 character at @s has (@len are there); 0: none. */
size_t slu_utf8_length(const char *s, size_t len);

#endif
