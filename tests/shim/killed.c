/* SPDX-License-Identifier: MIT */
/* Workers that are killed in the middle of their reads, thousands of them: what they shared is given back. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(const char *point)
{
	char p[4096], b[4096];
	static const char *const rel[] = { "hello", "text", "raw", "small", "dir/inner" };
	for (unsigned i = 0;; i++) {
		snprintf(p, sizeof(p), "%s/%s", point, rel[i % 5]);
		int fd = open(p, O_RDONLY), e = dup(fd);
		while (read(e, b, sizeof(b)) > 0)
			;
		close(fd); /* the duplicate stays open until somebody kills us */
		if (i % 100 == 99)
			for (int k = 3; k < 300; k++)
				close(k);
	}
}

int main(int argc, char **argv)
{
	int rounds = atoi(argv[2]), mine;
	char p[4096], b[16];
	snprintf(p, sizeof(p), "%s/hello", argv[1]);
	for (int i = 0; i < rounds; i++) {
		mine = open(p, O_RDONLY);
		pid_t pid = fork();
		if (pid == 0)
			work(argv[1]);
		if (pid < 0)
			return printf("fork failed at %d\n", i), 1;
		usleep((useconds_t)(i * 37 % 700));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		if (mine < 0 || read(mine, b, 6) != 6 || memcmp(b, "hello\n", 6) != 0)
			return printf("after %d killed workers a file cannot be read\n", i), 1;
		if (close(mine))
			return printf("close failed at %d\n", i), 1;
	}
	printf("lowest %d\n", open(p, O_RDONLY));
	return 0;
}
