# SPDX-License-Identifier: MIT
"""Streams, directories and walks are counted as the program counts them itself."""
from tracelib import *

SOURCE = r"""
#include <dirent.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define MUST(x) do { if (!(x)) { perror(#x); exit(1); } } while (0)
static long walked, opened_in_walk;
static int step(const char *path, const struct stat *st, int type, struct FTW *f)
{
	FILE *s;
	walked++;
	if (type == FTW_F && (s = fopen(path, "r"))) { /* what is done in between is the program's */
		char c;
		MUST(fread(&c, 1, 1, s) == 1);
		fclose(s);
		opened_in_walk++;
	}
	return 0;
}
int main(int argc, char **argv)
{
	long freads = 0, bytes = 0, lines = 0, entries = 0, puts_ = 0, chars = 0;
	char buf[300], *line = NULL, *paths[] = { argv[1], NULL };
	size_t room = 0;
	FILE *f;
	MUST((f = fopen("text", "w")));
	for (int i = 0; i < 100; i++) {
		MUST(fprintf(f, "line %d\n", i) > 0);
		MUST(fputs("another\n", f) >= 0);
	}
	MUST(fwrite("end\n", 1, 4, f) == 4);
	MUST(fflush(f) == 0);
	MUST(fclose(f) == 0);
	MUST((f = fopen("text", "r")));
	while (fgets(buf, sizeof(buf), f))
		lines++;
	MUST(fseek(f, 0, SEEK_SET) == 0);
	while (getline(&line, &room, f) >= 0)
		lines++;
	rewind(f);
	while (fgetc(f) != EOF)
		chars++;
	rewind(f);
	for (size_t n; (n = fread(buf, 1, sizeof(buf), f)) > 0; bytes += n)
		freads++;
	fclose(f);
	DIR *d = opendir(argv[1]);
	MUST(d);
	while (readdir(d))
		entries++;
	closedir(d);
	MUST(nftw(argv[1], step, 8, FTW_PHYS) == 0);
	FTS *t = fts_open(paths, FTS_PHYSICAL, NULL);
	long visited = 0;
	MUST(t);
	while (fts_read(t))
		visited++;
	fts_close(t);
	glob_t g;
	snprintf(buf, sizeof(buf), "%s/*.bin", argv[1]);
	MUST(glob(buf, 0, NULL, &g) == 0);
	struct dirent **list;
	int n = scandir(argv[1], &list, NULL, alphasort);
	MUST(n == entries);
	printf("%ld %ld %ld %ld %ld %ld %ld %ld\n", freads, bytes, lines, chars, entries, walked, opened_in_walk, visited);
	return 0;
}
"""


def test(tmp):
    program = compile_c("streams", SOURCE)
    data = make_files("data", 40)
    t = trace([program, data])
    freads, nbytes, lines, chars, entries, walked, opened, visited = map(int, t.stdout.split())
    text = os.path.realpath("text")
    check(t.calls("fprintf") - 1 == 100 and t.calls("fputs") == 100 and t.calls("fwrite") == 1, "what was written")
    check(t.count(text, "written") == nbytes, "%d bytes written, %d are there", t.count(text, "written"), nbytes)
    check(t.calls("fread") == freads + 1 + opened, "fread: %d, made %d", t.calls("fread"), freads + 1 + opened)
    check(t.calls("fgets") == lines + 2 + chars + 1, "lines and characters: %d", t.calls("fgets"))
    check(t.count(text, "read_bytes") == 4 * nbytes, "read four times: %d of %d", t.count(text, "read_bytes"), 4 * nbytes)
    check(t.calls("fseek") == 3 and t.calls("fflush") == 1, "fseek %d", t.calls("fseek"))
    check(t.calls("fopen") == 2 + opened and t.calls("fclose") == 2 + opened, "fopen %d", t.calls("fopen"))
    check(t.calls("opendir") == 1 and t.calls("readdir") == entries + 1 and t.calls("closedir") == 1, "readdir")
    check(t.calls("nftw") == walked, "nftw: %d of %d", t.calls("nftw"), walked)
    check(t.calls("fts") == visited + 1, "fts: %d of %d", t.calls("fts"), visited)
    check(t.calls("glob") == 1 and t.calls("scandir") == 1, "glob and scandir")
    check(t.count(data, "flags") & IS_DIR, "a directory that was listed is one")
    for i in range(40):
        path = "%s/%05d.bin" % (data, i)
        check(t.count(path, "reads") == 1 and t.count(path, "open") == 1, "%s: %s", path, t.file(path))
    check(t.calls("read") == 0, "libc's own reads are not the program's")


main(test)
