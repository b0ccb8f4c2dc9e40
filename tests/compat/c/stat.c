/* SPDX-License-Identifier: MIT */
/* stat, lstat, fstat, fstatat, their 64 names, and the names of the old ABI. */
#include "compat.h"
#include <dlfcn.h>

static const char *const rels[] = { "",
	                            "text/lines.txt",
	                            "class-a",
	                            "class-a/",
	                            "links/rel",
	                            "links/rel/",
	                            "links/abs",
	                            "links/dir",
	                            "links/dir/",
	                            "links/dir/img-01.jpg",
	                            "links/chain1",
	                            "links/loop1",
	                            "links/self",
	                            "links/dangling",
	                            "links/out",
	                            "links/outdir",
	                            "links/outdir/in.txt",
	                            "links/up",
	                            "links/up/links/up/empty",
	                            "empty",
	                            "empty/",
	                            "empty/x",
	                            "empty-dir",
	                            "empty-dir/..",
	                            "empty-dir/x",
	                            "no-such",
	                            "no-such/x",
	                            "big.bin",
	                            "comp.txt",
	                            "names/new\nline",
	                            "names/\xff\xfe\x80",
	                            "script.sh",
	                            "modes/0600",
	                            "modes/0444",
	                            "modes/0000",
	                            "modes/0755",
	                            "modes/4755",
	                            "modes/dir-0700",
	                            "modes/dir-1777",
	                            "class-a/../text/./lines.txt",
	                            "../mnt/empty",
	                            "..//mnt//empty" };
enum { NRELS = sizeof(rels) / sizeof(rels[0]) };

static void result(const char *call, const char *rel, int rc, const struct stat *st)
{
	char what[600];
	int e = errno;
	snprintf(what, sizeof(what), "%s(%s)", call, rel);
	if (rc)
		printf("%s = %d %s\n", what, rc, ename(e));
	else
		stat_line(what, st);
}

#define GO(call, rel, ...)                                                                                             \
	do {                                                                                                           \
		struct stat st_ = { 0 };                                                                               \
		int rc_ = __VA_ARGS__;                                                                                 \
		result(call, rel, rc_, &st_);                                                                          \
	} while (0)

typedef int xstat_fn(int, const char *, struct stat *);
typedef int fxstat_fn(int, int, struct stat *);
typedef int fxstatat_fn(int, int, const char *, struct stat *, int);

static void old_abi(void)
{
	static const char *const names[] = { "__xstat", "__xstat64", "__lxstat", "__lxstat64" };
	int d = (int)R(open(point, O_RDONLY | O_DIRECTORY));
	for (int k = 0; k < 4; k++) {
		xstat_fn *f = (xstat_fn *)dlsym(RTLD_DEFAULT, names[k]);
		for (int i = 0; f && i < NRELS; i++)
			GO(names[k], rels[i], f(1, P(rels[i]), &st_));
		struct stat st;
		if (f)
			R(f(99, P("empty"), &st));
	}
	static const char *const fnames[] = { "__fxstat", "__fxstat64" };
	for (int k = 0; k < 2; k++) {
		fxstat_fn *f = (fxstat_fn *)dlsym(RTLD_DEFAULT, fnames[k]);
		for (int i = 0; f && i < NRELS; i++) {
			int fd = open(P(rels[i]), O_RDONLY);
			if (fd >= 0)
				GO(fnames[k], rels[i], f(1, fd, &st_));
			close(fd);
		}
		struct stat st;
		if (f)
			R(f(1, -1, &st));
	}
	static const char *const anames[] = { "__fxstatat", "__fxstatat64" };
	for (int k = 0; k < 2; k++) {
		fxstatat_fn *f = (fxstatat_fn *)dlsym(RTLD_DEFAULT, anames[k]);
		for (int i = 1; f && i < NRELS; i++) {
			GO(anames[k], rels[i], f(1, d, rels[i], &st_, 0));
			GO(anames[k], rels[i], f(1, d, rels[i], &st_, AT_SYMLINK_NOFOLLOW));
		}
	}
	R(close(d));
}

static void run(void)
{
	int d = (int)R(open(point, O_RDONLY | O_DIRECTORY));
	for (int i = 0; i < NRELS; i++) {
		struct stat a, b, c;
		const char *p = P(rels[i]);
		GO("stat", rels[i], stat(p, &st_));
		GO("lstat", rels[i], lstat(p, &st_));
		GO("fstatat", rels[i], fstatat(AT_FDCWD, p, &st_, 0));
		if (i) {
			GO("fstatat dirfd", rels[i], fstatat(d, rels[i], &st_, 0));
			GO("fstatat nofollow", rels[i], fstatat(d, rels[i], &st_, AT_SYMLINK_NOFOLLOW));
		}
		int fd = open(p, O_RDONLY);
		if (fd >= 0) {
			GO("fstat", rels[i], fstat(fd, &st_));
			GO("fstatat empty path", rels[i], fstatat(fd, "", &st_, AT_EMPTY_PATH));
			/* one file, one number, whoever asks */
			MUST(stat(p, &a) == 0 && fstat(fd, &b) == 0 && fstatat(AT_FDCWD, p, &c, 0) == 0);
			MUST(a.st_ino == b.st_ino && a.st_dev == b.st_dev && a.st_ino == c.st_ino);
			MUST(a.st_blocks == b.st_blocks && a.st_size == b.st_size && a.st_nlink == b.st_nlink);
			MUST(a.st_ctim.tv_sec == b.st_ctim.tv_sec && a.st_ctim.tv_nsec == b.st_ctim.tv_nsec);
			close(fd);
		}
	}
	struct stat64 s64;
	R(stat64(P("empty"), &s64));
	R(lstat64(P("links/rel"), &s64));
	R(fstat64(d, &s64));
	R(fstatat64(d, "empty", &s64, 0));
	struct stat st, t;
	R(fstatat(d, "", &st, 0));
	R(fstatat(d, "empty", &st, 0x10000000));
	R(fstatat(-1, "", &st, AT_EMPTY_PATH));
	R(fstatat(-1, "empty", &st, 0));
	R(fstatat(AT_FDCWD, "", &st, AT_EMPTY_PATH));
	R(stat("", &st));
	R(fstat(-1, &st));
	/* different files, different numbers; a link and its target are two files */
	MUST(stat(P("empty"), &st) == 0 && stat(P("small.bin"), &t) == 0 && st.st_ino != t.st_ino &&
	     st.st_dev == t.st_dev);
	MUST(stat(P("links/rel"), &st) == 0 && lstat(P("links/rel"), &t) == 0 && st.st_ino != t.st_ino);
	MUST(stat(P("links/rel"), &st) == 0 && stat(P("text/lines.txt"), &t) == 0 && st.st_ino == t.st_ino);
	MUST(stat(P("class-a/.."), &st) == 0 && stat(point, &t) == 0 && st.st_ino == t.st_ino && st.st_dev == t.st_dev);
	MUST(stat(P(".."), &st) == 0 && stat(point, &t) == 0 && (st.st_ino != t.st_ino || st.st_dev != t.st_dev));
	R(close(d));
	old_abi();
}
