/* SPDX-License-Identifier: MIT */
/*
 * From position to sample, mode by mode. See order.h.
 *
 * block and grouped are one: blocks are shuffled as wholes, then what lies in a window of M blocks, with M = 1 for
 * groups. The last block may be short. Wherever it comes to lie, the places behind it move up; so positions are
 * turned into slots, which they would be if it were whole, and back. Windows are of whole blocks: reading one
 * touches no more blocks than M.
 */
#include "order/order.h"

#include <errno.h>
#include <inttypes.h>

#include "base/macros.h"
#include "order/mix.h"

/* What a key is for. Part of what is frozen. */
enum purpose { FOR_GLOBAL = 1, FOR_BLOCKS, FOR_WINDOWS, FOR_PARTS, FOR_DRAWS, FOR_GROUPS, FOR_IN_GROUPS };

static uint64_t absorb(uint64_t h, uint64_t v)
{
	return slu_mix64((h ^ v) + SLU_GOLDEN);
}

static uint64_t derive(const struct slu_order *o, enum purpose purpose)
{
	uint64_t h = absorb(SLU_ORDER_VERSION, o->opt.seed);

	return absorb(absorb(h, o->opt.epoch), purpose);
}

/* ---- blocks and groups ---- */

static void blocks_init(struct slu_order *o, uint64_t size, uint64_t per_window)
{
	uint64_t n = o->opt.n;

	o->block = slu_max(slu_min(size, n), 1);
	o->blocks = n / o->block + (n % o->block != 0);
	o->window = o->block * slu_max(slu_min(per_window, o->blocks), 1);
	o->missing = o->blocks * o->block - n;
}

static void blocks_shuffle(struct slu_order *o, enum purpose blocks, enum purpose windows)
{
	slu_bijection_init(&o->outer, o->blocks, derive(o, blocks));
	o->short_at = o->blocks ? slu_bijection_inverse(&o->outer, o->blocks - 1) : 0;
	o->key = derive(o, windows);
}

static uint64_t slot_of(const struct slu_order *o, uint64_t position)
{
	return position < (o->short_at + 1) * o->block - o->missing ? position : position + o->missing;
}

/* The position of a slot that begins a block, or ends the last. */
static uint64_t position_of(const struct slu_order *o, uint64_t slot)
{
	return slot <= o->short_at * o->block ? slot : slot - o->missing;
}

static uint64_t block_at(const struct slu_order *o, uint64_t position)
{
	uint64_t w = slot_of(o, position) / o->window;
	uint64_t first = position_of(o, w * o->window);
	uint64_t end = position_of(o, slu_min((w + 1) * o->window, o->blocks * o->block));
	uint64_t slot = slot_of(o, first + slu_shuffle(end - first, slu_mix_nth(o->key, w), position - first));

	return slu_bijection_at(&o->outer, slot / o->block) * o->block + slot % o->block;
}

/* ---- the others ---- */

static uint64_t local_at(const struct slu_order *o, uint64_t position)
{
	uint32_t rank = (uint32_t)(position % o->opt.world);
	uint64_t j = position / o->opt.world, first, count;

	slu_order_part(o->opt.n, rank, o->opt.world, &first, &count);
	if (count == 0)
		return slu_order_at(o, position % o->opt.n); /* one of the first n ranks', which have a sample each */
	return first + slu_shuffle(count, slu_mix_nth(o->key, rank), j < count ? j : j % count);
}

static int check(const struct slu_order_options *opt)
{
	if (opt->n > SLU_ORDER_MAX)
		return slu_fail(-EINVAL, "an order of %" PRIu64 " samples; at most 2^62 are possible", opt->n);
	if (opt->spec.mode == SLU_ORDER_GROUPED && !opt->spec.size && !opt->group)
		return slu_fail(-EINVAL, "the order grouped:%s needs a group size, as in grouped:%s:1024",
		                opt->spec.field, opt->spec.field);
	return slu_order_spec_check(&opt->spec);
}

int slu_order_init(struct slu_order *o, const struct slu_order_options *opt)
{
	const struct slu_order_spec *spec = &opt->spec;
	int r = check(opt);

	if (r < 0)
		return r;
	o->opt = *opt;
	o->opt.world = opt->world ? opt->world : 1;
	if (spec->mode == SLU_ORDER_BLOCK)
		blocks_init(o, spec->size, spec->window ? spec->window : SLU_ORDER_WINDOW_BLOCKS);
	else if (spec->mode == SLU_ORDER_GROUPED)
		blocks_init(o, spec->size ? spec->size : opt->group, 1);
	slu_order_epoch(o, opt->epoch);
	return 0;
}

void slu_order_epoch(struct slu_order *o, uint64_t epoch)
{
	o->opt.epoch = epoch;
	switch (o->opt.spec.mode) {
	case SLU_ORDER_SEQUENTIAL:
		break;
	case SLU_ORDER_GLOBAL:
	case SLU_ORDER_OPPORTUNISTIC:
		slu_bijection_init(&o->outer, o->opt.n, o->key = derive(o, FOR_GLOBAL));
		break;
	case SLU_ORDER_BLOCK:
		blocks_shuffle(o, FOR_BLOCKS, FOR_WINDOWS);
		break;
	case SLU_ORDER_GROUPED:
		blocks_shuffle(o, FOR_GROUPS, FOR_IN_GROUPS);
		break;
	case SLU_ORDER_LOCAL:
		o->key = derive(o, FOR_PARTS);
		break;
	case SLU_ORDER_REPLACEMENT:
		o->key = derive(o, FOR_DRAWS);
		break;
	}
}

uint64_t slu_order_at(const struct slu_order *o, uint64_t position)
{
	uint64_t n = o->opt.n;

	if (n == 0)
		return 0;
	if (o->opt.spec.mode == SLU_ORDER_LOCAL)
		return local_at(o, position);
	if (SLU_UNLIKELY(position >= n))
		position %= n;
	switch (o->opt.spec.mode) {
	case SLU_ORDER_GLOBAL:
	case SLU_ORDER_OPPORTUNISTIC:
		return slu_bijection_at(&o->outer, position);
	case SLU_ORDER_BLOCK:
		return block_at(o, position);
	case SLU_ORDER_GROUPED:
		position = block_at(o, position);
		return o->opt.sorted_at ? o->opt.sorted_at(o->opt.sorted_arg, position) : position;
	case SLU_ORDER_REPLACEMENT:
		return slu_scale(slu_mix_nth(o->key, position), n);
	default:
		return position;
	}
}
