/* SPDX-License-Identifier: MIT */
/* scandir, scandir64, scandirat: all inside libc. */
#include "compat.h"

static int no_dots(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int none(const struct dirent *e)
{
	(void)e;
	return 0;
}

static void show_list(const char *what, struct dirent **list, int n)
{
	printf("%s: %d %s\n", what, n, n < 0 ? ename(errno) : "");
	for (int i = 0; i < n; i++) {
		printf("  %s %d\n", list[i]->d_name, list[i]->d_type);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

static void run(void)
{
	struct dirent **list;
	struct dirent64 **list64;
	static const char *const rels[] = { "",      "class-a", "links", "names",    "empty-dir",
		                            "empty", "no-such", "many",  "links/dir" };
	int d = (int)R(open(point, O_RDONLY | O_DIRECTORY));
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++) {
		show_list(rels[i], list, scandir(P(rels[i]), &list, no_dots, alphasort));
		show_list(rels[i], list, scandir(P(rels[i]), &list, NULL, versionsort));
		show_list(rels[i], list, scandir(P(rels[i]), &list, none, NULL));
		if (*rels[i])
			show_list(rels[i], list, scandirat(d, rels[i], &list, no_dots, alphasort));
	}
	int n = scandir64(P("class-c"), &list64, NULL, alphasort64);
	for (int i = 0; i < n; i++)
		printf("64: %s %d\n", list64[i]->d_name, list64[i]->d_type);
	n = scandirat64(d, "class-c", &list64, NULL, alphasort64);
	for (int i = 0; i < n; i++)
		printf("at64: %s %d\n", list64[i]->d_name, list64[i]->d_type);
	R(scandirat(99, "class-c", &list, NULL, NULL));
	R(chdir(point));
	show_list("relative", list, scandir("text", &list, NULL, alphasort));
	show_list("here", list, scandir(".", &list, NULL, alphasort));
	R(close(d));
	R(open(P("empty"), O_RDONLY)); /* nothing was left open */
}
