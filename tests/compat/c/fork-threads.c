/* SPDX-License-Identifier: MIT */
/* fork while other threads are in the middle of calls: the child must be able to go on. */
#include "compat.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_bool stop;

static void *busy(void *arg)
{
	(void)arg;
	char b[1000], p[PATH_MAX];
	snprintf(p, sizeof(p), "%s/comp.txt", point);
	while (!stop) {
		int fd = open(p, O_RDONLY), e = dup(fd);
		if (read(e, b, sizeof(b)) != sizeof(b))
			printf("short\n");
		close(e);
		close(fd);
		FILE *f = fopen(p, "r");
		if (f)
			fclose(f);
	}
	return NULL;
}

static void run(void)
{
	pthread_t t[3];
	int good = 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, busy, NULL);
	for (int k = 0; k < 150; k++) {
		int mine = open(P("text/lines.txt"), O_RDONLY);
		pid_t pid = fork();
		if (pid == 0) {
			char b[3000];
			int fd = open(P("raw70k.bin"), O_RDONLY);
			DIR *d = opendir(P("class-a"));
			bool ok = read(fd, b, 3000) == 3000 && d && readdir(d) && read(mine, b, 10) == 10;
			_exit(ok ? 0 : 1);
		}
		int status;
		waitpid(pid, &status, 0);
		good += status == 0 && lseek(mine, 0, SEEK_CUR) == 10;
		close(mine);
	}
	stop = true;
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	R(good);
	R(open(P("empty"), O_RDONLY));
}
