/* SPDX-License-Identifier: MIT */
/* The directory of a trace: see trace-dir.h. */
#include "cli/trace-dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/fd.h"
#include "base/macros.h"
#include "trace/alive.h"
#include "trace/image.h"

#define MARKER "sluice-trace"
#define FIRST_LINE "sluice trace 1\n"

/* ---- names ----------------------------------------------------------------------------------------------------------
 */

/* What all ranks of one job have in common; NULL: started without a launcher that tells. */
static const char *job_name(char *buf, size_t room)
{
	static const char *const vars[] = {
		"PMIX_NAMESPACE", "SLURM_JOB_ID", "TORCHELASTIC_RUN_ID", "OMPI_MCA_ess_base_jobid", "PMI_JOBID",
		"LSB_JOBID",      "PBS_JOBID"
	};
	const char *step = getenv("SLURM_STEP_ID");

	for (size_t i = 0; i < SLU_ARRAY_SIZE(vars); i++) {
		const char *v = getenv(vars[i]);
		if (!v || !*v)
			continue;
		(void)snprintf(buf, room, "%s%s%s", v, i == 1 && step ? "." : "", i == 1 && step ? step : "");
		return buf;
	}
	return NULL;
}

/* Only what needs no quoting. */
static void make_plain(char *s)
{
	for (; *s; s++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *s))
			*s = '-';
}

/* sluice-trace-PROGRAM-JOB, or with the time and our number where there is no job. */
static void default_name(char *to, size_t room, const char *program, const char *job)
{
	const char *slash = strrchr(program, '/');
	char when[64];
	struct tm tm;
	time_t now = time(NULL);

	if (!job && localtime_r(&now, &tm)) {
		size_t n = strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
		(void)snprintf(when + n, sizeof(when) - n, "-%d", getpid());
	}
	(void)snprintf(to, room, "sluice-trace-%.64s-%.128s", slash ? slash + 1 : program, job ? job : when);
	make_plain(to);
}

/* ---- the marker -----------------------------------------------------------------------------------------------------
 */

static int write_marker(int fd, const char *job, char *const argv[])
{
	SLU_AUTO(buf) struct slu_buf b = { 0 };
	char when[64];
	struct tm tm;
	time_t now = time(NULL);
	int r;

	if (!gmtime_r(&now, &tm) || !strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm))
		when[0] = 0;
	if ((r = slu_buf_add(&b, FIRST_LINE, strlen(FIRST_LINE))) < 0 || (r = slu_buf_add(&b, "job: ", 5)) < 0 ||
	    (r = slu_buf_add(&b, job, strlen(job))) < 0 || (r = slu_buf_add(&b, "\nbegan: ", 8)) < 0 ||
	    (r = slu_buf_add(&b, when, strlen(when))) < 0 || (r = slu_buf_add(&b, "\ncommand:", 9)) < 0)
		return r;
	for (; *argv; argv++) {
		size_t from = b.len + 1;
		if ((r = slu_buf_add(&b, " ", 1)) < 0 || (r = slu_add_shell_word(&b, *argv)) < 0)
			return r;
		for (size_t i = from; i < b.len; i++)
			if (b.data[i] == '\n')
				b.data[i] = ' ';
	}
	r = slu_buf_add(&b, "\n", 1);
	return r < 0 ? r : slu_pwrite(fd, b.data, b.len, 0, MARKER);
}

/* Whether the marker there is of this job. Another rank may be about to write it. */
static bool is_of_job(int dirfd, const char *job)
{
	char text[4096], line[512];

	if (!*job)
		return false;
	(void)snprintf(line, sizeof(line), "\njob: %s\n", job);
	for (int tries = 0; tries < 100; tries++) {
		int fd = openat(dirfd, MARKER, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? 0 : slu_pread(fd, text, sizeof(text) - 1, 0);
		if (fd >= 0)
			close(fd);
		text[n < 0 ? 0 : n] = 0;
		if (strstr(text, "\nbegan: "))
			return strstr(text, line) != NULL;
		(void)nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	}
	return false;
}

static bool is_empty(int dirfd)
{
	int copy = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *e;
	bool empty = d != NULL;

	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			empty = false;
	if (d)
		closedir(d);
	else if (copy >= 0)
		close(copy);
	return empty;
}

static int begin_in(struct slu_trace_dir *d, int dirfd, const char *name, bool fresh, const char *job,
                    char *const argv[])
{
	SLU_AUTO(fd) int fd = -1;

	/* Somebody's own files are not ours to mix with; those of the other ranks are. */
	if (!fresh && faccessat(dirfd, MARKER, F_OK, 0) < 0 && !is_empty(dirfd) && !is_of_job(dirfd, job))
		return slu_fail(-EEXIST, "'%s' is not empty: name a new directory with -o", name);
	fd = openat(dirfd, MARKER, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0) {
		d->made = true;
		return write_marker(fd, job, argv);
	}
	if (errno != EEXIST)
		return slu_fail_sys(-errno, "cannot write to '%s'", name);
	if (!is_of_job(dirfd, job))
		return slu_fail(-EEXIST, "'%s' holds a trace already: name another directory with -o, or remove it",
		                name);
	return 0;
}

int slu_trace_dir_make(struct slu_trace_dir *d, const char *output, char *const argv[])
{
	SLU_AUTO(fd) int dirfd = -1;
	char own[512], buf[256];
	const char *job = job_name(buf, sizeof(buf)), *name = output;
	bool fresh;

	if (!name) {
		default_name(own, sizeof(own), argv[0], job);
		name = own;
	}
	fresh = mkdir(name, 0777) == 0;
	if (!fresh && errno != EEXIST)
		return slu_fail_sys(-errno, "cannot make the directory '%s'", name);
	dirfd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dirfd < 0 || !realpath(name, d->path))
		return slu_fail_sys(-errno, "cannot open the directory '%s'", name);
	(void)snprintf(d->shown, sizeof(d->shown), "%s", name);
	return begin_in(d, dirfd, name, fresh, job ? job : "", argv);
}

void slu_trace_dir_unmake(const struct slu_trace_dir *d)
{
	char marker[PATH_MAX + 16];

	if (!d->made)
		return;
	(void)snprintf(marker, sizeof(marker), "%s/" MARKER, d->path);
	(void)unlink(marker);
	(void)rmdir(d->path);
}

/* ---- packing --------------------------------------------------------------------------------------------------------
 */

static bool is_log_of(const char *name, const char *host)
{
	size_t n = strlen(name), m = strlen(host);

	return n > 4 && strcmp(name + n - 4, ".log") == 0 && strncmp(name, host, m) == 0 && name[m] == '-';
}

static void pack_one(int dirfd, const char *name, struct slu_trace_sum *sum)
{
	struct slu_image *img;
	int r = slu_image_load_at(dirfd, name, SLU_IMAGE_NO_RECORDS, &img);
	bool live = false;

	sum->logs++;
	if (r == 0) {
		live = !img->packed && slu_log_is_alive(&img->header);
		slu_image_free(img);
	}
	if (r == 0 && !live)
		r = slu_log_pack(dirfd, name);
	sum->live += live;
	if (r < 0) {
		sum->bad++;
		(void)snprintf(sum->why, sizeof(sum->why), "%s", slu_errmsg());
	}
}

int slu_trace_dir_pack(const struct slu_trace_dir *d, struct slu_trace_sum *ret_sum)
{
	struct slu_trace_sum sum = { 0 };
	struct utsname u;
	const struct dirent *e;
	DIR *dir = opendir(d->path);

	if (!dir)
		return slu_fail_sys(-errno, "cannot open '%s'", d->path);
	if (uname(&u) < 0)
		u.nodename[0] = 0;
	u.nodename[sizeof(u.nodename) - 1 < 64 ? sizeof(u.nodename) - 1 : 64] = 0; /* as the logs' names have it */
	while ((e = readdir(dir)))
		if (is_log_of(e->d_name, u.nodename))
			pack_one(dirfd(dir), e->d_name, &sum);
	closedir(dir);
	*ret_sum = sum;
	return 0;
}
