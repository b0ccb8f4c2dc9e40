/* SPDX-License-Identifier: MIT */
/* A pack being made, and how it gets its name. See staging.h. */
#include "pack/staging.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/macros.h"
#include "pack/layout.h"

/* ---- directories of our own files ---------------------------------------------------- */

static bool is_pack_file(const char *name)
{
	if (!strcmp(name, SLU_INDEX_NAME) || !strcmp(name, SLU_JOURNAL_NAME) || !strcmp(name, SLU_INDEX_NAME ".new"))
		return true;
	if (strncmp(name, "shard-", 6) != 0 || !name[6])
		return false;
	for (name += 6; *name; name++)
		if (!isdigit((unsigned char)*name))
			return false;
	return true;
}

/* Calls for each entry of the directory; @fd stays open. */
static int each_name(int fd, int (*fn)(int fd, const char *name))
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;

	if (!d) {
		r = -errno;
		if (copy >= 0)
			close(copy);
		return r;
	}
	while (r == 0 && (errno = 0, e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			r = fn(fd, e->d_name);
	if (r == 0 && errno)
		r = -errno;
	closedir(d);
	return r;
}

static int refuse_foreign(int fd, const char *name)
{
	(void)fd;
	return is_pack_file(name) ? 0 : -ENOTEMPTY;
}

/* Whether a file of the directory begins as a pack's files do: 1 (ends the search), 0, or an error. */
static int has_magic(int fd, const char *name)
{
	SLU_AUTO(fd) int file = slu_openat(fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	char magic[8] = { 0 };
	ssize_t n;

	if (file < 0)
		return file == -ELOOP ? 0 : file;
	n = slu_pread(file, magic, sizeof(magic), 0);
	if (n < 0)
		return (int)n;
	return memcmp(magic, SLU_INDEX_MAGIC, 8) == 0 || memcmp(magic, SLU_SHARD_MAGIC, 8) == 0;
}

static int is_something(int fd, const char *name)
{
	(void)fd, (void)name;
	return 1;
}

/* Whether a directory may be replaced: it is empty, or holds a pack's files and nothing else. Names
 * alone do not make a pack: somebody's index and shard-1 may be precious. */
static int check_pack_dir(int fd)
{
	int r = each_name(fd, refuse_foreign);

	if (r < 0 || (r = each_name(fd, has_magic)) != 0)
		return r < 0 ? r : 0;
	r = each_name(fd, is_something);
	return r > 0 ? -ENOTEMPTY : r;
}

static int remove_file(int fd, const char *name)
{
	return unlinkat(fd, name, 0) < 0 && errno != ENOENT ? -errno : 0;
}

/* Removes a directory of pack files, name included. */
static int remove_pack_dir(int parentfd, const char *name)
{
	SLU_AUTO(fd) int fd = slu_openat(parentfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	int r;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	if ((r = each_name(fd, refuse_foreign)) < 0 || (r = each_name(fd, remove_file)) < 0)
		return r;
	return unlinkat(parentfd, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

/* ---- opening ---------------------------------------------------------------------------- */

static int split_dest(struct slu_staging *s, const char *dest)
{
	size_t n = strlen(dest);
	const char *slash;

	while (n > 1 && dest[n - 1] == '/')
		n--;
	s->dest = strndup(dest, n);
	if (!s->dest)
		return slu_fail_memory();
	slash = strrchr(s->dest, '/');
	s->name = strdup(slash ? slash + 1 : s->dest);
	s->parent = !slash ? strdup(".") : strndup(s->dest, slash == s->dest ? 1 : (size_t)(slash - s->dest));
	if (!s->name || !s->parent)
		return slu_fail_memory();
	if (!*s->name || !strcmp(s->name, ".") || !strcmp(s->name, "..") || strlen(s->name) > 240)
		return slu_fail(-EINVAL, "'%s' is not a name for a pack", dest);
	if (asprintf(&s->partial, ".%s.partial", s->name) < 0) {
		s->partial = NULL;
		return slu_fail_memory();
	}
	return 0;
}

/* What is under the name now must be nothing, or a pack that may be replaced. */
static int check_dest(struct slu_staging *s)
{
	SLU_AUTO(fd) int fd = slu_openat(s->parentfd, s->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	int r;

	if (fd == -ENOENT)
		return 0;
	if (fd == -ENOTDIR || fd == -ELOOP)
		return slu_fail(-EEXIST, "%s exists and is not a pack", s->dest);
	if (fd < 0)
		return slu_fail_sys(fd, "cannot look at %s", s->dest);
	r = check_pack_dir(fd);
	if (r == -ENOTEMPTY)
		return slu_fail(-EEXIST, "%s holds files that are not a pack's, so it will not be replaced", s->dest);
	if (r < 0)
		return slu_fail_sys(r, "cannot look into %s", s->dest);
	return s->force ? 0 : slu_fail(-EEXIST, "%s exists; --force replaces it", s->dest);
}

int slu_lock_dir(int fd, const char *what)
{
	int err = flock(fd, LOCK_EX | LOCK_NB) < 0 ? errno : 0;

	if (err == EWOULDBLOCK)
		return slu_fail(-EBUSY, "another process is writing %s", what);
	/* Some network file systems have no locks: then it is up to the user. */
	if (err && err != EOPNOTSUPP && err != ENOLCK && err != ENOSYS && err != EINVAL)
		return slu_fail_sys(-err, "cannot lock %s", what);
	return 0;
}

static int lock_partial(struct slu_staging *s)
{
	struct stat here, there;
	int r;

	s->fd = slu_openat(s->parentfd, s->partial, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (s->fd < 0)
		return slu_fail_sys(s->fd, "cannot open %s/%s", s->parent, s->partial);
	if ((r = slu_lock_dir(s->fd, s->dest)) < 0)
		return r;
	/* Whoever had the lock may have finished and moved the directory away. */
	if (fstat(s->fd, &here) < 0 || fstatat(s->parentfd, s->partial, &there, AT_SYMLINK_NOFOLLOW) < 0 ||
	    here.st_ino != there.st_ino || here.st_dev != there.st_dev)
		return slu_fail(-EBUSY, "another process has just written %s", s->dest);
	s->locked = true;
	return 0;
}

static int open_partial(struct slu_staging *s, bool keep)
{
	int r;

	if (mkdirat(s->parentfd, s->partial, 0777) < 0) {
		if (errno != EEXIST)
			return slu_fail_sys(-errno, "cannot make %s/%s", s->parent, s->partial);
		s->found = true;
	}
	if ((r = lock_partial(s)) < 0 || !s->found)
		return r;
	/* Without a journal it is no interrupted run, but an old pack that was swapped out. */
	if (!keep || faccessat(s->fd, SLU_JOURNAL_NAME, F_OK, 0) < 0) {
		s->found = false;
		return slu_staging_clear(s);
	}
	return 0;
}

int slu_staging_open(struct slu_staging *s, const char *dest, bool force, bool keep)
{
	int r;

	*s = (struct slu_staging){ .parentfd = -1, .fd = -1, .force = force };
	if ((r = split_dest(s, dest)) < 0)
		goto fail;
	r = slu_openat(AT_FDCWD, s->parent, O_RDONLY | O_DIRECTORY, 0);
	if (r < 0) {
		r = slu_fail_sys(r, "cannot open the directory %s", s->parent);
		goto fail;
	}
	s->parentfd = r;
	if ((r = check_dest(s)) < 0 || (r = open_partial(s, keep)) < 0)
		goto fail;
	return 0;
fail:
	slu_staging_close(s, s->found); /* what was there before stays */
	return r;
}

int slu_staging_clear(struct slu_staging *s)
{
	int r = each_name(s->fd, refuse_foreign);

	if (r == -ENOTEMPTY)
		return slu_fail(r, "%s/%s holds files that are not ours; remove it", s->parent, s->partial);
	if (r == 0)
		r = each_name(s->fd, remove_file);
	return r < 0 ? slu_fail_sys(r, "cannot empty %s/%s", s->parent, s->partial) : 0;
}

/* ---- publishing --------------------------------------------------------------------------- */

/* For file systems without renameat2's flags: the old pack steps aside, for a moment
 * nothing is there, and it comes back if the new one cannot take its place. */
static int replace_by_steps(struct slu_staging *s)
{
	SLU_AUTO(mem) char *aside = NULL;

	if (asprintf(&aside, ".%s.old", s->name) < 0) {
		aside = NULL;
		return -ENOMEM;
	}
	(void)remove_pack_dir(s->parentfd, aside); /* of a run that was killed; if it stays, rename says so */
	if (renameat(s->parentfd, s->name, s->parentfd, aside) < 0 && errno != ENOENT)
		return -errno;
	if (renameat(s->parentfd, s->partial, s->parentfd, s->name) < 0) {
		int err = -errno;
		(void)renameat(s->parentfd, aside, s->parentfd, s->name); /* best effort */
		return err;
	}
	(void)remove_pack_dir(s->parentfd, aside); /* the new pack is in place; the next run cleans up */
	return 0;
}

static bool lacks_flags(int err)
{
	return err == ENOSYS || err == EINVAL || err == EOPNOTSUPP;
}

/* *@ret_swapped: the old pack is now under the partial's name. */
static int swap_in(struct slu_staging *s, bool *ret_swapped)
{
	struct stat st;

	if (renameat2(s->parentfd, s->partial, s->parentfd, s->name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno == EEXIST && s->force) {
		if (renameat2(s->parentfd, s->partial, s->parentfd, s->name, RENAME_EXCHANGE) == 0) {
			*ret_swapped = true;
			return 0;
		}
		return lacks_flags(errno) ? replace_by_steps(s) : -errno;
	}
	if (!lacks_flags(errno))
		return -errno;
	if (s->force)
		return replace_by_steps(s);
	if (fstatat(s->parentfd, s->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	return renameat(s->parentfd, s->partial, s->parentfd, s->name) < 0 ? -errno : 0;
}

/*
 * The old pack will stand under the partial's name for a moment, where another writer would take
 * it for something to clean up: whoever locks it first has it.
 */
static int lock_old(struct slu_staging *s, int *ret_fd)
{
	int fd = s->force ? slu_openat(s->parentfd, s->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0) : -ENOENT;

	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return slu_fail_sys(fd, "cannot open %s, which is to be replaced", s->dest);
	*ret_fd = fd;
	return slu_lock_dir(fd, s->dest);
}

int slu_staging_publish(struct slu_staging *s)
{
	SLU_AUTO(fd) int old = -1; /* the pack that is replaced, locked until it is gone */
	bool swapped = false;
	int r = slu_sync(s->fd, s->dest);

	if (r < 0 || (r = lock_old(s, &old)) < 0)
		return r;
	if ((r = swap_in(s, &swapped)) < 0)
		return slu_fail_sys(r, "cannot put the finished pack in place as %s", s->dest);
	close(slu_take_fd(&s->fd));
	if ((r = slu_sync(s->parentfd, s->parent)) < 0 || !swapped)
		return r;
	/* Under the partial's name there is now the old pack. */
	r = remove_pack_dir(s->parentfd, s->partial);
	return r < 0 ? slu_fail_sys(r, "%s is complete, but the pack that it replaced cannot be removed: %s/%s",
	                            s->dest, s->parent, s->partial)
	             : 0;
}

void slu_staging_close(struct slu_staging *s, bool keep)
{
	if (s->fd >= 0) {
		if (s->locked && !keep)
			(void)remove_pack_dir(s->parentfd, s->partial); /* nothing more can be done about it */
		else if (s->locked)
			(void)unlinkat(s->parentfd, s->partial, AT_REMOVEDIR); /* only if it is empty */
		close(s->fd);
	}
	if (s->parentfd >= 0)
		close(s->parentfd);
	free(s->dest);
	free(s->parent);
	free(s->name);
	free(s->partial);
	*s = (struct slu_staging){ .parentfd = -1, .fd = -1 };
}
