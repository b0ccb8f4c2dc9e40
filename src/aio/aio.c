/* SPDX-License-Identifier: MIT */
/* Which engine. See aio.h. */
#include "aio/aio.h"

#include <errno.h>

int slu_aio_open(enum slu_aio_engine engine, unsigned depth, struct slu_aio **ret_aio)
{
	int r = -EOPNOTSUPP;

	if (engine != SLU_AIO_THREADS)
		r = slu_aio_uring.open(depth, ret_aio);
	if (r < 0 && engine != SLU_AIO_URING)
		r = slu_aio_threads.open(depth, ret_aio);
	return r;
}

void slu_aio_close(struct slu_aio *a)
{
	if (a)
		a->ops->close(a);
}
