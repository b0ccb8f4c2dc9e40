/* SPDX-License-Identifier: MIT */
/*
 * Errors: a negative errno and, per thread, the sentence that goes with it.
 *
 * The function that first decides what went wrong calls slu_fail(); callers pass the
 * number up untouched. What our own numbers mean stands in sluice/sluice.h.
 */
#ifndef SLU_BASE_ERR_H
#define SLU_BASE_ERR_H

#include <sluice/sluice.h>
#include <stdbool.h>

/* Stores the sentence for this thread and returns @err (negative). */
int slu_fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));

/* The same, with ": strerror(-err)" at the end of the sentence. */
int slu_fail_sys(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));

/* -ENOMEM with its sentence. */
int slu_fail_memory(void) __attribute__((cold));

/* Whether @err says that a pack's bytes are not what they must be. */
bool slu_err_is_damage(int err);

#endif
