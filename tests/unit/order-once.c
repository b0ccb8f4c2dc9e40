/* SPDX-License-Identifier: MIT */
/* An epoch visits each sample exactly once, in every mode that says so; a job that stops at any position goes on on any
 * other number of ranks (where the mode says so) and sees exactly the rest. */
#include "order-fixture.h"

enum { MOST = 3000 };

static const char *const elastic[] = { "sequential", "global",      "block:1",       "block:7",
	                               "block:7:1",  "block:64:3",  "block:1000000", "opportunistic",
	                               "grouped:x",  "grouped:x:1", "grouped:x:7",   "grouped:x:5000" };

static struct slu_order order;
static unsigned visits[MOST];

static uint64_t any_n(void)
{
	return 1 + (rnd(3) ? rnd(200) : rnd(MOST));
}

static void check_once(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		T_EQ(visits[i], 1);
}

static void visit(uint64_t sample, uint64_t n)
{
	T_TRUE(sample < n);
	visits[sample]++;
}

static void whole_sequence(const char *text, uint64_t n, uint32_t world)
{
	make_order(&order, text, n, rnd(1000), rnd(1000), world);
	memset(visits, 0, sizeof(visits));
	for (uint64_t p = 0; p < n; p++)
		visit(slu_order_at(&order, p), n);
	check_once(n);
	for (uint64_t p = 0; p < n && strcmp(text, "local") != 0; p += 1 + n / 7) /* past the end, from 0 again */
		T_EQ(slu_order_at(&order, n + p), slu_order_at(&order, p));
}

/* All ranks of @world do @batches from @start on. What lies past the end is padding, and counted apart. */
static uint64_t run(uint64_t n, uint64_t start, uint32_t world, uint32_t batch, uint64_t batches, uint64_t *padding)
{
	struct slu_order_share s = { 0 };

	for (uint32_t r = 0; r < world; r++) {
		T_OK(slu_order_share(n, start, r, world, batch, false, &s));
		for (uint64_t j = 0; j < s.samples && j < batches * batch; j++) {
			uint64_t p = slu_order_share_at(&s, j);
			if (p < n)
				visit(slu_order_at(&order, p), n);
			else
				*padding += 1;
		}
	}
	return slu_order_share_next(&s, batches);
}

/* From one number of ranks to another until the end. The order is made anew each time, as a restarted job does. */
static void stop_and_go(const char *text, bool any_world)
{
	uint64_t n = any_n(), seed = rnd(UINT64_MAX), epoch = rnd(5), start = 0, padding = 0;
	uint32_t world = 1 + (uint32_t)rnd(9), batch = 1 + (uint32_t)rnd(20), stops = 0;

	memset(visits, 0, sizeof(visits));
	while (start < n) {
		if (any_world)
			world = 1 + (uint32_t)rnd(9);
		make_order(&order, text, n, seed, epoch, world);
		uint64_t left = (n - start) / ((uint64_t)world * batch);
		bool to_the_end = left < 2 || ++stops > 4;
		start = run(n, start, world, batch, to_the_end ? UINT32_MAX : 1 + rnd(left), &padding);
		T_TRUE(padding < world);
		if (to_the_end)
			T_EQ(start, n);
	}
	check_once(n);
}

/* The same global sequence, whatever the world that the order was told of. */
static void same_on_any_world(const char *text)
{
	static struct slu_order other;
	uint64_t n = any_n(), seed = rnd(100);

	make_order(&order, text, n, seed, 3, 8);
	make_order(&other, text, n, seed, 0, 6);
	slu_order_epoch(&other, 3);
	for (uint64_t p = 0; p < n; p++)
		T_EQ(slu_order_at(&order, p), slu_order_at(&other, p));
}

/* Each rank reads its own part only, padding too; a rank whose part is empty repeats one of the others'. */
static void local_parts(uint64_t n, uint32_t world)
{
	uint64_t next = 0;

	make_order(&order, "local", n, 5, 6, world);
	for (uint32_t r = 0; r < world; r++) {
		struct slu_order_share s;
		uint64_t first, count;
		slu_order_part(n, r, world, &first, &count);
		T_EQ(first, next);
		T_TRUE(count == n / world || count == n / world + 1);
		next = first + count;
		T_OK(slu_order_share(n, 0, r, world, 3, false, &s));
		for (uint64_t j = 0; j < s.samples; j++) {
			uint64_t x = slu_order_at(&order, slu_order_share_at(&s, j));
			if (count)
				T_TRUE(x >= first && x < next);
			else
				T_EQ(x, slu_order_at(&order, r % n));
		}
	}
	T_EQ(next, n);
}

/* Windows of block are of whole blocks: its samples come from M blocks, wherever the short one is. */
static void block_windows(void)
{
	for (uint64_t epoch = 0; epoch < 200; epoch++) {
		uint64_t n = 57, position = 0; /* 8 blocks of 8, the last short of 7; windows of 3, 3, 2 */
		make_order(&order, "block:8:3", n, 1, epoch, 1);
		for (unsigned per = 3, done = 0; position < n; done += per, per = done == 6 ? 2 : 3) {
			uint64_t blocks = 0, samples = 0, end;
			for (end = position; end < n; end++) {
				uint64_t b = slu_order_at(&order, end) / 8;
				if (!(blocks >> b & 1)) {
					if (__builtin_popcountll(blocks) == (int)per)
						break;
					blocks |= UINT64_C(1) << b;
					samples += b == 7 ? 1 : 8;
				}
			}
			T_EQ(end - position, samples);
			position = end;
		}
	}
}

static uint64_t backwards(void *arg, uint64_t k)
{
	return *(uint64_t *)arg - 1 - k;
}

/* A batch of all ranks lies in one group of the sort; the callback says which samples these are. */
static void groups(void)
{
	uint64_t n = 1024;
	struct slu_order_options opt = { .n = n, .seed = 1, .sorted_at = backwards, .sorted_arg = &n };

	make_order(&order, "grouped:len:64", n, 1, 0, 1);
	for (uint64_t p = 0; p < n; p++)
		T_EQ(slu_order_at(&order, p) / 64, slu_order_at(&order, p / 64 * 64) / 64);
	static struct slu_order mirrored;
	T_OK(slu_order_parse("grouped:len:64", &opt.spec));
	T_OK(slu_order_init(&mirrored, &opt));
	for (uint64_t p = 0; p < n; p++)
		T_EQ(slu_order_at(&mirrored, p), n - 1 - slu_order_at(&order, p));
}

static void replacement(void)
{
	enum { N = 3000 };
	unsigned distinct = 0;

	make_order(&order, "replacement", N, 1, 2, 1);
	memset(visits, 0, sizeof(visits));
	for (uint64_t p = 0; p < N; p++)
		visit(slu_order_at(&order, p), N);
	for (uint64_t i = 0; i < N; i++)
		distinct += visits[i] > 0;
	T_TRUE(distinct > 1796 && distinct < 1996); /* 1 - 1/e of them: 1896 with a deviation of 17 */
}

static void limits(void)
{
	struct slu_order_options opt = { .n = SLU_ORDER_MAX + 1 };

	T_ERR(slu_order_init(&order, &opt), -EINVAL);
	T_HAS(slu_errmsg(), "2^62");
	opt = (struct slu_order_options){ .n = 10, .spec = { .mode = SLU_ORDER_GROUPED, .field = "x" } };
	T_ERR(slu_order_init(&order, &opt), -EINVAL);
	T_HAS(slu_errmsg(), "group size");
	for (size_t m = 0; m < sizeof(elastic) / sizeof(*elastic); m++) {
		make_order(&order, elastic[m], 0, 1, 1, 4);
		T_EQ(slu_order_at(&order, 5), 0);
		make_order(&order, elastic[m], SLU_ORDER_MAX, 1, 1, 4);
		T_TRUE(slu_order_at(&order, SLU_ORDER_MAX - 1) < SLU_ORDER_MAX);
		T_TRUE(slu_order_at(&order, 0) < SLU_ORDER_MAX);
	}
}

int main(void)
{
	for (size_t m = 0; m < sizeof(elastic) / sizeof(*elastic); m++) {
		for (uint64_t n = 1; n <= 150; n++)
			whole_sequence(elastic[m], n, 1 + (uint32_t)rnd(5));
		for (int k = 0; k < 100; k++) {
			whole_sequence(elastic[m], any_n(), 1 + (uint32_t)rnd(5));
			stop_and_go(elastic[m], true);
			same_on_any_world(elastic[m]);
		}
	}
	same_on_any_world("replacement");
	for (int k = 0; k < 500; k++) {
		whole_sequence("local", any_n(), 1 + (uint32_t)rnd(9));
		stop_and_go("local", false);
		local_parts(any_n(), 1 + (uint32_t)rnd(300));
	}
	block_windows();
	groups();
	replacement();
	limits();
	return 0;
}
