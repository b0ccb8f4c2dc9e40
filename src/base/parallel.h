/* SPDX-License-Identifier: MIT */
/*
 * Work shared out to threads: items 0 .. n-1, each taken once, in order.
 *
 * The first failure (by item number among those that ran) stops the rest and comes
 * back to the caller, sentence included. Where threads cannot be had, fewer do the
 * work; the calling thread always takes part.
 */
#ifndef SLU_BASE_PARALLEL_H
#define SLU_BASE_PARALLEL_H

#include <pthread.h>
#include <stdint.h>

#include "base/err.h"

/* More than this is never started, whatever is asked for. */
enum { SLU_MAX_THREADS = 256 };

/* @worker is 0 .. threads-1, for per-thread state. */
typedef int slu_item_fn(void *arg, unsigned worker, uint64_t item);

/* @threads 0: one per CPU that this process may use. */
unsigned slu_threads(unsigned threads);

/* pthread_create() for a thread of ours: the host's signals are not for it. 0, or a negative errno without a sentence.
 */
SLU_MUST_USE int slu_thread_start(pthread_t *ret_thread, void *(*fn)(void *arg), void *arg);

SLU_MUST_USE int slu_parallel(unsigned threads, uint64_t n, slu_item_fn *fn, void *arg);

#endif
