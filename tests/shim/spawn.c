/* SPDX-License-Identifier: MIT */
/*
 * `spawn POINT`: where posix_spawn() starts a program by addchdir_np(): a directory of POINT ("dir"), a file ("hello"),
 * what is not in it ("hidden"); and more actions than there is room for, if POINT is a mount.
 */
#include <spawn.h>
#include "../lib/test.h"

extern char **environ;

static int pwd_in(const char *dir)
{
	posix_spawn_file_actions_t a;
	char *argv[] = { "pwd", NULL };
	int r, status;
	pid_t pid;
	T_EQ(posix_spawn_file_actions_init(&a), 0);
	T_EQ(posix_spawn_file_actions_addchdir_np(&a, dir), 0);
	r = posix_spawn(&pid, "/bin/pwd", &a, NULL, argv, environ);
	if (r == 0) {
		T_EQ(waitpid(pid, &status, 0), pid);
		T_EQ(status, 0);
	}
	T_EQ(posix_spawn_file_actions_destroy(&a), 0);
	return r;
}

/* How many files of @point can be opened in one set of actions, up to @most. */
static int fill(const char *path, int most, posix_spawn_file_actions_t *a)
{
	int n = 0, r = 0;
	T_EQ(posix_spawn_file_actions_init(a), 0);
	while (n < most && (r = posix_spawn_file_actions_addopen(a, 100, path, O_RDONLY, 0)) == 0)
		n++;
	T_TRUE(r == 0 || r == ENOMEM);
	return n;
}

int main(int argc, char **argv)
{
	posix_spawn_file_actions_t a, b;
	char path[1000];
	int n;
	if (argc < 2)
		return 2;
	T_EQ(pwd_in(t_path(argv[1], "dir")), 0);
	T_EQ(pwd_in(t_path(argv[1], "hello")), ENOTDIR);
	T_EQ(pwd_in(t_path(argv[1], "hidden")), ENOENT);
	T_EQ(pwd_in(t_path(argv[1], "none")), ENOENT);
	/* What there is no room for is refused, never done otherwise; all is given back. */
	snprintf(path, sizeof(path), "%s/hello", argv[1]);
	n = fill(path, 200, &a);
	if (n < 200) {
		T_EQ(posix_spawn_file_actions_init(&b), 0);
		T_EQ(posix_spawn_file_actions_addchdir_np(&b, t_path(argv[1], "dir")), ENOMEM);
		T_EQ(posix_spawn_file_actions_destroy(&b), 0);
	}
	T_EQ(posix_spawn_file_actions_destroy(&a), 0);
	T_EQ(pwd_in(t_path(argv[1], "dir")), 0);
	T_EQ(fill(path, 200, &a), n);
	T_EQ(posix_spawn_file_actions_destroy(&a), 0);
	return 0;
}
