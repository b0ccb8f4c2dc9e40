/* SPDX-License-Identifier: MIT */
/* Packs of millions of samples, made from nothing: benchmarks of scale need no real files. */
#ifndef SLU_BENCH_SYNTHETIC_H
#define SLU_BENCH_SYNTHETIC_H

#include <stdint.h>

enum { SYNTHETIC_PER_DIR = 1000 };

/* Ends the program with a sentence if @r is negative. */
void bench_check(int r, const char *what);

/* An index of @n samples of about 950 bytes, class_000000/img_000.jpg and so on, without any shard: to open and look
 * up. */
void synthetic_index(const char *dir, uint64_t n);

/* A pack of @n samples of @bytes zero bytes each, in one sparse shard that reads as it must. */
void synthetic_pack(const char *dir, uint64_t n, uint32_t bytes);

#endif
