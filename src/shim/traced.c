/* SPDX-License-Identifier: MIT */
/* The recorder's life in a process, and spans: see traced.h. */
#include "shim/traced.h"

#include <stdlib.h>

_Thread_local struct slu_rec_tls slu_rec_tls __attribute__((tls_model("initial-exec")));

void slu_traced_start(void)
{
	const char *dir = getenv(SLU_ENV_TRACE), *events = getenv(SLU_ENV_TRACE_EVENTS),
		   *bound = getenv(SLU_ENV_TRACE_BOUND);

	if (dir && *dir)
		/* Nobody to tell: `sluice trace` has tried it before, and misses the log afterwards. */
		(void)!slu_rec_start(&slu_shim.rec, dir, events && *events, bound ? strtoull(bound, NULL, 10) : 0);
}

static bool recording(void)
{
	return atomic_load_explicit(&slu_shim.rec.on, memory_order_relaxed) && !slu_in_vfork;
}

void slu_traced_forget(int fd)
{
	if (recording())
		(void)slu_rec_close(&slu_shim.rec, &slu_rec_tls, fd);
}

void slu_traced_leave(void)
{
	if (recording())
		slu_rec_state(&slu_shim.rec, SLU_LOG_EXECED);
}

void slu_traced_stay(void)
{
	int saved = errno;

	if (recording())
		slu_rec_state(&slu_shim.rec, SLU_LOG_RUNNING);
	errno = saved;
}

void slu_traced_exit(void)
{
	if (recording())
		slu_rec_state(&slu_shim.rec, SLU_LOG_EXITED);
}

void slu_traced_forked(void)
{
	slu_rec_forked(&slu_shim.rec, &slu_rec_tls);
}

void slu_traced_moved(void)
{
	char path[PATH_MAX];

	if (recording())
		slu_rec_moved(&slu_shim.rec, slu_cwd_is_inside() && slu_cwd_get(path) == 0 ? path : NULL);
}

void slu_traced_opened(uint64_t begin, enum slu_call call, int dirfd, const char *path, int fd, uint32_t flags)
{
	struct slu_rec_call c;

	if (SLU_LIKELY(!begin))
		return;
	c = slu_traced_call(begin, call, fd < 0);
	if (fd >= 0 && slu_fds_slot(&slu_shim.fds, fd))
		flags |= SLU_FILE_SERVED;
	slu_rec_opened(&slu_shim.rec, &slu_rec_tls, &c, dirfd, path, fd, flags);
}

/* ---- spans: libsluice looks for these names (trace/span.c) --------------------------------------------------------
 */

int slu_shim_tracing(void);
SHIM int slu_shim_tracing(void)
{
	return atomic_load_explicit(&slu_shim.rec.on, memory_order_relaxed);
}

void slu_shim_span_begin(const char *name, unsigned kind, int64_t index);
SHIM void slu_shim_span_begin(const char *name, unsigned kind, int64_t index)
{
	int saved = errno;

	if (recording())
		slu_rec_span_begin(&slu_shim.rec, &slu_rec_tls, name, kind, index);
	errno = saved;
}

void slu_shim_span_end(void);
SHIM void slu_shim_span_end(void)
{
	int saved = errno;

	if (recording())
		slu_rec_span_end(&slu_shim.rec, &slu_rec_tls);
	errno = saved;
}
