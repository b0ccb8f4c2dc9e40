/* SPDX-License-Identifier: MIT */
/*
 * `small-stack POINT open|stat|realpath TIMES`: in a thread with TIMES PTHREAD_STACK_MIN bytes of stack. Each is the
 * first call of its kind, so that the linker's own need is there too.
 */
#include <limits.h>
#include <pthread.h>
#include "../lib/test.h"
#include "lines.h"

static const char *point;
static char path[1000], resolved[PATH_MAX];

static void *try_open(void *arg)
{
	int fd = open_lines(point, "small", 1, 0);
	if (fd < 0 || !reads_line(fd, 1, 0) || close(fd) != 0)
		return arg;
	return NULL;
}

static void *try_stat(void *arg)
{
	struct stat st;
	return stat(path, &st) == 0 && st.st_size == SMALL_LINES * LINE ? NULL : arg;
}

static void *try_realpath(void *arg)
{
	return realpath(path, resolved) ? NULL : arg;
}

int main(int argc, char **argv)
{
	pthread_attr_t small;
	pthread_t t;
	void *failed;
	if (argc < 4)
		return 2;
	point = argv[1];
	snprintf(path, sizeof(path), "%s/dir/../dir/to-small/002", point);
	void *(*what)(void *) = argv[2][0] == 'o' ? try_open : argv[2][0] == 's' ? try_stat : try_realpath;
	pthread_attr_init(&small);
	T_EQ(pthread_attr_setstacksize(&small, (size_t)(atoi(argv[3]) * PTHREAD_STACK_MIN)), 0);
	T_EQ(pthread_create(&t, &small, what, &t), 0);
	T_EQ(pthread_join(t, &failed), 0);
	T_TRUE(failed == NULL);
	if (what == try_realpath)
		T_STR(resolved + strlen(point), "/small/002");
	return 0;
}
