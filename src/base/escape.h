/* SPDX-License-Identifier: MIT */
/*
 * Names from elsewhere: on a terminal, where control characters, backslashes and bytes that are not UTF-8 are escaped
 * as ls -b does, and as words of a shell's command.
 */
#ifndef SLU_BASE_ESCAPE_H
#define SLU_BASE_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"

enum { SLU_ESCAPED_MAX = 5 }; /* bytes of one character as it is shown, and a zero */

/*
 * The next character of @s (@len > 0 bytes are left) as it is shown; it takes *@ret_columns on the screen. How many
 * bytes of @s it stands for.
 */
size_t slu_escape(const char *s, size_t len, char ret_text[SLU_ESCAPED_MAX], unsigned *ret_columns);

/* The whole of it. The number of bytes written. */
size_t slu_put_escaped(FILE *out, const char *s);

/* Appends @word as a shell must be given it: in quotes where it needs them. */
SLU_MUST_USE int slu_add_shell_word(struct slu_buf *b, const char *word);

#endif
