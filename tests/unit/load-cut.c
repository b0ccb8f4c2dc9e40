/* SPDX-License-Identifier: MIT */
/* A shard that is cut off while it is read: what lay behind the cut is bad, the rest is not, and nobody is killed. */
#include "load-fixture.h"

static int ignore(void *arg, uint64_t sample, int err, const char *message)
{
	(void)arg;
	(void)sample;
	return err < 0 && message[0] ? 0 : err;
}

static void cut_off(uint32_t io)
{
	static int64_t list[LOAD_SAMPLES];
	struct slu_loader_options opt = { .batch_size = 20, .threads = 2, .io = io, .bad_sample = ignore };
	struct slu_loader_stats stats;
	struct load_fixture g;
	struct slu_loader *l;
	struct slu_sample s;
	char shard[600];
	size_t n;

	load_fixture_make(&g);
	T_OK(slu_loader_new(g.pack, &opt, &l));
	T_OK(slu_loader_start(l, 0, 0));
	T_EQ(load_take(&g, l, 1, list), 20);
	T_OK(slu_pack_sample(g.pack, LOAD_SAMPLES - 40, &s));
	snprintf(shard, sizeof(shard), "%s/shard-%05u", g.path, s.shard);
	T_EQ(truncate(shard, (off_t)(s.offset & ~4095u)), 0);
	T_OK(slu_loader_start(l, 0, 0));
	n = load_take(&g, l, 0, list);
	slu_loader_get_stats(l, &stats);
	T_GE(LOAD_SAMPLES - 40, n); /* what was planned before the cut is read after it */
	T_GE(n, LOAD_SAMPLES / 3);
	T_EQ(stats.bad, LOAD_SAMPLES - n);
	slu_loader_free(l);
	load_fixture_done(&g);
}

int main(void)
{
	struct load_fixture f;

	load_fixture_make(&f);
	cut_off(SLU_LOAD_IO_MMAP);
	cut_off(SLU_LOAD_IO_PREAD);
	cut_off(load_uring_if_allowed(&f));
	cut_off(SLU_LOAD_IO_AUTO);
	load_fixture_done(&f);
	return 0;
}
