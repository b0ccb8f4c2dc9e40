/* SPDX-License-Identifier: MIT */
/*
 * Makes the seeds of fuzz-trace (trace-input.h):
 *	ninja -C build tests/fuzz/seed-trace && build/tests/fuzz/seed-trace tests/fuzz/corpus-trace
 */
#include <fcntl.h>
#include <sluice/trace.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/image.h"

#include "trace-input.h"
#include "tracelog.h"

static const char *top;

static void write_seed(const char *name, unsigned what, const struct tlog *l)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	f = fopen(path, "wb");
	if (!f)
		exit(1);
	fputc((int)what, f);
	fwrite(l->data, 1, IN_HEAD, f);
	fwrite(l->data + SLU_LOG_HEADER, 1, l->len - SLU_LOG_HEADER, f);
	if (fclose(f))
		exit(1);
}

/* The log @l as it is after packing; it is gone then. */
static void write_packed_seed(const char *name, struct tlog *l)
{
	char path[4096];
	struct tlog packed = { 0 };
	struct stat st;
	int dirfd, fd;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tmp.log", top);
	dirfd = open(top, O_RDONLY | O_DIRECTORY);
	if (tlog_write(l, path) < 0 || dirfd < 0 || slu_log_pack(dirfd, "tmp.log") < 0)
		exit(1);
	fd = open(path, O_RDONLY);
	packed.data = malloc(65536);
	packed.len = fd >= 0 && fstat(fd, &st) == 0 ? (size_t)st.st_size : 0;
	if (!packed.data || read(fd, packed.data, 65536) != (ssize_t)packed.len)
		exit(1);
	unlink(path);
	snprintf(path, sizeof(path), "%s/%s", top, name);
	f = fopen(path, "wb");
	if (!f || fputc(IN_PACKED, f) == EOF || fwrite(packed.data, 1, packed.len, f) != packed.len || fclose(f))
		exit(1);
	free(packed.data);
	close(fd);
	close(dirfd);
}

static void *at(struct tlog *l, slu_ref chunk)
{
	return l->data + 8 * (size_t)chunk + sizeof(struct slu_log_chunk);
}

static slu_ref add_thread(struct tlog *l, uint32_t tid)
{
	struct slu_log_thread t = { .tid = tid, .name = "worker", .first = 1100000000, .last = 1900000000 };

	t.calls[SLU_CALL_READ] = (struct slu_log_tally){ 7, 1, 5000000, 3000000, 70000 };
	t.calls[SLU_CALL_OPEN] = (struct slu_log_tally){ 3, 0, 2000000, 1000000, 0 };
	t.size_log2[0][14] = 7;
	t.time_log2[0][20] = 7;
	return tlog_chunk(l, SLU_CHUNK_THREAD, 0, &t, sizeof(t), sizeof(t));
}

static void add_files(struct tlog *l, slu_ref *ret_first)
{
	static const char *const paths[] = { "/data/a.h5", "/data/b/c.jpg", "/usr/lib/x.so", "pipe:[5]", "/data/out" };
	struct slu_log_file files[5];

	memset(files, 0, sizeof(files));
	for (int i = 0; i < 5; i++) {
		files[i].name = tlog_name(l, paths[i]);
		files[i].flags = SLU_FILE_VALID | (i == 3 ? SLU_FILE_NOT_A_FILE : 0) | (i == 0 ? SLU_FILE_HDF5 : 0);
		files[i].first = 100;
		files[i].last = 800;
		files[i].meta_ns = 100000;
		files[i].count[SLU_FAMILY_OPEN] = 20;
		files[i].read = (struct slu_log_side){ .calls = 9,
			                               .sequential = 8,
			                               .consecutive = 7,
			                               .sizes = { 4, 2 },
			                               .bytes = 1 << 20,
			                               .ns = 1 << 22 };
	}
	memset(&files[4].read, 0, sizeof(files[4].read));
	files[4].write = (struct slu_log_side){ .calls = 3, .bytes = 3000, .ns = 30000 };
	*ret_first = tlog_chunk(l, SLU_CHUNK_FILES, 0, files, sizeof(files), sizeof(files)) + 4;
}

static void add_spans(struct tlog *l, slu_ref thread, slu_ref name)
{
	struct slu_log_span spans[7];
	slu_ref chunk;

	for (int i = 0; i < 7; i++)
		spans[i] = (struct slu_log_span){ .begin = 1100000000 + 100000000ull * (unsigned)i,
			                          .end = 1180000000 + 100000000ull * (unsigned)i,
			                          .ns = i == 3 ? 40000000 : 80000000,
			                          .name = name,
			                          .kind = (uint32_t)i,
			                          .index = i == SLU_SPAN_EPOCH ? 2 : -1,
			                          .count = i == 3 ? 5 : 1,
			                          .depth = (uint32_t)i % 3 };
	chunk = tlog_chunk(l, SLU_CHUNK_SPANS, thread, spans, sizeof(spans), sizeof(spans));
	((struct slu_log_thread *)at(l, thread))->spans = chunk;
}

static void add_runs(struct tlog *l, slu_ref thread)
{
	struct slu_log_run runs[5];
	slu_ref chunk;

	for (int i = 0; i < 5; i++)
		runs[i] = (struct slu_log_run){ .begin = 1150000000 + 100000000ull * (unsigned)i,
			                        .end = 1210000000 + 100000000ull * (unsigned)i,
			                        .read_ns = 10000000,
			                        .write_ns = 5000000,
			                        .meta_ns = 3000000,
			                        .read_bytes = 100000,
			                        .compute_ns = 20000000,
			                        .calls = 12 };
	chunk = tlog_chunk(l, SLU_CHUNK_RUNS, thread, runs, sizeof(runs), sizeof(runs));
	((struct slu_log_thread *)at(l, thread))->runs = chunk;
}

static void add_events(struct tlog *l, slu_ref thread, slu_ref file)
{
	struct slu_log_event events[6];

	for (int i = 0; i < 6; i++)
		events[i] = (struct slu_log_event){ .begin = 1150000000 + 100000000ull * (unsigned)i,
			                            .offset = i % 2 ? UINT64_MAX : 4096,
			                            .bytes = 1000,
			                            .file = file +
			                                    (slu_ref)(i % 5 * (int)(sizeof(struct slu_log_file) / 8)),
			                            .ns = 1000000,
			                            .call = (uint16_t)(SLU_CALL_READ + i % 3),
			                            .error = i == 4 ? 5 : 0 };
	tlog_header(l)->flags |= SLU_LOG_EVENTS;
	tlog_chunk(l, SLU_CHUNK_EVENTS, thread, events, sizeof(events), sizeof(events));
}

int main(int argc, char **argv)
{
	struct tlog l;
	slu_ref file, thread, name;

	top = argc > 1 ? argv[1] : ".";
	tlog_init(&l, 7, -1);
	write_seed("empty", 0, &l);
	add_files(&l, &file);
	write_seed("files", IN_PACK, &l);
	thread = add_thread(&l, 7);
	name = tlog_name(&l, "step");
	add_runs(&l, thread);
	add_spans(&l, thread, name);
	write_seed("runs", IN_TWICE, &l);
	tlog_header(&l)->rank = 3;
	tlog_header(&l)->state = SLU_LOG_RUNNING;
	((struct slu_log_thread *)at(&l, thread))->depth = 1;
	((struct slu_log_thread *)at(&l, thread))->open_spans[0] =
		(struct slu_log_open_span){ .begin = 1850000000, .name = name, .kind = SLU_SPAN_COMPUTE, .index = -1 };
	thread = add_thread(&l, 8);
	add_events(&l, thread, file);
	tlog_chunk(&l, SLU_CHUNK_DEAD, 0, NULL, 10, 64);
	write_seed("events", IN_PACK, &l);
	write_packed_seed("packed", &l);
	return 0;
}
