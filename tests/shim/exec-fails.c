/* SPDX-License-Identifier: MIT */
/*
 * `exec-fails POINT`: after an execve() that failed open files have their bytes and positions, and files opened then
 * have their own; also in a child whose parent has closed the file meanwhile.
 */
#include "../lib/test.h"
#include "lines.h"

enum { KEPT = 3, LATER = 20 };

static void exec_nothing(void)
{
	char *argv[] = { (char *)"x", NULL };
	T_EQ(execve("/no/such/program", argv, environ), -1);
	T_EQ(errno, ENOENT);
	T_EQ(execvp("no-such-program", argv), -1);
	T_EQ(errno, ENOENT);
}

/* @kept are the files 0, 1, ..., of each of which one line has been read. */
static void check_after(const char *point, const int *kept)
{
	int later[LATER];
	exec_nothing();
	for (int i = 0; i < LATER; i++)
		later[i] = T_OK(open_lines(point, "small", KEPT + i, i % 2 ? O_CLOEXEC : 0));
	for (int i = 0; i < KEPT; i++) {
		T_TRUE(preads_line(kept[i], i, 3 * LINE));
		T_TRUE(reads_line(kept[i], i, LINE));
		T_EQ(lseek(kept[i], 0, SEEK_CUR), 2 * LINE);
	}
	for (int i = 0; i < LATER; i++)
		T_TRUE(reads_line(later[i], KEPT + i, 0));
	for (int i = 0; i < LATER; i++)
		T_EQ(close(later[i]), 0);
}

static void open_kept(const char *point, int *kept)
{
	for (int i = 0; i < KEPT; i++) {
		kept[i] = T_OK(open_lines(point, "small", i, i % 2 ? 0 : O_CLOEXEC));
		T_TRUE(reads_line(kept[i], i, 0));
	}
}

static void close_kept(const int *kept)
{
	for (int i = 0; i < KEPT; i++)
		T_EQ(close(kept[i]), 0);
}

static void in_child(const char *point)
{
	int kept[KEPT], closed[2], status;
	char c;
	open_kept(point, kept);
	T_OK(pipe(closed));
	pid_t pid = T_OK(fork());
	if (pid == 0) {
		close(closed[1]);
		T_EQ(read(closed[0], &c, 1), 0);
		check_after(point, kept);
		_exit(0);
	}
	close_kept(kept);
	close(closed[0]);
	close(closed[1]);
	T_EQ(waitpid(pid, &status, 0), pid);
	T_EQ(status, 0);
}

int main(int argc, char **argv)
{
	int kept[KEPT];
	if (argc < 2)
		return 2;
	for (int i = 0; i < 3; i++) {
		open_kept(argv[1], kept);
		check_after(argv[1], kept);
		close_kept(kept);
		in_child(argv[1]);
	}
	T_EQ(open("/dev/null", O_RDONLY), 3);
	return 0;
}
