/* SPDX-License-Identifier: MIT */
/*
 * `moving POINT sendfile|held|fork|vfork|entries SECONDS`: one thread reads a file (or lists a directory) piece by
 * piece, another has it made real by sendfile(), fork() or vfork(). held: a child has the file too, and does nothing
 * with it.
 *
 * The file is read a few bytes at a time until it has become real, so that many reads fall into that moment, then
 * faster.
 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include "../lib/test.h"
#include "lines.h"

static const char *point;
static int fd, null_fd;
static atomic_bool stop;
static atomic_int done; /* what makes files real, so often */

static void *send_it(void *arg)
{
	off_t at = 0;
	usleep((useconds_t)(long)arg);
	T_EQ(sendfile(null_fd, fd, &at, 1), 1);
	done += 2;
	return NULL;
}

static void *fork_on(void *arg)
{
	unsigned seed = 1;
	while (!stop) {
		usleep((useconds_t)rand_r(&seed) % 2000);
		pid_t pid = T_OK(fork());
		if (pid == 0)
			_exit(0);
		T_EQ(waitpid(pid, NULL, 0), pid);
		done++;
	}
	return arg;
}

static void *vfork_on(void *arg)
{
	while (!stop) {
		int status;
		pid_t pid = vfork();
		if (pid == 0)
			_exit(0);
		T_EQ(waitpid(pid, &status, 0), pid);
		done++;
	}
	return arg;
}

static void read_whole(int file)
{
	char b[300 * LINE];
	off_t at = 0;
	int before = done;
	for (ssize_t n; (n = read(fd, b, done - before < 2 ? 5 : sizeof(b))) != 0; at += n) {
		T_OK(n);
		if (!are_of(b, (size_t)n, file, at))
			T_FAIL("at %ld of file %d: '%.16s'", (long)at, file, b);
	}
	T_EQ(at, LONGER_LINES * LINE);
}

static pid_t start_holder(void)
{
	pid_t pid = T_OK(fork());
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody behind */
		pause();
		_exit(0);
	}
	return pid;
}

static void reads_while_sent(double until, bool held)
{
	unsigned seed = 1;
	for (int i = 0; now() < until; i++) {
		pthread_t t;
		fd = T_OK(open_lines(point, "longer", i % LONGER_FILES, O_CLOEXEC));
		pid_t pid = held ? start_holder() : 0;
		T_EQ(pthread_create(&t, NULL, send_it, (void *)(long)(rand_r(&seed) % 300)), 0);
		read_whole(i % LONGER_FILES);
		pthread_join(t, NULL);
		T_EQ(close(fd), 0);
		if (held) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
		}
	}
}

static void reads_while_forking(double until)
{
	for (int i = 0; now() < until; i++) {
		fd = T_OK(open_lines(point, "longer", i % LONGER_FILES, i % 2 ? O_CLOEXEC : 0));
		read_whole(i % LONGER_FILES);
		T_EQ(close(fd), 0);
	}
}

static void list_once(const char *path)
{
	char seen[ENTRIES] = { 0 }, b[200];
	int names = 0, dir = T_OK(open(path, O_RDONLY | O_DIRECTORY));
	for (ssize_t n; (n = T_OK(getdents64(dir, b, sizeof(b)))) > 0;) {
		for (ssize_t at = 0; at < n;) {
			struct dirent64 *e = (struct dirent64 *)(b + at);
			at += e->d_reclen;
			if (e->d_name[0] == '.')
				continue;
			T_EQ(seen[atoi(e->d_name)]++, 0);
			names++;
		}
	}
	T_EQ(names, ENTRIES);
	T_EQ(close(dir), 0);
}

static void lists_while_vforking(double until)
{
	char path[1000];
	snprintf(path, sizeof(path), "%s/entries", point);
	while (now() < until)
		list_once(path);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	const char *what = argv[2];
	double until = now() + atof(argv[3]);
	pthread_t t;
	point = argv[1];
	null_fd = T_OK(open("/dev/null", O_WRONLY));
	if (strcmp(what, "sendfile") == 0 || strcmp(what, "held") == 0) {
		reads_while_sent(until, what[0] == 'h');
		return 0;
	}
	T_EQ(pthread_create(&t, NULL, strcmp(what, "fork") == 0 ? fork_on : vfork_on, NULL), 0);
	if (strcmp(what, "entries") != 0)
		reads_while_forking(until);
	else
		lists_while_vforking(until);
	stop = true;
	pthread_join(t, NULL);
	return 0;
}
