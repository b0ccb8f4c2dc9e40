/* SPDX-License-Identifier: MIT */
/*
 * Touching mapped files without dying: SIGBUS inside a guarded call becomes -EIO.
 *
 * A page of a mapping that cannot be read (the file shrank, the disk failed) raises
 * SIGBUS. slu_guarded() runs a function; a fault at an address that @owns claims ends
 * it with -EIO. All other faults go to the handler that was there before ours.
 *
 * Invariants
 *  (1) the guarded function holds no lock and owns nothing when it touches a mapping:
 *      it may be left at any instruction
 *  (2) the handler is async-signal-safe and so must @owns be
 *  (3) once installed, the handler stays; where the host put its own on top, we chain
 *      to that one and never call in a circle
 */
#ifndef SLU_BASE_GUARD_H
#define SLU_BASE_GUARD_H

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"

typedef int slu_guarded_fn(void *arg);
typedef bool slu_owns_fn(const void *owner, const void *address);

/* Installs the handler where it is not; again, if the host has put another in its place. */
void slu_guard_install(void);

/*
 * sigaction(2) for SIGBUS as the host should see it: the handler behind ours. Either pointer may be NULL. False: ours
 * is not installed, and the host's own call is to be made.
 */
bool slu_guard_host_action(const struct sigaction *action, struct sigaction *ret_old);

/*
 * Gives what @fn gives, or -EIO without a sentence after a fault. Calls may nest.
 */
SLU_MUST_USE int slu_guarded(slu_guarded_fn *fn, void *arg, slu_owns_fn *owns, const void *owner);

#endif
