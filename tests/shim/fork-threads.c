/* SPDX-License-Identifier: MIT */
/* `fork-threads POINT SECONDS`: several threads fork at once while others open, read and close. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 300000 }; /* what pack_small makes */

static char path[500];
static time_t until;
static long bad, forks;

static int going(void)
{
	return time(NULL) < until && !__atomic_load_n(&bad, __ATOMIC_RELAXED);
}

static void count_if(int wrong)
{
	if (wrong)
		__atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
}

static void *files(void *arg)
{
	static _Thread_local char b[70000];
	(void)arg;
	while (going()) {
		int fd = open(path, O_RDONLY | O_CLOEXEC), other = open(path, O_RDONLY);
		long n = 0;
		for (ssize_t got; (got = read(fd, b, sizeof(b))) > 0;)
			n += got;
		count_if(fd < 0 || other < 0 || n != TEXT || lseek(other, 0, SEEK_CUR) != 0);
		count_if(close(fd) || close(other));
	}
	return NULL;
}

static void *forker(void *arg)
{
	(void)arg;
	while (going()) {
		int fd = open(path, O_RDONLY), status = -1;
		char b[10];
		pid_t pid = fork();
		if (pid == 0)
			_exit(!(read(fd, b, 10) == 10 && close(fd) == 0));
		waitpid(pid, &status, 0);
		count_if(status || lseek(fd, 0, SEEK_CUR) != 10);
		close(fd);
		__atomic_add_fetch(&forks, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[8];
	if (argc < 3)
		return 2;
	snprintf(path, sizeof(path), "%s/text", argv[1]);
	until = time(NULL) + atoi(argv[2]);
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, i < 2 ? files : forker, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	fprintf(stderr, "%ld forks\n", forks);
	printf("bad %ld, next descriptor %d\n", bad, open("/dev/null", O_RDONLY));
	return bad != 0;
}
