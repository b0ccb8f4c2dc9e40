/* SPDX-License-Identifier: MIT */
/* Stopped anywhere and begun again, on another number of ranks: the rest of the epoch, each sample once. */
#include "load-fixture.h"

static struct load_fixture f;

static struct slu_loader *loader(const char *order, uint32_t rank, uint32_t world, uint32_t batch)
{
	struct slu_loader_options opt = { .order = order,
		                          .rank = rank,
		                          .world = world,
		                          .threads = 2,
		                          .seed = 9,
		                          .batch_size = batch,
		                          .drop_last = 1 };
	struct slu_loader *l;

	T_OK(slu_loader_new(f.pack, &opt, &l));
	return l;
}

/* @steps batches on @world ranks; the state of rank 0 afterwards. */
static size_t run_some(const char *order, uint32_t world, uint64_t steps, int64_t *list, uint8_t *state, ssize_t *len)
{
	size_t n = 0;

	for (uint32_t rank = 0; rank < world; rank++) {
		struct slu_loader *l = loader(order, rank, world, 4);
		T_OK(slu_loader_start(l, 5, 0));
		n += load_take(&f, l, steps, list + n);
		T_OK(slu_loader_save(l, NULL, 0));
		*len = slu_loader_save(l, state, 10000);
		T_OK(*len);
		slu_loader_free(l);
	}
	return n;
}

static size_t run_rest(const char *order, uint32_t world, uint32_t batch, const uint8_t *state, ssize_t len,
                       int64_t *list)
{
	size_t n = 0;

	for (uint32_t rank = 0; rank < world; rank++) {
		struct slu_loader *l = loader(order, rank, world, batch);
		uint64_t epoch, position;
		T_OK(slu_loader_restore(l, state, (size_t)len));
		slu_loader_position(l, &epoch, &position);
		T_EQ(epoch, 5);
		n += load_take(&f, l, 0, list + n);
		slu_loader_free(l);
	}
	return n;
}

static void elastic(const char *order, uint32_t before, uint32_t after, uint64_t steps)
{
	static int64_t list[4 * LOAD_SAMPLES];
	static uint8_t state[10000];
	bool seen[LOAD_SAMPLES] = { false };
	ssize_t len;
	size_t n = run_some(order, before, steps, list, state, &len), left;

	T_EQ(n, before * steps * 4);
	left = LOAD_SAMPLES - n;
	n += run_rest(order, after, 3, state, len, list + n);
	T_EQ(n, LOAD_SAMPLES - left % (after * 3));
	for (size_t k = 0; k < n; k++) {
		T_TRUE(!seen[list[k]]);
		seen[list[k]] = true;
	}
}

/* One rank, so that residency is its own affair. */
static void opportunistic_goes_on(void)
{
	static int64_t list[2 * LOAD_SAMPLES];
	static uint8_t state[10000];
	bool seen[LOAD_SAMPLES] = { false };
	ssize_t len;
	size_t n = run_some("opportunistic:64", 1, 11, list, state, &len);

	T_EQ(n, 44);
	n += run_rest("opportunistic:64", 1, 4, state, len, list + n);
	T_EQ(n, LOAD_SAMPLES - LOAD_SAMPLES % 4);
	for (size_t k = 0; k < n; k++) {
		T_TRUE(!seen[list[k]]);
		seen[list[k]] = true;
	}
}

/* Begun in the midst, saved and restored: the state is of the same part of the epoch. */
static void opportunistic_from_the_midst(void)
{
	struct slu_loader *l = loader("opportunistic:64", 0, 1, 4);
	static int64_t list[LOAD_SAMPLES];
	static uint8_t state[10000];
	uint64_t epoch, position;
	ssize_t len;

	T_OK(slu_loader_start(l, 5, 100));
	T_EQ(load_take(&f, l, 2, list), 8);
	T_OK(len = slu_loader_save(l, state, sizeof(state)));
	T_OK(slu_loader_restore(l, state, (size_t)len));
	slu_loader_position(l, &epoch, &position);
	T_EQ(position, 108);
	T_EQ(load_take(&f, l, 0, list), (LOAD_SAMPLES - 108) / 4 * 4);
	slu_loader_free(l);
}

static void refuses_what_is_not_its_own(void)
{
	static uint8_t state[10000], bad[10000];
	static int64_t list[LOAD_SAMPLES];
	struct slu_loader *l, *other;
	ssize_t len;

	(void)run_some("global", 1, 3, list, state, &len);
	l = loader("global", 0, 1, 4);
	for (ssize_t k = 0; k < len; k++) { /* every byte counts */
		memcpy(bad, state, (size_t)len);
		bad[k] ^= 1;
		T_ERR(slu_loader_restore(l, bad, (size_t)len), -EBADMSG);
	}
	for (ssize_t k = 0; k < len; k++)
		T_ERR(slu_loader_restore(l, state, (size_t)k), -EBADMSG);
	T_OK(slu_loader_restore(l, state, (size_t)len));
	slu_loader_free(l);

	other = loader("block:8", 0, 1, 4);
	T_ERR(slu_loader_restore(other, state, (size_t)len), -EINVAL);
	T_HAS(slu_errmsg(), "global");
	slu_loader_free(other);
	T_OK(slu_loader_new(f.pack, &(struct slu_loader_options){ .order = "global", .seed = 10 }, &other));
	T_ERR(slu_loader_restore(other, state, (size_t)len), -EINVAL);
	T_HAS(slu_errmsg(), "seed");
	slu_loader_free(other);

	/* Groups of 16 batches, unless told: with another batch size that is another order. */
	(void)run_some("grouped:label", 1, 3, list, state, &len);
	other = loader("grouped:label", 0, 1, 3);
	T_ERR(slu_loader_restore(other, state, (size_t)len), -EINVAL);
	T_HAS(slu_errmsg(), "grouped:label:64");
	slu_loader_free(other);
	other = loader("grouped:label:64", 0, 1, 3);
	T_OK(slu_loader_restore(other, state, (size_t)len));
	slu_loader_free(other);

	(void)run_some("local", 2, 3, list, state, &len);
	other = loader("local", 0, 3, 4);
	T_ERR(slu_loader_restore(other, state, (size_t)len), -EINVAL);
	T_HAS(slu_errmsg(), "ranks");
	slu_loader_free(other);
}

int main(void)
{
	static const char *const orders[] = { "sequential", "global", "block:8", "grouped:label:20" };

	load_fixture_make(&f);
	for (size_t o = 0; o < sizeof(orders) / sizeof(orders[0]); o++)
		for (uint64_t steps = 1; steps < 9; steps += 2)
			elastic(orders[o], 8, 6, steps);
	elastic("global", 3, 5, 7);
	elastic("local", 4, 4, 7);
	opportunistic_goes_on();
	opportunistic_from_the_midst();
	refuses_what_is_not_its_own();
	load_fixture_done(&f);
	return 0;
}
