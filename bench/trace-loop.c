/* SPDX-License-Identifier: MIT */
/*
 * trace-loop LIST: opens, asks the size of, reads and closes each file that LIST names, a line each. What bench-trace
 * runs with and without a trace.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_one(const char *path, char *buf, size_t room)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	ssize_t n = -1;

	if (fd >= 0 && fstat(fd, &st) == 0 && (size_t)st.st_size <= room)
		n = read(fd, buf, (size_t)st.st_size);
	if (fd >= 0)
		close(fd);
	return n < 0 ? -1 : 0;
}

/* The whole list: reading it must not count. */
static char *read_list(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	char *text = fd >= 0 && fstat(fd, &st) == 0 ? malloc((size_t)st.st_size + 1) : NULL;

	if (text && read(fd, text, (size_t)st.st_size) == st.st_size)
		text[st.st_size] = 0;
	else
		text = NULL;
	if (fd >= 0)
		close(fd);
	return text;
}

int main(int argc, char **argv)
{
	enum { ROOM = 1 << 20 };
	char *buf = malloc(ROOM), *list = argc == 2 ? read_list(argv[1]) : NULL;

	if (!buf || !list) {
		fprintf(stderr, "usage: trace-loop LIST\n");
		return 2;
	}
	for (char *path = strtok(list, "\n"); path; path = strtok(NULL, "\n"))
		if (read_one(path, buf, ROOM) < 0) {
			perror(path);
			return 1;
		}
	return 0;
}
