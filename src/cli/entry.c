/* SPDX-License-Identifier: MIT */
/*
 * One entry of a listing.
 *
 * Columns have fixed widths, which larger numbers push out: fitting them would mean a
 * second pass over a directory that may have millions of entries.
 */
#include "cli/entry.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/size.h"

/* The ten characters of ls -l. */
static void mode_text(uint32_t mode, char text[11])
{
	static const char all[] = "rwxrwxrwx";

	text[0] = S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : S_ISREG(mode) ? '-' : '?';
	for (int i = 0; i < 9; i++)
		text[1 + i] = mode & (0400u >> i) ? all[i] : '-';
	if (mode & S_ISUID)
		text[3] = mode & S_IXUSR ? 's' : 'S';
	if (mode & S_ISGID)
		text[6] = mode & S_IXGRP ? 's' : 'S';
	if (mode & S_ISVTX)
		text[9] = mode & S_IXOTH ? 't' : 'T';
	text[10] = '\0';
}

/* Local time to the minute; the seconds themselves where the calendar ends. */
static void time_text(int64_t ns, char *text, size_t cap)
{
	time_t s = (time_t)(ns / 1000000000 - (ns % 1000000000 < 0));
	struct tm tm;

	if (!localtime_r(&s, &tm) || strftime(text, cap, "%Y-%m-%d %H:%M", &tm) == 0)
		(void)snprintf(text, cap, "%" PRId64, (int64_t)s);
}

static void put_details(const struct slu_entry_style *style, const struct slu_stat *st)
{
	char mode[11], size[24], when[32], text[16];

	mode_text(st->mode, mode);
	time_text(st->mtime_ns, when, sizeof(when));
	if (style->human)
		(void)snprintf(size, sizeof(size), "%s", slu_size_format(st->size, text));
	else
		(void)snprintf(size, sizeof(size), "%" PRIu64, st->size);
	printf("%s %5" PRIu32 " %5" PRIu32 " %10s %s ", mode, st->uid, st->gid, size, when);
}

int slu_entry_text(const struct slu_entry_style *style, struct slu_pack *p, uint64_t node, const char *name)
{
	char target[SLU_PATH_MAX];
	struct slu_stat st;
	bool link;
	int r;

	if (!style->details) {
		slu_cli_put_name(name);
		putchar('\n');
		return 0;
	}
	r = slu_pack_stat(p, node, &st);
	if (r < 0)
		return r;
	link = S_ISLNK(st.mode);
	if (link) {
		ssize_t n = slu_pack_readlink(p, node, target);

		if (n < 0)
			return (int)n;
	}
	put_details(style, &st);
	slu_cli_put_name(name);
	if (link) {
		fputs(" -> ", stdout);
		slu_cli_put_name(target);
	}
	putchar('\n');
	return 0;
}

int slu_entry_heading(struct slu_pack *p, uint64_t dir, bool first)
{
	char path[SLU_PATH_MAX];
	ssize_t n = slu_pack_path(p, dir, path);

	if (n < 0)
		return (int)n;
	if (!first)
		putchar('\n');
	slu_cli_put_name(n ? path : ".");
	puts(":");
	return 0;
}

static const char *type_name(int kind)
{
	return kind == SLU_DIR ? "directory" : kind == SLU_LINK ? "link" : "file";
}

int slu_entry_json(struct slu_json *j, struct slu_pack *p, uint64_t node)
{
	char path[SLU_PATH_MAX], target[SLU_PATH_MAX];
	int kind = slu_node_kind(p, node), r;
	struct slu_stat st;
	uint64_t sample = 0;
	ssize_t n;

	if (kind < 0)
		return kind;
	if ((n = slu_pack_path(p, node, path)) < 0)
		return (int)n;
	if (kind == SLU_LINK && (n = slu_pack_readlink(p, node, target)) < 0)
		return (int)n;
	if (kind == SLU_SAMPLE && (r = slu_node_sample(p, node, &sample)) < 0)
		return r;
	if ((r = slu_pack_stat(p, node, &st)) < 0)
		return r;
	slu_json_object(j, NULL);
	slu_json_str(j, "path", path);
	slu_json_str(j, "type", type_name(kind));
	slu_json_u64(j, "size", st.size);
	slu_json_i64(j, "mtime_ns", st.mtime_ns);
	slu_json_u64(j, "mode", st.mode);
	slu_json_u64(j, "uid", st.uid);
	slu_json_u64(j, "gid", st.gid);
	slu_json_u64(j, "ino", st.ino);
	if (kind == SLU_SAMPLE)
		slu_json_u64(j, "sample", sample);
	if (kind == SLU_LINK)
		slu_json_str(j, "target", target);
	slu_json_end(j);
	return 0;
}
