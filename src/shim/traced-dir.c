/* SPDX-License-Identifier: MIT */
/* Recorded: directories. Streams, and libc's functions that walk: scandir, nftw, fts, glob. */
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <string.h>
#include <wordexp.h>

#include "shim/traced.h"

/* ---- streams
 * --------------------------------------------------------------------------------------------------------- */

SHIM DIR *opendir(const char *path)
{
	uint64_t begin = slu_traced_begin();
	DIR *d = slu_view_opendir(path);

	if (SLU_UNLIKELY(begin))
		slu_traced_opened(begin, SLU_CALL_OPENDIR, AT_FDCWD, path, d ? dirfd(d) : -1, SLU_FILE_IS_DIR);
	return d;
}

SHIM DIR *fdopendir(int fd)
{
	uint64_t begin = slu_traced_begin();
	DIR *d = slu_view_fdopendir(fd);

	slu_traced_fd(begin, SLU_CALL_OPENDIR, fd, !d);
	return d;
}

/* The end of a directory and an error look alike, and errno tells them apart only if it was 0 before. */
SHIM struct dirent64 *readdir64(DIR *d)
{
	uint64_t begin = slu_traced_begin();
	struct dirent64 *e = slu_view_readdir64(d);

	if (SLU_UNLIKELY(begin))
		slu_traced_fd(begin, SLU_CALL_READDIR, dirfd(d), false);
	return e;
}
SHIM_ALIAS(readdir, readdir64);

SHIM int readdir64_r(DIR *d, struct dirent64 *entry, struct dirent64 **result)
{
	uint64_t begin = slu_traced_begin();
	int r = slu_view_readdir64_r(d, entry, result);

	if (SLU_UNLIKELY(begin))
		slu_traced_fd(begin, SLU_CALL_READDIR, dirfd(d), false);
	return r;
}
SHIM_ALIAS(readdir_r, readdir64_r);

SHIM int closedir(DIR *d)
{
	uint64_t begin = slu_traced_begin();
	slu_ref file = SLU_UNLIKELY(begin) && !slu_no_path((const char *)d) ? slu_traced_closing(begin, dirfd(d)) : 0;
	int r = slu_view_closedir(d);

	slu_traced_closed(begin, SLU_CALL_CLOSEDIR, file, r < 0);
	return r;
}

SHIM void rewinddir(DIR *d)
{
	uint64_t begin = slu_traced_begin();

	slu_view_rewinddir(d);
	if (SLU_UNLIKELY(begin))
		slu_traced_fd(begin, SLU_CALL_SEEKDIR, dirfd(d), false);
}

SHIM void seekdir(DIR *d, long position)
{
	uint64_t begin = slu_traced_begin();

	slu_view_seekdir(d, position);
	if (SLU_UNLIKELY(begin))
		slu_traced_fd(begin, SLU_CALL_SEEKDIR, dirfd(d), false);
}

SHIM long telldir(DIR *d)
{
	uint64_t begin = slu_traced_begin();
	long at = slu_view_telldir(d);

	if (SLU_UNLIKELY(begin))
		slu_traced_fd(begin, SLU_CALL_SEEKDIR, dirfd(d), false);
	return at;
}

/* ---- scandir
 * --------------------------------------------------------------------------------------------------------- */

typedef int filter_fn(const struct dirent *e);
typedef int order_fn(const struct dirent **a, const struct dirent **b);

TRACED_AT(int, scandirat, SCANDIR, dirfd, path,
          (int dirfd, const char *path, struct dirent ***entries, filter_fn *filter, order_fn *order),
          (dirfd, path, entries, filter, order))
SHIM_ALIAS(scandirat64, scandirat);
TRACED_PATH(int, scandir, SCANDIR, path,
            (const char *path, struct dirent ***entries, filter_fn *filter, order_fn *order),
            (path, entries, filter, order))
SHIM_ALIAS(scandir64, scandir);

/* ---- nftw
 * ------------------------------------------------------------------------------------------------------------ */

/*
 * The time of the walk is the time between calls of the program's function: what that one does is its own. Walks of a
 * thread may nest.
 */
typedef int nftw_fn(const char *path, const struct stat *st, int type, struct FTW *w);
typedef int ftw_fn(const char *path, const struct stat *st, int type);

static _Thread_local struct walk {
	uint64_t begin; /* when the program's function was last over */
	nftw_fn *nftw;
	ftw_fn *ftw;
} walk __attribute__((tls_model("initial-exec")));

static int nftw_step(const char *path, const struct stat *st, int type, struct FTW *w)
{
	struct walk mine = walk;
	int r;

	slu_traced_path(mine.begin, SLU_CALL_FTW, AT_FDCWD, path, false);
	r = mine.nftw(path, st, type, w);
	mine.begin = slu_traced_begin();
	walk = mine;
	return r;
}

static int ftw_step(const char *path, const struct stat *st, int type)
{
	struct walk mine = walk;
	int r;

	slu_traced_path(mine.begin, SLU_CALL_FTW, AT_FDCWD, path, false);
	r = mine.ftw(path, st, type);
	mine.begin = slu_traced_begin();
	walk = mine;
	return r;
}

SHIM int nftw(const char *path, nftw_fn *fn, int fds, int flags)
{
	uint64_t begin = slu_traced_begin();
	struct walk outer = walk;
	int r;

	if (SLU_LIKELY(!begin))
		return slu_view_nftw(path, fn, fds, flags);
	walk = (struct walk){ .begin = begin, .nftw = fn };
	r = slu_view_nftw(path, nftw_step, fds, flags);
	walk = outer;
	return r;
}
SHIM_ALIAS(nftw64, nftw);

SHIM int ftw(const char *path, ftw_fn *fn, int fds)
{
	uint64_t begin = slu_traced_begin();
	struct walk outer = walk;
	int r;

	if (SLU_LIKELY(!begin))
		return slu_view_ftw(path, fn, fds);
	walk = (struct walk){ .begin = begin, .ftw = fn };
	r = slu_view_ftw(path, ftw_step, fds);
	walk = outer;
	return r;
}
SHIM_ALIAS(ftw64, ftw);

/* ---- fts
 * ------------------------------------------------------------------------------------------------------------- */

SHIM FTS *fts_open(char *const *paths, int options, int (*order)(const FTSENT **, const FTSENT **))
{
	uint64_t begin = slu_traced_begin();
	FTS *f = slu_view_fts_open(paths, options, order);

	slu_traced_path(begin, SLU_CALL_FTS, AT_FDCWD, paths ? paths[0] : NULL, !f);
	return f;
}
SHIM_ALIAS(fts64_open, fts_open);

SHIM FTSENT *fts_read(FTS *f)
{
	uint64_t begin = slu_traced_begin();
	FTSENT *e = slu_view_fts_read(f);

	if (e)
		slu_traced_path(begin, SLU_CALL_FTS, AT_FDCWD, e->fts_path, false);
	return e;
}
SHIM_ALIAS(fts64_read, fts_read);

SHIM FTSENT *fts_children(FTS *f, int instr)
{
	uint64_t begin = slu_traced_begin();
	FTSENT *e = slu_view_fts_children(f, instr);

	if (e)
		slu_traced_path(begin, SLU_CALL_FTS, AT_FDCWD, e->fts_path, false);
	return e;
}
SHIM_ALIAS(fts64_children, fts_children);

SHIM int fts_close(FTS *f)
{
	return slu_view_fts_close(f); /* the time is in what it read */
}
SHIM_ALIAS(fts64_close, fts_close);

/* ---- glob
 * ------------------------------------------------------------------------------------------------------------ */

/* A pattern is counted for the directory above its first wildcard. */
static void traced_pattern(uint64_t begin, const char *pattern, bool failed)
{
	char dir[PATH_MAX];
	size_t n;

	if (SLU_LIKELY(!begin) || !pattern)
		return;
	n = strcspn(pattern, "*?[{$");
	while (n > 0 && pattern[n - 1] != '/')
		n--;
	if (n >= sizeof(dir))
		return;
	memcpy(dir, pattern, n);
	strcpy(dir + n, n ? "" : ".");
	slu_traced_path(begin, SLU_CALL_GLOB, AT_FDCWD, dir, failed);
}

SHIM int glob(const char *pattern, int flags, int (*on_error)(const char *, int), glob_t *g)
{
	uint64_t begin = slu_traced_begin();
	int r = slu_view_glob(pattern, flags, on_error, g);

	traced_pattern(begin, pattern, r != 0);
	return r;
}
SHIM_ALIAS(glob64, glob);

SHIM int wordexp(const char *words, wordexp_t *we, int flags)
{
	uint64_t begin = slu_traced_begin();
	int r = slu_view_wordexp(words, we, flags);

	traced_pattern(begin, words, r != 0);
	return r;
}
