/* SPDX-License-Identifier: MIT */
/*
 * `handlers POINT malloc|threads|fork|dup2|fork-sent|vfork-sent SECONDS`: a timer's handler opens, reads and closes
 * files of POINT while the program allocates (alone, or with a second thread), forks, or puts a file at descriptor 0.
 *
 * -sent: a second thread sends the signal as fast as it is handled. One that is sent while the child of a vfork() runs
 * comes in the moment that vfork() returns; then the handler also closes a file that was open before, whose number must
 * be free for any other. A forked child sends itself one.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include "../lib/test.h"
#include "lines.h"

static const char *point;
static ino_t inodes[SMALL_FILES];
static volatile sig_atomic_t handled, wrong, kept = -1;

static void on_alarm(int signo)
{
	int saved = errno, file = (int)(handled % SMALL_FILES);
	int fd = open_lines(point, "small", file, O_CLOEXEC);
	struct stat st;
	(void)signo;
	if (fd < 0 || !reads_line(fd, file, 0) || !preads_line(fd, file, 5 * LINE) || fstat(fd, &st) != 0 ||
	    st.st_ino != inodes[file] || close(fd) != 0)
		wrong++;
	/* a part of a long file, which must be unpacked */
	fd = open_lines(point, "lines", (int)(handled % LONG_FILES), O_CLOEXEC);
	if (fd < 0 || !preads_line(fd, (int)(handled % LONG_FILES), 7000 * LINE) || close(fd) != 0)
		wrong++;
	if (kept >= 0 && close(kept) != 0)
		wrong++;
	kept = -1;
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

static bool sent;

static void fork_once(void)
{
	int status, fd = sent ? T_OK(open_lines(point, "small", 3, 0)) : -1; /* becomes real at fork() */
	pid_t pid = T_OK(fork());
	if (pid == 0) {
		if (sent)
			raise(SIGALRM);
		_exit(wrong ? 1 : 0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	T_EQ(status, 0);
	if (sent)
		T_EQ(close(fd), 0);
}

static void vfork_once(void)
{
	struct stat host, st;
	int status, fd;
	kept = T_OK(open_lines(point, "small", 7, O_CLOEXEC));
	pid_t pid = vfork();
	if (pid == 0) {
		usleep(50);
		_exit(0);
	}
	T_OK(pid);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	T_EQ(status, 0);
	fd = T_OK(open("/dev/null", O_RDONLY | O_CLOEXEC));
	T_OK(stat("/dev/null", &host));
	T_OK(fstat(fd, &st));
	T_TRUE(host.st_ino == st.st_ino && S_ISCHR(st.st_mode));
	T_EQ(close(fd), 0);
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

static pthread_t main_thread;

static void *send_signals(void *arg)
{
	for (sig_atomic_t seen = -1;; sched_yield())
		if (handled != seen) {
			seen = handled;
			pthread_kill(main_thread, SIGALRM);
		}
	return arg;
}

/* Signals go to the main thread only. */
static void start_thread(void *(*run)(void *))
{
	sigset_t alarms;
	pthread_t t;
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	T_EQ(pthread_create(&t, NULL, run, NULL), 0);
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };
	if (argc < 4)
		return 2;
	point = argv[1];
	sent = strstr(argv[2], "-sent") != NULL;
	void (*what)(void) = strncmp(argv[2], "fork", 4) == 0    ? fork_once
	                     : strncmp(argv[2], "vfork", 5) == 0 ? vfork_once
	                     : strcmp(argv[2], "dup2") == 0      ? put_at_0
	                                                         : allocate;
	int held = T_OK(open_lines(point, "small", 9, 0));
	for (int i = 0; i < SMALL_FILES; i++) {
		struct stat st;
		int fd = T_OK(open_lines(point, "small", i, 0));
		T_OK(fstat(fd, &st));
		inodes[i] = st.st_ino;
		T_EQ(close(fd), 0);
	}
	main_thread = pthread_self();
	sigaction(SIGALRM, &act, NULL);
	if (strcmp(argv[2], "threads") == 0)
		start_thread(wait_for_ever);
	if (sent)
		start_thread(send_signals);
	else
		setitimer(ITIMER_REAL, &every, NULL);
	for (double until = now() + atof(argv[3]); now() < until;)
		what();
	setitimer(ITIMER_REAL, &never, NULL);
	T_EQ(wrong, 0);
	T_GE(handled, 1);
	T_TRUE(reads_line(held, 9, 0));
	return 0;
}
