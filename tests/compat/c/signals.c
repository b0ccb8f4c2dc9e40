/* SPDX-License-Identifier: MIT */
/* open, read, stat and kin are safe in signal handlers: a timer's handler calls them amid the same calls of main. */
#include "compat.h"
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t hits, wrong;
static char file[PATH_MAX], text[PATH_MAX], none[PATH_MAX];

static void handler(int s)
{
	int saved = errno;
	char b[100];
	struct stat st;
	(void)s;
	int fd = open(hits % 2 ? file : text, O_RDONLY);
	if (fd < 0 || read(fd, b, sizeof(b)) != sizeof(b) || fstat(fd, &st) || stat(file, &st) ||
	    lseek(fd, 0, SEEK_CUR) != 100)
		wrong++;
	int e = dup(fd);
	if (e < 0 || close(e) || close(fd) || access(none, F_OK) != -1 || errno != ENOENT)
		wrong++;
	hits++;
	errno = saved;
}

static void run(void)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct itimerval t = { { 0, 300 }, { 0, 300 } };
	static char b[TEXT];
	snprintf(file, sizeof(file), "%s", P("raw70k.bin"));
	snprintf(text, sizeof(text), "%s", P("comp.txt"));
	snprintf(none, sizeof(none), "%s", P("no-such"));
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
	long bad = 0;
	for (int i = 0; i < 100000 && hits < 1500; i++) {
		const char *p = i % 3 ? text : file;
		int fd = open(p, O_RDONLY);
		ssize_t n = read(fd, b, sizeof(b));
		bad += n != (i % 3 ? TEXT : RAW);
		bad += close(fd) != 0;
		DIR *d = opendir(P("class-a"));
		int k = 0;
		while (d && readdir(d))
			k++;
		bad += k != 10 || closedir(d);
		FILE *f = fopen(p, "r");
		bad += !f || fread(b, 1, 5000, f) != 5000;
		if (f)
			fclose(f);
	}
	memset(&t, 0, sizeof(t));
	setitimer(ITIMER_REAL, &t, NULL);
	R(bad);
	R(wrong);
	MUST(hits > 20);
	R(open(file, O_RDONLY)); /* nothing leaked */
}
