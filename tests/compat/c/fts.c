/* SPDX-License-Identifier: MIT */
/* fts: walks with every option that changes what is called. */
#include "compat.h"
#include <fts.h>

static int compare(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void walk(const char *what, char *const *roots, int options)
{
	int n = 0, ok = 0;
	FTS *t = fts_open(roots, options, compare);
	printf("--- %s: %s\n", what, t ? "open" : ename(errno));
	if (!t)
		return;
	for (FTSENT *e; (errno = 0, e = fts_read(t)); n++) {
		printf("%d %d %s", e->fts_info, e->fts_level, e->fts_path);
		if (e->fts_info == FTS_F || e->fts_info == FTS_SL)
			printf(" size %lld", (long long)e->fts_statp->st_size);
		if (e->fts_info == FTS_NS || e->fts_info == FTS_DNR || e->fts_info == FTS_ERR)
			printf(" %s", ename(e->fts_errno));
		printf("\n");
		ok += e->fts_info != FTS_F || access(e->fts_accpath, R_OK) == 0;
		if (e->fts_info == FTS_D && strcmp(e->fts_name, "many") == 0)
			fts_set(t, e, FTS_SKIP);
		if (e->fts_info == FTS_D && strcmp(e->fts_name, "class-a") == 0) {
			int children = 0;
			for (FTSENT *c = fts_children(t, FTS_NAMEONLY); c; c = c->fts_link)
				children++;
			printf("  %d children\n", children);
		}
	}
	printf("%d entries, %d fine, %s\n", n, ok, ename(errno));
	R(fts_close(t));
}

static void run(void)
{
	char *one[] = { (char *)point, NULL }, *two[] = { P("class-a"), P("links"), NULL },
	     *none[] = { P("no-such"), NULL };
	char *rel[] = { (char *)"text", (char *)"deep", NULL };
	walk("physical", one, FTS_PHYSICAL);
	walk("physical, no chdir", one, FTS_PHYSICAL | FTS_NOCHDIR);
	walk("logical", two, FTS_LOGICAL);
	walk("logical, command line only", two, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR);
	walk("no stat", one, FTS_PHYSICAL | FTS_NOSTAT);
	walk("dots", two, FTS_PHYSICAL | FTS_SEEDOT);
	walk("one device", one, FTS_PHYSICAL | FTS_XDEV);
	walk("missing", none, FTS_PHYSICAL);
	R(chdir(point));
	walk("relative", rel, FTS_PHYSICAL);
	R(access("text/lines.txt", R_OK)); /* and it came back */
}
