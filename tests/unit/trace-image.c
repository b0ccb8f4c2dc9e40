/* SPDX-License-Identifier: MIT */
/* trace: a log reads the same raw and packed; what is cut off, foreign or newer is refused with a reason */
#include "trace/image.h"

#define T_ERRMSG() slu_errmsg()
#include "test.h"
#include "tracelog.h"

static const char *dir;

static void fill(void *p, size_t n, unsigned seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		((unsigned char *)p)[i] = (unsigned char)(seed >> 20 & (i % 7 ? 3 : 255));
	}
}

enum { FILES = 1000, RUNS = 333, EVENTS = 777 };

/* A log with all kinds of chunks. Three bytes beyond the last whole record of runs, and a chunk that overflowed. */
static void make(const char *path)
{
	static struct slu_log_file files[FILES];
	static struct slu_log_run runs[RUNS + 1];
	static struct slu_log_event events[EVENTS];
	struct slu_log_thread t;
	struct tlog l;
	slu_ref thread, chunk, name;

	tlog_init(&l, 5, 3);
	name = tlog_name(&l, "/data/a");
	fill(files, sizeof(files), 1);
	for (int i = 0; i < FILES; i++) {
		files[i].flags = SLU_FILE_VALID;
		files[i].name = name;
	}
	chunk = tlog_chunk(&l, SLU_CHUNK_FILES, 0, files, sizeof(files), sizeof(files));
	((struct slu_log_chunk *)(l.data + 8 * (size_t)chunk))->used = sizeof(files) + 100; /* it has filled up */
	memset(&t, 0, sizeof(t));
	t.tid = 5;
	thread = tlog_chunk(&l, SLU_CHUNK_THREAD, 0, &t, sizeof(t), sizeof(t));
	tlog_chunk(&l, SLU_CHUNK_DEAD, thread, NULL, 64, 640);
	fill(runs, sizeof(runs), 2);
	chunk = tlog_chunk(&l, SLU_CHUNK_RUNS, thread, runs, sizeof(runs[0]) * RUNS + 3, sizeof(runs) * 4);
	((struct slu_log_thread *)(l.data + 8 * (size_t)thread + sizeof(struct slu_log_chunk)))->runs = chunk;
	fill(events, sizeof(events), 3);
	tlog_chunk(&l, SLU_CHUNK_EVENTS, thread, events, sizeof(events), sizeof(events));
	T_EQ(tlog_write(&l, path), 0);
}

static int gather_events(void *arg, slu_ref owner, const struct slu_log_event *events, size_t n)
{
	(void)owner;
	memcpy(arg, events, n * sizeof(*events));
	return 0;
}

static void compare(const struct slu_image *a, const struct slu_image *b)
{
	static struct slu_log_event ea[EVENTS], eb[EVENTS];

	T_MEM(&a->header, &b->header, sizeof(a->header));
	T_EQ(a->n_chunks, b->n_chunks);
	for (size_t i = 0; i < a->n_chunks; i++) {
		const struct slu_image_chunk *x = &a->chunks[i], *y = &b->chunks[i];

		T_TRUE(x->at == y->at && x->bytes == y->bytes && x->kind == y->kind && x->owner == y->owner);
		if (x->kind == SLU_CHUNK_FILES) {
			for (size_t k = 0; k < FILES; k++) {
				const struct slu_log_file *f = (const void *)(a->base + x->at),
							  *g = (const void *)(b->base + x->at);

				T_EQ(g[k].hash, 0);
				T_MEM(&f[k].name, &g[k].name, sizeof(*f) - 8);
			}
		} else if (x->kind != SLU_CHUNK_EVENTS) {
			T_MEM(a->base + x->at, b->base + x->at, x->bytes);
		}
	}
	T_OK(slu_image_events(a, gather_events, ea));
	T_OK(slu_image_events(b, gather_events, eb));
	T_MEM(ea, eb, sizeof(ea));
}

static void round_trip(const char *path)
{
	struct slu_image *raw, *packed;
	size_t before, after, n, len;
	int fd = open(dir, O_RDONLY | O_DIRECTORY);

	free(t_read_file(path, &before));
	T_OK(slu_image_load(path, &raw));
	T_TRUE(!raw->packed);
	T_OK(slu_log_pack(fd, "host-5-0.log"));
	free(t_read_file(path, &after));
	T_GE(before, after);
	T_OK(slu_image_load(path, &packed));
	T_TRUE(packed->packed);
	compare(raw, packed);
	for (size_t i = 0; i < packed->n_chunks; i++)
		if (packed->chunks[i].kind == SLU_CHUNK_THREAD) {
			T_TRUE(slu_image_runs(
				packed,
				slu_image_records(packed, &packed->chunks[i], sizeof(struct slu_log_thread), &n), &n));
			T_EQ(n, RUNS);
		}
	T_STR(slu_image_name(packed, (SLU_LOG_HEADER + 32) / 8, &len), "/data/a");
	T_EQ(len, 7);
	T_TRUE(!slu_image_name(packed, (SLU_LOG_HEADER + 40) / 8, &len));
	T_TRUE(!slu_image_name(packed, UINT32_MAX, &len));
	slu_image_free(raw);
	slu_image_free(packed);
	T_OK(slu_log_pack(fd, "host-5-0.log")); /* again: nothing happens */
	close(fd);
}

/* Every length of the file, and every byte of it changed: an error with a sentence, or a log; never a crash. */
static void damage(const char *path)
{
	const char *other = t_path(dir, "other");
	struct slu_image *img;
	size_t len;
	unsigned char *data = t_read_file(path, &len);
	size_t step = t_long() ? 1 : len / 400 + 1; /* a load costs time by the log's size */

	for (size_t n = 0; n < len; n += n < 600 ? 13 : step * 2) {
		t_write_file(other, data, n);
		T_ERR(slu_image_load(other, &img), -EBADMSG);
		T_TRUE(strlen(slu_errmsg()) > 20);
	}
	for (size_t n = 0; n < len; n += n < 300 ? 1 : step) {
		data[n] ^= 0x40;
		t_write_file(other, data, len);
		if (slu_image_load(other, &img) == 0)
			slu_image_free(img);
		else
			T_TRUE(strlen(slu_errmsg()) > 20);
		data[n] ^= 0x40;
	}
	data[8] = SLU_LOG_VERSION + 1;
	t_write_file(other, data, len);
	T_ERR(slu_image_load(other, &img), -EPROTONOSUPPORT);
	T_HAS(slu_errmsg(), "newer");
	data[8] = SLU_LOG_VERSION;
	for (int i = 0; i < 2; i++) {
		unsigned char swap = data[12 + i];

		data[12 + i] = data[15 - i];
		data[15 - i] = swap;
	}
	t_write_file(other, data, len);
	T_ERR(slu_image_load(other, &img), -EPROTONOSUPPORT);
	T_HAS(slu_errmsg(), "byte order");
	free(data);
}

int main(void)
{
	struct slu_image *img;

	dir = T_TMPDIR();
	char *path = strdup(t_path(dir, "host-5-0.log"));

	make(path);
	damage(path);
	round_trip(path);
	damage(path);
	t_write_file(path, "something else", 14);
	T_ERR(slu_image_load(path, &img), -EBADMSG);
	T_HAS(slu_errmsg(), "not a log");
	T_ERR(slu_image_load(dir, &img), -EBADMSG);
	T_ERR(slu_image_load(t_path(dir, "none"), &img), -ENOENT);
	free(path);
	return 0;
}
