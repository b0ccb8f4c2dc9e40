/* SPDX-License-Identifier: MIT */
/*
 * What an ELF file says about how it is started and linked. Nothing in the file is believed: every place
 * is checked against the file's size, and nothing is allocated beyond it.
 */
#ifndef SLU_CLI_ELF_H
#define SLU_CLI_ELF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct slu_elf_symbol {
	uint32_t name; /* in strings */
	bool defined;
};

/* Owns its memory; all zero is an empty one. Offsets of strings are checked: text of @at is slu_elf_text(). */
struct slu_elf {
	uint16_t type, machine;
	bool foreign;          /* of another word size, byte order or machine than ours; then nothing below is known */
	bool dynamic;          /* has a dynamic section */
	bool pie;              /* a program, though of the type of a shared library */
	bool go;               /* made by the Go compiler */
	char interp[PATH_MAX]; /* the dynamic linker, or "" */
	struct slu_buf strings;
	uint32_t soname, rpath, runpath; /* in strings, 0 none */
	struct slu_buf needed;           /* of uint32_t, in strings */
	struct slu_buf symbols;          /* of struct slu_elf_symbol, without local ones */
};

/* -ENOEXEC: not an ELF file | -EBADMSG: one that is damaged */
SLU_MUST_USE int slu_elf_open(const char *path, struct slu_elf *ret_elf);
void slu_elf_done(struct slu_elf *e);

const char *slu_elf_text(const struct slu_elf *e, uint32_t at);
size_t slu_elf_needed_count(const struct slu_elf *e);
const char *slu_elf_needed(const struct slu_elf *e, size_t i);
size_t slu_elf_symbol_count(const struct slu_elf *e);
const struct slu_elf_symbol *slu_elf_symbol(const struct slu_elf *e, size_t i);

/* The machine that we run on, as e_machine. */
uint16_t slu_elf_machine(void);

#endif
