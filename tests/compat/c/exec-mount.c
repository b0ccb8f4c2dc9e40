/* SPDX-License-Identifier: MIT */
/* Programs, scripts and libraries that live in the mount. */
#include "compat.h"
#include <dlfcn.h>
#include <spawn.h>

extern char **environ;

static void run(void)
{
	pid_t pid;
	if ((pid = fork()) == 0) {
		execl(P("script.sh"), "script.sh", "one", "two", (char *)NULL);
		printf("exec failed: %s\n", ename(errno));
		_exit(126);
	}
	ended("a script", pid);
	if ((pid = fork()) == 0) {
		execl(P("bin/hello"), "hello", "world", (char *)NULL);
		printf("exec failed: %s\n", ename(errno));
		_exit(126);
	}
	ended("a program", pid);
	if ((pid = fork()) == 0) {
		execl(P("modes/0600"), "x", (char *)NULL);
		printf("exec failed: %s\n", ename(errno));
		_exit(126);
	}
	ended("not executable", pid);
	char *argv[] = { (char *)"hello", (char *)"spawned", NULL };
	int rc = posix_spawn(&pid, P("bin/hello"), NULL, NULL, argv, environ);
	if (rc)
		printf("posix_spawn: %s\n", ename(rc));
	else
		ended("posix_spawn", pid);
	char cmd[PATH_MAX];
	snprintf(cmd, sizeof(cmd), "%s/script.sh from system", point);
	R(system(cmd));
	snprintf(cmd, sizeof(cmd), "PATH=%s/bin:$PATH; hello by-path", point);
	R(system(cmd));
	int fd = (int)R(open(P("bin/hello"), O_RDONLY | O_CLOEXEC));
	if ((pid = fork()) == 0) {
		fexecve(fd, argv, environ);
		printf("fexecve failed: %s\n", ename(errno));
		_exit(126);
	}
	ended("fexecve", pid);
	R(chdir(point));
	R(system("./script.sh relative"));
	R(system("bin/hello relative"));
}
