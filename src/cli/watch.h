/* SPDX-License-Identifier: MIT */
/*
 * Watching a program's system calls on paths, without being root: a seccomp filter tells us of each one, and we let
 * every one go on. What the shim serves never gets to the kernel; so a path below a mount that does went past
 * the shim, and it is told who did it, and how. Paths elsewhere are counted by directory.
 *
 * The filter stays with the program and all that it starts. Who answers must not go away before them: a call that
 * nobody answers fails. So slu_watch_stop() leaves a process behind for those that go on in the background.
 */
#ifndef SLU_CLI_WATCH_H
#define SLU_CLI_WATCH_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "vfs/ledger.h"

struct slu_watch; /* opaque */

/*
 * In the child, before exec: installs the filter and sends its listener through the socket @sock, or
 * the reason why there is none. Sets no_new_privs.
 */
void slu_watch_install(int sock);

/*
 * What is watched for. All of it is borrowed until slu_watch_stop().
 */
struct slu_watch_list {
	const char **points; /* paths below these go into the ledger */
	size_t n;
	const char **own; /* files of ours, which are not told: packs, shim, ledger */
	size_t nown;
	struct slu_ledger *ledger;
};

/*
 * In the parent: takes the listener from @sock, and starts a thread that answers.
 * -EOPNOTSUPP: the child has no filter; its sentence says why.
 */
SLU_MUST_USE int slu_watch_start(int sock, const struct slu_watch_list *list, struct slu_watch **ret_watch);

/* After the child has ended: no more is recorded. */
void slu_watch_stop(struct slu_watch *w);
void slu_watch_free(struct slu_watch *w);

/* Files that were opened for reading outside of the mounts, in one directory and below. */
struct slu_outside {
	char dir[PATH_MAX];
	uint64_t opens;
};

/* Those groups, the largest first; how many opens are in none of them. */
size_t slu_watch_outside(const struct slu_watch *w, const struct slu_outside **ret_groups, uint64_t *ret_others);

/* How many processes went on after the end: 0, or 1 for "some". */
int slu_watch_left(const struct slu_watch *w);

/* ---- between watch.c, watch-look.c and watch-outside.c ---- */

enum { SLU_OUTSIDE_GROUPS = 128 };

struct slu_outside_table {
	size_t n;
	uint64_t others;
	struct slu_outside group[SLU_OUTSIDE_GROUPS];
};

/* Counts the file @path, absolute and simple. */
void slu_outside_count(struct slu_outside_table *t, const char *path);
void slu_outside_sort(struct slu_outside_table *t);

enum slu_seen_kind { SLU_SEEN_OPEN, SLU_SEEN_STAT, SLU_SEEN_LINK, SLU_SEEN_EXEC };

/* A system call that takes a path. */
struct slu_seen_call {
	int nr;
	const char *name;
	int dirfd, path, flags; /* numbers of its arguments, -1 none */
	enum slu_seen_kind kind;
};

const struct slu_seen_call *slu_call_find(int nr);
size_t slu_call_count(void);
const struct slu_seen_call *slu_call_get(size_t i);

/* What a process was about to ask of the kernel. */
struct slu_asked {
	const struct slu_seen_call *call;
	pid_t pid;
	uint64_t ip; /* where the system call instruction is */
	uint64_t flags;
	char path[PATH_MAX]; /* absolute and simple */
};

/* Fills in @ret_asked from the arguments. -ENOENT: there is no path to speak of. */
SLU_MUST_USE int slu_asked_read(pid_t pid, const struct slu_seen_call *call, uint64_t ip, const uint64_t args[6],
                                struct slu_asked *ret_asked);

/* Who asked, for a note: @program and the words for it; false: the shim itself, which may. The process must be held. */
bool slu_asked_who(const struct slu_asked *a, char program[16], char *detail, size_t cap);

#endif
