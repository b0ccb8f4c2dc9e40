/* SPDX-License-Identifier: MIT */
/* Ends of epochs are those of torch's DistributedSampler and DataLoader, and no sum overflows. */
#include "order-fixture.h"

enum { MOST = 200 };

/* torch.utils.data.DistributedSampler.__iter__() over range(n), without shuffling; how many this rank gets. */
static uint64_t torch_indices(uint64_t n, uint32_t world, uint32_t rank, bool drop_last, uint64_t *ret)
{
	uint64_t num = drop_last ? n / world : (n + world - 1) / world, total = num * world, k = 0;
	uint64_t all[MOST];

	T_TRUE(total <= MOST);
	for (uint64_t i = 0; i < total; i++)
		all[i] = i < n ? i : all[i - n]; /* indices += indices[:padding], again if that is not enough */
	for (uint64_t i = rank; i < total; i += world)
		ret[k++] = all[i];
	return k;
}

static void like_torch(uint64_t n, uint32_t world, uint32_t batch, bool drop_last)
{
	static struct slu_order o;
	uint64_t want[MOST];

	make_order(&o, "sequential", n, 1, 1, world);
	for (uint32_t r = 0; r < world; r++) {
		struct slu_order_share s;
		uint64_t samples = torch_indices(n, world, r, drop_last, want);
		uint64_t batches = drop_last ? samples / batch : (samples + batch - 1) / batch; /* DataLoader */
		if (drop_last)
			samples = batches * batch;
		T_OK(slu_order_share(n, 0, r, world, batch, drop_last, &s));
		T_EQ(s.batches, batches);
		T_EQ(s.samples, samples);
		for (uint64_t j = 0; j < samples; j++)
			T_EQ(slu_order_at(&o, slu_order_share_at(&s, j)), want[j]);
	}
}

/* From a position in the middle, the rest is what an epoch of the rest would be. */
static void from_the_middle(void)
{
	for (int k = 0; k < 2000; k++) {
		uint64_t n = rnd(500), start = rnd(n + 1);
		uint32_t world = 1 + (uint32_t)rnd(10), batch = 1 + (uint32_t)rnd(10);
		for (int drop = 0; drop < 2; drop++) {
			struct slu_order_share a, b;
			T_OK(slu_order_share(n, start, world - 1, world, batch, drop, &a));
			T_OK(slu_order_share(n - start, 0, world - 1, world, batch, drop, &b));
			T_EQ(a.samples, b.samples);
			T_EQ(a.batches, b.batches);
			T_EQ(slu_order_share_at(&a, 3), start + slu_order_share_at(&b, 3));
			T_EQ(slu_order_share_next(&a, 0), start);
			T_EQ(slu_order_share_next(&a, a.batches + !!drop), n);
			if (a.batches)
				T_EQ(slu_order_share_next(&a, 1),
				     start + world * batch < n ? start + world * batch : n);
		}
	}
}

static void extremes(void)
{
	struct slu_order_share s;

	T_OK(slu_order_share(SLU_ORDER_MAX, 0, UINT32_MAX - 1, UINT32_MAX, UINT32_MAX, false, &s));
	T_EQ(s.samples, 1073741825); /* ceil(2^62 / (2^32 - 1)) */
	T_EQ(s.batches, 1);
	T_TRUE(slu_order_share_at(&s, s.samples - 1) >= SLU_ORDER_MAX - UINT32_MAX);
	T_EQ(slu_order_share_next(&s, UINT64_MAX), SLU_ORDER_MAX);
	T_OK(slu_order_share(SLU_ORDER_MAX, 0, 0, UINT32_MAX, UINT32_MAX, true, &s));
	T_EQ(s.batches, 0); /* a batch on each rank would be 2^64 */
	T_OK(slu_order_share(SLU_ORDER_MAX, SLU_ORDER_MAX, 0, 1, 1, false, &s));
	T_EQ(s.samples, 0);
	T_OK(slu_order_share(0, 0, 2, 3, 1, false, &s));
	T_EQ(s.samples + s.batches, 0);
}

static void refused(void)
{
	struct slu_order_share s = { .n = 77 };

	T_ERR(slu_order_share(SLU_ORDER_MAX + 1, 0, 0, 1, 1, false, &s), -EINVAL);
	T_ERR(slu_order_share(10, 11, 0, 1, 1, false, &s), -EINVAL);
	T_HAS(slu_errmsg(), "position 11 is past the end of an epoch of 10 samples");
	T_ERR(slu_order_share(10, 0, 4, 4, 1, false, &s), -EINVAL);
	T_HAS(slu_errmsg(), "no rank 4 among 4");
	T_ERR(slu_order_share(10, 0, 0, 0, 1, false, &s), -EINVAL);
	T_ERR(slu_order_share(10, 0, 0, 1, 0, false, &s), -EINVAL);
	T_EQ(s.n, 77);
}

int main(void)
{
	for (uint64_t n = 1; n <= 40; n++)
		for (uint32_t world = 1; world <= 50; world += world < 12 ? 1 : 19)
			for (uint32_t batch = 1; batch <= 6; batch++) {
				like_torch(n, world, batch, false);
				like_torch(n, world, batch, true);
			}
	from_the_middle();
	extremes();
	refused();
	return 0;
}
