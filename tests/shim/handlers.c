/* SPDX-License-Identifier: MIT */
/*
 * `handlers POINT malloc|threads|fork|dup2 SECONDS`: a timer's handler opens, reads and closes files of POINT while
 * the program allocates (alone, or with a second thread), forks, or puts a file at descriptor 0.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include "../lib/test.h"
#include "lines.h"

static const char *point;
static volatile sig_atomic_t handled, wrong;

static void on_alarm(int signo)
{
	int saved = errno, file = (int)(handled % SMALL_FILES);
	int fd = open_lines(point, "small", file, O_CLOEXEC);
	(void)signo;
	if (fd < 0 || !reads_line(fd, file, 0) || !preads_line(fd, file, 5 * LINE) || close(fd) != 0)
		wrong++;
	/* a part of a long file, which must be unpacked */
	fd = open_lines(point, "lines", (int)(handled % LONG_FILES), O_CLOEXEC);
	if (fd < 0 || !preads_line(fd, (int)(handled % LONG_FILES), 7000 * LINE) || close(fd) != 0)
		wrong++;
	handled++;
	errno = saved;
}

static void allocate(void)
{
	static void *kept[256];
	static unsigned seed = 1;
	for (int i = 0; i < 1000; i++) {
		unsigned k = (unsigned)rand_r(&seed) % 256;
		free(kept[k]);
		kept[k] = malloc(1000 + (size_t)rand_r(&seed) % 9000);
		T_TRUE(kept[k] != NULL);
	}
}

static void fork_once(void)
{
	int status;
	pid_t pid = T_OK(fork());
	if (pid == 0)
		_exit(0);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	T_EQ(status, 0);
}

static void put_at_0(void)
{
	int fd = T_OK(open_lines(point, "small", 42, 0));
	T_EQ(dup2(fd, 0), 0);
	T_EQ(close(fd), 0);
	T_TRUE(reads_line(0, 42, 0));
}

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* Signals go to the main thread only. */
static void start_thread(void)
{
	sigset_t alarms;
	pthread_t t;
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	T_EQ(pthread_create(&t, NULL, wait_for_ever, NULL), 0);
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };
	if (argc < 4)
		return 2;
	point = argv[1];
	void (*what)(void) = strcmp(argv[2], "fork") == 0   ? fork_once
	                     : strcmp(argv[2], "dup2") == 0 ? put_at_0
	                                                    : allocate;
	if (strcmp(argv[2], "threads") == 0)
		start_thread();
	int held = T_OK(open_lines(point, "small", 9, 0));
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (double until = now() + atof(argv[3]); now() < until;)
		what();
	setitimer(ITIMER_REAL, &never, NULL);
	T_EQ(wrong, 0);
	T_GE(handled, 1);
	T_TRUE(reads_line(held, 9, 0));
	return 0;
}
