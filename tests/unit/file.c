/* SPDX-License-Identifier: MIT */
/*
 * Open samples (vfs/file.h): parts are parts of the whole, for every codec and size; what changes on disk after the
 * first check is never handed out; a shard that shrinks is -EIO; threads share one.
 */
#include <pthread.h>
#include <sluice/create.h>

#include "pack-fixture.h"
#include "vfs/file.h"

enum { TEXT = 300007, SMALL = 70001, LARGE = (3 << 20) + 12345, THREADS = 6 };

static unsigned char *content[3];
static const size_t length[3] = { TEXT, SMALL, LARGE };
static const char *const name[3] = { "a.txt", "b.bin", "c.dat" };
static const char *dir;

static uint64_t dice(void)
{
	static _Thread_local uint64_t x = 88172645463325252u;

	x ^= x << 13, x ^= x >> 7, x ^= x << 17;
	return x;
}

static void make_tree(void)
{
	const char *tree = strdup(t_path(dir, "tree"));

	T_EQ(mkdir(tree, 0755), 0);
	for (int k = 0; k < 3; k++) {
		content[k] = malloc(length[k]);
		for (size_t i = 0; i < length[k]; i++)
			content[k][i] =
				k == 0 ? (unsigned char)"some words "[i / 7 % 11] : (unsigned char)(dice() >> 24);
		t_write_file(t_path(tree, name[k]), content[k], length[k]);
	}
	free((void *)tree);
}

static const char *make_pack(const char *codec)
{
	static char path[512];
	struct slu_create_options opt = { .size = sizeof(opt), .codec = codec, .force = true };
	struct slu_create_result res;

	snprintf(path, sizeof(path), "%s/p.slu", dir);
	T_OK(slu_create(t_path(dir, "tree"), path, &opt, &res));
	return path;
}

static struct slu_pack *open_pack(const char *path, enum slu_io io)
{
	struct slu_pack_options opt = { .io = io };
	struct slu_pack *p;

	T_OK(slu_pack_open(path, &opt, &p));
	return p;
}

static void open_file(struct slu_file *f, struct slu_pack *p, int k)
{
	uint64_t sample;

	T_OK(slu_pack_find(p, name[k], &sample));
	T_OK(slu_file_init(f, p, sample));
	T_EQ(f->size, length[k]);
}

/* ---- parts ------------------------------------------------------------------------------ */

static void check_part(struct slu_file *f, int k, size_t len, uint64_t offset)
{
	static _Thread_local unsigned char buf[LARGE + 10];
	size_t want = offset >= length[k] ? 0 : length[k] - offset < len ? length[k] - offset : len;

	buf[want] = 0xa5;
	T_EQ(T_OK(slu_file_pread(f, buf, len, offset)), want);
	T_TRUE(want == 0 || memcmp(buf, content[k] + offset, want) == 0);
	T_EQ(buf[want], 0xa5); /* nothing behind it was touched */
}

static void check_parts(struct slu_file *f, int k)
{
	const uint64_t around[] = { 0, SLU_FILE_BLOCK, 3 * SLU_FILE_BLOCK, length[k] / SLU_FILE_BLOCK * SLU_FILE_BLOCK,
		                    length[k] };

	for (unsigned a = 0; a < 5; a++)
		for (unsigned b = a; b < 5; b++)
			for (int da = -1; da <= 1; da++)
				for (int db = -1; db <= 1; db++)
					if ((int64_t)around[a] + da >= 0 &&
					    around[b] + (uint64_t)db >= around[a] + (uint64_t)da)
						check_part(f, k, around[b] - around[a] + (uint64_t)(db - da),
						           around[a] + (uint64_t)da);
	for (int i = 0; i < 200; i++)
		check_part(f, k, dice() % (i % 4 ? 40000 : length[k]), dice() % (length[k] + 100));
	check_part(f, k, length[k] + 10, 0);
	check_part(f, k, 1, UINT64_MAX);
}

static void parts_are_parts(const char *codec, enum slu_io io)
{
	struct slu_pack *p = open_pack(make_pack(codec), io);

	for (int k = 0; k < 3; k++) {
		struct slu_file f;
		const uint8_t *bytes;
		open_file(&f, p, k);
		T_EQ(f.large, k == 2);
		check_parts(&f, k);
		if (k == 2) {
			T_ERR(slu_file_bytes(&f, &bytes), -EFBIG);
		} else {
			T_OK(slu_file_bytes(&f, &bytes));
			T_TRUE(memcmp(bytes, content[k], length[k]) == 0);
			check_parts(&f, k); /* now from memory */
		}
		slu_file_done(&f);
		slu_file_done(&f);
	}
	slu_pack_close(p);
}

/* ---- damage ------------------------------------------------------------------------------- */

static void flip(struct slu_pack *p, const char *path, uint64_t sample, uint64_t offset)
{
	struct slu_sample s;
	char shard[600];
	unsigned char byte;

	T_OK(slu_pack_sample(p, sample, &s));
	snprintf(shard, sizeof(shard), "%s/shard-%05u", path, s.shard);
	int fd = open(shard, O_RDWR);
	T_EQ(pread(fd, &byte, 1, (off_t)(s.offset + offset)), 1);
	byte ^= 0x10;
	T_EQ(pwrite(fd, &byte, 1, (off_t)(s.offset + offset)), 1);
	close(fd);
}

static void later_damage(enum slu_io io)
{
	const char *path = make_pack("none");
	struct slu_pack *p = open_pack(path, io);
	const uint64_t at = 50 * SLU_FILE_BLOCK + 77;
	static unsigned char buf[LARGE];
	struct slu_file f, g;

	open_file(&f, p, 2);
	check_part(&f, 2, 10, 5); /* the first check */
	flip(p, path, f.sample, at);
	T_ERR(slu_file_pread(&f, buf, 1, at), -EILSEQ);
	T_HAS(slu_errmsg(), name[2]);
	T_HAS(slu_errmsg(), "checksum");
	T_ERR(slu_file_pread(&f, buf, 1, at - 77), -EILSEQ);                                  /* the same block */
	T_ERR(slu_file_pread(&f, buf, 4 * SLU_FILE_BLOCK, at - 2 * SLU_FILE_BLOCK), -EILSEQ); /* among whole ones */
	T_ERR(slu_file_pread(&f, buf, LARGE, 0), -EILSEQ);
	check_part(&f, 2, 77 + 3000, at - 77 - 77 - 3000); /* up to the block before */
	check_part(&f, 2, 100000, at - 77 + SLU_FILE_BLOCK);
	check_part(&f, 2, LARGE, at - 77 + SLU_FILE_BLOCK);
	open_file(&g, p, 2);
	T_ERR(slu_file_pread(&g, buf, 10, 5), -EILSEQ); /* damaged before the first check */
	T_HAS(slu_errmsg(), name[2]);
	flip(p, path, f.sample, at); /* healed */
	check_part(&g, 2, 10, 5);
	check_part(&f, 2, 10, at);

	flip(p, path, f.sample, LARGE - 1); /* the last block, which is short */
	T_ERR(slu_file_pread(&f, buf, 100, LARGE - 100), -EILSEQ);
	check_part(&f, 2, SLU_FILE_BLOCK, 0);
	slu_file_done(&f);
	slu_file_done(&g);
	slu_pack_close(p);
}

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER 1
#elif defined(__has_feature)
#define THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#define THREAD_SANITIZER 0
#endif

static void truncation(enum slu_io io)
{
	const char *path = make_pack("none");
	struct slu_pack *p = open_pack(path, io);
	static unsigned char buf[LARGE];
	struct slu_sample s;
	struct slu_file f;
	char shard[600];

	open_file(&f, p, 2);
	check_part(&f, 2, 10, 5);
	T_OK(slu_pack_sample(p, f.sample, &s));
	snprintf(shard, sizeof(shard), "%s/shard-%05u", path, s.shard);
	T_EQ(truncate(shard, (off_t)(s.offset + (1 << 20))), 0);
	T_ERR(slu_file_pread(&f, buf, 10, 2 << 20), -EIO);
	T_ERR(slu_file_pread(&f, buf, LARGE, 0), -EIO);
	T_ERR(slu_file_pread(&f, buf, LARGE, 1), -EIO);
	check_part(&f, 2, 500000, 100); /* what is left is still right */
	slu_file_done(&f);
	T_OK(slu_file_init(&f, p, f.sample));
	T_ERR(slu_file_pread(&f, buf, 10, 5), -EIO);
	slu_file_done(&f);
	slu_pack_close(p);
}

/* ---- threads -------------------------------------------------------------------------------- */

static struct slu_file shared[3];

static void *reader(void *arg)
{
	uint64_t turn = (uintptr_t)arg;

	for (int i = 0; i < 60; i++) {
		int k = (int)((turn + (uint64_t)i) % 3);
		check_part(&shared[k], k, dice() % 60000, dice() % length[k]);
	}
	return NULL;
}

static void threads(const char *codec, enum slu_io io)
{
	struct slu_pack *p = open_pack(make_pack(codec), io);
	pthread_t t[THREADS];

	for (int k = 0; k < 3; k++)
		open_file(&shared[k], p, k);
	for (uintptr_t i = 0; i < THREADS; i++)
		T_EQ(pthread_create(&t[i], NULL, reader, (void *)i), 0);
	for (int i = 0; i < THREADS; i++)
		T_EQ(pthread_join(t[i], NULL), 0);
	for (int k = 0; k < 3; k++)
		slu_file_done(&shared[k]);
	slu_pack_close(p);
}

int main(void)
{
	struct slu_file nothing = { 0 };

	slu_file_done(&nothing);
	dir = T_TMPDIR();
	make_tree();
	for (enum slu_io io = SLU_IO_MMAP; io <= SLU_IO_PREAD; io++) {
		parts_are_parts("none", io);
		parts_are_parts("lz4", io);
		parts_are_parts("zstd", io);
		later_damage(io);
		if (!THREAD_SANITIZER) /* its runtime passes on only the first fault that is jumped out of */
			truncation(io);
		threads("lz4", io);
	}
	for (int k = 0; k < 3; k++)
		free(content[k]);
	return 0;
}
