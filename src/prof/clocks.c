/* SPDX-License-Identifier: MIT */
/*
 * Processes: all on one clock, each with its parent, its rank and how it ended.
 *
 * Clocks of one boot compare directly. Of others, only the clock of day is common; each boot's offset is that of its
 * first log, so that times within a boot keep their order.
 */
#include "prof/build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/macros.h"

/* No job is longer than this (ns): larger times are damage, and would overflow. */
#define TIME_MAX (UINT64_C(1) << 60)

uint64_t slu_job_time(const struct slu_prof_process *proc, uint64_t log_time)
{
	int64_t t = (int64_t)(log_time + (uint64_t)proc->shift);

	return t < 0 ? 0 : slu_min((uint64_t)t, TIME_MAX);
}

static bool same_boot(const struct slu_log_header *a, const struct slu_log_header *b)
{
	static const uint8_t none[16];

	if (memcmp(a->boot_id, b->boot_id, 16) != 0)
		return false;
	return memcmp(a->boot_id, none, 16) != 0 || strcmp(a->host, b->host) == 0;
}

/* ---- the clock --------------------------------------------------------------------------------------------------- */

/* The offset of the boot of log @i: that of the earliest log of it. */
static int64_t boot_offset(const struct slu_build *b, size_t i)
{
	size_t first = i;

	for (size_t k = 0; k < b->n_logs; k++)
		if (same_boot(&b->logs[k].header, &b->logs[i].header) &&
		    (b->logs[k].header.begin < b->logs[first].header.begin ||
		     (b->logs[k].header.begin == b->logs[first].header.begin && k < first)))
			first = k;
	return b->logs[first].header.realtime_offset;
}

static int lay_out(struct slu_build *b)
{
	SLU_AUTO(mem) uint64_t *began = calloc(b->n_logs, sizeof(*began));
	uint64_t base = UINT64_MAX;

	if (!began)
		return slu_fail_memory();
	for (size_t i = 0; i < b->n_logs; i++) {
		/* Logs of one boot mostly stand together. */
		int64_t offset = i && same_boot(&b->logs[i].header, &b->logs[i - 1].header)
		                         ? b->p->processes[i - 1].shift
		                         : boot_offset(b, i);

		b->p->processes[i].shift = offset;
		began[i] = b->logs[i].header.begin + (uint64_t)offset;
		base = slu_min(base, began[i]);
	}
	for (size_t i = 0; i < b->n_logs; i++) {
		struct slu_prof_process *p = &b->p->processes[i];

		p->shift = (int64_t)((uint64_t)p->shift - base);
		p->begin = slu_job_time(p, b->logs[i].header.begin);
	}
	b->p->job.began_unix_ns = base;
	return 0;
}

/* ---- how it ended ------------------------------------------------------------------------------------------------ */

static void this_boot(uint8_t ret_id[16])
{
	char text[64] = { 0 };
	size_t n = 0;
	SLU_AUTO(fd) int fd = slu_openat(AT_FDCWD, "/proc/sys/kernel/random/boot_id", O_RDONLY, 0);

	memset(ret_id, 0, 16);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 36)
		return;
	for (const char *c = text; *c && n < 32; c++) {
		int digit = *c >= '0' && *c <= '9' ? *c - '0' : *c >= 'a' && *c <= 'f' ? *c - 'a' + 10 : -1;

		if (digit < 0)
			continue;
		ret_id[n / 2] = (uint8_t)(ret_id[n / 2] << 4 | digit);
		n++;
	}
}

/* Whether the process @pid that started at @ticks lives, here. */
static bool lives(uint32_t pid, uint64_t ticks)
{
	char path[64], text[1024], *at;
	unsigned long long start = 0;
	char state = 0;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	SLU_AUTO(fd) int fd = slu_openat(AT_FDCWD, path, O_RDONLY, 0);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return false;
	text[n] = 0;
	at = strrchr(text, ')'); /* the name before it may hold anything */
	if (!at || sscanf(at + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
	                  &state, &start) != 2)
		return false;
	return start == ticks && state != 'Z' && state != 'X';
}

static void how_it_ended(struct slu_prof_process *p, const struct slu_log_header *h, const uint8_t boot[16])
{
	char host[65] = { 0 };
	bool here = memcmp(h->boot_id, boot, 16) == 0;
	uint64_t end = slu_max(h->last, h->begin);

	(void)gethostname(host, sizeof(host) - 1); /* stays "" */
	if (h->state == SLU_LOG_EXITED || h->state == SLU_LOG_EXECED) {
		p->state = h->state == SLU_LOG_EXITED ? SLU_PROF_EXITED : SLU_PROF_EXECED;
		if (h->finish >= h->begin)
			end = h->finish;
	} else if (here) {
		p->state = lives(h->pid, h->start_ticks) ? SLU_PROF_RUNNING : SLU_PROF_KILLED;
		if (p->state == SLU_PROF_RUNNING)
			end = slu_max(end, slu_now_ns());
	} else {
		p->state = strcmp(host, h->host) == 0 ? SLU_PROF_KILLED : SLU_PROF_UNKNOWN;
	}
	p->end = slu_max(p->begin, slu_job_time(p, end));
}

/* ---- parents and ranks ------------------------------------------------------------------------------------------- */

struct by_pid {
	uint32_t pid, index;
	uint64_t begin;
};

static int compare_pid(const void *a, const void *b)
{
	const struct by_pid *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* The latest process number @pid of the same boot that began no later than number @child did, and is another. */
static int32_t find_process(const struct slu_build *b, const struct by_pid *sorted, uint32_t pid, size_t child)
{
	size_t lo = 0, hi = b->n_logs;
	int32_t found = -1;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (sorted[mid].pid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < b->n_logs && sorted[lo].pid == pid && sorted[lo].begin <= b->p->processes[child].begin; lo++)
		if (sorted[lo].index != child && same_boot(&b->logs[sorted[lo].index].header, &b->logs[child].header))
			found = (int32_t)sorted[lo].index;
	return found;
}

static int find_parents(struct slu_build *b)
{
	SLU_AUTO(mem) struct by_pid *sorted = calloc(b->n_logs, sizeof(*sorted));

	if (!sorted)
		return slu_fail_memory();
	for (size_t i = 0; i < b->n_logs; i++)
		sorted[i] = (struct by_pid){ b->logs[i].header.pid, (uint32_t)i, b->p->processes[i].begin };
	slu_sort(sorted, b->n_logs, sizeof(*sorted), compare_pid);
	for (size_t i = 0; i < b->n_logs; i++) {
		struct slu_prof_process *p = &b->p->processes[i];

		/* What a process was before an exec() comes before the one that started it. */
		p->parent = p->part ? find_process(b, sorted, p->pid, i) : -1;
		if (p->parent < 0)
			p->parent = find_process(b, sorted, p->ppid, i);
	}
	return 0;
}

static void give_ranks(struct slu_build *b)
{
	bool told = false;

	for (size_t i = 0; i < b->n_logs; i++)
		told |= b->p->processes[i].told_rank >= 0;
	for (size_t i = 0; i < b->n_logs; i++) {
		struct slu_prof_process *p = &b->p->processes[i];
		int32_t at = (int32_t)i;

		/* Bounded: damaged logs may make a circle of parents. */
		for (size_t steps = 0; steps < 64 && at >= 0 && b->p->processes[at].told_rank < 0; steps++)
			at = b->p->processes[at].parent;
		p->rank = !told                                           ? 0
		          : at >= 0 && b->p->processes[at].told_rank >= 0 ? b->p->processes[at].told_rank
		                                                          : SLU_NO_RANK;
	}
}

/* ---- all ----------------------------------------------------------------------------------------------------------
 */

static int compare_logs(const void *a, const void *b)
{
	const struct slu_found_log *x = a, *y = b;
	uint64_t s = x->header.begin + (uint64_t)x->header.realtime_offset;
	uint64_t t = y->header.begin + (uint64_t)y->header.realtime_offset;

	if (s != t)
		return s < t ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int describe(struct slu_build *b, struct slu_prof_process *p, const struct slu_found_log *log)
{
	const struct slu_log_header *h = &log->header;

	SLU_STORE(b, p->log, log->name);
	SLU_STORE(b, p->host, h->host);
	SLU_STORE(b, p->exe, h->exe);
	SLU_STORE(b, p->command, h->command);
	SLU_STORE(b, p->cwd, h->directory);
	SLU_STORE(b, p->rank_from, h->rank_from);
	p->pid = h->pid;
	p->ppid = h->ppid;
	p->part = h->part;
	p->told_rank = h->rank < 0 ? -1 : h->rank;
	p->world = h->world < 0 ? -1 : h->world;
	p->local_rank = h->local_rank < 0 ? -1 : h->local_rank;
	p->flags = h->flags;
	p->missed = h->missed;
	return 0;
}

int slu_build_processes(struct slu_build *b)
{
	uint8_t boot[16];
	int r;

	slu_sort(b->logs, b->n_logs, sizeof(*b->logs), compare_logs);
	b->p->processes = calloc(b->n_logs, sizeof(*b->p->processes));
	if (!b->p->processes)
		return slu_fail_memory();
	b->p->n_processes = b->n_logs;
	for (size_t i = 0; i < b->n_logs; i++)
		if ((r = describe(b, &b->p->processes[i], &b->logs[i])) < 0)
			return r;
	r = lay_out(b);
	if (r < 0)
		return r;
	this_boot(boot);
	for (size_t i = 0; i < b->n_logs; i++)
		how_it_ended(&b->p->processes[i], &b->logs[i].header, boot);
	r = find_parents(b);
	if (r == 0)
		give_ranks(b);
	return r;
}
