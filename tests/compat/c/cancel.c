/* SPDX-License-Identifier: MIT */
/* open, read, pread and close are cancellation points: a thread that only does these can be cancelled, and nothing
 * stays locked. */
#include "compat.h"
#include <pthread.h>

static int how, cleaned, ready;

static void clean(void *arg)
{
	close(*(int *)arg);
	__atomic_add_fetch(&cleaned, 1, __ATOMIC_RELAXED);
}

static void *worker(void *arg)
{
	char b[3000], p[PATH_MAX];
	(void)arg;
	snprintf(p, sizeof(p), "%s/comp.txt", point);
	int fd = open(p, O_RDONLY);
	pthread_cleanup_push(clean, &fd);
	__atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
	for (;;) {
		if (how == 0) {
			if (pread(fd, b, sizeof(b), 100) != sizeof(b))
				break;
		} else if (how == 1) {
			if (read(fd, b, sizeof(b)) == 0)
				lseek(fd, 0, SEEK_SET);
		} else {
			int e = open(p, O_RDONLY);
			close(e);
		}
	}
	pthread_cleanup_pop(1);
	return NULL;
}

static void run(void)
{
	for (how = 0; how < 3; how++)
		for (int i = 0; i < 20; i++) {
			pthread_t t;
			void *r;
			pthread_create(&t, NULL, worker, NULL);
			while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
				usleep(100);
			usleep(1000);
			ready = 0;
			pthread_cancel(t);
			pthread_join(t, &r);
			if (r != PTHREAD_CANCELED)
				printf("kind %d was not cancelled\n", how);
		}
	R(cleaned);
	close_range(3, 1000, 0); /* a thread may be cancelled with its second descriptor open */
	int fd = (int)R(open(P("comp.txt"), O_RDONLY));
	drain("afterwards", fd);
}
