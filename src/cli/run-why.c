/* SPDX-License-Identifier: MIT */
/*
 * sluice run --why: the program is our child; a ledger that its processes write to and a watch over its system
 * calls tell us what became of its files. See run.h.
 *
 * The program must not notice: its signals, its exit status and its standard streams are as they would be.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/macros.h"
#include "cli/child.h"
#include "cli/program.h"
#include "cli/run.h"
#include "vfs/host.h"
#include "vfs/spec.h"

struct why_run {
	const struct slu_cli *cli;
	const struct slu_why *why;
	struct slu_view *view;
	char dir[PATH_MAX];      /* private, with the ledger in it; "" none */
	int lock;                /* of the directory, or -1 */
	char path[PATH_MAX + 8]; /* the ledger */
	struct slu_ledger *ledger;
	FILE *json;
	char *real[SLU_MAX_MOUNTS];             /* where links of the host lead from a mount's directory, or NULL */
	const char *points[2 * SLU_MAX_MOUNTS]; /* as given, and these */
	const char *own[SLU_MAX_MOUNTS + 2];
	char shim[PATH_MAX];
	struct slu_watch_list list;
	struct slu_child child;
	struct slu_watch *watch;
	char unwatched[256]; /* why there is none */
};

/* ---- before ---- */

#define DIR_NAME "sluice-why-"
enum { SETTLED_SECONDS = 60 }; /* a directory as young as this may not be locked yet */

/* Removes the directory @name of @base if it is ours and nobody has it locked. */
static void remove_stale(int base, const char *name)
{
	SLU_AUTO(fd) int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() || time(NULL) - st.st_mtime < SETTLED_SECONDS ||
	    flock(fd, LOCK_EX | LOCK_NB) < 0)
		return;
	(void)unlinkat(fd, "ledger", 0);
	(void)unlinkat(base, name, AT_REMOVEDIR);
}

/* What runs that were killed have left: whoever lives has its directory locked. */
static void remove_all_stale(const char *base)
{
	DIR *d = opendir(base);

	for (struct dirent *e; d && (e = readdir(d));)
		if (strncmp(e->d_name, DIR_NAME, strlen(DIR_NAME)) == 0)
			remove_stale(dirfd(d), e->d_name);
	if (d)
		closedir(d);
}

static int make_ledger(struct why_run *w)
{
	const char *base = getenv("TMPDIR");
	uint64_t nodes[SLU_MAX_MOUNTS];
	int r;

	if (!base || base[0] != '/')
		base = "/tmp";
	remove_all_stale(base);
	if (snprintf(w->dir, sizeof(w->dir), "%s/" DIR_NAME "XXXXXX", base) >= (int)sizeof(w->dir) ||
	    !mkdtemp(w->dir)) {
		w->dir[0] = 0;
		return slu_fail_sys(-errno, "cannot make a directory in '%s'", base);
	}
	w->lock = open(w->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->lock >= 0)
		(void)flock(w->lock,
		            LOCK_EX | LOCK_NB); /* a file system without locks: then nobody removes it either */
	(void)snprintf(w->path, sizeof(w->path), "%s/ledger", w->dir);
	for (unsigned i = 0; i < w->view->n; i++)
		nodes[i] = w->view->mount[i].nodes;
	r = slu_ledger_create(w->path, nodes, w->view->n);
	if (r == 0)
		r = slu_ledger_open(w->path, &w->ledger);
	if (r == 0 && setenv(SLU_ENV_LEDGER, w->path, 1) < 0)
		r = slu_fail_memory();
	return r;
}

/* All names under which the kernel may be asked for something below a mount; and what is asked for by ourselves. */
static int fill_list(struct why_run *w)
{
	struct slu_watch_list *l = &w->list;

	*l = (struct slu_watch_list){ .points = w->points, .own = w->own, .ledger = w->ledger };
	w->own[l->nown++] = w->dir;
	if (slu_shim_find(w->shim) == 0)
		w->own[l->nown++] = w->shim;
	for (unsigned i = 0; i < w->view->n; i++) {
		const char *point = w->view->mount[i].point;
		char real[PATH_MAX];

		w->own[l->nown++] = w->view->mount[i].pack;
		l->points[l->n++] = point;
		if (slu_host_realpath(point, real) < 0 || strcmp(real, point) == 0)
			continue;
		w->real[i] = strdup(real);
		if (!w->real[i])
			return slu_fail_memory();
		l->points[l->n++] = w->real[i];
	}
	return 0;
}

/* A program that has no shim writes no notes; so this one is ours to write. */
static void note_program(const struct why_run *w, const char *name)
{
	struct slu_program p;
	char path[PATH_MAX];

	if (slu_program_find(name, path) < 0 || slu_program_look(path, &p) < 0)
		return;
	if (p.kind == SLU_PROGRAM_PRIVILEGED)
		slu_ledger_note(w->ledger, SLU_NOTE_SETUID, 0, p.path, NULL);
	else if (p.kind != SLU_PROGRAM_PLAIN)
		slu_ledger_note(w->ledger, SLU_NOTE_STATIC, 0, p.path, slu_program_why(p.kind));
	slu_program_done(&p);
}

static int prepare(struct why_run *w)
{
	int r = make_ledger(w);

	if (r == 0)
		r = fill_list(w);
	if (r == 0 && w->why->json && !(w->json = fopen(w->why->json, "we")))
		r = slu_fail_sys(-errno, "cannot write to '%s'", w->why->json);
	return r;
}

/* ---- the child ---- */

static void watch_child(void *arg, int sock)
{
	struct why_run *w = arg;

	if (!w->why->no_watch)
		slu_watch_install(sock);
}

static int start_watch(struct why_run *w)
{
	int r = w->why->no_watch ? slu_fail(-EOPNOTSUPP, "--no-watch was given")
	                         : slu_watch_start(w->child.sock, &w->list, &w->watch);

	if (r == -EOPNOTSUPP) {
		(void)snprintf(w->unwatched, sizeof(w->unwatched), "%s", slu_errmsg());
		return 0;
	}
	if (r < 0) { /* there is a filter, and nobody to answer */
		(void)kill(w->child.pid, SIGKILL);
		(void)waitpid(w->child.pid, NULL, 0);
	}
	return r;
}

/* ---- after ---- */

static void report(const struct why_run *w, const char *program, int status)
{
	struct slu_outcome o = { .cli = w->cli,
		                 .view = w->view,
		                 .ledger = w->ledger,
		                 .watch = w->watch,
		                 .unwatched = w->unwatched,
		                 .program = program,
		                 .status = status };

	if (w->json)
		slu_report_why_json(&o, w->json);
	if (w->why->text)
		slu_report_why_text(&o, stderr);
}

static void clean_up(struct why_run *w)
{
	slu_watch_free(w->watch);
	slu_ledger_close(w->ledger);
	for (unsigned i = 0; i < w->view->n; i++)
		free(w->real[i]);
	slu_child_done(&w->child);
	if (w->dir[0]) {
		(void)unlink(w->path);
		(void)rmdir(w->dir);
	}
	if (w->lock >= 0)
		close(w->lock);
}

/* The child's end as our own. */
static int exit_code(const struct slu_cli *c, struct why_run *w, int status)
{
	bool lost = w->json && fclose(w->json) != 0;

	if (lost)
		slu_cli_error(c, "cannot write to '%s': %s", w->why->json, strerror(errno));
	w->json = NULL;
	return slu_child_exit_code(&w->child, lost && status == 0 ? SLU_EXIT_TROUBLE << 8 : status);
}

int slu_run_why(const struct slu_cli *c, const struct slu_why *why, struct slu_view *v, char **argv)
{
	struct why_run w = { .cli = c, .why = why, .view = v, .lock = -1, .child = { .sock = -1 } };
	int status = 0, r = prepare(&w);

	if (r == 0) {
		note_program(&w, argv[0]);
		r = slu_child_start(&w.child, c, argv, watch_child, &w);
	}
	if (r == 0)
		r = start_watch(&w);
	if (r < 0) {
		slu_cli_error(c, "%s", slu_errmsg());
		if (w.json)
			(void)fclose(w.json); /* nothing was written */
		clean_up(&w);
		return SLU_EXIT_TROUBLE;
	}
	status = slu_child_wait(&w.child);
	if (w.watch)
		slu_watch_stop(w.watch);
	if (slu_child_ran(&w.child))
		report(&w, argv[0], status);
	clean_up(&w);
	return exit_code(c, &w, status);
}
