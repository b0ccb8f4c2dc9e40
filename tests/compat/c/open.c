/* SPDX-License-Identifier: MIT */
/* open and its kin: every exported name, flags, kinds of files, ways to write a path. */
#include "compat.h"

extern int __open(const char *, int, ...);
extern int __open64(const char *, int, ...);
extern int __open_2(const char *, int);
extern int __open64_2(const char *, int);
extern int __openat_2(int, const char *, int);
extern int __openat64_2(int, const char *, int);
extern int open64(const char *, int, ...);
extern int openat64(int, const char *, int, ...);
extern int creat64(const char *, mode_t);

static void names(void)
{
	const char *p = P("text/lines.txt");
	int d = (int)R(open(point, O_RDONLY | O_DIRECTORY));
	int fd[16], n = 0;
	fd[n++] = (int)R(open(p, O_RDONLY));
	fd[n++] = (int)R(open64(p, O_RDONLY));
	fd[n++] = (int)R(__open(p, O_RDONLY));
	fd[n++] = (int)R(__open64(p, O_RDONLY));
	fd[n++] = (int)R(__open_2(p, O_RDONLY));
	fd[n++] = (int)R(__open64_2(p, O_RDONLY));
	fd[n++] = (int)R(openat(AT_FDCWD, p, O_RDONLY));
	fd[n++] = (int)R(openat(d, "text/lines.txt", O_RDONLY));
	fd[n++] = (int)R(openat64(d, "text/lines.txt", O_RDONLY));
	fd[n++] = (int)R(__openat_2(d, "text/lines.txt", O_RDONLY));
	fd[n++] = (int)R(__openat64_2(d, "text/lines.txt", O_RDONLY));
	fd[n++] = (int)R(openat(-7, p, O_RDONLY));
	for (int i = 0; i < n; i++) {
		drain("content", fd[i]);
		R(close(fd[i]));
	}
	R(creat(P("text/lines.txt"), 0644));
	R(creat64(P("text/lines.txt"), 0644));
	R(creat(P("new"), 0644));
	R(close(d));
}

static void try_open(const char *rel, int flags, const char *as)
{
	errno = 0;
	int fd = open(P(rel), flags, 0644);
	int e = errno;
	struct stat st;
	printf("open(%s, %s) = %d %s\n", rel, as, fd, ename(e));
	if (fd >= 0) {
		if (fstat(fd, &st) == 0)
			printf("  kind %o size %lld\n", (unsigned)st.st_mode & S_IFMT,
			       S_ISREG(st.st_mode) ? (long long)st.st_size : -1);
		printf("  getfl %x getfd %x\n", (unsigned)fcntl(fd, F_GETFL), (unsigned)fcntl(fd, F_GETFD));
		close(fd);
	}
}

#define T(rel, flags) try_open(rel, flags, #flags)

static void flags(void)
{
	static const char *const rels[] = { "text/lines.txt",
		                            "class-a",
		                            "links/rel",
		                            "links/dir",
		                            "links/dangling",
		                            "no-such",
		                            "no/such",
		                            "links/loop1",
		                            "empty",
		                            "",
		                            "text/lines.txt/x",
		                            "links/out",
		                            "links/abs",
		                            "links/chain1",
		                            "links/up",
		                            "links/outdir/in.txt" };
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++) {
		T(rels[i], O_RDONLY);
		T(rels[i], O_RDONLY | O_CLOEXEC);
		T(rels[i], O_RDONLY | O_DIRECTORY);
		T(rels[i], O_RDONLY | O_NOFOLLOW);
		T(rels[i], O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
		T(rels[i], O_RDONLY | O_NONBLOCK);
		T(rels[i], O_RDONLY | O_APPEND);
		T(rels[i], O_RDONLY | O_NOATIME);
	}
	static const char *const writes[] = { "text/lines.txt",   "class-a",     "links/rel", "no-such",
		                              "no/such",          "links/loop1", "",          "links/dangling",
		                              "text/lines.txt/x", "class-a/new" };
	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
		T(writes[i], O_WRONLY);
		T(writes[i], O_RDWR);
		T(writes[i], O_WRONLY | O_CREAT);
		T(writes[i], O_RDONLY | O_CREAT);
		T(writes[i], O_RDONLY | O_CREAT | O_EXCL);
		T(writes[i], O_WRONLY | O_CREAT | O_EXCL);
		T(writes[i], O_WRONLY | O_TRUNC);
		T(writes[i], O_RDONLY | O_TRUNC);
		T(writes[i], O_WRONLY | O_APPEND);
	}
}

static void paths(void)
{
	static const char *const rels[] = { "//text///lines.txt",
		                            "./text/./lines.txt",
		                            "text/../text/lines.txt",
		                            "text/lines.txt/",
		                            "text/lines.txt/.",
		                            "class-a/",
		                            "class-a/.",
		                            "class-a/..",
		                            "links/dir/",
		                            "links/dir/img-00.jpg",
		                            "links/dir/../text/lines.txt",
		                            "links/rel/",
		                            "no-such/../text/lines.txt",
		                            "empty/../text/lines.txt",
		                            "./",
		                            "/",
		                            "/.",
		                            "names/with space",
		                            "names/new\nline",
		                            "names/\xff\xfe\x80",
		                            "names/[brackets]",
		                            "names/star*",
		                            "names/-dash",
		                            "names/quo'te\"s",
		                            "NAMES/-dash",
		                            "links/chain1/",
		                            "../mnt/text/lines.txt",
		                            "class-a/../../mnt/text/lines.txt",
		                            "links/up/text/lines.txt" };
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++)
		T(rels[i], O_RDONLY);
	char name[400];
	memset(name, 'x', sizeof(name));
	memcpy(name, "names/", 6);
	name[6 + 255] = 0;
	T(name, O_RDONLY);
	name[6 + 255] = 'x';
	name[6 + 256] = 0;
	T(name, O_RDONLY);
	static char path[PATH_MAX + 100];
	int n = snprintf(path, sizeof(path), "%s", point);
	while (n < PATH_MAX - 1)
		path[n++] = '/';
	path[n] = 0;
	R(close((int)R(open(path, O_RDONLY))));
	path[n++] = '/';
	path[n] = 0;
	R(open(path, O_RDONLY));
	R(open("", O_RDONLY));
	char deep[PATH_MAX] = "deep";
	for (int i = 0; i < 20; i++)
		snprintf(deep + strlen(deep), sizeof(deep) - strlen(deep), "/d%d", i);
	strcat(deep, "/leaf");
	T(deep, O_RDONLY);
	int d = (int)R(open(P("links/dir"), O_RDONLY));
	int f = (int)R(open(P("text/lines.txt"), O_RDONLY));
	R(close((int)R(openat(d, "img-00.jpg", O_RDONLY))));
	R(close((int)R(openat(d, "../text/lines.txt", O_RDONLY))));
	R(close((int)R(openat(d, ".", O_RDONLY))));
	R(close((int)R(openat(d, "..", O_RDONLY | O_DIRECTORY))));
	R(openat(f, "img-00.jpg", O_RDONLY));
	R(openat(d, "", O_RDONLY));
	R(openat(123, "img-00.jpg", O_RDONLY));
	R(openat(-1, "img-00.jpg", O_RDONLY));
}

static void run(void)
{
	names();
	flags();
	paths();
}
