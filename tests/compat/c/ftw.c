/* SPDX-License-Identifier: MIT */
/* ftw and nftw. */
#include "compat.h"
#include <ftw.h>

static int visit(const char *p, const struct stat *st, int flag)
{
	line("%d %s %lld", flag, p, flag == FTW_F ? (long long)st->st_size : 0);
	return 0;
}

static bool follow_chdir;

static int nvisit(const char *p, const struct stat *st, int flag, struct FTW *f)
{
	int there = follow_chdir && flag == FTW_F ? access(p + f->base, R_OK) == 0 : 1;
	line("%d %d %s %lld %s%s", flag, f->level, p, flag == FTW_F ? (long long)st->st_size : 0, p + f->base,
	     there ? "" : " NOT HERE");
	return 0;
}

static int stop(const char *p, const struct stat *st, int flag, struct FTW *f)
{
	(void)p, (void)st, (void)flag, (void)f;
	return 17;
}

static int depth_order(const char *p, const struct stat *st, int flag, struct FTW *f)
{
	static char last[PATH_MAX];
	(void)st, (void)f;
	/* with FTW_DEPTH a directory comes after what it holds */
	MUST(flag != FTW_DP || !*last || strncmp(last, p, strlen(p)) == 0 || strstr(p, "empty-dir"));
	snprintf(last, sizeof(last), "%s", p);
	return 0;
}

static void run(void)
{
	static const char *const trees[] = {
		"class-a", "text", "deep", "many", "names", "modes", "empty-dir", "empty"
	};
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		R(ftw(P(trees[i]), visit, 5));
		print_lines("ftw");
	}
	/* loops end a walk that follows links, sooner or later by the order of entries */
	R(ftw(point, visit, 5));
	forget_lines();
	R(nftw(P("links"), nvisit, 5, 0));
	forget_lines();
	R(ftw(P("class-a"), visit, 1));
	print_lines("ftw with one descriptor");
	R(nftw(point, nvisit, 5, FTW_PHYS));
	print_lines("nftw FTW_PHYS");
	R(nftw(point, nvisit, 2, FTW_PHYS | FTW_DEPTH));
	print_lines("nftw FTW_DEPTH");
	R(nftw(P("deep"), depth_order, 3, FTW_PHYS | FTW_DEPTH));
	follow_chdir = true;
	R(nftw(point, nvisit, 5, FTW_PHYS | FTW_CHDIR));
	print_lines("nftw FTW_CHDIR");
	follow_chdir = false;
	char cwd[PATH_MAX];
	R(nftw(P("class-a"), nvisit, 5, FTW_MOUNT));
	print_lines("nftw FTW_MOUNT");
	R(nftw(point, stop, 5, FTW_PHYS));
	R(nftw(P("no-such"), nvisit, 5, 0));
	R(nftw(P("links/dangling"), nvisit, 5, 0));
	R(nftw(P("links/dangling"), nvisit, 5, FTW_PHYS));
	R(nftw(P("empty"), nvisit, 5, 0));
	print_lines("of a file, of links");
	R(nftw64(P("class-b"), (__nftw64_func_t)(void *)nvisit, 5, FTW_PHYS));
	print_lines("nftw64");
	R(ftw64(P("class-b"), (__ftw64_func_t)(void *)visit, 5));
	print_lines("ftw64");
	R(chdir(point));
	R(nftw("text", nvisit, 5, FTW_CHDIR));
	print_lines("relative");
	printf("%s\n", getcwd(cwd, sizeof(cwd)) ? cwd : ename(errno));
}
