/* SPDX-License-Identifier: MIT */
/* How text should look where it goes: wide as the terminal, with colours and blocks only where they can be shown. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/macros.h"

/* Lines longer than this are hard to follow. */
#define MAX_TEXT_COLUMNS 120

int slu_cli_columns(int fd)
{
	const char *env = getenv("COLUMNS");
	int n = env ? atoi(env) : 0;
	struct winsize w;

	if (n <= 0 && ioctl(fd, TIOCGWINSZ, &w) == 0)
		n = w.ws_col;
	if (n <= 0)
		n = 80;
	return n < SLU_MAX_COLUMNS ? n : SLU_MAX_COLUMNS;
}

/* As setlocale() would choose; the locale itself is left at C, so that numbers keep their points. */
static bool utf8(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < SLU_ARRAY_SIZE(variables); i++) {
		const char *v = getenv(variables[i]);

		if (v && *v)
			return strcasestr(v, "UTF-8") || strcasestr(v, "UTF8");
	}
	return false;
}

void slu_cli_look(int fd, struct slu_look *ret_look)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	*ret_look = (struct slu_look){ .width = (unsigned)slu_min((uint64_t)slu_cli_columns(fd), MAX_TEXT_COLUMNS),
		                       .colour = isatty(fd) && !(no_color && *no_color) && term &&
		                                 strcmp(term, "dumb") != 0,
		                       .utf8 = utf8() };
}
