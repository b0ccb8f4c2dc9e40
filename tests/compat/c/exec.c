/* SPDX-License-Identifier: MIT */
/* The exec family: environments edited and empty, descriptors and directory inherited. */
#include "compat.h"

#define CHILD getenv("COMPAT_CHILD")

static char *child_path;
static char *file, *dir;

#define FORK(what, call)                                                                                               \
	do {                                                                                                           \
		printf("--- %s\n", what);                                                                              \
		fflush(stdout);                                                                                        \
		pid_t pid_ = fork();                                                                                   \
		if (pid_ == 0) {                                                                                       \
			call;                                                                                          \
			printf("exec failed: %s\n", ename(errno));                                                     \
			fflush(stdout);                                                                                \
			_exit(126);                                                                                    \
		}                                                                                                      \
		ended(what, pid_);                                                                                     \
	} while (0)

static void run(void)
{
	char *pt = (char *)point;
	child_path = strdup(CHILD);
	file = strdup(P("text/lines.txt"));
	dir = strdup(P("class-a"));
	char *args[] = { child_path, pt, (char *)"cat", file, (char *)"ls", dir, (char *)"env", NULL };
	char *empty[] = { NULL }, *hello[] = { (char *)"HELLO=1", NULL };
	char *other[] = { (char *)"LD_PRELOAD=", (char *)"HELLO=2", NULL };
	char *slash = strrchr(child_path, '/');
	char *path = NULL;
	if (asprintf(&path, "%.*s", (int)(slash - child_path), child_path) < 0)
		abort();
	clearenv();
	setenv("HELLO", "0", 1);
	FORK("execv", execv(child_path, args));
	FORK("execve, empty environment", execve(child_path, args, empty));
	FORK("execve, no environment", execve(child_path, args, NULL));
	FORK("execve, own environment", execve(child_path, args, hello));
	FORK("execve, LD_PRELOAD emptied", execve(child_path, args, other));
	FORK("execl", execl(child_path, "c", pt, "cat", file, (char *)NULL));
	FORK("execle", execle(child_path, "c", pt, "cat", file, "env", (char *)NULL, hello));
	setenv("PATH", path, 1);
	FORK("execlp", execlp(slash + 1, "c", pt, "cat", file, (char *)NULL));
	FORK("execvp", execvp(slash + 1, args));
	FORK("execvpe", execvpe(slash + 1, args, hello));
	int fd = open(child_path, O_RDONLY | O_CLOEXEC);
	FORK("fexecve", fexecve(fd, args, hello));
	FORK("execveat", syscall(SYS_execveat, fd, "", args, hello, AT_EMPTY_PATH));
	close(fd);
	FORK("syscall execve", syscall(SYS_execve, child_path, args, hello));
	FORK("unsetenv by the child", unsetenv("LD_PRELOAD"); unsetenv("SLUICE_MOUNTS"); execv(child_path, args));
	FORK("two generations", execle("/bin/sh", "sh", "-c", "exec env -i \"$0\" \"$1\" cat \"$2\"", child_path, pt,
	                               file, (char *)NULL, empty));
	FORK("failing", execl(P("no-such"), "x", (char *)NULL));
	FORK("failing", execl(P("text/lines.txt"), "x", (char *)NULL));
	FORK("failing", execl(P("class-a"), "x", (char *)NULL));

	int a = (int)R(open(P("big.bin"), O_RDONLY)), b = (int)R(open(P("comp.txt"), O_RDONLY | O_CLOEXEC));
	int d = (int)R(open(P("class-a"), O_RDONLY)), c = (int)R(dup(b));
	R(lseek(a, 1000, SEEK_SET));
	R(lseek(c, 77, SEEK_SET));
	MUST(a == 3 && b == 4 && d == 5 && c == 6);
	FORK("inherited",
	     execl(child_path, "c", pt, "fd", "3", "fd", "4", "fd", "5", "fd", "6", "fd", "7", (char *)NULL));
	R(lseek(a, 0, SEEK_CUR)); /* the child has read it to its end */
	R(lseek(c, 0, SEEK_CUR));
	R(read(a, buf, 10));
	R(lseek(a, 0, SEEK_SET));
	bytes("still works", buf, R(read(a, buf, 10)));
	FORK("stdin", dup2(c, 0); lseek(0, 5, SEEK_SET); execl(child_path, "c", pt, "fd", "0", (char *)NULL));
	R(lseek(c, 0, SEEK_CUR));
	R(chdir(P("class-b")));
	FORK("directory",
	     execle(child_path, "c", pt, "cwd", "ls", ".", "cat", "../text/one-line.txt", (char *)NULL, empty));
}
