/* SPDX-License-Identifier: MIT */
/*
 * A directory tree as a source: reading its files. Listing it is in dir-list.c.
 *
 * Files are opened relative to their directory, whose descriptor the reader keeps
 * while samples of the same directory follow each other, as they do in pack order.
 * Links are never followed.
 */
#include "source/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/macros.h"

struct slu_source_reader {
	struct slu_dir_source *source;
	const struct slu_listing *l;
	int dirfd; /* of directory @dir, or -1 */
	uint32_t dir;
	int fd; /* of sample @open_sample, or -1 */
	uint64_t open_sample;
};

/* Says what is wrong with sample @i in terms of its path. */
static int sample_failed(struct slu_source_reader *r, uint64_t i, int err, const char *what)
{
	char path[SLU_MAX_PATH + 1];

	if (slu_listing_path(r->l, &r->l->samples[i], path) < 0)
		return -ENAMETOOLONG;
	if (err == -ESTALE)
		return slu_fail(-ESTALE, "%s/%s %s while it was being packed; pack again when nothing writes there",
		                r->source->path, path, what);
	return slu_fail_sys(err, "cannot read %s/%s", r->source->path, path);
}

static int reader_open(struct slu_source_reader *r, uint64_t i)
{
	const struct slu_entry *e = &r->l->samples[i];
	char path[SLU_MAX_PATH + 1];
	int fd;

	if (r->fd >= 0)
		close(slu_take_fd(&r->fd));
	if (r->dirfd < 0 || r->dir != e->parent) {
		if (r->dirfd >= 0)
			close(slu_take_fd(&r->dirfd));
		fd = slu_listing_path(r->l, &r->l->dirs[e->parent], path);
		if (fd < 0)
			return fd;
		fd = slu_openat(r->source->fd, *path ? path : ".", O_RDONLY | O_DIRECTORY, 0);
		if (fd < 0)
			return sample_failed(r, i, fd == -ENOENT ? -ESTALE : fd, "vanished");
		r->dirfd = fd;
		r->dir = e->parent;
	}
	fd = slu_openat(r->dirfd, slu_listing_name(r->l, e), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return sample_failed(r, i, fd == -ENOENT ? -ESTALE : fd, "vanished");
	r->fd = fd;
	r->open_sample = i;
	return 0;
}

static int check_unchanged(struct slu_source_reader *r, uint64_t i)
{
	const struct slu_entry *e = &r->l->samples[i];
	struct stat st;

	if (fstat(r->fd, &st) < 0)
		return sample_failed(r, i, -errno, NULL);
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != e->size || slu_dir_mtime(&st) != e->mtime_ns)
		return sample_failed(r, i, -ESTALE, "changed");
	return 0;
}

static int dir_read(struct slu_source_reader *r, uint64_t i, uint64_t offset, void *buf, size_t n)
{
	const struct slu_entry *e = &r->l->samples[i];
	ssize_t got;
	int err = 0;

	if ((r->fd < 0 || r->open_sample != i) && (err = reader_open(r, i)) < 0)
		return err;
	got = slu_pread(r->fd, buf, n, offset);
	if (got < 0)
		err = sample_failed(r, i, (int)got, NULL);
	else if ((size_t)got < n)
		err = sample_failed(r, i, -ESTALE, "shrank");
	else if (offset + n == e->size)
		err = check_unchanged(r, i);
	if (err < 0 || offset + n == e->size)
		close(slu_take_fd(&r->fd));
	return err;
}

static int dir_reader_new(struct slu_source *s, const struct slu_listing *l, struct slu_source_reader **ret_reader)
{
	struct slu_source_reader *r = malloc(sizeof(*r));

	if (!r)
		return slu_fail_memory();
	*r = (struct slu_source_reader){ .source = (struct slu_dir_source *)s, .l = l, .dirfd = -1, .fd = -1 };
	*ret_reader = r;
	return 0;
}

static void dir_reader_free(struct slu_source_reader *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	if (r->dirfd >= 0)
		close(r->dirfd);
	free(r);
}

static void dir_close(struct slu_source *source)
{
	struct slu_dir_source *s = (struct slu_dir_source *)source;

	if (s->fd >= 0)
		close(s->fd);
	free(s->path);
	free(s);
}

static const struct slu_source_ops dir_ops = {
	.list = slu_dir_list,
	.reader_new = dir_reader_new,
	.reader_free = dir_reader_free,
	.read = dir_read,
	.close = dir_close,
};

int slu_source_dir(const char *path, struct slu_source **ret_source)
{
	struct slu_dir_source *s = calloc(1, sizeof(*s));
	size_t n = strlen(path);
	int r;

	if (!s)
		return slu_fail_memory();
	s->source.ops = &dir_ops;
	s->fd = -1;
	while (n > 1 && path[n - 1] == '/')
		n--;
	s->path = strndup(path, n);
	r = s->path ? slu_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0) : slu_fail_memory();
	if (r < 0) {
		if (s->path)
			(void)slu_fail_sys(r, "cannot open the directory %s", path); /* r has the number */
		dir_close(&s->source);
		return r;
	}
	s->fd = r;
	*ret_source = &s->source;
	return 0;
}
