/* SPDX-License-Identifier: MIT */
/* opendir, readdir and their kin: names, kinds, numbers, positions. */
#include "compat.h"

static void list(DIR *d, int dfd, const char *what)
{
	for (struct dirent *e; (errno = 0, e = readdir(d));) {
		struct stat st;
		bool dots = e->d_name[0] == '.' && (!e->d_name[1] || (e->d_name[1] == '.' && !e->d_name[2]));
		int rc = fstatat(dfd, e->d_name, &st, AT_SYMLINK_NOFOLLOW);
		line("%s type %d", e->d_name, e->d_type);
		MUST(rc == 0);
		MUST(dots || rc || st.st_ino == e->d_ino);
		MUST(strcmp(e->d_name, ".") != 0 || st.st_ino == e->d_ino);
		MUST(e->d_type == DT_UNKNOWN || rc || IFTODT(st.st_mode) == e->d_type);
		MUST(e->d_reclen >= offsetof(struct dirent, d_name) + strlen(e->d_name) + 1);
	}
	MUST(errno == 0);
	print_lines(what);
}

static void one(const char *rel)
{
	DIR *d = RP(opendir(P(rel)));
	if (!d)
		return;
	list(d, dirfd(d), rel);
	MUST(readdir(d) == NULL);
	rewinddir(d);
	list(d, dirfd(d), "once more");
	R(dirfd(d));
	R(fcntl(dirfd(d), F_GETFD));
	R(fcntl(dirfd(d), F_GETFL) & (O_DIRECTORY | O_ACCMODE));
	R(closedir(d));
}

/* Every position can be returned to. */
static void positions(const char *rel)
{
	static char *name[1000];
	static long at[1000];
	int n = 0, wrong = 0;
	DIR *d = opendir(P(rel));
	at[0] = telldir(d);
	for (struct dirent *e; n < 999 && (e = readdir(d));) {
		name[n++] = strdup(e->d_name);
		at[n] = telldir(d);
	}
	printf("%s: %d entries\n", rel, n);
	for (int i = n - 1; i >= 0; i -= 7) {
		seekdir(d, at[i]);
		struct dirent *e = readdir(d);
		wrong += !e || strcmp(e->d_name, name[i]) != 0;
	}
	seekdir(d, at[n]);
	wrong += readdir(d) != NULL;
	seekdir(d, at[n / 2]);
	for (int i = n / 2; i < n; i++) {
		struct dirent *e = readdir(d);
		wrong += !e || strcmp(e->d_name, name[i]) != 0;
	}
	printf("%d wrong after seekdir\n", wrong);
	closedir(d);
}

static void from_fd(void)
{
	int fd = (int)R(open(P("class-a"), O_RDONLY | O_DIRECTORY));
	DIR *d = RP(fdopendir(fd));
	R(dirfd(d) == fd);
	R(fcntl(fd, F_GETFD));
	list(d, fd, "by fdopendir");
	R(close((int)R(openat(dirfd(d), "img-00.jpg", O_RDONLY))));
	R(closedir(d));
	R(fcntl(fd, F_GETFD));
	/* a duplicate shares the position, as Python's os.listdir(fd) knows: it rewinds */
	fd = (int)R(open(P("class-a"), O_RDONLY | O_DIRECTORY));
	d = fdopendir(dup(fd));
	list(d, fd, "through a duplicate");
	R(closedir(d));
	d = fdopendir(dup(fd));
	rewinddir(d);
	list(d, fd, "again, rewound");
	R(closedir(d));
	R(lseek(fd, 0, SEEK_SET));
	d = fdopendir(fd);
	list(d, fd, "again, after lseek");
	R(closedir(d));
	fd = (int)R(open(P("empty"), O_RDONLY));
	RP(fdopendir(fd));
	R(close(fd));
	RP(fdopendir(fd));
	RP(fdopendir(-1));
	fd = (int)R(open(P("class-a"), O_PATH));
	RP(fdopendir(fd));
	R(close(fd));
}

static void two_at_once(void)
{
	DIR *a = opendir(P("many")), *b = opendir(P("many"));
	int na = 0, nb = 0;
	while (readdir(a)) {
		na++;
		if (na % 3 == 0 && readdir(b))
			nb++;
	}
	while (readdir(b))
		nb++;
	printf("two at once: %d %d\n", na, nb);
	R(closedir(a));
	R(closedir(b));
}

static void others(void)
{
	DIR *d = opendir(P("class-b"));
	struct {
		struct dirent e;
		char more[256];
	} room;
	struct dirent *e;
	while (readdir_r(d, &room.e, &e) == 0 && e)
		line("%s %d", e->d_name, e->d_type);
	print_lines("readdir_r");
	closedir(d);
	d = opendir(P("class-b"));
	for (struct dirent64 *f; (f = readdir64(d));)
		line("%s %d", f->d_name, f->d_type);
	print_lines("readdir64");
	rewinddir(d);
	union {
		struct dirent64 e;
		char more[512];
	} room64;
	struct dirent64 *f;
	while (readdir64_r(d, &room64.e, &f) == 0 && f)
		line("%s %d", f->d_name, f->d_type);
	print_lines("readdir64_r");
	closedir(d);
}

static void run(void)
{
	static const char *const rels[] = { "",
		                            ".",
		                            "class-a",
		                            "class-a/",
		                            "links",
		                            "links/dir",
		                            "links/outdir",
		                            "links/loop1",
		                            "links/up",
		                            "names",
		                            "empty-dir",
		                            "many",
		                            "deep/d0",
		                            "empty",
		                            "links/rel",
		                            "no-such",
		                            "links/dangling",
		                            "empty/x",
		                            "class-a/../class-b" };
	for (size_t i = 0; i < sizeof(rels) / sizeof(rels[0]); i++)
		one(rels[i]);
	positions("many");
	positions("names");
	positions("empty-dir");
	from_fd();
	two_at_once();
	others();
	RP(opendir(""));
	R(chdir(P("class-a")));
	DIR *d = RP(opendir("../class-c"));
	list(d, dirfd(d), "relative");
	R(closedir(d));
	d = RP(opendir("."));
	list(d, dirfd(d), "the current one");
	/* a directory that is read while its stream is inherited */
	rewinddir(d);
	pid_t pid = fork();
	if (pid == 0) {
		list(d, dirfd(d), "in a child");
		_exit(0);
	}
	ended("child", pid);
	R(closedir(d));
}
