/* SPDX-License-Identifier: MIT */
/* posix_spawn: actions on the mount's files and descriptors, environments, failures. */
#include "compat.h"
#include <spawn.h>
#include <signal.h>

extern char **environ;

static void go(const char *what, const char *path, posix_spawn_file_actions_t *fa, char **argv, char **env,
               bool by_path)
{
	pid_t pid = -1;
	fflush(stdout);
	printf("--- %s\n", what);
	int rc = by_path ? posix_spawnp(&pid, path, fa, NULL, argv, env) : posix_spawn(&pid, path, fa, NULL, argv, env);
	if (rc == 0)
		ended(what, pid);
	else
		printf("%s\n", ename(rc));
	if (fa)
		posix_spawn_file_actions_destroy(fa);
}

static void run(void)
{
	char *child = getenv("COMPAT_CHILD"), *pt = (char *)point, *empty[] = { NULL };
	posix_spawn_file_actions_t fa;
	char *cat[] = { child, pt, (char *)"cat", strdup(P("text/lines.txt")), (char *)"env", NULL };
	char *in[] = { child, pt, (char *)"fd", (char *)"0", NULL };
	char *fds[] = { child,       pt,           (char *)"fd", (char *)"3", (char *)"fd",
		        (char *)"4", (char *)"fd", (char *)"10", NULL };
	char *cwd[] = { child, pt, (char *)"cwd", (char *)"cat", (char *)"img-00.jpg", NULL };
	clearenv();
	go("plain", child, NULL, cat, environ, false);
	go("empty environment", child, NULL, cat, empty, false);
	go("no environment", child, NULL, cat, NULL, false);
	setenv("PATH", "/bin:/usr/bin", 1);
	char *sh[] = { (char *)"sh", (char *)"-c", (char *)"cat < \"$0\"; head -c 10 \"$0\"",
		       strdup(P("text/one-line.txt")), NULL };
	go("posix_spawnp", "sh", NULL, sh, environ, true);
	int a = (int)R(open(P("comp.txt"), O_RDONLY)), b = (int)R(open(P("text/lines.txt"), O_RDONLY | O_CLOEXEC));
	R(lseek(a, 100, SEEK_SET));
	posix_spawn_file_actions_init(&fa);
	R(posix_spawn_file_actions_adddup2(&fa, a, 0));
	go("adddup2 onto 0", child, &fa, in, empty, false);
	R(lseek(a, 0, SEEK_CUR));
	R(lseek(a, 100, SEEK_SET));
	posix_spawn_file_actions_init(&fa);
	R(posix_spawn_file_actions_addopen(&fa, 0, P("text/lines.txt"), O_RDONLY, 0));
	go("addopen onto 0", child, &fa, in, empty, false);
	posix_spawn_file_actions_init(&fa);
	R(posix_spawn_file_actions_addopen(&fa, 10, P("comp.txt"), O_RDONLY, 0));
	R(posix_spawn_file_actions_addclose(&fa, a));
	go("addopen, addclose", child, &fa, fds, environ, false);
	posix_spawn_file_actions_init(&fa);
	R(posix_spawn_file_actions_adddup2(&fa, b, 10));
	R(posix_spawn_file_actions_adddup2(&fa, b, b)); /* takes FD_CLOEXEC away */
	go("adddup2 of one that is to be closed", child, &fa, fds, environ, false);
	posix_spawn_file_actions_init(&fa);
	R(posix_spawn_file_actions_addopen(&fa, 10, P("no-such"), O_RDONLY, 0));
	go("addopen of nothing", child, &fa, fds, environ, false);
	posix_spawn_file_actions_init(&fa);
	R(posix_spawn_file_actions_addopen(&fa, 10, P("new"), O_WRONLY | O_CREAT, 0644));
	go("addopen for writing", child, &fa, fds, environ, false);
	posix_spawn_file_actions_init(&fa);
	R(posix_spawn_file_actions_addchdir_np(&fa, P("class-a")));
	go("addchdir", child, &fa, cwd, empty, false);
	int d = (int)R(open(P("class-b"), O_RDONLY | O_DIRECTORY));
	posix_spawn_file_actions_init(&fa);
	R(posix_spawn_file_actions_addfchdir_np(&fa, d));
	go("addfchdir", child, &fa, cwd, empty, false);
	posix_spawn_file_actions_init(&fa);
	R(posix_spawn_file_actions_addclosefrom_np(&fa, 3));
	go("addclosefrom", child, &fa, fds, empty, false);
	R(close(d));
	go("inherited", child, NULL, fds, empty, false);
	R(lseek(a, 0, SEEK_CUR));
	R(lseek(a, 5, SEEK_SET));
	bytes("ours still works", buf, R(read(a, buf, 50)));
	bytes("and ours too", buf, R(read(b, buf, 50)));
	R(chdir(P("class-c")));
	go("in the directory", child, NULL, cwd, empty, false);
	go("nothing there", P("no-such"), NULL, cat, environ, false);
}
