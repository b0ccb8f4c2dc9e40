/* SPDX-License-Identifier: MIT */
/*
 * The progress line: one line on stderr, drawn over itself, never longer than the
 * terminal is wide and gone when the work is done.
 *
 *   write   47% [===========>            ] 28123/60000 files  36.4 MB  120.3 MB/s  0:12 left
 */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/size.h"

/* A bar of fewer columns says less than the numbers it would push out. */
#define MIN_BAR 10

void slu_bar_init(struct slu_bar *b, const struct slu_cli *c)
{
	*b = (struct slu_bar){ 0 };
	b->on = !c->quiet &&
	        (c->progress == SLU_PROGRESS || (c->progress == SLU_AUTO_PROGRESS && isatty(STDERR_FILENO)));
}

void slu_bar_clear(struct slu_bar *b)
{
	if (b->drawn > 0)
		fprintf(stderr, "\r%*s\r", b->drawn, "");
	b->drawn = 0;
}

/* Of the work done, 0 to 1; negative if nobody knows how much there is. */
static double fraction(const struct slu_progress *pr)
{
	double f = pr->total_bytes   ? (double)pr->done_bytes / (double)pr->total_bytes
	           : pr->total_files ? (double)pr->done_files / (double)pr->total_files
	                             : -1;

	return f > 1 ? 1 : f;
}

/* The numbers, right of the bar. */
static void write_numbers(const struct slu_bar *b, const struct slu_progress *pr, uint64_t now, char *text, size_t cap)
{
	uint64_t done = pr->done_bytes > b->start_bytes ? pr->done_bytes - b->start_bytes : 0;
	double rate = slu_cli_rate(done, now - b->start_ns);
	char size[16];
	int n = 0;

	if (pr->total_files)
		n = snprintf(text, cap, " %" PRIu64 "/%" PRIu64 " files", pr->done_files, pr->total_files);
	else if (pr->done_files)
		n = snprintf(text, cap, " %" PRIu64 " files", pr->done_files);
	if (pr->done_bytes)
		n += snprintf(text + n, cap - (size_t)n, "  %s", slu_size_format(pr->done_bytes, size));
	if (rate > 0 && pr->total_bytes >= pr->done_bytes) {
		double left = (double)(pr->total_bytes - pr->done_bytes) / (rate * 1e6);
		unsigned s = left < 359999 ? (unsigned)left : 359999;

		n += snprintf(text + n, cap - (size_t)n, "  %.1f MB/s", rate);
		(void)snprintf(text + n, cap - (size_t)n, "  %u:%02u left", s / 60, s % 60);
	}
}

static void draw_bar(char *text, int width, double f)
{
	int full = (int)(f * (width - 2));

	text[0] = '[';
	memset(text + 1, ' ', (size_t)width - 2);
	memset(text + 1, '=', (size_t)full);
	if (full < width - 2)
		text[1 + full] = '>';
	text[width - 1] = ']';
	text[width] = '\0';
}

void slu_bar_draw(struct slu_bar *b, const char *what, const struct slu_progress *pr)
{
	char line[SLU_MAX_COLUMNS], bar[SLU_MAX_COLUMNS] = "", percent[16] = "", numbers[160] = "";
	uint64_t now;
	double f = fraction(pr);
	int cols, room, n;

	if (!b->on)
		return;
	now = slu_now_ns();
	if (b->what != what) {
		b->what = what;
		b->start_ns = now;
		b->start_bytes = pr->done_bytes;
	}
	if (b->last_ns && now - b->last_ns < 100000000)
		return;
	b->last_ns = now;
	/* One less than the terminal has: some wrap when the last column is written. */
	cols = slu_cli_columns(STDERR_FILENO) - 1;
	write_numbers(b, pr, now, numbers, sizeof(numbers));
	if (f >= 0)
		(void)snprintf(percent, sizeof(percent), " %3d%% ", (int)(f * 100));
	room = cols - (int)(strlen(what) + strlen(percent) + strlen(numbers));
	if (f >= 0 && room >= MIN_BAR)
		draw_bar(bar, room, f);
	n = snprintf(line, (size_t)cols + 1, "%s%s%s%s", what, percent, bar, numbers);
	n = n < cols ? n : cols;
	fprintf(stderr, "\r%s%*s", line, b->drawn > n ? b->drawn - n : 0, "");
	fflush(stderr);
	b->drawn = n;
}
