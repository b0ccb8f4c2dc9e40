/* SPDX-License-Identifier: MIT */
/* chdir and fchdir into the mount; everything relative; out again. */
#include "compat.h"

extern char *__getcwd_chk(char *, size_t, size_t);

static void where(void)
{
	char b[PATH_MAX];
	printf("cwd %s\n", getcwd(b, sizeof(b)) ? b : ename(errno));
}

static void relative(const char *there)
{
	struct stat st;
	int fd = (int)R(open(there, O_RDONLY));
	drain(there, fd);
	R(close(fd));
	R(stat(there, &st));
	R(lstat(there, &st));
	R(access(there, R_OK));
	FILE *f = RP(fopen(there, "r"));
	if (f)
		fclose(f);
	R(fstatat(AT_FDCWD, there, &st, 0));
}

static void run(void)
{
	char b[PATH_MAX], small[4];
	unsetenv("PWD");
	R(chdir(point));
	where();
	relative("text/lines.txt");
	relative("./text/../text/lines.txt");
	R(chdir("class-a"));
	where();
	relative("img-00.jpg");
	relative("../text/lines.txt");
	relative("../../outside.txt");
	R(access("../../mnt/empty", R_OK));
	R(chdir("../links/dir"));
	where();
	R(chdir(".."));
	where();
	R(chdir("links/up"));
	where();
	R(chdir("text/lines.txt"));
	R(chdir("no-such"));
	R(chdir("links/loop1"));
	R(chdir("links/dangling"));
	R(chdir(""));
	where();
	R(chdir("deep/d0/d1/d2"));
	where();
	RP(getcwd(small, sizeof(small)));
	char *p = RP(getcwd(NULL, 0));
	puts(p ? p : "");
	free(p);
	p = RP(get_current_dir_name());
	puts(p ? p : "");
	free(p);
	p = RP(getwd(b));
	puts(p ? p : "");
	p = RP(__getcwd_chk(b, sizeof(b), sizeof(b)));
	puts(p ? p : "");
	R(syscall(SYS_getcwd, b, sizeof(b)));
	puts(b);
	int d = (int)R(open("d3", O_RDONLY | O_DIRECTORY)), f = (int)R(open(P("empty"), O_RDONLY));
	R(fchdir(d));
	where();
	R(fchdir(f));
	R(fchdir(99));
	R(close(d));
	where();
	/* a child inherits it, by fork and through exec */
	pid_t pid = fork();
	if (pid == 0) {
		where();
		R(access("d4/d5", F_OK));
		R(chdir(".."));
		where();
		_exit(0);
	}
	ended("child", pid);
	where();
	R(chdir(P("class-b")));
	fflush(stdout);
	R(system("pwd -P; cat img-01.jpg | md5sum; ls; cd ../text && head -n 1 lines.txt"));
	pid = fork();
	if (pid == 0) {
		execl("/bin/cat", "cat", "../text/one-line.txt", (char *)NULL);
		_exit(127);
	}
	ended("cat", pid);
	d = (int)R(open("/", O_RDONLY | O_DIRECTORY));
	R(fchdir(d));
	where();
	R(open("img-01.jpg", O_RDONLY));
	R(chdir(P("../outside")));
	where();
	relative("../mnt/text/lines.txt");
	R(chdir("../mnt"));
	where();
	R(chdir("links/outdir"));
	where();
	R(chdir(P("..")));
	where();
	R(access("mnt/empty", F_OK));
	R(access("mnt/no-such", F_OK));
	R(mkdir("mnt/x", 0755));
	/* a file below the current directory that is outside still works */
	R(access("outside.txt", R_OK));
	/* the environment's PWD is believed by get_current_dir_name only if it is right */
	setenv("PWD", P("links/dir"), 1);
	R(chdir(P("class-a")));
	p = RP(get_current_dir_name());
	puts(p ? p : "");
	setenv("PWD", P("class-b"), 1);
	p = RP(get_current_dir_name());
	puts(p ? p : "");
}
