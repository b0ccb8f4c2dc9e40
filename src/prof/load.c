/* SPDX-License-Identifier: MIT */
/*
 * From a trace directory to a model. Headers are read first, so that the clock and the ranks are known before the
 * records come; then one log after the other, so that only one is in memory.
 */
#include "prof/build.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/macros.h"
#include "prof/foreign.h"

#define MARKER "sluice-trace"

/* ---- the marker -------------------------------------------------------------------------------------------------- */

/* Takes one line "key: value" into the model. */
static int marker_line(struct slu_build *b, char *line)
{
	struct slu_prof_job *job = &b->p->job;
	char *colon = strstr(line, ": ");

	if (!colon)
		return 0;
	*colon = 0;
	if (strcmp(line, "job") == 0)
		SLU_STORE(b, job->job, colon + 2);
	else if (strcmp(line, "command") == 0)
		SLU_STORE(b, job->command, colon + 2);
	else if (strcmp(line, "began") == 0)
		SLU_STORE(b, job->began, colon + 2);
	return 0;
}

/* 1: there is none. */
static int read_marker(struct slu_build *b, int dirfd)
{
	char text[16384], *rest = text, *line;
	SLU_AUTO(fd) int fd = slu_openat(dirfd, MARKER, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	ssize_t n;
	int r;

	if (fd == -ENOENT)
		return 1;
	if (fd < 0)
		return slu_fail_sys(fd, "cannot open %s/%s", b->p->job.directory, MARKER);
	n = slu_pread(fd, text, sizeof(text) - 1, 0);
	if (n < 0)
		return slu_fail_sys((int)n, "cannot read %s/%s", b->p->job.directory, MARKER);
	text[n] = 0;
	line = strsep(&rest, "\n");
	if (strcmp(line, "sluice trace 1") != 0) {
		unsigned version = 0;

		if (sscanf(line, "sluice trace %u", &version) == 1 && version > 1)
			return slu_fail(-EPROTONOSUPPORT,
			                "%s is a trace of version %u, newer than this sluice; update it",
			                b->p->job.directory, version);
		return slu_fail(-EBADMSG, "%s/%s is not what sluice trace writes", b->p->job.directory, MARKER);
	}
	while ((line = strsep(&rest, "\n")))
		if ((r = marker_line(b, line)) < 0)
			return r;
	return 0;
}

/* ---- the logs ---------------------------------------------------------------------------------------------------- */

int slu_build_note(struct slu_build *b, enum slu_note_id id, const char *text)
{
	struct slu_prof *p = b->p;
	int r = slu_room(&p->notes, p->n_notes, sizeof(*p->notes));

	if (r < 0)
		return r;
	p->notes[p->n_notes] = (struct slu_prof_note){ .id = id };
	SLU_STORE(b, p->notes[p->n_notes].text, text);
	p->n_notes++;
	return 0;
}

static bool is_log(const char *name)
{
	size_t n = strlen(name);

	return name[0] != '.' && n > 4 && strcmp(name + n - 4, ".log") == 0;
}

/* A log that cannot be read is told of and left out. @err: the last error. */
static int unreadable(struct slu_build *b, int err)
{
	char text[1024];

	if (err == -ENOMEM)
		return err;
	(void)snprintf(text, sizeof(text), "a log was left out: %s", slu_errmsg());
	return slu_build_note(b, SLU_NOTE_UNREADABLE, text);
}

static int found_log(struct slu_build *b, int dirfd, const char *name)
{
	SLU_AUTO(image) struct slu_image *img = NULL;
	int r = slu_image_load_at(dirfd, name, SLU_IMAGE_NO_RECORDS, &img);

	if (r < 0)
		return r;
	r = slu_room(&b->logs, b->n_logs, sizeof(*b->logs));
	if (r < 0)
		return r;
	b->logs[b->n_logs] = (struct slu_found_log){ .header = img->header, .name = strdup(name) };
	if (!b->logs[b->n_logs].name)
		return slu_fail_memory();
	b->n_logs++;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All names of logs, sorted. */
static int list_logs(const char *path, int dirfd, char ***ret_names, size_t *ret_n)
{
	int copy = fcntl(dirfd, F_DUPFD_CLOEXEC, 0);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;
	int r = 0;

	if (!d) {
		r = slu_fail_sys(-errno, "cannot list %s", path);
		slu_cleanup_fd(&copy);
		return r;
	}
	while (r == 0 && (e = readdir(d))) {
		if (!is_log(e->d_name))
			continue;
		r = slu_room(ret_names, *ret_n, sizeof(**ret_names));
		if (r == 0 && !((*ret_names)[*ret_n] = strdup(e->d_name)))
			r = slu_fail_memory();
		if (r == 0)
			++*ret_n;
	}
	closedir(d);
	slu_sort(*ret_names, *ret_n, sizeof(**ret_names), compare_names);
	return r;
}

static int find_logs(struct slu_build *b, int dirfd, bool marked)
{
	const char *path = b->p->job.directory;
	char **names = NULL;
	size_t n = 0;
	int r = list_logs(path, dirfd, &names, &n), first = 0;
	char why[1024] = "";

	for (size_t i = 0; r == 0 && i < n; i++) {
		r = found_log(b, dirfd, names[i]);
		if (r < 0 && r != -ENOMEM) {
			if (!first) {
				first = r;
				(void)snprintf(why, sizeof(why), "%s", slu_errmsg());
			}
			r = unreadable(b, r);
		}
	}
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
	if (r < 0 || b->n_logs)
		return r;
	if (first)
		return slu_fail(first, "no log of %s can be read; the first: %s", path, why);
	if (marked)
		return slu_fail(-ENOENT, "%s holds no logs: nothing was traced in it", path);
	return slu_fail(-ENOENT, "%s is not a trace: it holds neither %s nor logs; give what sluice trace -o made",
	                path, MARKER);
}

static int merge_all(struct slu_build *b, int dirfd)
{
	for (size_t i = 0; i < b->n_logs; i++) {
		SLU_AUTO(image) struct slu_image *img = NULL;
		int r = slu_image_load_at(dirfd, b->logs[i].name, 0, &img);

		if (r == 0)
			r = slu_build_merge(b, i, img);
		if (r < 0)
			r = unreadable(b, r);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void build_done(struct slu_build *b)
{
	for (size_t i = 0; i < b->n_logs; i++)
		free(b->logs[i].name);
	free(b->logs);
	for (size_t i = 0; i < b->n_threads; i++) {
		free(b->threads[i].runs);
		free(b->threads[i].events);
		free(b->threads[i].edges);
		free(b->threads[i].epochs);
	}
	free(b->threads);
	slu_names_done(&b->names);
}

static int build_all(struct slu_build *b, int dirfd, const struct slu_merge *merges, size_t n)
{
	int r = read_marker(b, dirfd);

	if (r >= 0)
		r = find_logs(b, dirfd, r == 0);
	if (r == 0)
		r = slu_build_processes(b);
	if (r == 0)
		r = merge_all(b, dirfd);
	slu_names_done(&b->names); /* large, and not needed any more */
	if (r == 0)
		r = slu_build_foreign(b, merges, n);
	if (r == 0)
		r = slu_build_files(b);
	if (r == 0)
		r = slu_build_ranks(b);
	if (r == 0)
		r = slu_build_access(b);
	if (r == 0)
		r = slu_build_notes(b);
	if (r == 0)
		r = slu_build_answer(b);
	return r < 0 ? r : slu_build_advice(b->p);
}

int slu_prof_load(const char *path, struct slu_prof **ret_prof)
{
	return slu_prof_load_merging(path, NULL, 0, ret_prof);
}

int slu_prof_load_merging(const char *path, const struct slu_merge *merges, size_t n, struct slu_prof **ret_prof)
{
	struct slu_build b = { 0 };
	int r;
	SLU_AUTO(fd) int dirfd = slu_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);

	if (dirfd < 0)
		return slu_fail_sys(dirfd, "cannot open the trace %s", path);
	b.p = calloc(1, sizeof(*b.p));
	if (!b.p)
		return slu_fail_memory();
	r = slu_store_new(&b.p->store);
	if (r == 0) {
		b.p->job.job = b.p->job.command = b.p->job.began = "";
		b.p->job.directory = slu_store_str(b.p->store, path);
		r = b.p->job.directory ? build_all(&b, dirfd, merges, n) : -ENOMEM;
	}
	build_done(&b);
	if (r < 0) {
		slu_prof_free(b.p);
		return r;
	}
	*ret_prof = b.p;
	return 0;
}

void slu_prof_free(struct slu_prof *p)
{
	if (!p)
		return;
	free(p->advice);
	free(p->notes);
	free(p->ranks);
	free(p->epochs);
	free(p->spans);
	free(p->processes);
	free(p->timeline.bins);
	free(p->directories);
	free(p->extensions);
	free(p->calls);
	free(p->files);
	free(p->by_time);
	for (size_t i = 0; i < p->n_merged; i++)
		free(p->merged[i].lengths);
	free(p->merged);
	slu_store_free(p->store);
	free(p);
}
