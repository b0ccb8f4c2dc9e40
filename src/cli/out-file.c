/* SPDX-License-Identifier: MIT */
/*
 * A file that a command writes: under a name of its own beside the destination, which it takes when it is complete and
 * synced. What is no regular file (/dev/null, a pipe) is written to as it is.
 */
#include "cli/out-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/macros.h"

enum { BUFFER = 1 << 16 };

int slu_out_file_open(struct slu_out_file *o, const char *path)
{
	struct stat st;
	int fd;
	bool there = stat(path, &st) == 0;

	*o = (struct slu_out_file){ .path = strdup(path) };
	if (!o->path)
		return slu_fail_memory();
	if (there && S_ISDIR(st.st_mode)) {
		slu_out_file_drop(o);
		return slu_fail(-EISDIR, "cannot write to '%s': it is a directory", path);
	}
	if (there && !S_ISREG(st.st_mode)) {
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	} else if (asprintf(&o->temp, "%s.partial-%d", path, (int)getpid()) < 0) {
		o->temp = NULL;
		slu_out_file_drop(o);
		return slu_fail_memory();
	} else {
		fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, there ? st.st_mode & 0777 : 0666);
	}
	o->f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!o->f) {
		int err = -errno;

		if (fd >= 0)
			(void)close(fd);
		else
			o->temp = (free(o->temp), NULL); /* not ours to remove */
		slu_out_file_drop(o);
		return slu_fail_sys(err, "cannot write to '%s'", path);
	}
	(void)setvbuf(o->f, NULL, _IOFBF, BUFFER); /* a matter of speed only */
	return 0;
}

int slu_out_file_close(struct slu_out_file *o)
{
	int r = 0;

	if (fflush(o->f) || ferror(o->f))
		r = -(errno ? errno : EIO);
	if (r == 0 && o->temp && fsync(fileno(o->f)) < 0)
		r = -errno;
	if (fclose(o->f) && r == 0)
		r = -errno;
	o->f = NULL;
	if (r < 0)
		r = slu_fail_sys(r, "cannot write to '%s'", o->path);
	return r;
}

int slu_out_file_keep(struct slu_out_file *o)
{
	int r = o->f ? slu_out_file_close(o) : 0;

	if (r == 0 && o->temp && rename(o->temp, o->path) < 0)
		r = slu_fail_sys(-errno, "cannot rename '%s' to '%s'", o->temp, o->path);
	if (r == 0)
		o->temp = (free(o->temp), NULL);
	slu_out_file_drop(o);
	return r;
}

void slu_out_file_drop(struct slu_out_file *o)
{
	if (o->f)
		(void)fclose(o->f); /* it is thrown away */
	if (o->temp)
		(void)unlink(o->temp); /* if it stays, it says itself what it is */
	free(o->temp);
	free(o->path);
	*o = (struct slu_out_file){ 0 };
}
