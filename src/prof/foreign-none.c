/* SPDX-License-Identifier: MIT */
/* Without a JSON parser no other tool's trace can be read. */
#include "prof/foreign.h"

#include <errno.h>

int slu_foreign_scan(const char *path, struct slu_foreign_head *ret_head, slu_foreign_fn *fn, void *arg)
{
	(void)ret_head;
	(void)fn;
	(void)arg;
	return slu_fail(-EOPNOTSUPP, "%s cannot be read: this sluice was built without cJSON (libcjson-dev)", path);
}

char *slu_foreign_print(struct slu_foreign_event *e, double us, uint32_t pid, uint32_t tid, const char *prefix)
{
	(void)e;
	(void)us;
	(void)pid;
	(void)tid;
	(void)prefix;
	return NULL;
}
