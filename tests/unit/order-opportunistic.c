/* SPDX-License-Identifier: MIT */
/* The opportunistic order: each sample of the share exactly once whatever is resident, none far from its turn, and its
 * state saved, restored and, if it is not sound, refused. */
#include "base/hash.h"
#include "base/le.h"
#include "order-fixture.h"

enum { MOST = 200000, HASH_AT = 72, HEAD = 80 };

/* Which samples are resident: of each 16, as many as `of16`, changing with `turn`. */
struct memory {
	uint64_t of16;
	uint64_t turn;
	uint64_t asked;
};

static struct slu_order order;
static struct slu_order_picker picker, second;
static uint32_t turn_of[MOST]; /* where in the base a sample comes, + 1; 0: elsewhere, or taken */

static bool resident(void *arg, uint64_t sample)
{
	struct memory *m = arg;

	m->asked++;
	return slu_mix_nth(m->turn, sample) % 16 < m->of16;
}

static void begin(const char *text, uint64_t n, uint32_t rank, uint32_t world, uint64_t start)
{
	struct slu_order_share s;

	make_order(&order, text, n, n, 1, world);
	T_OK(slu_order_share(n, start, rank, world, 1, false, &s));
	T_OK(slu_order_picker_init(&picker, &order, &s));
	memset(turn_of, 0, n * sizeof(*turn_of));
	for (uint64_t j = 0; j < s.samples; j++)
		if (slu_order_share_at(&s, j) < n) /* padding is seen by its number only */
			turn_of[slu_order_at(&order, slu_order_share_at(&s, j))] = (uint32_t)j + 1;
}

/* Each of @got is of the share, not yet taken, and not far from its turn; @before were taken before. */
static void check_taken(const uint64_t *got, size_t n, uint64_t before)
{
	for (size_t k = 0; k < n; k++) {
		int64_t j = (int64_t)turn_of[got[k]] - 1, at = (int64_t)(before + k);
		if (j < 0 && picker.share.start + picker.share.samples * picker.share.world > picker.share.n)
			continue; /* may be the padding */
		T_TRUE(j >= 0);
		T_TRUE(j - at < (int64_t)picker.lookahead && at - j < (int64_t)picker.lookahead);
		turn_of[got[k]] = 0;
	}
}

static void save_and_restore(void)
{
	uint8_t bytes[SLU_ORDER_STATE_MAX], again[SLU_ORDER_STATE_MAX];
	size_t len = slu_order_picker_save(&picker, bytes);

	T_OK(slu_order_picker_init(&second, &order, &picker.share));
	T_OK(slu_order_picker_restore(&second, bytes, len));
	T_EQ(second.base, picker.base);
	T_EQ(second.cursor, picker.cursor);
	T_MEM(second.taken, picker.taken, sizeof(picker.taken));
	T_EQ(slu_order_picker_save(&second, again), len);
	T_MEM(again, bytes, len);
}

static void exactly_once(const char *text, uint64_t n, uint32_t world, size_t most_want)
{
	uint64_t *got = malloc(most_want * sizeof(*got)), total = 0;
	struct memory m = { .of16 = rnd(17), .turn = rnd(1000) };

	begin(text, n, (uint32_t)rnd(world), world, rnd(n / 2 + 1));
	while (slu_order_picker_left(&picker) > 0) {
		size_t want = 1 + rnd(most_want), k;
		uint64_t left = slu_order_picker_left(&picker);
		m.asked = 0;
		k = slu_order_pick(&picker, resident, &m, want, got);
		T_EQ(k, want < left ? want : left);
		T_TRUE(m.asked <= SLU_ORDER_PICK_SCAN * want && m.asked <= picker.lookahead + k);
		T_EQ(slu_order_picker_left(&picker), left - k);
		check_taken(got, k, total);
		total += k;
		if (rnd(4) == 0)
			m = (struct memory){ .of16 = rnd(17), .turn = rnd(1000) };
		if (n < 1000 || rnd(50) == 0)
			save_and_restore();
	}
	T_EQ(total, picker.share.samples);
	T_EQ(slu_order_pick(&picker, resident, &m, 1, got), 0);
	for (uint64_t i = 0; i < n; i++)
		T_EQ(turn_of[i], 0);
	free(got);
}

/* Nothing or everything in memory: the global order. */
static void is_the_base(uint64_t of16)
{
	static struct slu_order global;
	struct memory m = { .of16 = of16 };
	uint64_t got[7];

	begin("opportunistic:50", 5000, 1, 3, 0);
	make_order(&global, "global", 5000, 5000, 1, 3);
	for (uint64_t j = 0; slu_order_picker_left(&picker) > 0;)
		for (size_t k = 0, n = slu_order_pick(&picker, of16 ? resident : NULL, &m, 7, got); k < n; k++, j++)
			T_EQ(got[k], slu_order_at(&global, slu_order_share_at(&picker.share, j)));
}

/* What is resident comes first: with a quarter in memory and a window of all, that quarter. */
static void prefers_memory(void)
{
	struct memory m = { .of16 = 4 };
	uint64_t got[8], hits = 0, first_hits = 0;

	begin("opportunistic", 10000, 0, 1, 0);
	for (uint64_t i = 0; i < 10000; i++)
		hits += resident(&m, i);
	for (uint64_t total = 0; total < 10000; total += 8) {
		T_EQ(slu_order_pick(&picker, resident, &m, 8, got), 8);
		for (size_t k = 0; k < 8 && total < 2000; k++)
			first_hits += resident(&m, got[k]);
	}
	T_TRUE(hits > 2000);
	T_TRUE(first_hits > 1950); /* not all: a call that finds fewer than 8 among 64 takes the oldest too */
}

/* A long way of samples that are not there is passed in time, though each call asks about few. */
static bool only_far(void *arg, uint64_t sample)
{
	return turn_of[sample] > 5000;
}

static void asks_further_each_time(void)
{
	uint64_t got[8], hits = 0;

	begin("opportunistic", 10000, 0, 1, 0);
	for (int call = 0; call < 100; call++) {
		T_EQ(slu_order_pick(&picker, only_far, NULL, 8, got), 8);
		for (size_t k = 0; k < 8; k++)
			hits += turn_of[got[k]] > 5000;
	}
	T_TRUE(hits > 100); /* 5,000 questions, 64 a call, and then each pick is a hit */
}

static void fix_hash(uint8_t *bytes, size_t len)
{
	slu_put64(bytes + HASH_AT, slu_hash64_seed(bytes + HEAD, len - HEAD, slu_hash64(bytes, HASH_AT)));
}

static void refused(const uint8_t *bytes, size_t len, int err, const char *why)
{
	static struct slu_order_picker before;

	memcpy(&before, &second, sizeof(before));
	T_ERR(slu_order_picker_restore(&second, bytes, len), err);
	T_HAS(slu_errmsg(), why);
	T_MEM(&second, &before, sizeof(before));
}

/* One field set to a value, with a hash that fits. */
static void refused_if(const uint8_t *good, size_t len, size_t at, uint64_t value, int err, const char *why)
{
	uint8_t bytes[SLU_ORDER_STATE_MAX];

	memcpy(bytes, good, len);
	if (at == 4 || at == 40 || at == 44)
		slu_put32(bytes + at, (uint32_t)value);
	else
		slu_put64(bytes + at, value);
	fix_hash(bytes, len);
	refused(bytes, len, err, why);
}

static void hostile(void)
{
	uint8_t good[SLU_ORDER_STATE_MAX], bytes[SLU_ORDER_STATE_MAX];
	struct memory m = { .of16 = 5 };
	uint64_t got[100];
	size_t len;

	begin("opportunistic:101", 1000, 1, 3, 100);
	T_EQ(slu_order_pick(&picker, resident, &m, 70, got), 70);
	len = slu_order_picker_save(&picker, good);
	T_EQ(len, HEAD + 13);
	T_OK(slu_order_picker_init(&second, &order, &picker.share));
	for (size_t cut = 0; cut < len; cut++)
		refused(good, cut, -EBADMSG, "");
	memcpy(bytes, good, len);
	bytes[len] = 0;
	refused(bytes, len + 1, -EBADMSG, "damaged");
	fix_hash(bytes, len + 1);
	refused(bytes, len + 1, -EBADMSG, "94 bytes, not 93");
	for (size_t bit = 0; bit < len * 8; bit++) {
		memcpy(bytes, good, len);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		refused(bytes, len, bit / 32 == 1 ? -EPROTONOSUPPORT : -EBADMSG, "");
	}
	refused_if(good, len, 4, 2, -EPROTONOSUPPORT, "orders of version 2, not 1");
	refused_if(good, len, 8, 999, -EINVAL, "another order");
	refused_if(good, len, 16, 1, -EINVAL, "another order");
	refused_if(good, len, 24, 99, -EINVAL, "another share");
	refused_if(good, len, 32, 999, -EINVAL, "another share");
	refused_if(good, len, 40, 8, -EINVAL, "was stopped on 8 ranks and cannot go on on 3");
	refused_if(good, len, 44, 2, -EINVAL, "that of rank 2, not 1");
	refused_if(good, len, 48, UINT64_MAX, -EINVAL, "another share");
	refused_if(good, len, 56, 301, -EBADMSG, "past the end");
	refused_if(good, len, 56, UINT64_MAX, -EBADMSG, "past the end");
	refused_if(good, len, 56, 290, -EBADMSG, "bytes, not");
	refused_if(good, len, 64, 102, -EBADMSG, "past its window");
	refused_if(good, len, 64, UINT64_MAX, -EBADMSG, "past its window");
	refused_if(good, len, HEAD, slu_get64(good + HEAD) | 1, -EBADMSG, "begins with a sample that is taken");
	refused_if(good, len, len - 8, slu_get64(good + len - 8) | UINT64_C(1) << 61, -EBADMSG, "taken samples past");
	T_OK(slu_order_picker_restore(&second, good, len));
}

/* Bytes changed at random, with a hash that fits: refused, or a state from which what is left comes, each once. */
static void mutated(void)
{
	uint8_t good[SLU_ORDER_STATE_MAX], bytes[SLU_ORDER_STATE_MAX];
	struct memory m = { .of16 = 5 };
	uint64_t got[1000];
	unsigned taken = 0;

	for (int k = 0; k < 20000; k++) {
		begin("opportunistic:200", 300, 0, 1, 0);
		(void)slu_order_pick(&picker, resident, &m, rnd(300), got);
		size_t len = slu_order_picker_save(&picker, good);
		memcpy(bytes, good, len);
		for (uint64_t c = 1 + rnd(3); c > 0 && len > HEAD; c--)
			bytes[rnd(8) ? 56 + rnd(len - 56) : rnd(len)] = (uint8_t)rnd(256);
		fix_hash(bytes, len);
		T_OK(slu_order_picker_init(&second, &order, &picker.share));
		if (slu_order_picker_restore(&second, bytes, len) < 0)
			continue;
		taken++;
		picker = second;
		uint64_t left = slu_order_picker_left(&second);
		T_EQ(slu_order_pick(&second, resident, &m, 1000, got), left);
		for (uint64_t i = 0; i < left; i++) {
			T_TRUE(turn_of[got[i]] > 0);
			turn_of[got[i]] = 0;
		}
	}
	T_TRUE(taken > 1000);
}

static void beginnings(void)
{
	static struct slu_order global;
	struct slu_order_share s;

	make_order(&global, "global", 10, 1, 1, 1);
	T_OK(slu_order_share(10, 0, 0, 1, 1, false, &s));
	T_ERR(slu_order_picker_init(&picker, &global, &s), -EINVAL);
	T_HAS(slu_errmsg(), "only the opportunistic order");
	make_order(&order, "opportunistic", 11, 1, 1, 1);
	T_ERR(slu_order_picker_init(&picker, &order, &s), -EINVAL);
	T_HAS(slu_errmsg(), "not one of this order");
}

int main(void)
{
	static const char *const texts[] = { "opportunistic:1",  "opportunistic:2",  "opportunistic:63",
		                             "opportunistic:64", "opportunistic:65", "opportunistic" };

	for (size_t t = 0; t < sizeof(texts) / sizeof(*texts); t++)
		for (int k = 0; k < 150; k++)
			exactly_once(texts[t], 1 + rnd(400), 1 + (uint32_t)rnd(5), 1 + rnd(80));
	for (int k = 0; k < 3; k++) {
		exactly_once("opportunistic", MOST, 1, 300);
		exactly_once("opportunistic:65535", MOST, 1, 3000);
		exactly_once("opportunistic:1000", MOST, 2, 5000);
	}
	is_the_base(0);
	is_the_base(16);
	prefers_memory();
	asks_further_each_time();
	hostile();
	mutated();
	beginnings();
	return 0;
}
