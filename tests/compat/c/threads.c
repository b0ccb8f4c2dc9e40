/* SPDX-License-Identifier: MIT */
/* Eight threads that open, read, duplicate, map and stat what they like; one descriptor read by all. */
#include "compat.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

enum { NFILES = 8, NTHREADS = 8 };
static const char *const rels[NFILES] = { "text/lines.txt",     "comp.txt",           "raw70k.bin", "small.bin",
	                                  "class-a/img-00.jpg", "class-b/img-01.jpg", "page.bin",   "empty" };
static uint64_t want[NFILES];
static off_t size[NFILES];
static _Atomic long wrong, rounds;
static double until;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#define WRONG(x)                                                                                                       \
	do {                                                                                                           \
		if (x) {                                                                                               \
			printf("thread: %s (%s)\n", #x, ename(errno));                                                 \
			wrong++;                                                                                       \
		}                                                                                                      \
	} while (0)

static void *worker(void *arg)
{
	unsigned seed = (unsigned)(uintptr_t)arg;
	char *b = malloc(TEXT + 1);
	while (now() < until && wrong < 10) {
		int i = rand_r(&seed) % NFILES, how = rand_r(&seed) % 8;
		const char *rel = rels[i];
		char p[PATH_MAX];
		snprintf(p, sizeof(p), "%s/%s", point, rel);
		struct stat st;
		if (how == 6) {
			WRONG(stat(p, &st) || st.st_size != size[i]);
			snprintf(p, sizeof(p), "%s/no-such-%d", point, i);
			WRONG(open(p, O_RDONLY) != -1 || errno != ENOENT);
		} else if (how == 7) {
			snprintf(p, sizeof(p), "%s/class-a", point);
			DIR *d = opendir(p);
			int n = 0;
			while (d && readdir(d))
				n++;
			WRONG(n != 10);
			if (d)
				closedir(d);
		} else if (how == 5) {
			FILE *f = fopen(p, "r");
			WRONG(!f);
			size_t n = f ? fread(b, 1, TEXT + 1, f) : 0;
			WRONG((off_t)n != size[i] || hash(b, n) != want[i]);
			if (f)
				fclose(f);
		} else {
			int fd = open(p, O_RDONLY);
			WRONG(fd < 0);
			if (how == 1) {
				int e = dup(fd);
				WRONG(e < 0);
				close(fd);
				fd = e;
			} else if (how == 2 && size[i]) {
				void *m = mmap(NULL, (size_t)size[i], PROT_READ, MAP_SHARED, fd, 0);
				WRONG(m == MAP_FAILED || hash(m, (size_t)size[i]) != want[i]);
				if (m != MAP_FAILED)
					munmap(m, (size_t)size[i]);
			} else if (how == 3) {
				WRONG(fstat(fd, &st) || st.st_size != size[i]);
			}
			off_t n = 0;
			ssize_t got;
			while ((got = how == 4 ? pread(fd, b + n, 9999, n) : read(fd, b + n, 9999)) > 0 && n < TEXT)
				n += got;
			WRONG(n != size[i] || hash(b, (size_t)n) != want[i]);
			WRONG(close(fd));
		}
		rounds++;
	}
	free(b);
	return NULL;
}

static int shared;
static unsigned char *seen;
static char *whole;

/* Every byte of one description is handed out exactly once, to somebody. */
static void *sharer(void *arg)
{
	size_t chunk = 100 + 37 * (size_t)(uintptr_t)arg;
	char *b = malloc(chunk);
	long total = 0;
	for (ssize_t n; (n = read(shared, b, chunk)) > 0;)
		total += n;
	free(b);
	return (void *)(uintptr_t)total;
}

/* Records of 4096 bytes whose order is known: whoever gets one finds where it was. */
static void *marker(void *arg)
{
	char b[4096];
	(void)arg;
	for (ssize_t n; (n = read(shared, b, sizeof(b))) > 0;) {
		char *at = memmem(whole, BIG, b, (size_t)n);
		WRONG(!at || (at - whole) % 4096);
		if (at)
			WRONG(__atomic_fetch_add(&seen[(at - whole) / 4096], 1, __ATOMIC_RELAXED));
	}
	return NULL;
}

static void run(void)
{
	pthread_t t[NTHREADS];
	for (int i = 0; i < NFILES; i++) {
		int fd = open(P(rels[i]), O_RDONLY);
		ssize_t n = read(fd, buf, sizeof(buf));
		size[i] = n;
		want[i] = hash(buf, (size_t)n);
		close(fd);
		bytes(rels[i], buf, n);
	}
	until = now() + 1.0;
	for (int i = 0; i < NTHREADS; i++)
		pthread_create(&t[i], NULL, worker, (void *)(uintptr_t)(i + 1));
	for (int i = 0; i < NTHREADS; i++)
		pthread_join(t[i], NULL);
	R(wrong);
	MUST(rounds > 100);
	R(open(P("empty"), O_RDONLY)); /* nothing leaked */

	static const char *const whole_of[] = { "big.bin", "comp.txt", "raw70k.bin" };
	for (int k = 0; k < 3; k++) {
		shared = open(P(whole_of[k]), O_RDONLY);
		long sum = 0;
		for (int i = 0; i < NTHREADS; i++)
			pthread_create(&t[i], NULL, sharer, (void *)(uintptr_t)i);
		for (int i = 0; i < NTHREADS; i++) {
			void *r;
			pthread_join(t[i], &r);
			sum += (long)(uintptr_t)r;
		}
		printf("%s: %ld bytes read by all together, offset %lld\n", whole_of[k], sum,
		       (long long)lseek(shared, 0, SEEK_CUR));
		close(shared);
	}
	shared = open(P("big.bin"), O_RDONLY);
	whole = mmap(NULL, BIG, PROT_READ, MAP_PRIVATE, shared, 0);
	seen = calloc(1, BIG / 4096 + 1);
	for (int i = 0; i < NTHREADS; i++)
		pthread_create(&t[i], NULL, marker, NULL);
	for (int i = 0; i < NTHREADS; i++)
		pthread_join(t[i], NULL);
	int missing = 0;
	for (int i = 0; i <= BIG / 4096; i++)
		missing += seen[i] != 1;
	R(missing);
	R(wrong);
}
