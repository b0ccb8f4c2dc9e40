/* SPDX-License-Identifier: MIT */
/*
 * A loader's state as bytes, the same on every machine:
 *
 *   8  "SLULOAD1"         8  samples            8  seed          8  epoch        8  position
 *   16 the pack's identity                      4  SLU_ORDER_VERSION             4  world
 *   4  rank               8  where the share of the opportunistic order began
 *   4  length of the order's text, then that text
 *   4  length of the opportunistic order's own state, then that
 *   8  XXH3 of all before
 *
 * Nothing in it is believed before it is checked.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/le.h"
#include "load/loader.h"

#define MAGIC "SLULOAD1"

enum {
	AT_SAMPLES = 8,
	AT_SEED = 16,
	AT_EPOCH = 24,
	AT_POSITION = 32,
	AT_IDENTITY = 40,
	AT_VERSION = 56,
	AT_WORLD = 60,
	AT_RANK = 64,
	AT_START = 68,
	AT_TEXT_LEN = 76,
	AT_TEXT = 80,
};

ssize_t slu_loader_save(const struct slu_loader *l, void *buf, size_t cap)
{
	char text[SLU_ORDER_TEXT_MAX];
	size_t tn = strlen(slu_order_format(&l->spec, text)), sn = l->picker ? l->picker_state_len : 0;
	size_t len = AT_TEXT + tn + 4 + sn + 8;
	uint8_t *b = buf;

	if (cap == 0)
		return (ssize_t)len;
	if (cap < len)
		return slu_fail(-ERANGE, "a loader's state has %zu bytes, more than there is room for", len);
	memcpy(b, MAGIC, 8);
	slu_put64(b + AT_SAMPLES, slu_pack_count(l->pack));
	slu_put64(b + AT_SEED, l->opt.seed);
	slu_put64(b + AT_EPOCH, l->epoch);
	slu_put64(b + AT_POSITION, l->position);
	memcpy(b + AT_IDENTITY, l->pack->identity, 16);
	slu_put32(b + AT_VERSION, SLU_ORDER_VERSION);
	slu_put32(b + AT_WORLD, l->opt.world);
	slu_put32(b + AT_RANK, l->opt.rank);
	slu_put64(b + AT_START, l->picker ? l->share.start : 0);
	slu_put32(b + AT_TEXT_LEN, (uint32_t)tn);
	memcpy(b + AT_TEXT, text, tn);
	slu_put32(b + AT_TEXT + tn, (uint32_t)sn);
	if (sn)
		memcpy(b + AT_TEXT + tn + 4, l->picker_state, sn);
	slu_put64(b + len - 8, slu_hash64(b, len - 8));
	return (ssize_t)len;
}

static int not_a_state(void)
{
	return slu_fail(-EBADMSG, "this is not a loader's state, or it is damaged");
}

static int check_same(const struct slu_loader *l, const uint8_t *b, size_t tn)
{
	char text[SLU_ORDER_TEXT_MAX];

	slu_order_format(&l->spec, text);
	if (slu_get32(b + AT_VERSION) != SLU_ORDER_VERSION)
		return slu_fail(-EPROTONOSUPPORT,
		                "the state is of version %u of the orders, this library has %d: begin the epoch anew",
		                slu_get32(b + AT_VERSION), SLU_ORDER_VERSION);
	if (slu_get64(b + AT_SAMPLES) != slu_pack_count(l->pack) || memcmp(b + AT_IDENTITY, l->pack->identity, 16) != 0)
		return slu_fail(-EINVAL, "the state is of another pack than %s", l->pack->path);
	if (strlen(text) != tn || memcmp(text, b + AT_TEXT, tn) != 0)
		return slu_fail(-EINVAL, "the state is of a loader with order \"%.*s\", not \"%s\"", (int)tn,
		                (const char *)b + AT_TEXT, text);
	if (slu_get64(b + AT_SEED) != l->opt.seed)
		return slu_fail(-EINVAL, "the state is of a loader with seed %llu, not %llu",
		                (unsigned long long)slu_get64(b + AT_SEED), (unsigned long long)l->opt.seed);
	if (l->spec.mode == SLU_ORDER_LOCAL && slu_get64(b + AT_POSITION) && slu_get32(b + AT_WORLD) != l->opt.world)
		return slu_fail(-EINVAL, "the order \"local\" goes on with the same number of ranks only: %u, not %u",
		                slu_get32(b + AT_WORLD), l->opt.world);
	return 0;
}

int slu_loader_restore(struct slu_loader *l, const void *buf, size_t n)
{
	const uint8_t *b = buf, *state = NULL;
	size_t tn, sn;
	int r;

	if (n < AT_TEXT + 12 || memcmp(b, MAGIC, 8) != 0 || slu_get64(b + n - 8) != slu_hash64(b, n - 8))
		return not_a_state();
	tn = slu_get32(b + AT_TEXT_LEN);
	if (tn >= SLU_ORDER_TEXT_MAX || tn + AT_TEXT + 12 > n)
		return not_a_state();
	sn = slu_get32(b + AT_TEXT + tn);
	if (sn != n - (AT_TEXT + tn + 12))
		return not_a_state();
	if ((r = check_same(l, b, tn)) < 0)
		return r;
	if (l->picker) {
		if (!sn)
			return not_a_state();
		state = b + AT_TEXT + tn + 4;
	}
	return slu_loader_begin(l, slu_get64(b + AT_EPOCH), slu_get64(b + AT_POSITION),
	                        slu_get64(b + (state ? AT_START : AT_POSITION)), state, sn);
}
