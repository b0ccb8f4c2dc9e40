/* SPDX-License-Identifier: MIT */
/*
 * The ledger of a run: which files were served, which were not, and why. For `sluice run --why`.
 *
 * A file, mapped by every process of the run and by the one that reports: what was written is there even
 * if the writer is killed the next moment. One bit a node says that it was opened, counters say how often and
 * how much, and a bounded number of notes say what went wrong; how many more there would have been is counted.
 *
 * Writing is lock-free and async-signal-safe, allocates nothing, and does not touch errno: it runs inside other
 * people's processes. A ledger found damaged is not written to.
 */
#ifndef SLU_VFS_LEDGER_H
#define SLU_VFS_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct slu_ledger; /* opaque */

enum slu_tally {
	SLU_TALLY_OPEN = 0, /* files opened */
	SLU_TALLY_READ,     /* reads */
	SLU_TALLY_BYTES,    /* bytes handed out */
	SLU_TALLY_STAT,     /* stat and its kin, access, readlink */
	SLU_TALLY_LIST,     /* directories opened */
	SLU_TALLY_MAP,      /* mmap of a file */
	SLU_TALLY_MATERIAL, /* files that were made real ones for the kernel's sake */
	SLU_TALLIES
};

enum slu_note {
	SLU_NOTE_DAMAGED = 1, /* a sample or a shard could not be handed out; err is what the program got */
	SLU_NOTE_WRITE,       /* a change was refused (EROFS) */
	SLU_NOTE_STATIC,      /* a program without a dynamic linker was started: it sees no mount */
	SLU_NOTE_SETUID,      /* a set-user-ID program was started: the linker leaves the shim out */
	SLU_NOTE_RAW,         /* a system call went past the shim: written by the watcher */
	SLU_NOTE_PACK,        /* a pack could not be opened */
	SLU_NOTE_MISSING,     /* a file was to be opened that is not in the pack */
};

/* Makes a ledger at @path (which must not exist) for @mounts mounts, mount k having nodes[k] nodes. */
SLU_MUST_USE int slu_ledger_create(const char *path, const uint64_t *nodes, unsigned mounts);

/* Maps the ledger at @path. Opening leaves no descriptor behind. */
SLU_MUST_USE int slu_ledger_open(const char *path, struct slu_ledger **ret_ledger);
void slu_ledger_close(struct slu_ledger *l);

/* ---- writing: @l may be NULL, then nothing is done ---- */
void slu_ledger_served(struct slu_ledger *l, unsigned mount, uint64_t node);
void slu_ledger_tally(struct slu_ledger *l, unsigned mount, enum slu_tally what, uint64_t n);
/* @path and @detail are cut off where they are too long; either may be NULL. */
void slu_ledger_note(struct slu_ledger *l, enum slu_note what, int err, const char *path, const char *detail);

/* The same in the name of process @pid, which runs @program: for who watches it. */
void slu_ledger_note_of(struct slu_ledger *l, enum slu_note what, int err, int pid, const char *program,
                        const char *path, const char *detail);

/* ---- reading: at any time, while others write; what is told is what was there at some moment of the call ---- */

unsigned slu_ledger_mounts(const struct slu_ledger *l);
uint64_t slu_ledger_nodes(const struct slu_ledger *l, unsigned mount);
uint64_t slu_ledger_total(const struct slu_ledger *l, unsigned mount, enum slu_tally what);
bool slu_ledger_was_served(const struct slu_ledger *l, unsigned mount, uint64_t node);
uint64_t slu_ledger_count_served(const struct slu_ledger *l, unsigned mount);

/* A note as it was first written; later ones with the same words are only counted. */
struct slu_ledger_entry {
	enum slu_note what;
	int err;
	int pid;
	uint64_t order; /* notes of a smaller number were begun earlier */
	uint64_t count; /* how often */
	char program[16];
	char path[320];
	char detail[128];
};

/* Notes have numbers 0 .. SLU_LEDGER_NOTES-1, in no order. Whether there is one of that number. */
enum { SLU_LEDGER_NOTES = 4096 };
bool slu_ledger_get_note(const struct slu_ledger *l, unsigned number, struct slu_ledger_entry *ret_entry);

/* How many notes found no room, or whose writer died over them. */
uint64_t slu_ledger_lost(const struct slu_ledger *l);

#endif
