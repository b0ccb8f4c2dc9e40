/* SPDX-License-Identifier: MIT */
/*
 * A program that is to be run: where it is, and whether the shim can be loaded into it.
 */
#ifndef SLU_CLI_PROGRAM_H
#define SLU_CLI_PROGRAM_H

#include <limits.h>

#include "base/err.h"
#include "cli/elf.h"

enum slu_program_kind {
	SLU_PROGRAM_PLAIN = 0,  /* linked dynamically: the shim goes in */
	SLU_PROGRAM_STATIC,     /* no dynamic linker */
	SLU_PROGRAM_GO,         /* its runtime calls the kernel itself */
	SLU_PROGRAM_PRIVILEGED, /* set-user-ID or the like: the linker takes no shim from a user */
	SLU_PROGRAM_FOREIGN,    /* of another machine or word size */
	SLU_PROGRAM_OTHER_LIBC, /* of another C library than the shim */
};

struct slu_program {
	enum slu_program_kind kind;
	char path[PATH_MAX];   /* the ELF file: for a script, its interpreter */
	char script[PATH_MAX]; /* the script, or "" */
	struct slu_elf elf;
};

/*
 * The file that execvp() would run for @name. -ENOENT no such program |
 * -EACCES there is a file, but it may not be executed
 */
SLU_MUST_USE int slu_program_find(const char *name, char ret_path[PATH_MAX]);

/* Looks at the program in file @path. Ends with slu_program_done(). -ENOEXEC: neither ELF nor "#!" */
SLU_MUST_USE int slu_program_look(const char *path, struct slu_program *ret_program);
void slu_program_done(struct slu_program *p);

/* Half a sentence that says why the shim does not help, after the program's name; NULL for a plain one. */
const char *slu_program_why(enum slu_program_kind kind);

/* ---- shim-path.c ---- */

/* The shim's file: $SLUICE_SHIM, or where the build or the installation has put it. -ENOENT: nowhere */
SLU_MUST_USE int slu_shim_find(char ret_path[PATH_MAX]);

#endif
