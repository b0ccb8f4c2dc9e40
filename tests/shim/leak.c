/* SPDX-License-Identifier: MIT */
/* `leak POINT N`: opens, reads, duplicates, maps, lists and fails N times; memory and descriptors must not grow after
 * the first tenth. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static long field(const char *name)
{
	char line[200];
	long v = -1;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, name, strlen(name)) == 0)
			v = atol(line + strlen(name));
	if (f)
		fclose(f);
	return v;
}

static void once(const char *point, unsigned i)
{
	static const char *const rel[] = { "hello", "text", "raw", "small", "dir/link", "empty", "big" };
	static char b[400000];
	char p[4096];
	struct stat st;
	snprintf(p, sizeof(p), "%s/%s", point, rel[i % 7]);
	int fd = open(p, O_RDONLY), e = dup(fd), f = dup2(fd, 50);
	if (read(e, b, sizeof(b)) < 0 || fstat(f, &st) || stat(p, &st))
		abort();
	void *m = st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0) : NULL;
	if (m)
		munmap(m, (size_t)st.st_size);
	close(fd), close(e), close(f);
	FILE *s = fopen(p, "r");
	if (s && fgets(b, 100, s))
		;
	if (s)
		fclose(s);
	snprintf(p, sizeof(p), "%s/dir", point);
	DIR *d = opendir(p);
	while (d && readdir(d))
		;
	if (d)
		closedir(d);
	free(realpath(p, NULL));
	struct dirent **l;
	int n = scandir(p, &l, NULL, alphasort);
	while (n-- > 0)
		free(l[n]);
	free(l);
	snprintf(p, sizeof(p), "%s/no-such-%u", point, i);
	if (open(p, O_RDONLY) != -1 || open(p, O_WRONLY | O_CREAT, 0600) != -1 || opendir(p) || fopen(p, "r"))
		abort();
}

int main(int argc, char **argv)
{
	unsigned n = (unsigned)atoi(argv[2]);
	long before = 0, maps = 0;
	for (unsigned i = 0; i < n; i++) {
		if (i == n / 10) {
			before = field("VmRSS:");
			maps = field("VmSize:");
		}
		once(argv[1], i);
	}
	long grown = field("VmRSS:") - before, mapped = field("VmSize:") - maps;
	int fd = open("/dev/null", O_RDONLY);
	printf("resident %+ld KiB, mapped %+ld KiB, next descriptor %d\n", grown, mapped, fd);
	return grown > 2048 || mapped > 20480 || fd != 3;
}
