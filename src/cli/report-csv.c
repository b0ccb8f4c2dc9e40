/* SPDX-License-Identifier: MIT */
/*
 * sluice report --csv: a directory of tables. Other people's files are not mixed with ours: it must be new or empty,
 * unless --force says that files of these names may be replaced. All are complete before the first gets its name.
 */
#include "cli/report.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/out-file.h"
#include "prof/out.h"

/* 1: @dir was made; 0: it was there. */
static int make_dir(const char *dir, bool force)
{
	struct dirent *e;
	bool empty = true;
	DIR *d;

	if (mkdir(dir, 0777) == 0)
		return 1;
	if (errno != EEXIST)
		return slu_fail_sys(-errno, "cannot make the directory '%s'", dir);
	d = opendir(dir);
	if (!d)
		return slu_fail_sys(-errno, "cannot open the directory '%s'", dir);
	while (empty && (e = readdir(d)))
		empty = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
	closedir(d);
	if (!empty && !force)
		return slu_fail(-EEXIST, "'%s' is not empty; --force replaces the tables in it", dir);
	return 0;
}

static int write_table(struct slu_out_file *o, const char *dir, const struct slu_csv_table *table,
                       const struct slu_prof *p)
{
	char path[PATH_MAX];
	int r;

	if (snprintf(path, sizeof(path), "%s/%s", dir, table->name) >= (int)sizeof(path))
		return slu_fail(-ENAMETOOLONG, "the path of '%s' is too long", dir);
	r = slu_out_file_open(o, path);
	if (r < 0)
		return r;
	table->write(o->f, p);
	return slu_out_file_close(o);
}

int slu_report_csv(const char *dir, bool force, const struct slu_prof *p)
{
	struct slu_out_file files[SLU_N_CSV_TABLES] = { 0 };
	int made = make_dir(dir, force), r = made < 0 ? made : 0;

	for (size_t i = 0; r == 0 && i < SLU_N_CSV_TABLES; i++)
		r = write_table(&files[i], dir, &slu_csv_tables[i], p);
	for (size_t i = 0; r == 0 && i < SLU_N_CSV_TABLES; i++)
		r = slu_out_file_keep(&files[i]);
	for (size_t i = 0; i < SLU_N_CSV_TABLES; i++)
		slu_out_file_drop(&files[i]);
	if (r < 0 && made > 0)
		(void)rmdir(dir); /* if it holds anything by now, it stays */
	return r;
}
