/* SPDX-License-Identifier: MIT */
/*
 * The entries of a directory in the order of their names.
 *
 * A pack has them as three runs, subdirectories, samples and links, each sorted; they
 * are merged here as they go by, so that a directory of ten million entries costs no
 * memory.
 */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

#include "base/macros.h"

/* The first position at or after @from whose entry is of kind @kind or a later one.
 * Kinds only rise along the positions, so that halving finds it. */
static int find_kind(struct slu_dir_iter *it, uint64_t from, uint64_t count, int kind, uint64_t *ret_position)
{
	uint64_t to = count;

	while (from < to) {
		uint64_t middle = from + (to - from) / 2, node;
		int r = slu_pack_entry(it->pack, it->dir, middle, &node);

		if (r >= 0)
			r = slu_node_kind(it->pack, node);
		if (r < 0)
			return r;
		if (r < kind)
			from = middle + 1;
		else
			to = middle;
	}
	*ret_position = from;
	return 0;
}

/* Loads the entry at the head of the run; len < 0 marks one that is used up. */
static int advance(struct slu_dir_iter *it, struct slu_run *run)
{
	int r;

	run->len = -1;
	if (run->next == run->end)
		return 0;
	r = slu_pack_entry(it->pack, it->dir, run->next, &run->node);
	if (r < 0)
		return r;
	run->len = slu_pack_name(it->pack, run->node, run->name);
	if (run->len < 0)
		return (int)run->len;
	run->next++;
	return 0;
}

int slu_dir_iter_init(struct slu_dir_iter *it, struct slu_pack *p, uint64_t dir)
{
	uint64_t count, samples, links;
	int r;

	*it = (struct slu_dir_iter){ .pack = p, .dir = dir };
	r = slu_pack_entries(p, dir, &count);
	if (r < 0)
		return r;
	r = find_kind(it, 0, count, SLU_SAMPLE, &samples);
	if (r < 0)
		return r;
	r = find_kind(it, samples, count, SLU_LINK, &links);
	if (r < 0)
		return r;
	it->run[0].end = it->run[1].next = samples;
	it->run[1].end = it->run[2].next = links;
	it->run[2].end = count;
	for (size_t i = 0; i < SLU_ARRAY_SIZE(it->run); i++) {
		r = advance(it, &it->run[i]);
		if (r < 0)
			return r;
	}
	it->taken = NULL;
	return 0;
}

static bool comes_before(const struct slu_run *a, const struct slu_run *b)
{
	int order = memcmp(a->name, b->name, (size_t)(a->len < b->len ? a->len : b->len));

	return order ? order < 0 : a->len < b->len;
}

int slu_dir_iter_next(struct slu_dir_iter *it, uint64_t *ret_node, const char **ret_name)
{
	struct slu_run *least = NULL;
	int r = it->taken ? advance(it, it->taken) : 0;

	if (r < 0)
		return r;
	for (size_t i = 0; i < SLU_ARRAY_SIZE(it->run); i++) {
		struct slu_run *run = &it->run[i];

		if (run->len >= 0 && (!least || comes_before(run, least)))
			least = run;
	}
	it->taken = least;
	if (!least)
		return 0;
	*ret_node = least->node;
	*ret_name = least->name;
	return 1;
}
