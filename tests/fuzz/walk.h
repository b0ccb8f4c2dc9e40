/* SPDX-License-Identifier: MIT */
/* Asks a pack everything that can be asked, within bounds; nothing may crash. */
#ifndef WALK_H
#define WALK_H

#include <sluice/pack.h>

#include "fix.h"
#include "pack/pack.h"

enum { MAX_NODES = 200, MAX_READ = 1 << 20 };

/* Answers must be consistent in themselves; a pack that is only damaged is an error there. */
static inline void must(bool ok)
{
	if (!ok)
		abort();
}

static inline void walk_sample(struct slu_pack *p, uint64_t i)
{
	static uint8_t buf[MAX_READ];
	struct slu_sample s;
	const void *view;
	size_t len;

	if (slu_pack_sample(p, i, &s) < 0)
		return;
	ssize_t n = slu_pack_read(p, i, buf, sizeof(buf));
	must(n < 0 || (uint64_t)n == s.size);
	n = slu_pack_pread(p, i, buf, 100, 7);
	must(n <= 100);
	if (slu_pack_view(p, i, &view, &len) == 0)
		must(len == s.size);
}

/* A directory's entries in one go: as they are one by one. */
static inline void walk_list(struct slu_pack *p, uint64_t dir)
{
	static struct slu_list list;
	char name[SLU_NAME_MAX];
	uint64_t position = 0, node;

	do {
		if (slu_pack_list(p, dir, position, &list) < 0)
			return;
		must(list.n <= SLU_LIST_ENTRIES);
		for (unsigned i = 0; i < list.n; i++, position++) {
			const struct slu_list_entry *e = &list.entries[i];
			must(slu_pack_entry(p, dir, position, &node) == 0 && node == e->node);
			must(slu_node_kind(p, node) == (int)e->kind);
			must(slu_pack_name(p, node, name) == (ssize_t)e->len && strcmp(name, e->name) == 0);
		}
	} while (list.n && position < MAX_NODES);
}

static inline void walk_node(struct slu_pack *p, uint64_t node)
{
	char path[SLU_PATH_MAX], name[SLU_NAME_MAX];
	uint64_t parent, found, i, count;
	struct slu_stat st;
	int kind = slu_node_kind(p, node);

	(void)!slu_pack_stat(p, node, &st);
	ssize_t n = slu_pack_name(p, node, name);
	must(n < SLU_NAME_MAX && (n < 0 || strlen(name) == (size_t)n));
	if (n > 0 && slu_pack_parent(p, node, &parent) == 0)
		(void)!slu_pack_child(p, parent, name, (size_t)n, &found);
	n = slu_pack_path(p, node, path);
	must(n < SLU_PATH_MAX && (n < 0 || strlen(path) == (size_t)n));
	if (n >= 0)
		(void)!slu_pack_lookup(p, path, &found);
	if (kind == SLU_LINK)
		must(slu_pack_readlink(p, node, path) < SLU_PATH_MAX);
	if (kind == SLU_SAMPLE && slu_node_sample(p, node, &i) == 0)
		walk_sample(p, i);
	if (kind == SLU_DIR)
		walk_list(p, node);
	if (kind == SLU_DIR && slu_pack_entries(p, node, &count) == 0)
		for (uint64_t k = 0; k < count && k < MAX_NODES; k++)
			if (slu_pack_entry(p, node, k, &found) == 0)
				must(slu_node_kind(p, found) > 0);
}

static inline void walk_batch(struct slu_pack *p)
{
	static uint8_t buf[MAX_READ];
	uint64_t samples[64], count = slu_pack_count(p);
	uint64_t offsets[65];

	for (size_t k = 0; k < 64; k++)
		samples[k] = count ? k * 7 % count : k;
	samples[50] = UINT64_MAX;
	for (size_t first = 0; first < 64; first += 21) {
		ssize_t n = slu_pack_read_batch(p, samples + first, 64 - first, buf, sizeof(buf), offsets);
		must(n <= (ssize_t)(64 - first) && (n <= 0 || offsets[n] <= sizeof(buf)));
	}
}

static inline void walk_columns(struct slu_pack *p)
{
	const char *text;
	struct slu_schema schema;
	struct slu_column c;
	int64_t value;
	size_t len;

	for (int k = 0, n = slu_pack_columns(p); k < n && k < MAX_NODES; k++) {
		if (slu_pack_column_at(p, k, &c) < 0)
			continue;
		must(memchr(c.name, 0, sizeof(c.name)) != NULL);
		for (uint64_t i = 0; i < slu_pack_count(p) && i < MAX_NODES; i++)
			(void)!slu_pack_value(p, &c, i, &value);
	}
	for (int64_t label = -2; label < 50; label++)
		if (slu_pack_label_name(p, label, &text) == 0)
			must(strlen(text) < INPUT_LIMIT);
	if (slu_pack_schema(p, &schema) == 0)
		must(schema.ndim <= SLU_MAX_DIMS && memchr(schema.dtype, 0, sizeof(schema.dtype)));
	if (slu_pack_notes(p, &text, &len) == 0)
		must(len < INPUT_LIMIT);
}

static inline void walk(struct slu_pack *p)
{
	static const char *const paths[] = { "",        ".",         "c0", "c0/item-0000.json",   "c1/none",
		                             "nothing", "c1/link/x", "/",  "c0//./item-0000.json" };
	struct slu_pack_info info;
	uint64_t node;

	must(slu_pack_info(p, &info) <= 0);
	for (node = 0; node < MAX_NODES; node++)
		walk_node(p, node);
	walk_node(p, UINT64_MAX);
	walk_sample(p, UINT64_MAX);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		(void)!slu_pack_lookup(p, paths[i], &node);
	walk_columns(p);
	walk_batch(p);
}

#endif
