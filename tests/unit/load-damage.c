/* SPDX-License-Identifier: MIT */
/* A damaged sample: refused and named, or left out and counted, however it is read; the others stay what they are. */
#include "load-fixture.h"

static struct load_fixture f;
static uint64_t bad_samples[2] = { 40, 222 };

static void damage(uint64_t i)
{
	char shard[600];
	struct slu_sample s;
	FILE *file;
	int c;

	T_OK(slu_pack_sample(f.pack, i, &s));
	snprintf(shard, sizeof(shard), "%s/shard-%05u", f.path, s.shard);
	T_TRUE((file = fopen(shard, "r+")) != NULL);
	T_EQ(fseek(file, (long)(s.offset + s.stored / 2), SEEK_SET), 0);
	c = fgetc(file);
	T_EQ(fseek(file, (long)(s.offset + s.stored / 2), SEEK_SET), 0);
	fputc(c ^ 0x10, file);
	T_EQ(fclose(file), 0);
}

static int told;
static uint64_t told_samples[8];

static int tell(void *arg, uint64_t sample, int err, const char *message)
{
	T_EQ(*(int *)arg, 17);
	T_EQ(err == -EILSEQ || err == -EBADMSG, 1);
	T_HAS(message, "class-"); /* its path */
	T_TRUE(told < 8);
	told_samples[told++] = sample;
	return 0;
}

static int stop_there(void *arg, uint64_t sample, int err, const char *message)
{
	(void)arg;
	(void)sample;
	(void)message;
	return err == -EILSEQ ? -ECANCELED : -EPROTO;
}

static int times_out(void *arg, uint64_t sample, int err, const char *message)
{
	(void)arg;
	(void)sample;
	(void)err;
	(void)message;
	return -ETIMEDOUT;
}

static void left_out(uint32_t io, uint32_t verify)
{
	static int64_t list[LOAD_SAMPLES];
	int magic = 17;
	struct slu_loader_options opt = { .order = "sequential",
		                          .batch_size = 20,
		                          .threads = 3,
		                          .io = io,
		                          .verify = verify,
		                          .bad_sample = tell,
		                          .bad_arg = &magic };
	struct slu_loader_stats stats;
	struct slu_loader *l;

	T_OK(slu_loader_new(f.pack, &opt, &l));
	for (int epoch = 0; epoch < 2; epoch++) { /* a bad one is bad again, also where others are not checked again */
		size_t n;
		told = 0;
		T_OK(slu_loader_start(l, (uint64_t)epoch, 0));
		n = load_take(&f, l, 0, list);
		T_EQ(n, LOAD_SAMPLES - 2);
		for (size_t k = 0; k < n; k++)
			T_TRUE(list[k] != (int64_t)bad_samples[0] && list[k] != (int64_t)bad_samples[1]);
		T_EQ(told, 2);
		T_EQ(told_samples[0], bad_samples[0]);
		T_EQ(told_samples[1], bad_samples[1]);
	}
	slu_loader_get_stats(l, &stats);
	T_EQ(stats.bad, 4);
	T_EQ(stats.samples, 2 * (LOAD_SAMPLES - 2));
	T_EQ(stats.verified, (verify == SLU_LOAD_VERIFY_ONCE ? 1 : 2) * (LOAD_SAMPLES - 2));
	slu_loader_free(l);
}

static void is_an_error(slu_bad_sample_fn *fn, int want)
{
	struct slu_loader_options opt = { .order = "sequential", .batch_size = 20, .threads = 2, .bad_sample = fn };
	struct slu_loader *l;
	struct slu_batch *b;
	uint64_t epoch, position;

	T_OK(slu_loader_new(f.pack, &opt, &l));
	T_OK(slu_loader_start(l, 0, 0));
	for (int k = 0; k < 2; k++) {
		T_EQ(slu_loader_next(l, -1, &b), 1);
		slu_batch_unref(b);
	}
	T_ERR(slu_loader_next(l, -1, &b), want);
	T_HAS(slu_errmsg(), "class-");
	T_ERR(slu_loader_next(l, -1, &b), want); /* until it is started again */
	slu_loader_position(l, &epoch, &position);
	T_EQ(position, 40);
	T_OK(slu_loader_start(l, 0, 60));
	T_EQ(slu_loader_next(l, -1, &b), 1);
	slu_batch_unref(b);
	slu_loader_free(l);
}

int main(void)
{
	load_fixture_make(&f);
	for (int k = 0; k < 2; k++)
		damage(bad_samples[k]);
	left_out(SLU_LOAD_IO_MMAP, SLU_LOAD_VERIFY_ONCE);
	left_out(SLU_LOAD_IO_PREAD, SLU_LOAD_VERIFY_ALWAYS);
	left_out(SLU_LOAD_IO_AUTO, SLU_LOAD_VERIFY_ALWAYS);
	left_out(load_uring_if_allowed(&f), SLU_LOAD_VERIFY_ONCE);
	is_an_error(NULL, -EILSEQ);
	is_an_error(stop_there, -ECANCELED);
	is_an_error(times_out, -EIO); /* -ETIMEDOUT would mean: call again */
	load_fixture_done(&f);
	return 0;
}
