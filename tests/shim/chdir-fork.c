/* SPDX-License-Identifier: MIT */
/*
 * `chdir-fork POINT DIR SECONDS`: other threads change to POINT/DIR, whose name is long, and to POINT/small; getcwd()
 * and relative paths see one of the two.
 */
#include <pthread.h>
#include <stdatomic.h>
#include "../lib/test.h"
#include "lines.h"

enum { NAMES = 2 };

static char names[NAMES][1000];
static atomic_bool stop;
static atomic_long begun, done;

static void *change_to_both(void *arg)
{
	for (int i = 0; !stop; i++)
		T_OK(chdir(names[i % NAMES]));
	return arg;
}

/* Changes once in each round that the other thread begins; the rounds done are the answer. */
static void *change_in_rounds(void *name)
{
	for (long seen = 0; !stop;) {
		if (begun == seen)
			continue;
		T_OK(chdir(name));
		done = ++seen;
	}
	return NULL;
}

static bool cwd_is_one(void)
{
	char cwd[4096];
	if (!getcwd(cwd, sizeof(cwd)))
		return false;
	for (int i = 0; i < NAMES; i++)
		if (strcmp(cwd, names[i]) == 0)
			return true;
	fprintf(stderr, "the working directory is %s\n", cwd);
	return false;
}

static void fork_once(void)
{
	int status;
	pid_t pid = T_OK(fork());
	if (pid == 0) {
		int fd = open(".", O_RDONLY | O_DIRECTORY);
		_exit(fd < 0 || !cwd_is_one() || chdir("..") != 0);
	}
	T_EQ(waitpid(pid, &status, 0), pid);
	T_EQ(status, 0);
}

static void forks(double until)
{
	pthread_t t;
	T_EQ(pthread_create(&t, NULL, change_to_both, NULL), 0);
	while (now() < until)
		fork_once();
	stop = true;
	pthread_join(t, NULL);
}

/* Both in chdir() at once: one of them was the last, and which is to be seen as a whole. */
static void two_threads(double until)
{
	pthread_t t;
	stop = false;
	T_EQ(pthread_create(&t, NULL, change_in_rounds, names[0]), 0);
	while (now() < until) {
		long round = ++begun;
		T_OK(chdir(names[1]));
		T_TRUE(cwd_is_one());
		while (done != round)
			;
		T_TRUE(cwd_is_one());
	}
	stop = true;
	pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	snprintf(names[0], sizeof(names[0]), "%s/%s", argv[1], argv[2]);
	snprintf(names[1], sizeof(names[1]), "%s/small", argv[1]);
	T_OK(chdir(names[0]));
	double seconds = atof(argv[3]);
	forks(now() + seconds);
	two_threads(now() + seconds);
	return 0;
}
