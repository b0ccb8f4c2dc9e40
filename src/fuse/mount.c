/* SPDX-License-Identifier: MIT */
/*
 * A mount's life: the session with the kernel, the process that serves, the end. See mount.h.
 *
 * Whatever can be wrong with the pack or the directory is found before there is a process in the background, so that
 * it is told where the user looks. What libfuse and its helper say on their own is caught and becomes
 * part of our sentence.
 */
#include "fuse/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/macros.h"
#include "fuse/ops.h"
#include "fuse/table.h"

/* The kernel reads ahead 128 KiB of a file by itself; more makes fewer requests of large files. */
#define READ_AHEAD_KIB "1024"

struct slu_mount {
	struct slu_pack *pack;
	struct slu_served served;
	struct fuse_session *session;
	bool mounted; /* and it is this process that is to unmount */
	char point[PATH_MAX];
};

const char *slu_fuse_version(void)
{
	return fuse_pkgversion();
}

/* ---- what libfuse says --------------------------------------------------------------------- */

/* What it said, in one line. It gives us no place of our own to keep it. */
static _Thread_local char said[512];

static void on_log(enum fuse_log_level level, const char *fmt, va_list ap)
{
	size_t n = strlen(said);

	(void)vsnprintf(said + n, sizeof(said) - n, fmt, ap); /* cut off at worst */
}

/* The first line of it, without its own name. */
static const char *what_was_said(void)
{
	said[strcspn(said, "\n")] = 0;
	if (said[0] == 0)
		return "FUSE does not say why";
	return strncmp(said, "fuse: ", 6) == 0 ? said + 6 : said;
}

/* Mounts with stderr turned to a file in memory: fusermount3, which libfuse runs, writes there. */
static int mount_quietly(struct fuse_session *se, const char *point)
{
	SLU_AUTO(fd) int log = memfd_create("fusermount3", MFD_CLOEXEC);
	SLU_AUTO(fd) int old = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	int r;

	if (log < 0 || old < 0 || dup2(log, STDERR_FILENO) < 0)
		return slu_fail_sys(-errno, "cannot turn stderr aside");
	said[0] = 0;
	r = fuse_session_mount(se, point);
	(void)dup2(old, STDERR_FILENO); /* it was open a moment ago */
	if (r == 0)
		return 0;
	if (said[0] == 0 && slu_pread(log, said, sizeof(said) - 1, 0) < 0)
		said[0] = 0;
	return slu_fail(-EPERM, "cannot mount on %s: %s", point, what_was_said());
}

/* ---- mounting ---------------------------------------------------------------------------------- */

static int check_point(const char *dir, char ret_point[PATH_MAX])
{
	struct slu_mounted there;
	struct stat st;
	int r;

	if (stat(dir, &st) < 0 && errno != ENOTCONN)
		return slu_fail_sys(-errno, "cannot mount on %s", dir);
	if ((r = slu_mount_point(dir, ret_point)) < 0 || (r = slu_mounted_on(ret_point, &there)) < 0)
		return r;
	if (strcmp(there.type, SLU_FSTYPE) == 0)
		return slu_fail(-EBUSY, "%s is a mount of sluice already; `sluice umount` takes it away", dir);
	if (stat(dir, &st) < 0)
		return slu_fail_sys(-errno, "cannot mount on %s", dir);
	return S_ISDIR(st.st_mode) ? 0 : slu_fail(-ENOTDIR, "cannot mount on %s: it is not a directory", dir);
}

/* "NAME=VALUE" with the characters that mean something in a list of options escaped. */
static int add_escaped(char **opts, const char *name, const char *value)
{
	SLU_AUTO(mem) char *option = NULL;

	if (asprintf(&option, "%s=%s", name, value) < 0) {
		option = NULL;
		return slu_fail_memory();
	}
	return fuse_opt_add_opt_escaped(opts, option) < 0 ? slu_fail_memory() : 0;
}

/* The user's come first: of two that contradict each other the last one holds. */
static int make_options(const char *pack, const struct slu_mount_options *opt, char **ret_opts)
{
	SLU_AUTO(mem) char *opts = NULL;
	char path[PATH_MAX];
	int r = 0;

	if (opt->options && opt->options[0] && fuse_opt_add_opt(&opts, opt->options) < 0)
		return slu_fail_memory();
	/* The kernel checks permissions by the modes that it has cached, and asks nobody. */
	if (fuse_opt_add_opt(&opts, "ro,subtype=sluice,default_permissions") < 0 ||
	    (opt->allow_other && fuse_opt_add_opt(&opts, "allow_other") < 0))
		return slu_fail_memory();
	r = add_escaped(&opts, "fsname", realpath(pack, path) ? path : pack);
	if (r == 0)
		*ret_opts = SLU_TAKE(opts);
	return r;
}

static int new_session(struct slu_mount *m, char *opts)
{
	char name[] = "sluice", dash_o[] = "-o";
	char *argv[] = { name, dash_o, opts, NULL };
	struct fuse_args args = FUSE_ARGS_INIT(3, argv);

	fuse_set_log_func(on_log);
	said[0] = 0;
	m->session = fuse_session_new(&args, &slu_fuse_ops, sizeof(slu_fuse_ops), &m->served);
	fuse_opt_free_args(&args);
	return m->session ? 0 : slu_fail(-EINVAL, "cannot mount: %s", what_was_said());
}

/* The first question of the kernel waits in its queue, with the old number in it, but ours is the last word (ops.c).
 * Where we may not, it stays: this is only about speed. */
static void read_ahead_more(const struct slu_mount *m)
{
	struct slu_mounted at;
	char path[64];
	SLU_AUTO(fd) int fd = -1;

	if (slu_mounted_on(m->point, &at) < 0)
		return;
	(void)snprintf(path, sizeof(path), "/sys/class/bdi/%u:%u/read_ahead_kb", at.major, at.minor);
	fd = slu_openat(AT_FDCWD, path, O_WRONLY, 0);
	if (fd >= 0)
		(void)!write(fd, READ_AHEAD_KIB, sizeof(READ_AHEAD_KIB) - 1);
}

static int open_all(struct slu_mount *m, const char *pack, const char *dir, const struct slu_mount_options *opt)
{
	SLU_AUTO(mem) char *opts = NULL;
	int r;

	if ((r = slu_pack_open(pack, NULL, &m->pack)) < 0 || (r = check_point(dir, m->point)) < 0 ||
	    (r = slu_served_init(&m->served, m->pack)) < 0 || (r = make_options(pack, opt, &opts)) < 0 ||
	    (r = new_session(m, opts)) < 0 || (r = mount_quietly(m->session, m->point)) < 0)
		return r;
	m->mounted = true;
	read_ahead_more(m);
	m->served.trouble = opt->trouble;
	m->served.arg = opt->arg;
	return 0;
}

int slu_mount_open(const char *pack, const char *dir, const struct slu_mount_options *opt, struct slu_mount **ret_mount)
{
	struct slu_mount *m = calloc(1, sizeof(*m));
	int r = m ? open_all(m, pack, dir, opt) : slu_fail_memory();

	if (r < 0)
		slu_mount_close(m);
	else
		*ret_mount = m;
	return r;
}

void slu_mount_close(struct slu_mount *m)
{
	if (!m)
		return;
	if (m->mounted)
		fuse_session_unmount(m->session);
	if (m->session)
		fuse_session_destroy(m->session);
	slu_served_done(&m->served);
	slu_pack_close(m->pack);
	free(m);
}

/* ---- the background -------------------------------------------------------------------------------- */

static int leave_terminal(void)
{
	SLU_AUTO(fd) int null = -1;

	if (setsid() < 0 || chdir("/") < 0)
		return slu_fail_sys(-errno, "cannot go to the background");
	null = slu_openat(AT_FDCWD, "/dev/null", O_RDWR, 0);
	if (null < 0)
		return slu_fail_sys(null, "cannot open /dev/null");
	for (int fd = 0; fd <= 2; fd++)
		if (dup2(null, fd) < 0)
			return slu_fail_sys(-errno, "cannot go to the background");
	return 0;
}

/* The first process waits for the byte that the second one writes when the kernel's first question came. */
static int wait_ready(struct slu_mount *m, int fd)
{
	char byte;
	ssize_t n;

	do {
		n = read(fd, &byte, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 1)
		return 1;
	(void)!slu_unmount(m->point, true); /* it may have done so itself */
	return slu_fail(-EIO, "the server of %s ended before it answered", m->point);
}

/* libfuse can free a session that was mounted only by unmounting it, which would be wrong in the process that
 * leaves. It is kept here until that ends, so that nobody takes it for lost. */
static struct fuse_session *volatile left_over;

int slu_mount_detach(struct slu_mount *m)
{
	int pipefd[2];
	pid_t pid;
	int r;

	if (pipe2(pipefd, O_CLOEXEC) < 0)
		return slu_fail_sys(-errno, "cannot make a pipe");
	pid = fork();
	if (pid < 0) {
		r = slu_fail_sys(-errno, "cannot make a process");
		close(pipefd[0]);
		close(pipefd[1]);
		return r;
	}
	close(pipefd[pid ? 1 : 0]);
	if (pid == 0) {
		m->served.ready_fd = pipefd[1];
		return leave_terminal();
	}
	/* The kernel must see that the server is gone when it is: let go of the device now. */
	close(fuse_session_fd(m->session));
	m->mounted = false;
	left_over = SLU_TAKE(m->session);
	r = wait_ready(m, pipefd[0]);
	close(pipefd[0]);
	return r;
}

/* ---- serving ----------------------------------------------------------------------------------------- */

int slu_mount_serve(struct slu_mount *m)
{
	int r;

	slu_prime_start(&m->served.prime, m->pack, m->point);
	r = slu_crew_run(&m->served.crew, m->session);
	/* This ends whatever still waits for an answer, our own listing too. */
	fuse_session_unmount(m->session);
	m->mounted = false;
	slu_prime_stop(&m->served.prime);
	return r;
}
