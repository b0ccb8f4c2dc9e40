/* SPDX-License-Identifier: MIT */
/* `storm POINT SECONDS`: threads that read files while others fork, vfork, spawn and exec children that inherit and
 * reopen them. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { RAW = 80000, TEXT = 300000 }; /* what pack_small makes */

static const char *point;
static double until;
static long bad;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#define BAD(x)                                                                                                         \
	do {                                                                                                           \
		if (x) {                                                                                               \
			fprintf(stderr, "line %d: %s (%m)\n", __LINE__, #x);                                           \
			__atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);                                                 \
		}                                                                                                      \
	} while (0)

static int going(void)
{
	return now() < until && __atomic_load_n(&bad, __ATOMIC_RELAXED) < 10;
}

static void *files(void *arg)
{
	unsigned seed = (unsigned)(long)arg;
	char p[500], b[70000];
	while (going()) {
		int raw = rand_r(&seed) & 1;
		off_t want = raw ? RAW : TEXT, n = 0;
		snprintf(p, sizeof(p), "%s/%s", point, raw ? "raw" : "text");
		int fd = open(p, O_RDONLY | (rand_r(&seed) & 1 ? O_CLOEXEC : 0));
		BAD(fd < 0);
		for (ssize_t got; (got = read(fd, b, sizeof(b))) > 0;)
			n += got;
		BAD(n != want);
		int e = dup(fd);
		BAD(lseek(e, 0, SEEK_CUR) != want);
		close(e);
		BAD(close(fd));
	}
	return NULL;
}

static void child_forks(const char *p, int fd)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		char b[10];
		int own = open(p, O_RDONLY);
		_exit(!(read(own, b, 10) == 10 && read(fd, b, 10) == 10));
	}
	waitpid(pid, &status, 0);
	BAD(status);
	BAD(lseek(fd, 0, SEEK_CUR) != 10);
}

static void child_spawns(int fd)
{
	char *argv[] = { (char *)"cksum", NULL };
	posix_spawn_file_actions_t fa;
	int status = -1;
	pid_t pid;
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, fd, 0);
	posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", O_WRONLY, 0);
	BAD(posix_spawnp(&pid, "cksum", &fa, NULL, argv, environ));
	waitpid(pid, &status, 0);
	BAD(status);
	BAD(lseek(fd, 0, SEEK_CUR) != RAW);
	posix_spawn_file_actions_destroy(&fa);
}

static void child_vforks(int fd)
{
	int status;
	pid_t pid = vfork();
	if (pid == 0) {
		dup2(fd, 0);
		close_range(3, ~0U, 0);
		execlp("sh", "sh", "-c", "[ $(wc -c) = 80000 ]", (char *)NULL);
		_exit(9);
	}
	waitpid(pid, &status, 0);
	BAD(status);
}

static void child_reopens(const char *p)
{
	char *const none[] = { NULL };
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		close_range(3, ~0U, 0);
		execle("/bin/sh", "sh", "-c", "[ $(wc -c <$0) = 80000 ]", p, (char *)NULL, none);
		_exit(9);
	}
	waitpid(pid, &status, 0);
	BAD(status);
}

static void *processes(void *arg)
{
	unsigned seed = (unsigned)(long)arg;
	char p[500];
	snprintf(p, sizeof(p), "%s/raw", point);
	while (going()) {
		int fd = open(p, O_RDONLY);
		BAD(fd < 0);
		switch (rand_r(&seed) % 4) {
		case 0:
			child_forks(p, fd);
			break;
		case 1:
			child_spawns(fd);
			break;
		case 2:
			child_vforks(fd);
			break;
		default:
			child_reopens(p);
		}
		BAD(close(fd));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[6];
	if (argc < 3)
		return 2;
	point = argv[1];
	until = now() + atof(argv[2]);
	for (long i = 0; i < 6; i++)
		pthread_create(&t[i], NULL, i < 3 ? files : processes, (void *)(i + 7));
	for (int i = 0; i < 6; i++)
		pthread_join(t[i], NULL);
	printf("bad %ld, next descriptor %d\n", bad, open("/dev/null", O_RDONLY));
	return bad != 0;
}
