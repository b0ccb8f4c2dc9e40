/* SPDX-License-Identifier: MIT */
/* Every order, by any number of threads and every way of reading: the same batches, with the bytes of the pack. */
#include "load-fixture.h"

static struct load_fixture f;

static const char *const orders[] = { "sequential",  "global",        "block:8",          "block:8:2",       "local",
	                              "replacement", "opportunistic", "grouped:label:40", "opportunistic:16" };

static struct slu_loader *loader(const char *order, uint32_t rank, uint32_t world, uint32_t threads, uint32_t io,
                                 uint32_t batch)
{
	struct slu_loader_options opt = {
		.order = order,
		.rank = rank,
		.world = world,
		.threads = threads,
		.io = io,
		.seed = 4711,
		.batch_size = batch,
		.ahead_bytes = io == SLU_LOAD_IO_PREAD ? 1 : 0,
	};
	struct slu_loader *l;

	T_OK(slu_loader_new(f.pack, &opt, &l));
	if (slu_loader_start(l, 3, 0) == -EOPNOTSUPP && io == SLU_LOAD_IO_URING) { /* forbidden here */
		slu_loader_free(l);
		opt.io = SLU_LOAD_IO_PREAD;
		T_OK(slu_loader_new(f.pack, &opt, &l));
	}
	return l;
}

/* Each sample as often as it must be: once, and again where the end is padded. */
static void check_once(const char *order, const int64_t *list, size_t n, uint32_t world)
{
	unsigned times[LOAD_SAMPLES] = { 0 }, missing = 0, twice = 0;

	T_EQ(n, (LOAD_SAMPLES + world - 1) / world * world);
	if (strcmp(order, "replacement") == 0)
		return;
	for (size_t k = 0; k < n; k++)
		times[list[k]]++;
	for (int i = 0; i < LOAD_SAMPLES; i++) {
		missing += times[i] == 0;
		twice += times[i] > 1 ? times[i] - 1 : 0;
	}
	T_EQ(missing, 0);
	T_EQ(twice, n - LOAD_SAMPLES);
}

static void an_epoch(const char *order, uint32_t world, uint32_t threads, uint32_t io, uint32_t batch, int64_t *all)
{
	size_t n = 0;

	for (uint32_t rank = 0; rank < world; rank++) {
		struct slu_loader *l = loader(order, rank, world, threads, io, batch);
		T_OK(slu_loader_start(l, 3, 0));
		n += load_take(&f, l, 0, all + n);
		slu_loader_free(l);
	}
	check_once(order, all, n, world);
}

int main(void)
{
	static int64_t want[2 * LOAD_SAMPLES], got[2 * LOAD_SAMPLES];
	static const uint32_t ios[] = { SLU_LOAD_IO_AUTO, SLU_LOAD_IO_MMAP, SLU_LOAD_IO_PREAD, SLU_LOAD_IO_URING };

	load_fixture_make(&f);
	for (size_t o = 0; o < sizeof(orders) / sizeof(orders[0]); o++)
		for (uint32_t world = 1; world <= 4; world += 3) {
			bool fixed = strncmp(orders[o], "opportunistic", 13) != 0;
			an_epoch(orders[o], world, 1, SLU_LOAD_IO_MMAP, 16, want);
			for (uint32_t threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
				uint32_t io = ios[(o + threads) % 4];
				an_epoch(orders[o], world, threads, io, threads == 8 ? 1 : 16, got);
				if (fixed && world == 1)
					T_MEM(got, want, LOAD_SAMPLES * sizeof(*want));
			}
		}
	load_fixture_done(&f);
	return 0;
}
