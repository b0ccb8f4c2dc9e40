/* SPDX-License-Identifier: MIT */
/* In place of uring.c where liburing was not there to build with. */
#include <errno.h>

#include "aio/aio.h"

static int no_open(unsigned depth, struct slu_aio **ret_aio)
{
	(void)depth;
	(void)ret_aio;
	return slu_fail(-EOPNOTSUPP, "this library was built without io_uring (liburing-dev)");
}

const struct slu_aio_ops slu_aio_uring = { .name = "io_uring", .open = no_open };

const char *slu_aio_uring_version(void)
{
	return NULL;
}
