/* SPDX-License-Identifier: MIT */
/*
 * A file of a pack that is cut off at any length, or longer than it was, is found by
 * slu_pack_verify(), and no read gives anything but the truth. Suite quick: every 101st
 * length and those near multiples of 4096; long: every length.
 */
#include "pack-fixture.h"

static void check_cut(const struct fixture *f, const char *name, size_t len)
{
	struct slu_check_options opt = { .size = sizeof(opt), .threads = 1 };
	struct slu_check_result res = { 0 };
	struct slu_pack *p = NULL;
	int r = slu_pack_verify(f->pack, &opt, &res);

	if (!is_damage(r) && r != -EIO && !(r == 0 && res.defects > 0))
		T_FAIL("%s of %zu bytes: verify gives %d with %d defects [%s]", name, len, r, (int)res.defects,
		       slu_errmsg());
	for (uint32_t io = SLU_IO_MMAP; io <= SLU_IO_PREAD; io++) {
		r = slu_pack_open(f->pack, &(struct slu_pack_options){ .io = io }, &p);
		if (r == 0)
			(void)fixture_read_all(f, p); /* checks what it gets; errors are fine */
		else if (!is_damage(r) && r != -EIO)
			T_FAIL("%s of %zu bytes: open gives %d [%s]", name, len, r, slu_errmsg());
		slu_pack_close(p);
		p = NULL;
	}
}

static unsigned cut_file(const struct fixture *f, const char *name)
{
	char path[600];
	size_t len, step = t_long() ? 1 : 101;
	unsigned cuts = 0;

	snprintf(path, sizeof(path), "%s/%s", f->pack, name);
	unsigned char *data = t_read_file(path, &len);
	for (size_t n = 0; n < len; n++) {
		size_t near = (n + 1) % 4096;
		if (n % step != 0 && near > 2)
			continue;
		T_OK(truncate(path, (off_t)n));
		check_cut(f, name, n);
		t_write_file(path, data, len);
		cuts++;
	}
	T_OK(truncate(path, (off_t)len + 1));
	check_cut(f, name, len + 1);
	t_write_file(path, data, len);
	free(data);
	return cuts + 1;
}

int main(void)
{
	struct slu_check_result res;
	struct fixture f = { 0 };

	fixture_make(&f, true);
	unsigned cuts = cut_file(&f, "index") + cut_file(&f, "shard-00000") + cut_file(&f, "shard-00001");
	T_OK(slu_pack_verify(f.pack, NULL, &res));
	T_EQ(res.defects, 0);
	printf("%u lengths, each found\n", cuts);
	fixture_done(&f);
	return 0;
}
