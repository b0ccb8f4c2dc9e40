/* SPDX-License-Identifier: MIT */
/* Our own memory, and the host's where it will free it. See heap.c. */
#ifndef SLU_SHIM_HEAP_H
#define SLU_SHIM_HEAP_H

#include <stddef.h>

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);
void __wrap_free(void *p);
char *__wrap_strdup(const char *s);
void *__real_malloc(size_t n);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);

/* In the child: lists that other threads were changing are given up. */
void slu_heap_after_fork(void);

/* Memory that the host will free() itself, or has given us. */
void *slu_host_alloc(size_t n);
void *slu_host_zalloc(size_t n);
void *slu_host_realloc(void *p, size_t n);
void slu_host_free(void *p);
char *slu_host_strdup(const char *s);

#endif
