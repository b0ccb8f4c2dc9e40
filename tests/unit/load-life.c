/* SPDX-License-Identifier: MIT */
/* Begun, left in the midst, begun again, freed: nothing hangs, nothing is lost, and batches outlive the loader. */
#include "load-fixture.h"

static struct load_fixture f;

static struct slu_loader *loader(uint32_t threads, uint32_t io)
{
	struct slu_loader_options opt = { .order = "global", .batch_size = 10, .threads = threads, .io = io };
	struct slu_loader *l;

	T_OK(slu_loader_new(f.pack, &opt, &l));
	return l;
}

static void batches_outlive_it(void)
{
	struct slu_batch *held[32];
	struct slu_loader *l = loader(3, SLU_LOAD_IO_AUTO);
	int n = 0, r;

	T_OK(slu_loader_start(l, 0, 0));
	while ((r = slu_loader_next(l, -1, &held[n])) > 0)
		n++;
	T_OK(r);
	T_EQ(n, 32);
	T_EQ(slu_loader_next(l, -1, &held[0]), 0); /* the end stays the end, and nothing is written */
	slu_loader_free(l);
	for (int k = 0; k < n; k++) {
		slu_batch_ref(held[k]);
		slu_batch_unref(held[k]);
		load_check(&f, held[k]);
		slu_batch_unref(held[k]);
	}
}

static void left_in_the_midst(void)
{
	static int64_t a[LOAD_SAMPLES], b[LOAD_SAMPLES];

	for (uint32_t io = SLU_LOAD_IO_AUTO; io <= SLU_LOAD_IO_PREAD; io++)
		for (uint64_t some = 0; some < 8; some++) {
			struct slu_loader *l = loader(1 + (uint32_t)some % 3, io);
			int r = slu_loader_start(l, 1, 0);
			if (r == -EOPNOTSUPP && io == SLU_LOAD_IO_URING) { /* forbidden here */
				slu_loader_free(l);
				continue;
			}
			T_OK(r);
			if (some)
				(void)load_take(&f, l, some, a);
			if (some % 2) {
				T_OK(slu_loader_start(l, 1, 0));
				T_EQ(load_take(&f, l, some, b), some * 10);
				T_MEM(a, b, some * 10 * sizeof(*a));
			}
			slu_loader_free(l);
		}
}

static void not_started(void)
{
	struct slu_loader *l = loader(2, SLU_LOAD_IO_AUTO);
	struct slu_batch *b;

	T_ERR(slu_loader_next(l, -1, &b), -EINVAL);
	T_ERR(slu_loader_start(l, 0, LOAD_SAMPLES + 1), -EINVAL);
	T_ERR(slu_loader_next(l, -1, &b), -EINVAL);
	T_EQ(slu_loader_batches(l), 0);
	T_OK(slu_loader_start(l, 0, LOAD_SAMPLES));
	T_EQ(slu_loader_next(l, -1, &b), 0);
	slu_loader_free(l);
	slu_loader_free(NULL);
	slu_batch_unref(NULL);
}

static void bad_options(void)
{
	static const struct slu_loader_options bad[] = {
		{ .order = "global:3" },   { .order = "grouped:nothing" }, { .order = "sideways" },
		{ .rank = 2, .world = 2 }, { .batch_size = 1u << 30 },     { .io = 77 },
		{ .verify = 9 },
	};

	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		struct slu_loader *l = NULL;
		int r = slu_loader_new(f.pack, &bad[k], &l);
		T_TRUE(r == -EINVAL || r == -ENOENT);
		T_TRUE(l == NULL && slu_errmsg()[0]);
	}
}

/* The threads sleep while nobody asks, and know how long. */
static void waits_for_the_consumer(void)
{
	struct slu_loader *l = loader(2, SLU_LOAD_IO_AUTO);
	struct slu_loader_stats s;
	static int64_t list[LOAD_SAMPLES];

	T_OK(slu_loader_start(l, 0, 0));
	(void)load_take(&f, l, 1, list);
	usleep(200000);
	(void)load_take(&f, l, 1, list);
	slu_loader_get_stats(l, &s);
	T_EQ(s.batches, 2);
	T_GE(s.waited_consumer_ns, 50000000);
	T_GE(200000000, s.work_ns);
	slu_loader_free(l);
}

int main(void)
{
	load_fixture_make(&f);
	bad_options();
	batches_outlive_it();
	left_in_the_midst();
	not_started();
	waits_for_the_consumer();
	load_fixture_done(&f);
	return 0;
}
