/* SPDX-License-Identifier: MIT */
/*
 * Another tool's events among ours, for timeline viewers: at their times on the job's clock, under process numbers of
 * their own, since theirs may be names, or those of ours with another meaning. The longest, if there are too many; then
 * also without what has no length (flows, counters).
 */
#include "prof/foreign.h"

#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "prof/out-chrome.h"
#include "prof/thin.h"

/* Beyond all of Linux, and of hosts' (out-chrome.c). */
#define FIRST_PID (1u << 30)

struct ids {
	struct slu_names names;
	char **list;
	size_t n;
};

struct writer {
	struct slu_json *j;
	const struct slu_prof_merged *m;
	const char *base;
	struct slu_thin lengths;
	struct ids pids, tids;
	unsigned number;
};

static const char *id_name(const void *arg, uint32_t index, size_t *ret_len)
{
	const struct ids *ids = arg;

	*ret_len = strlen(ids->list[index]);
	return ids->list[index];
}

static int id_of(struct ids *ids, const char *name, uint32_t *ret_id, bool *ret_new)
{
	int r = slu_names_find(&ids->names, name, strlen(name), (uint32_t)ids->n, id_name, ids, ret_id, ret_new);

	if (r == 0 && *ret_new)
		r = slu_room(&ids->list, ids->n, sizeof(*ids->list));
	if (r < 0 || !*ret_new)
		return r;
	ids->list[ids->n] = strdup(name);
	if (!ids->list[ids->n])
		return slu_fail_memory();
	ids->n++;
	return 0;
}

static void ids_done(struct ids *ids)
{
	for (size_t i = 0; i < ids->n; i++)
		free(ids->list[i]);
	free(ids->list);
	slu_names_done(&ids->names);
}

/* A name for what the file calls by a name or a number, until it says more. */
static void put_name(struct writer *w, const char *what, uint32_t pid, uint32_t tid, const char *name)
{
	char text[512];

	slu_json_object(w->j, NULL);
	slu_json_str(w->j, "ph", "M");
	slu_json_u64(w->j, "pid", pid);
	slu_json_u64(w->j, "tid", tid);
	slu_json_str(w->j, "name", what);
	slu_json_object(w->j, "args");
	(void)snprintf(text, sizeof(text), "%s%s%s", strcmp(what, "process_name") == 0 ? w->base : "",
	               strcmp(what, "process_name") == 0 ? ": " : "", name); /* cut off at worst */
	slu_chrome_text(w->j, "name", text);
	slu_json_end(w->j);
	slu_json_end(w->j);
}

static int ids_for(struct writer *w, const struct slu_foreign_event *e, uint32_t *ret_pid, uint32_t *ret_tid)
{
	char both[sizeof(e->pid) + sizeof(e->tid)];
	bool is_new;
	int r = id_of(&w->pids, e->pid, ret_pid, &is_new);

	if (r < 0)
		return r;
	*ret_pid += FIRST_PID + (w->number << 16);
	if (is_new)
		put_name(w, "process_name", *ret_pid, 0, *e->pid ? e->pid : "events");
	(void)snprintf(both, sizeof(both), "%s %s", e->pid, e->tid);
	r = id_of(&w->tids, both, ret_tid, &is_new);
	if (r == 0 && is_new && *e->tid)
		put_name(w, "thread_name", *ret_pid, *ret_tid, e->tid);
	return r;
}

static int write_event(void *arg, struct slu_foreign_event *e)
{
	struct writer *w = arg;
	double us = (e->us * 1e3 + w->m->base_ns + w->m->shift_ns) / 1e3;
	bool complete = strcmp(e->ph, "X") == 0, all = w->lengths.shown == w->lengths.total;
	uint32_t pid, tid;
	char *text;
	int r;

	if (ferror(w->j->out) || (e->timed && us + e->dur_us < 0))
		return 0;
	if (complete ? !slu_thin_shows(&w->lengths, (uint64_t)(e->dur_us * 1e3)) : !all && strcmp(e->ph, "M") != 0)
		return 0;
	r = ids_for(w, e, &pid, &tid);
	if (r < 0)
		return r;
	text = slu_foreign_print(e, us, pid, tid, w->base);
	if (!text)
		return slu_fail_memory();
	slu_json_raw(w->j, NULL, text);
	free(text);
	return 0;
}

int slu_foreign_write(struct slu_json *j, const struct slu_prof_merged *m, unsigned number)
{
	const char *slash = strrchr(m->path, '/');
	struct slu_foreign_head head;
	SLU_AUTO(mem) struct writer *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return slu_fail_memory();
	*w = (struct writer){
		.j = j, .m = m, .base = slash ? slash + 1 : m->path, .number = number, .lengths = *m->lengths
	};
	r = slu_foreign_scan(m->path, &head, write_event, w);
	ids_done(&w->pids);
	ids_done(&w->tids);
	return r;
}
