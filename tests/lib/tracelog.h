/* SPDX-License-Identifier: MIT */
/*
 * Raw logs made by hand, as trace/layout.h says, for tests and benchmarks: chunks are appended to a buffer in memory.
 *
 *	struct tlog l;
 *	tlog_init(&l, 100, 0);                     pid, rank
 *	slu_ref t = tlog_thread(&l, 100);          then tlog_run(), tlog_span() in order of begin
 *	tlog_write(&l, "dir/host-100-0.log");
 */
#ifndef TRACELOG_H
#define TRACELOG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/layout.h"

struct tlog {
	unsigned char *data;
	size_t len, cap;
};

static inline struct slu_log_header *tlog_header(struct tlog *l)
{
	return (struct slu_log_header *)l->data;
}

/* Appends a chunk with room for @bytes of records, of which @used are; gives its place. */
static inline slu_ref tlog_chunk(struct tlog *l, uint32_t kind, slu_ref owner, const void *records, size_t used,
                                 size_t bytes)
{
	size_t at = l->len, all = sizeof(struct slu_log_chunk) + (bytes + 7) / 8 * 8;
	struct slu_log_chunk *c;

	while (l->len + all > l->cap) {
		l->cap = l->cap * 2 + all;
		l->data = (unsigned char *)realloc(l->data, l->cap);
		if (!l->data)
			abort();
	}
	memset(l->data + at, 0, all);
	c = (struct slu_log_chunk *)(l->data + at);
	c->kind = kind;
	c->owner = owner;
	c->bytes = all;
	c->used = used;
	if (records)
		memcpy(c + 1, records, used);
	l->len += all;
	tlog_header(l)->end = l->len;
	return (slu_ref)(at / 8);
}

static inline void tlog_init(struct tlog *l, uint32_t pid, int32_t rank)
{
	struct slu_log_header *h;

	l->cap = 65536;
	l->len = SLU_LOG_HEADER;
	l->data = (unsigned char *)calloc(1, l->cap);
	if (!l->data)
		abort();
	h = tlog_header(l);
	memcpy(h->magic, SLU_LOG_MAGIC, 8);
	h->version = SLU_LOG_VERSION;
	h->order = SLU_LOG_ORDER;
	h->state = SLU_LOG_EXITED;
	h->end = l->len;
	h->pid = pid;
	h->ppid = 1;
	h->rank = rank;
	h->world = h->local_rank = -1;
	h->begin = 1000000000;
	h->last = h->finish = 2000000000;
	h->start_ticks = pid;
	strcpy(h->host, "host");
	strcpy(h->exe, "/bin/program");
	strcpy(h->command, "program");
}

static inline slu_ref tlog_name(struct tlog *l, const char *name)
{
	char buf[512] = { 0 };
	uint16_t len = (uint16_t)strlen(name);

	memcpy(buf, &len, 2);
	memcpy(buf + 2, name, len);
	return tlog_chunk(l, SLU_CHUNK_NAMES, 0, buf, (size_t)(len + 3 + 7) / 8 * 8, (size_t)(len + 3 + 7) / 8 * 8) +
	       (slu_ref)(sizeof(struct slu_log_chunk) / 8);
}

static inline int tlog_write(struct tlog *l, const char *path)
{
	FILE *f = fopen(path, "wb");
	int ok = f && fwrite(l->data, 1, l->len, f) == l->len;

	if (f && fclose(f) != 0)
		ok = 0;
	free(l->data);
	memset(l, 0, sizeof(*l));
	return ok ? 0 : -1;
}

#endif
