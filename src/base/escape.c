/* SPDX-License-Identifier: MIT */
/* See escape.h. */
#include "base/escape.h"

#include <string.h>

#include "base/json.h"

/* The length of the character at @s that a terminal can be given as it is, or 0. */
static size_t printable(const char *s, size_t len)
{
	size_t n = slu_utf8_length(s, len);
	unsigned char b = (unsigned char)s[0];

	if (n == 1)
		return b >= 0x20 && b != 0x7F && b != '\\';
	/* U+0080 to U+009F are control characters too. */
	if (n == 2 && b == 0xC2 && (unsigned char)s[1] < 0xA0)
		return 0;
	return n;
}

size_t slu_escape(const char *s, size_t len, char ret_text[SLU_ESCAPED_MAX], unsigned *ret_columns)
{
	static const char plain[] = "\\\a\b\f\n\r\t\v", letter[] = "\\abfnrtv";
	size_t n = printable(s, len);
	unsigned char b = (unsigned char)s[0];
	const char *at = b ? strchr(plain, b) : NULL;

	if (n > 0) {
		memcpy(ret_text, s, n);
		ret_text[n] = 0;
		*ret_columns = 1;
		return n;
	}
	ret_text[0] = '\\';
	if (at) {
		ret_text[1] = letter[at - plain];
		ret_text[2] = 0;
	} else {
		for (int i = 0; i < 3; i++)
			ret_text[1 + i] = (char)('0' + (b >> (6 - 3 * i) & 7));
		ret_text[4] = 0;
	}
	*ret_columns = (unsigned)strlen(ret_text);
	return 1;
}

size_t slu_put_escaped(FILE *out, const char *s)
{
	size_t len = strlen(s), written = 0;
	char text[SLU_ESCAPED_MAX];
	unsigned columns;

	for (size_t i = 0; i < len;) {
		i += slu_escape(s + i, len - i, text, &columns);
		written += fwrite(text, 1, strlen(text), out);
	}
	return written;
}

int slu_add_shell_word(struct slu_buf *b, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=+,@%^";
	size_t n = strlen(word);
	int r;

	if (n && strspn(word, plain) == n)
		return slu_buf_add(b, word, n);
	r = slu_buf_add(b, "'", 1);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = word[i] == '\'' ? slu_buf_add(b, "'\\''", 4) : slu_buf_add(b, word + i, 1);
	return r < 0 ? r : slu_buf_add(b, "'", 1);
}
