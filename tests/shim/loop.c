/* SPDX-License-Identifier: MIT */
/* A bit of everything, twice or `loop POINT N` times, in `loop POINT N T` T threads: for valgrind and the sanitizers.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *point;
static int times;

static void *work(void *arg)
{
	static const char *const rel[] = { "hello", "text", "raw", "small", "dir/link", "empty", "big" };
	char p[4096];
	char *b = malloc(300000);
	long wrong = 0;
	for (int i = 0; i < times * 7; i++) {
		struct stat st, st2;
		snprintf(p, sizeof(p), "%s/%s", point, rel[i % 7]);
		int fd = open(p, O_RDONLY), e = dup(fd);
		wrong += fstat(fd, &st) || stat(p, &st2) || st.st_size != st2.st_size;
		off_t want = st.st_size > 300000 ? 300000 : st.st_size;
		ssize_t n = read(e, b, 300000);
		wrong += n != want || pread(fd, b, 100, 0) != (want < 100 ? want : 100);
		if (st.st_size) {
			char *m = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
			wrong += m == MAP_FAILED || memcmp(m, b, want < 100 ? (size_t)want : 100) != 0;
			munmap(m, (size_t)st.st_size);
		}
		wrong += close(fd) || close(e);
		FILE *f = fopen(p, "r");
		wrong += !f || fread(b, 1, 1000, f) != (size_t)(want < 1000 ? want : 1000);
		if (f)
			fclose(f);
		snprintf(p, sizeof(p), "%s/dir", point);
		DIR *d = opendir(p);
		int k = 0;
		while (d && readdir(d))
			k++;
		wrong += k != 5;
		if (d)
			closedir(d);
		char *r = realpath(p, NULL);
		wrong += !r;
		free(r);
		wrong += open("/no/such/thing", O_RDONLY) != -1 || access(p, R_OK) != 0;
	}
	free(b);
	return (void *)wrong;
}

int main(int argc, char **argv)
{
	int threads = argc > 3 ? atoi(argv[3]) : 0;
	pthread_t t[16];
	long wrong = 0;
	point = argv[1];
	times = argc > 2 ? atoi(argv[2]) : 2;
	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < threads; i++) {
		void *w;
		pthread_join(t[i], &w);
		wrong += (long)w;
	}
	if (!threads)
		wrong = (long)work(NULL);
	pid_t pid = fork();
	if (pid == 0)
		_exit(work(NULL) != NULL);
	int status;
	waitpid(pid, &status, 0);
	printf("%ld %d\n", wrong, status);
	return wrong || status;
}
