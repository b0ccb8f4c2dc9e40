/* SPDX-License-Identifier: MIT */
/* Background reading, for those that come by syscall(). */
#ifndef SLU_SHIM_ASYNC_H
#define SLU_SHIM_ASYNC_H

#include <stdbool.h>

struct iocb;

/* Makes the files of an io_submit() real. False: errno is set. */
bool slu_aio_ready(long n, struct iocb **list);

/* From now on every file is real when it is opened. */
void slu_uring_begins(void);

#endif
