/* SPDX-License-Identifier: MIT */
/*
 * dump DIR: what the logs of a trace hold, a line for each record, for the tests of the recorder: as it was recorded,
 * before any report has made sense of it. Fields are divided by tabs.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "trace/image.h"

static const char *name_of(const struct slu_image *img, slu_ref ref)
{
	size_t len;

	return slu_image_name(img, ref, &len);
}

static void dump_files(const struct slu_image *img, const struct slu_image_chunk *c)
{
	size_t n;
	const struct slu_log_file *f = slu_image_records(img, c, sizeof(*f), &n);

	for (; n > 0; n--, f++) {
		const char *name = name_of(img, f->name);
		if (!(f->flags & SLU_FILE_VALID) || !name)
			continue;
		printf("file\t%u\t%s\tflags=%u\terrors=%u\tmapped=%llu", img->header.pid, name, f->flags, f->errors,
		       (unsigned long long)f->mapped_bytes);
		for (unsigned k = 0; k < SLU_COUNTED; k++)
			printf("\t%s=%u", slu_family_name(k), f->count[k]);
		printf("\treads=%u\tread_bytes=%llu\tread_seq=%u\tread_consec=%u\twrites=%u\twritten=%llu\tmeta_ns=%llu"
		       "\tread_ns=%llu\twrite_ns=%llu",
		       f->read.calls, (unsigned long long)f->read.bytes, f->read.sequential, f->read.consecutive,
		       f->write.calls, (unsigned long long)f->write.bytes, (unsigned long long)f->meta_ns,
		       (unsigned long long)f->read.ns, (unsigned long long)f->write.ns);
		for (unsigned k = 0; k + 1 < SLU_SIZE_CLASSES; k++)
			printf("\tsize%u=%u", k + 1, f->read.sizes[k]);
		printf("\n");
	}
}

static void dump_thread(const struct slu_image *img, const struct slu_image_chunk *c)
{
	size_t n, spans, runs;
	const struct slu_log_thread *t = slu_image_records(img, c, sizeof(*t), &n);
	const struct slu_log_span *s;
	const struct slu_log_run *r;

	if (!n)
		return;
	for (unsigned k = 0; k < SLU_N_CALLS; k++)
		if (t->calls[k].count)
			printf("call\t%u\t%s\ttid=%u\tcount=%llu\terrors=%llu\tbytes=%llu\tns=%llu\n", img->header.pid,
			       slu_call_name(k), t->tid, (unsigned long long)t->calls[k].count,
			       (unsigned long long)t->calls[k].errors, (unsigned long long)t->calls[k].bytes,
			       (unsigned long long)t->calls[k].ns);
	s = slu_image_spans(img, t, &spans);
	for (size_t i = 0; i < spans; i++)
		printf("span\t%u\t%s\tkind=%s\tcount=%u\tns=%llu\tindex=%lld\tdepth=%u\n", img->header.pid,
		       name_of(img, s[i].name), slu_span_name(s[i].kind), s[i].count, (unsigned long long)s[i].ns,
		       (long long)s[i].index, s[i].depth);
	for (unsigned k = 0; k < t->depth && k < SLU_SPAN_DEPTH; k++)
		printf("open-span\t%u\t%s\tkind=%s\n", img->header.pid, name_of(img, t->open_spans[k].name),
		       slu_span_name(t->open_spans[k].kind));
	r = slu_image_runs(img, t, &runs);
	for (size_t i = 0; i < runs; i++)
		printf("run\t%u\t-\tbegin=%llu\tend=%llu\tbusy=%llu\tcalls=%llu\tcompute=%llu\n", img->header.pid,
		       (unsigned long long)r[i].begin, (unsigned long long)r[i].end,
		       (unsigned long long)(r[i].read_ns + r[i].write_ns + r[i].meta_ns),
		       (unsigned long long)r[i].calls, (unsigned long long)r[i].compute_ns);
}

static int count_events(void *arg, slu_ref owner, const struct slu_log_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*(uint64_t *)arg += events[i].begin != 0;
	return 0;
}

static int dump(int dirfd, const char *name)
{
	struct slu_image *img;
	uint64_t events = 0;
	int r = slu_image_load_at(dirfd, name, 0, &img);

	if (r < 0) {
		printf("bad\t0\t%s\t%s\n", name, slu_errmsg());
		return 1;
	}
	r = slu_image_events(img, count_events, &events);
	printf("process\t%u\t%s\tppid=%u\tpart=%u\tstate=%u\trank=%d\tworld=%d\tflags=%u\tpacked=%d\tmissed=%u\tthreads=%u"
	       "\tothers=%u\tevents=%llu\tcut=%llu\n",
	       img->header.pid, img->header.exe, img->header.ppid, img->header.part, img->header.state,
	       img->header.rank, img->header.world, img->header.flags, img->packed, img->header.missed,
	       img->header.n_threads, img->header.other_threads, (unsigned long long)events,
	       (unsigned long long)img->cut);
	for (size_t i = 0; i < img->n_chunks; i++) {
		if (img->chunks[i].kind == SLU_CHUNK_FILES)
			dump_files(img, &img->chunks[i]);
		if (img->chunks[i].kind == SLU_CHUNK_THREAD)
			dump_thread(img, &img->chunks[i]);
	}
	slu_image_free(img);
	return r < 0;
}

int main(int argc, char **argv)
{
	DIR *d = argc == 2 ? opendir(argv[1]) : NULL;
	const struct dirent *e;
	int code = 0;

	if (!d) {
		fprintf(stderr, "usage: dump DIR\n");
		return 2;
	}
	while ((e = readdir(d)))
		if (strlen(e->d_name) > 4 && strcmp(e->d_name + strlen(e->d_name) - 4, ".log") == 0)
			code |= dump(dirfd(d), e->d_name);
	closedir(d);
	return code;
}
