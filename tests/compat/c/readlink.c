/* SPDX-License-Identifier: MIT */
/* readlink, realpath and their kin. */
#include "compat.h"

extern ssize_t __readlink_chk(const char *, char *, size_t, size_t);
extern ssize_t __readlinkat_chk(int, const char *, char *, size_t, size_t);
extern char *__realpath_chk(const char *, char *, size_t);

static void link_result(const char *what, const char *rel, ssize_t n)
{
	if (n < 0)
		printf("%s(%s) = %zd %s\n", what, rel, n, ename(errno));
	else
		printf("%s(%s) = %.*s\n", what, rel, (int)n, buf);
}

static void path_result(const char *what, const char *rel, char *p)
{
	printf("%s(%s) = %s\n", what, rel, p ? p : ename(errno));
}

static void run(void)
{
	static const char *const rels[] = { "",
		                            ".",
		                            "..",
		                            "text/lines.txt",
		                            "text/lines.txt/",
		                            "class-a",
		                            "links/rel",
		                            "links/rel/",
		                            "links/abs",
		                            "links/dir",
		                            "links/dir/",
		                            "links/dir/..",
		                            "links/dir/img-00.jpg",
		                            "links/chain1",
		                            "links/loop1",
		                            "links/self",
		                            "links/dangling",
		                            "links/dangling/",
		                            "links/out",
		                            "links/outdir",
		                            "links/outdir/in.txt",
		                            "links/outdir/..",
		                            "links/up",
		                            "no-such",
		                            "no-such/x",
		                            "empty/x",
		                            "empty/..",
		                            "class-a//..//.//text/lines.txt",
		                            "../mnt/links/dir" };
	static char out[PATH_MAX];
	int d = (int)R(open(point, O_RDONLY | O_DIRECTORY));
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++) {
		const char *rel = rels[i], *p = P(rel);
		link_result("readlink", rel, readlink(p, buf, PATH_MAX));
		link_result("__readlink_chk", rel, __readlink_chk(p, buf, PATH_MAX, sizeof(buf)));
		link_result("readlinkat", rel, readlinkat(AT_FDCWD, p, buf, PATH_MAX));
		if (*rel) {
			link_result("readlinkat dirfd", rel, readlinkat(d, rel, buf, PATH_MAX));
			link_result("__readlinkat_chk", rel, __readlinkat_chk(d, rel, buf, PATH_MAX, sizeof(buf)));
		}
		path_result("realpath", rel, realpath(p, out));
		path_result("__realpath_chk", rel, __realpath_chk(p, out, sizeof(out)));
		char *q = realpath(p, NULL);
		path_result("realpath to new memory", rel, q);
		free(q);
		q = canonicalize_file_name(p);
		path_result("canonicalize_file_name", rel, q);
		free(q);
	}
	link_result("short", "links/rel", readlink(P("links/rel"), buf, 3));
	R(readlink(P("links/rel"), buf, 0));
	R(readlinkat(d, "", buf, 10));
	R(readlinkat(99, "links/rel", buf, 10));
	RP(realpath("", out));
	RP(realpath(NULL, out));
	R(chdir(P("links/dir")));
	path_result("relative", ".", realpath(".", out));
	path_result("relative", "..", realpath("..", out));
	path_result("relative", "img-00.jpg", realpath("img-00.jpg", out));
	path_result("relative", "../links/chain1", realpath("../links/chain1", out));
	link_result("relative", "../links/chain1", readlink("../links/chain1", buf, PATH_MAX));
}
