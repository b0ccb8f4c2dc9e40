/* SPDX-License-Identifier: MIT */
/*
 * `cancel POINT`: a hundred threads are cancelled while they open, read and close. Each may leave the one file open
 * that it was at; that file can be read and closed as any other, and later forks and copies are as before.
 */
#include <pthread.h>
#include "../lib/test.h"
#include "lines.h"

enum { THREADS = 100, FILE_NUMBER = 3, HIGHEST = 900 };

static const char *point;
static bool inherited[HIGHEST];

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void *open_and_close(void *arg)
{
	char b[LINE];
	for (;;) {
		int fd = open_lines(point, "small", FILE_NUMBER, O_CLOEXEC);
		if (read(fd, b, LINE) != LINE || !are_of(b, LINE, FILE_NUMBER, 0) || close(fd) != 0)
			T_FAIL("read or close of %d: %s", fd, strerror(errno));
	}
	return arg;
}

static void cancel_one(void)
{
	pthread_t t;
	void *result;
	T_EQ(pthread_create(&t, NULL, open_and_close, NULL), 0);
	usleep(300);
	T_EQ(pthread_cancel(t), 0);
	T_EQ(pthread_join(t, &result), 0);
	T_TRUE(result == PTHREAD_CANCELED);
}

/* What is open now is a file of the mount, in the shim's eyes too; closes it all. The number of them. */
static int close_left(void)
{
	int left = 0;
	for (int fd = 3; fd < HIGHEST; fd++) {
		if (inherited[fd] || !is_open(fd))
			continue;
		T_TRUE(preads_line(fd, FILE_NUMBER, 2 * LINE));
		T_EQ(close(fd), 0);
		T_TRUE(!is_open(fd));
		left++;
	}
	return left;
}

static void check_forks(void)
{
	int status, fd = T_OK(open_lines(point, "small", 1, 0));
	for (int i = 0; i < 5; i++) {
		pid_t pid = T_OK(fork());
		if (pid == 0)
			_exit(!reads_line(fd, 1, i * LINE));
		T_EQ(waitpid(pid, &status, 0), pid);
		T_EQ(status, 0);
	}
	T_EQ(dup2(fd, 0), 0);
	T_TRUE(reads_line(0, 1, 5 * LINE));
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	point = argv[1];
	for (int fd = 0; fd < HIGHEST; fd++)
		inherited[fd] = is_open(fd);
	for (int i = 0; i < THREADS; i++)
		cancel_one();
	T_GE(THREADS, close_left());
	check_forks();
	return 0;
}
