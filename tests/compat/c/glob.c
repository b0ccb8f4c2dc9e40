/* SPDX-License-Identifier: MIT */
/* glob, glob64, wordexp. */
#include "compat.h"
#include <glob.h>
#include <wordexp.h>

static int complain(const char *p, int e)
{
	printf("  complaint: %s %s\n", p, ename(e));
	return 0;
}

static void go(const char *pattern, int flags)
{
	glob_t g = { 0 };
	int rc = glob(pattern, flags, complain, &g);
	printf("glob(%s, %x) = %d, %zu\n", pattern, flags, rc, (size_t)g.gl_pathc);
	for (size_t i = 0; rc == 0 && i < g.gl_pathc; i++)
		printf("  %s\n", g.gl_pathv[i]);
	globfree(&g);
}

static void words(const char *s, int flags)
{
	wordexp_t w;
	int rc = wordexp(s, &w, flags);
	printf("wordexp(%s) = %d\n", s, rc);
	for (size_t i = 0; rc == 0 && i < w.we_wordc; i++)
		printf("  %s\n", w.we_wordv[i]);
	if (rc == 0)
		wordfree(&w);
}

static void run(void)
{
	go(P("*"), 0);
	go(P("*/*.jpg"), 0);
	go(P("class-?/img-0[0-3].jpg"), 0);
	go(P("class-a/*"), GLOB_MARK);
	go(P("*"), GLOB_MARK);
	go(P("*"), GLOB_ONLYDIR);
	go(P("links/*"), 0);
	go(P("links/*/img-00.jpg"), 0);
	go(P("links/*"), GLOB_MARK);
	go(P("links/*"), GLOB_ONLYDIR);
	go(P("no-*"), 0);
	go(P("no-*"), GLOB_NOCHECK);
	go(P("no-*"), GLOB_NOMAGIC);
	go(P("no/such/thing"), 0);
	go(P("empty"), 0);
	go(P("links/dangling"), 0);
	go(P("{class-a,class-b,zzz}/img-00.jpg"), GLOB_BRACE);
	go(P("names/*"), 0);
	go(P("names/\\*"), 0);
	go(P("names/star\\*"), 0);
	go(P("names/\\[brackets\\]"), GLOB_NOESCAPE);
	go(P("names/.*"), GLOB_PERIOD);
	go(P("empty/*"), GLOB_ERR);
	go(P("empty/*"), 0);
	go(P("class-a/../te*/l*"), 0);
	go(P("*/"), 0);
	setenv("HOME", point, 1);
	go("~/class-a/img-0*", GLOB_TILDE);
	go("~", GLOB_TILDE_CHECK);
	words("$HOME/class-b/img-0?.jpg ~/text/*", 0);
	words("~/no-*", 0);
	words("$(cat $HOME/text/one-line.txt)", 0);
	words("$(echo hi)", WRDE_NOCMD);
	R(chdir(point));
	go("*", 0);
	go("class-a/*", 0);
	go("./c*/../text/*", 0);
	go("../mnt/text/*", 0);
	glob64_t g = { 0 };
	R(glob64("class-b/*", GLOB_DOOFFS * 0, NULL, &g));
	for (size_t i = 0; i < g.gl_pathc; i++)
		printf("  %s\n", g.gl_pathv[i]);
	globfree64(&g);
	glob_t two = { 0 };
	R(glob("class-a/*0.jpg", 0, NULL, &two));
	R(glob("class-b/*0.jpg", GLOB_APPEND, NULL, &two));
	R(two.gl_pathc);
	globfree(&two);
	words("text/* class-c/*", 0);
	R(open(P("empty"), O_RDONLY));
}
