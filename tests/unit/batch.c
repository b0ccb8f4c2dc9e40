/* SPDX-License-Identifier: MIT */
/* Batches give what single reads give, in any order and mixture of codecs; they end where the room
 * ends or a sample fails, and tell so. */
#include "pack-fixture.h"

enum { ROOM = 1 << 20 };

static unsigned char buf[ROOM];

static void check_batch(struct fixture *f, struct slu_pack *p, const uint64_t *order, size_t n)
{
	uint64_t offsets[4 * MAX_SAMPLES + 1];

	memset(buf, 0xa5, sizeof(buf));
	T_EQ(slu_pack_read_batch(p, order, n, buf, sizeof(buf), offsets), (ssize_t)n);
	for (size_t k = 0; k < n; k++) {
		T_EQ(offsets[k + 1] - offsets[k], f->len[order[k]]);
		T_MEM(buf + offsets[k], f->data[order[k]], f->len[order[k]]);
	}
}

static void orders(struct fixture *f, struct slu_pack *p)
{
	uint64_t order[2 * MAX_SAMPLES], x = 88172645463325252u;

	/* Every pair, so that each codec and dictionary comes after each other. */
	for (uint64_t i = 0; i < f->n; i++)
		for (uint64_t j = 0; j < f->n; j++)
			check_batch(f, p, (uint64_t[]){ i, j }, 2);
	for (int round = 0; round < 200; round++) {
		for (uint64_t k = 0; k < 2 * f->n; k++) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			order[k] = x % f->n;
		}
		check_batch(f, p, order, 2 * f->n > 40 ? 40 : 2 * f->n);
	}
	check_batch(f, p, order, 0);
}

static void ends(struct fixture *f, struct slu_pack *p)
{
	uint64_t offsets[8], wrong[] = { 0, 1, f->n, 2 };
	size_t room = f->len[0] + f->len[1] + f->len[2] - 1;

	T_EQ(slu_pack_read_batch(p, (uint64_t[]){ 0, 1, 2 }, 3, buf, room, offsets), 2);
	T_EQ(offsets[2], f->len[0] + f->len[1]);
	T_ERR(slu_pack_read_batch(p, (uint64_t[]){ 0, 1 }, 2, buf, f->len[0] - 1, offsets), -ERANGE);
	T_EQ(slu_pack_read_batch(p, wrong, 4, buf, sizeof(buf), offsets), 2);
	T_ERR(slu_pack_read_batch(p, wrong + 2, 2, buf, sizeof(buf), offsets), -ENOENT);
}

int main(void)
{
	struct fixture f;

	fixture_make(&f, false);
	for (int io = SLU_IO_MMAP; io <= SLU_IO_PREAD; io++)
		for (int verify = SLU_VERIFY_ALWAYS; verify <= SLU_VERIFY_ONCE; verify++) {
			struct slu_pack_options o = { .io = (uint32_t)io, .verify = (uint32_t)verify };
			struct slu_pack *p;
			T_OK(slu_pack_open(f.pack, &o, &p));
			orders(&f, p);
			ends(&f, p);
			slu_pack_close(p);
		}
	fixture_done(&f);
	return 0;
}
