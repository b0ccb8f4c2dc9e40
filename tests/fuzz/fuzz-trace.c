/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the reader of logs and all that is made of them: an input (trace-input.h) becomes one log or two in a
 * directory, which is loaded as sluice report does, and shown in every form.
 */
#include "fix.h"
#include "prof/out-chrome.h"
#include "prof/out.h"
#include "trace/image.h"
#include "trace-input.h"

static const char *const names[] = { "a.log", "b.log" };

static void remove_logs(void)
{
	char path[128];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", fix_dir, names[i]);
		unlink(path);
	}
}

/* The checksums of pieces, as far as the input's own numbers lead. */
static void make_hashes(uint8_t *log, size_t len)
{
	size_t at = sizeof(struct slu_log_packed);

	while (len - at >= sizeof(struct slu_log_piece)) {
		struct slu_log_piece p;

		memcpy(&p, log + at, sizeof(p));
		at += sizeof(p);
		if (p.stored > len - at)
			return;
		p.hash = XXH3_64bits(log + at, p.stored);
		memcpy(log + at - sizeof(p), &p, sizeof(p));
		at += (p.stored + 7) & ~(uint64_t)7;
		if (at > len)
			return;
	}
}

static size_t make_log(uint8_t *log, const uint8_t *data, size_t size)
{
	struct slu_log_header h = { 0 };
	unsigned what = data[0];

	data++;
	size--;
	if (what & IN_PACKED) {
		struct slu_log_packed head = { .version = SLU_LOG_VERSION, .order = SLU_LOG_ORDER };

		if (size < sizeof(head))
			return 0;
		memcpy(log, data, size);
		memcpy(head.magic, SLU_LOG_PACKED_MAGIC, 8);
		memcpy(log, &head, offsetof(struct slu_log_packed, image_bytes));
		make_hashes(log, size);
		return size;
	}
	if (size < IN_HEAD)
		return 0;
	memcpy(&h, data, IN_HEAD);
	memcpy(h.magic, SLU_LOG_MAGIC, 8);
	h.version = SLU_LOG_VERSION;
	h.order = SLU_LOG_ORDER;
	if (!(what & IN_END))
		h.end = SLU_LOG_HEADER + (size - IN_HEAD);
	memset(log, 0, SLU_LOG_HEADER);
	memcpy(log, &h, sizeof(h));
	memcpy(log + SLU_LOG_HEADER, data + IN_HEAD, size - IN_HEAD);
	return SLU_LOG_HEADER + (size - IN_HEAD);
}

static void show(const struct slu_prof *p, FILE *out)
{
	struct slu_look look = { .width = 80, .utf8 = true };
	struct slu_chrome_sum sum;
	struct slu_compare c;
	struct slu_json j;

	slu_json_init(&j, out);
	slu_json_object(&j, NULL);
	slu_out_json(&j, p);
	slu_json_end_all(&j);
	slu_out_text(out, p, &look);
	for (int i = 0; i < SLU_N_CSV_TABLES; i++)
		slu_csv_tables[i].write(out, p);
	/* Events are unpacked only for this: a piece that cannot be is refused here, with a sentence. */
	if (slu_out_chrome(out, p, &sum) < 0 && !strstr(slu_errmsg(), "is damaged: "))
		abort();
	if (slu_compare_init(&c, p, p) == 0)
		slu_out_compare_text(out, &c, &look);
	slu_compare_done(&c);
}

/* The same log, packed, has the same records. */
static void pack_and_compare(const struct slu_prof *p)
{
	struct slu_prof *again = NULL;
	int dirfd = open(fix_dir, O_RDONLY | O_DIRECTORY);

	if (slu_log_pack(dirfd, names[0]) < 0 || slu_prof_load(fix_dir, &again) < 0)
		abort();
	close(dirfd);
	if (again->n_files != p->n_files || again->n_spans != p->n_spans || again->job.n_events != p->job.n_events ||
	    again->n_calls != p->n_calls || again->access.ns != p->access.ns)
		abort();
	slu_prof_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t log[INPUT_LIMIT + SLU_LOG_HEADER];
	static FILE *out;
	struct slu_prof *p = NULL;
	size_t len;

	if (!out) {
		out = fopen("/dev/null", "w");
		(void)fix_pack();
		atexit(remove_logs);
	}
	if (size < 1 || size > INPUT_LIMIT)
		return -1;
	len = make_log(log, data, size);
	if (!len)
		return -1;
	remove_logs();
	fix_write(names[0], log, len);
	if (data[0] & IN_TWICE)
		fix_write(names[1], log, len);
	if (slu_prof_load(fix_dir, &p) == 0) {
		show(p, out);
		if ((data[0] & (IN_PACK | IN_PACKED | IN_TWICE)) == IN_PACK)
			pack_and_compare(p);
	}
	slu_prof_free(p);
	return 0;
}
