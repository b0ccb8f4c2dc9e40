/* SPDX-License-Identifier: MIT */
/*
 * Every flipped bit of a pack is found by slu_pack_verify(), and no read gives bytes, a
 * path or a number that is not the truth. Suite quick: every 37th bit; long: every bit.
 */
#include "pack-fixture.h"

static void check_damaged(const struct fixture *f, const char *file, size_t byte, int bit)
{
	struct slu_check_options opt = { .size = sizeof(opt), .threads = 1 };
	struct slu_check_result res = { 0 };
	struct slu_pack *p = NULL;
	int r = slu_pack_verify(f->pack, &opt, &res);

	if (!is_damage(r) && !(r == 0 && res.defects > 0))
		T_FAIL("bit %d of byte %zu of %s is flipped, and verify gives %d with %d defects [%s]", bit, byte, file,
		       r, (int)res.defects, slu_errmsg());
	r = slu_pack_open(f->pack, NULL, &p);
	if (r == 0)
		(void)fixture_read_all(f, p); /* checks what it gets; errors are fine */
	else if (!is_damage(r))
		T_FAIL("bit %d of byte %zu of %s is flipped, and open gives %d [%s]", bit, byte, file, r, slu_errmsg());
	slu_pack_close(p);
}

static uint64_t flip_file(const struct fixture *f, const char *name, uint64_t *turn, uint64_t step)
{
	size_t len;
	unsigned char *data = t_read_file(t_path(f->pack, name), &len);
	int fd = open(t_path(f->pack, name), O_WRONLY | O_CLOEXEC);
	uint64_t flips = 0;

	T_OK(fd);
	for (size_t byte = 0; byte < len; byte++)
		for (int bit = 0; bit < 8; bit++) {
			if ((*turn)++ % step != 0)
				continue;
			unsigned char bad = data[byte] ^ (unsigned char)(1 << bit);
			T_EQ(pwrite(fd, &bad, 1, (off_t)byte), 1);
			check_damaged(f, name, byte, bit);
			T_EQ(pwrite(fd, &data[byte], 1, (off_t)byte), 1);
			flips++;
		}
	close(fd);
	free(data);
	return flips;
}

int main(void)
{
	struct slu_check_result res;
	struct fixture f = { 0 };
	uint64_t step = t_long() ? 1 : 37, turn = 0, flips = 0;

	fixture_make(&f, false);
	T_OK(slu_pack_verify(f.pack, NULL, &res));
	T_EQ(res.defects, 0);
	flips += flip_file(&f, "index", &turn, step);
	flips += flip_file(&f, "shard-00000", &turn, step);
	flips += flip_file(&f, "shard-00001", &turn, step);
	T_OK(slu_pack_verify(f.pack, NULL, &res));
	T_EQ(res.defects, 0); /* all is restored: the flips were what was found */
	printf("%d flips, each found\n", (int)flips);
	fixture_done(&f);
	return 0;
}
