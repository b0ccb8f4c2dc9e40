/* SPDX-License-Identifier: MIT */
/* The sentence of the last failure, one per thread. See err.h. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Of every thread of every host, on its stack: long enough for the words and for paths as they are in life. */
static _Thread_local char message[1024];

int slu_fail(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, ap); /* cut off at worst */
	va_end(ap);
	return err;
}

int slu_fail_sys(int err, const char *fmt, ...)
{
	char why[128];
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, ap); /* cut off at worst */
	va_end(ap);
	n = strlen(message);
	(void)snprintf(message + n, sizeof(message) - n, ": %s", strerror_r(-err, why, sizeof(why)));
	return err;
}

int slu_fail_memory(void)
{
	return slu_fail(-ENOMEM, "out of memory");
}

bool slu_err_is_damage(int err)
{
	return err == -EBADMSG || err == -EILSEQ;
}

const char *slu_errmsg(void)
{
	return message;
}

const char *slu_version(void)
{
	return SLU_VERSION;
}
