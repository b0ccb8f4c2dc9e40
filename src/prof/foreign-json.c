/* SPDX-License-Identifier: MIT */
/* Events of other tools' traces, parsed and written by cJSON, one at a time. See foreign.h. */
#include "prof/foreign.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "prof/scan-json.h"

struct events {
	const char *path;
	struct slu_foreign_head *head;
	slu_foreign_fn *fn;
	void *arg;
};

static const char *text_of(const cJSON *item, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(item, key);

	return cJSON_IsString(v) ? v->valuestring : "";
}

/* A number or a name. */
static void id_of(const cJSON *item, const char *key, char ret_id[64])
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(item, key);

	ret_id[0] = 0;
	if (cJSON_IsString(v))
		(void)snprintf(ret_id, 64, "%s", v->valuestring); /* cut off at worst */
	else if (cJSON_IsNumber(v))
		(void)snprintf(ret_id, 64, "%.0f", v->valuedouble);
}

static int take_event(struct events *e, cJSON *item)
{
	const cJSON *ts = cJSON_GetObjectItemCaseSensitive(item, "ts");
	const cJSON *dur = cJSON_GetObjectItemCaseSensitive(item, "dur");
	struct slu_foreign_event event = { .ph = text_of(item, "ph"),
		                           .name = text_of(item, "name"),
		                           .cat = text_of(item, "cat"),
		                           .timed = cJSON_IsNumber(ts) && isfinite(ts->valuedouble),
		                           .item = item };

	if (!cJSON_IsObject(item))
		return 0;
	if (event.timed)
		event.us = ts->valuedouble;
	if (cJSON_IsNumber(dur) && dur->valuedouble > 0 && isfinite(dur->valuedouble))
		event.dur_us = dur->valuedouble;
	id_of(item, "pid", event.pid);
	id_of(item, "tid", event.tid);
	return e->fn(e->arg, &event);
}

static int take_value(void *arg, const char *of, const char *value, size_t len)
{
	struct events *e = arg;
	cJSON *item;
	int r = 0;

	if (*of && strcmp(of, "traceEvents") != 0) {
		if (strcmp(of, "baseTimeNanoseconds") == 0)
			e->head->base_ns = strtod(value, NULL);
		return 0;
	}
	item = cJSON_ParseWithLength(value, len);
	if (!item)
		return slu_fail(-EBADMSG, "%s is not a trace in Chrome's JSON: an event cannot be parsed: %.60s",
		                e->path, value);
	r = take_event(e, item);
	cJSON_Delete(item);
	return r;
}

int slu_foreign_scan(const char *path, struct slu_foreign_head *ret_head, slu_foreign_fn *fn, void *arg)
{
	struct events e = { .path = path, .head = ret_head, .fn = fn, .arg = arg };
	FILE *f = fopen(path, "re");
	int r;

	*ret_head = (struct slu_foreign_head){ 0 };
	if (!f)
		return slu_fail_sys(-errno, "cannot open %s", path);
	r = slu_scan_json(f, path, "traceEvents", take_value, &e);
	(void)fclose(f); /* it was only read */
	return r;
}

/* Replaces a number; it need not have been one. */
static bool set(cJSON *item, const char *key, double v)
{
	cJSON *old = cJSON_GetObjectItemCaseSensitive(item, key);

	if (cJSON_IsNumber(old)) {
		(void)cJSON_SetNumberValue(old, v); /* gives the value back */
		return true;
	}
	return old ? cJSON_ReplaceItemInObjectCaseSensitive(item, key, cJSON_CreateNumber(v))
	           : cJSON_AddNumberToObject(item, key, v) != NULL;
}

/* The name of a process gets the file's before it; without memory it stays as it is. */
static void put_before(cJSON *item, const char *prefix)
{
	cJSON *args = cJSON_GetObjectItemCaseSensitive(item, "args");
	char name[512];

	(void)snprintf(name, sizeof(name), "%s: %s", prefix, text_of(args, "name")); /* cut off at worst */
	if (args)
		(void)cJSON_ReplaceItemInObjectCaseSensitive(args, "name", cJSON_CreateString(name));
}

char *slu_foreign_print(struct slu_foreign_event *e, double us, uint32_t pid, uint32_t tid, const char *prefix)
{
	cJSON *item = e->item;

	if (!set(item, "pid", pid) || !set(item, "tid", tid) || (e->timed && !set(item, "ts", us)))
		return NULL;
	if (strcmp(e->name, "process_name") == 0)
		put_before(item, prefix);
	return cJSON_PrintUnformatted(item);
}
