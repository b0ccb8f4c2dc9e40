/* SPDX-License-Identifier: MIT */
/*
 * `stale POINT <POINT/small/007`: files of the mount that have become real are closed by fclose() and freopen(); then
 * sockets and pipes get their numbers.
 */
#include <sys/socket.h>
#include "../lib/test.h"
#include "lines.h"

/* Both directions work, and it is no regular file. */
static void check_pair(const int s[2])
{
	struct stat st;
	char b[5];
	T_EQ(write(s[1], "hello", 5), 5);
	T_EQ(read(s[0], b, 5), 5);
	T_MEM(b, "hello", 5);
	T_EQ(fstat(s[0], &st), 0);
	T_TRUE(S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode));
	T_EQ(lseek(s[0], 0, SEEK_CUR), -1);
	T_EQ(errno, ESPIPE);
	T_EQ(close(s[0]), 0);
	T_EQ(close(s[1]), 0);
}

static void make_real(void)
{
	int status;
	pid_t pid = T_OK(fork());
	if (pid == 0)
		_exit(0);
	T_EQ(waitpid(pid, &status, 0), pid);
}

static FILE *open_stream(const char *point, bool real)
{
	char b[LINE];
	int fd = T_OK(open_lines(point, "small", 1, 0));
	if (real)
		make_real();
	FILE *f = fdopen(fd, "r");
	T_TRUE(f != NULL);
	T_EQ(fread(b, 1, LINE, f), LINE);
	T_TRUE(are_of(b, LINE, 1, 0));
	return f;
}

static void closed_stream(const char *point, bool real, bool use_pipe)
{
	int s[2];
	FILE *f = open_stream(point, real);
	int fd = fileno(f);
	T_EQ(fclose(f), 0);
	T_EQ(use_pipe ? pipe(s) : socketpair(AF_UNIX, SOCK_STREAM, 0, s), 0);
	T_EQ(s[0], fd);
	check_pair(s);
}

static void reopened_stream(const char *point, bool real)
{
	int s[2];
	FILE *f = freopen("/dev/null", "r", open_stream(point, real));
	T_TRUE(f != NULL);
	int fd = fileno(f);
	T_EQ(fgetc(f), EOF);
	T_EQ(fclose(f), 0);
	T_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
	T_EQ(s[0], fd);
	check_pair(s);
}

static void closed_stdin(void)
{
	char b[LINE];
	int s[2];
	T_EQ(fread(b, 1, LINE, stdin), LINE);
	T_TRUE(are_of(b, LINE, 7, 0));
	T_EQ(fclose(stdin), 0);
	T_OK(pipe(s));
	T_EQ(s[0], 0);
	check_pair(s);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	for (int real = 0; real < 2; real++) {
		closed_stream(argv[1], real, false);
		closed_stream(argv[1], real, true);
		reopened_stream(argv[1], real);
	}
	closed_stdin();
	return 0;
}
