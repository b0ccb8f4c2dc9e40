/* SPDX-License-Identifier: MIT */
/* Finding a program, and telling what kind it is. See program.h. */
#include "cli/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/macros.h"

enum { MAX_INTERPRETERS = 5 }; /* of a script that is run by a script; more than the kernel allows */

/* ---- finding ---- */

static int is_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || access(path, X_OK) < 0)
		return -EACCES;
	return 0;
}

/* Looks in each directory of PATH. */
static int search(const char *name, char ret_path[PATH_MAX])
{
	const char *at = getenv("PATH");
	int worst = -ENOENT;

	if (!at)
		at = "/bin:/usr/bin";
	for (;; at++) {
		size_t n = strcspn(at, ":");
		int r;

		/* An empty one is the working directory. */
		if (snprintf(ret_path, PATH_MAX, "%.*s%s%s", (int)n, at, n ? "/" : "", name) < PATH_MAX) {
			r = is_executable(ret_path);
			if (r == 0)
				return 0;
			if (r == -EACCES)
				worst = r;
		}
		at += n;
		if (!*at)
			return worst;
	}
}

int slu_program_find(const char *name, char ret_path[PATH_MAX])
{
	int r;

	if (strchr(name, '/')) {
		r = strlen(name) < PATH_MAX ? is_executable(name) : -ENAMETOOLONG;
		if (r == 0)
			strcpy(ret_path, name);
	} else {
		r = *name ? search(name, ret_path) : -ENOENT;
	}
	if (r == -EACCES)
		return slu_fail(r, "'%s' is not an executable file", name);
	return r < 0 ? slu_fail_sys(r, "cannot run '%s'", name) : 0;
}

/* ---- scripts ---- */

/* The first @n words of the line at @text, in place; empty ones where there are fewer. */
static void split_words(char *text, char *word[], int n)
{
	for (int i = 0; i < n; i++) {
		text += strspn(text, " \t");
		word[i] = text;
		text += strcspn(text, " \t\n");
		if (*text)
			*text++ = 0;
	}
}

/*
 * The interpreter of the script at @path: 1, or 0 if it is none. "env NAME" is looked through, since it is NAME
 * that will read the data.
 */
static int find_interpreter(const char *path, char ret_path[PATH_MAX])
{
	SLU_AUTO(fd) int fd = slu_openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	char line[512] = "", *word[3], *name;
	const char *base;
	int i = 1;

	if (fd < 0)
		return slu_fail_sys(fd, "cannot open '%s'", path);
	if (slu_pread(fd, line, sizeof(line) - 1, 0) < 2 || line[0] != '#' || line[1] != '!')
		return 0;
	line[strcspn(line, "\n")] = 0;
	split_words(line + 2, word, 3);
	name = word[0];
	base = strrchr(name, '/');
	base = base ? base + 1 : name;
	if (strcmp(base, "env") == 0 && strcmp(word[1], "-S") == 0)
		i = 2;
	if (strcmp(base, "env") == 0 && *word[i] && word[i][0] != '-' && !strchr(word[i], '='))
		name = word[i];
	if (!*name)
		return slu_fail(-ENOEXEC, "the script '%s' names no interpreter", path);
	i = slu_program_find(name, ret_path);
	return i < 0 ? i : 1;
}

/* ---- kinds ---- */

/* As the kernel decides it: a change of identity, or capabilities for who has none. */
static bool is_privileged(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return false;
	if ((st.st_mode & S_ISUID) && st.st_uid != getuid())
		return true;
	if ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getgid())
		return true;
	return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

static const char *basename_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether the program's dynamic linker is of another kind than our own. */
static bool is_other_libc(const struct slu_elf *e)
{
	struct slu_elf own;
	bool other;

	if (slu_elf_open("/proc/self/exe", &own) < 0)
		return false;
	other = own.interp[0] && strcmp(basename_of(own.interp), basename_of(e->interp)) != 0;
	slu_elf_done(&own);
	return other;
}

static enum slu_program_kind kind_of(const struct slu_elf *e, const char *path)
{
	if (e->foreign)
		return SLU_PROGRAM_FOREIGN;
	if (e->go)
		return SLU_PROGRAM_GO;
	/* A shared library has no dynamic linker either, but is no program. */
	if (!e->interp[0])
		return e->dynamic && e->type == ET_DYN && !e->pie ? SLU_PROGRAM_PLAIN : SLU_PROGRAM_STATIC;
	if (is_privileged(path))
		return SLU_PROGRAM_PRIVILEGED;
	return is_other_libc(e) ? SLU_PROGRAM_OTHER_LIBC : SLU_PROGRAM_PLAIN;
}

int slu_program_look(const char *path, struct slu_program *ret_program)
{
	struct slu_program *p = ret_program;
	int r = -ENOEXEC;

	*p = (struct slu_program){ 0 };
	if (strlen(path) >= sizeof(p->path))
		return slu_fail(-ENAMETOOLONG, "the path '%.64s...' is too long", path);
	strcpy(p->path, path);
	for (int i = 0; i < MAX_INTERPRETERS; i++) {
		char next[PATH_MAX];

		r = slu_elf_open(p->path, &p->elf);
		if (r != -ENOEXEC)
			break;
		r = find_interpreter(p->path, next);
		if (r <= 0)
			return r < 0 ? r : slu_fail(-ENOEXEC, "'%s' is neither a program nor a script", path);
		strcpy(p->script, path);
		strcpy(p->path, next);
		r = -ELOOP;
	}
	if (r == -ELOOP)
		return slu_fail(r, "the interpreter of '%s' is a script, and so on", path);
	if (r == 0)
		p->kind = kind_of(&p->elf, p->path);
	return r;
}

void slu_program_done(struct slu_program *p)
{
	slu_elf_done(&p->elf);
}

const char *slu_program_why(enum slu_program_kind kind)
{
	switch (kind) {
	case SLU_PROGRAM_STATIC:
		return "is linked statically, so the shim cannot be loaded into it";
	case SLU_PROGRAM_GO:
		return "is a Go program, which calls the kernel without libc, so the shim does not see its files";
	case SLU_PROGRAM_PRIVILEGED:
		return "runs with privileges of its own (set-user-ID, set-group-ID or capabilities), so the dynamic "
		       "linker leaves the shim out";
	case SLU_PROGRAM_FOREIGN:
		return "is of another machine or word size than the shim";
	case SLU_PROGRAM_OTHER_LIBC:
		return "is linked with another C library than the shim";
	case SLU_PROGRAM_PLAIN:
	default:
		return NULL;
	}
}
