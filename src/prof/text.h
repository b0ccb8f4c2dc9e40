/* SPDX-License-Identifier: MIT */
/*
 * Text for people: lines of a width, colours where they are wanted, numbers as they are read. What comes from traces
 * is escaped.
 */
#ifndef SLU_PROF_TEXT_H
#define SLU_PROF_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How it is to look. All zero: 80 columns, plain ASCII. */
struct slu_look {
	unsigned width;
	bool colour; /* SGR sequences */
	bool utf8;   /* blocks for bars */
};

struct slu_text {
	FILE *out; /* borrowed; its errors stay in it */
	unsigned width;
	bool colour, utf8;
};

enum slu_ink { SLU_PLAIN, SLU_BOLD, SLU_DIM, SLU_RED, SLU_GREEN, SLU_YELLOW, SLU_BLUE };

void slu_text_init(struct slu_text *t, FILE *out, const struct slu_look *look);

/* From here on, until SLU_PLAIN. Nothing without colours. */
void slu_ink(const struct slu_text *t, enum slu_ink ink);

/* @words in lines, the first with @first before it (which is not escaped), the others indented by as many columns. A
 * word that is longer than a line gets one of its own. */
void slu_put_words(const struct slu_text *t, const char *first, const char *words);

/* @s in exactly @columns: filled with spaces, or cut off, of which "..." tells: at its end, or (a path) at its start.
 */
void slu_put_cell(const struct slu_text *t, const char *s, unsigned columns, bool keep_end);

/* Numbers. Each gives @buf, in which the text always fits. */
enum { SLU_NUMBER = 32 };
const char *slu_count(uint64_t n, char buf[SLU_NUMBER]);     /* "12,345" */
const char *slu_time(uint64_t ns, char buf[SLU_NUMBER]);     /* "3.21 s", "4.5 ms" */
const char *slu_percent(double share, char buf[SLU_NUMBER]); /* "12.3 %"; "-" for NAN; so do the next two */
const char *slu_rate(double bytes_s, char buf[SLU_NUMBER]);  /* "61.5 MB/s" */
const char *slu_number(double x, char buf[SLU_NUMBER]);      /* "0.12", "1.23", "45.6", "1,234" */

#endif
