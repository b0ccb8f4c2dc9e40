/* SPDX-License-Identifier: MIT */
/* stdio's wide characters, which decode by the locale or by ccs=. */
#include "compat.h"
#include <locale.h>
#include <wchar.h>

static void read_all(const char *mode)
{
	wchar_t w[200];
	FILE *f = RP(fopen(P("text/utf8.txt"), mode));
	if (!f)
		return;
	while (fgetws(w, 200, f))
		printf("%zu wide, first %x\n", wcslen(w), (unsigned)w[0]);
	R(fwide(f, 0) > 0);
	R(ferror(f) != 0);
	R(fclose(f));
	f = RP(fopen(P("text/utf8.txt"), mode));
	R(fgetwc(f));
	R(ungetwc(L'x', f));
	R(getwc(f));
	R(fwscanf(f, L"%ls", w));
	R(fclose(f));
}

static void run(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	read_all("r");
	read_all("r,ccs=UTF-8");
}
