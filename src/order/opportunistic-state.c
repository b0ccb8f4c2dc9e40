/* SPDX-License-Identifier: MIT */
/*
 * A picker's state as bytes: little-endian, a head of 80 bytes and the bitmap of the window from the base on, in
 * as many bytes as it needs.
 *
 *    0  "SLUO"                  32  samples of the share
 *    4  version, 1              40  world, rank (4 bytes each)
 *    8  samples of the order    48  look-ahead
 *   16  key of the base order   56  base
 *   24  start of the share      64  cursor - base
 *                               72  hash of all other bytes
 *
 * Everything up to the look-ahead must be what the picker was begun with. What follows is believed once it
 * is a state that picking could have led to: any bitmap in which the base is not taken is.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/le.h"
#include "base/macros.h"
#include "order/opportunistic.h"

enum {
	AT_MAGIC = 0,
	AT_VERSION = 4,
	AT_N = 8,
	AT_KEY = 16,
	AT_START = 24,
	AT_SAMPLES = 32,
	AT_WORLD = 40,
	AT_RANK = 44,
	AT_LOOKAHEAD = 48,
	AT_BASE = 56,
	AT_CURSOR = 64,
	AT_HASH = 72,
	HEAD = 80,
	RING = SLU_ORDER_LOOKAHEAD,
};

static_assert(HEAD + RING / 8 == SLU_ORDER_STATE_MAX, "the state has its room");

static const char magic[4] = { 'S', 'L', 'U', 'O' };

static uint64_t hash_of(const uint8_t *bytes, size_t len)
{
	return slu_hash64_seed(bytes + HEAD, len - HEAD, slu_hash64(bytes, AT_HASH));
}

static uint64_t window_len(const struct slu_order_picker *p, uint64_t base)
{
	return slu_min(p->lookahead, p->share.samples - base);
}

size_t slu_order_picker_save(const struct slu_order_picker *p, uint8_t *buf)
{
	uint64_t bits = window_len(p, p->base);
	size_t len = HEAD + (size_t)(bits + 7) / 8;

	memset(buf, 0, len);
	memcpy(buf + AT_MAGIC, magic, sizeof(magic));
	slu_put32(buf + AT_VERSION, SLU_ORDER_VERSION);
	slu_put64(buf + AT_N, p->share.n);
	slu_put64(buf + AT_KEY, p->order->key);
	slu_put64(buf + AT_START, p->share.start);
	slu_put64(buf + AT_SAMPLES, p->share.samples);
	slu_put32(buf + AT_WORLD, p->share.world);
	slu_put32(buf + AT_RANK, p->share.rank);
	slu_put64(buf + AT_LOOKAHEAD, p->lookahead);
	slu_put64(buf + AT_BASE, p->base);
	slu_put64(buf + AT_CURSOR, p->cursor - p->base);
	for (uint64_t i = 0; i < bits; i++) {
		uint64_t j = (p->base + i) % RING;
		buf[HEAD + i / 8] |= (uint8_t)((p->taken[j / 64] >> (j % 64) & 1) << (i % 8));
	}
	slu_put64(buf + AT_HASH, hash_of(buf, len));
	return len;
}

/* Whether the state was saved with an order and share such as @p's. */
static int check_same(const struct slu_order_picker *p, const uint8_t *bytes)
{
	uint32_t world = slu_get32(bytes + AT_WORLD), rank = slu_get32(bytes + AT_RANK);

	if (world != p->share.world)
		return slu_fail(-EINVAL,
		                "the opportunistic order was stopped on %" PRIu32 " ranks and cannot go on on %" PRIu32
		                ": what each had taken is not a position",
		                world, p->share.world);
	if (rank != p->share.rank)
		return slu_fail(-EINVAL, "the state is that of rank %" PRIu32 ", not %" PRIu32, rank, p->share.rank);
	if (slu_get64(bytes + AT_N) != p->share.n || slu_get64(bytes + AT_KEY) != p->order->key)
		return slu_fail(-EINVAL, "the state is that of another order: samples, seed or epoch differ");
	if (slu_get64(bytes + AT_START) != p->share.start || slu_get64(bytes + AT_SAMPLES) != p->share.samples ||
	    slu_get64(bytes + AT_LOOKAHEAD) != p->lookahead)
		return slu_fail(-EINVAL, "the state is that of another share: start, end or look-ahead differ");
	return 0;
}

/* Whether base, cursor and bitmap are a state that can be. */
static int check_state(const struct slu_order_picker *p, const uint8_t *bytes, size_t len)
{
	uint64_t base = slu_get64(bytes + AT_BASE), bits;

	if (base > p->share.samples)
		return slu_fail(-EBADMSG, "the state of the order begins past the end");
	bits = window_len(p, base);
	if (len - HEAD != (bits + 7) / 8)
		return slu_fail(-EBADMSG, "the state of the order has %zu bytes, not %" PRIu64, len,
		                HEAD + (bits + 7) / 8);
	if (slu_get64(bytes + AT_CURSOR) > bits)
		return slu_fail(-EBADMSG, "the state of the order looks past its window");
	if (bits && (bytes[HEAD] & 1))
		return slu_fail(-EBADMSG, "the state of the order begins with a sample that is taken");
	if (bits % 8 && bytes[len - 1] >> (bits % 8))
		return slu_fail(-EBADMSG, "the state of the order has taken samples past its window");
	return 0;
}

int slu_order_picker_restore(struct slu_order_picker *p, const uint8_t *bytes, size_t len)
{
	int r;

	if (len < HEAD || memcmp(bytes + AT_MAGIC, magic, sizeof(magic)) != 0)
		return slu_fail(-EBADMSG, "these %zu bytes are not the state of an order", len);
	if (slu_get32(bytes + AT_VERSION) != SLU_ORDER_VERSION)
		return slu_fail(-EPROTONOSUPPORT, "the state is that of orders of version %" PRIu32 ", not %d",
		                slu_get32(bytes + AT_VERSION), SLU_ORDER_VERSION);
	if (slu_get64(bytes + AT_HASH) != hash_of(bytes, len))
		return slu_fail(-EBADMSG, "the state of the order is damaged");
	if ((r = check_same(p, bytes)) < 0 || (r = check_state(p, bytes, len)) < 0)
		return r;
	p->base = slu_get64(bytes + AT_BASE);
	p->cursor = p->base + slu_get64(bytes + AT_CURSOR);
	memset(p->taken, 0, sizeof(p->taken));
	for (uint64_t i = 0; i < (len - HEAD) * 8; i++) {
		uint64_t j = (p->base + i) % RING;
		p->taken[j / 64] |= (uint64_t)(bytes[HEAD + i / 8] >> (i % 8) & 1) << (j % 64);
	}
	return 0;
}
