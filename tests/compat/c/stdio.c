/* SPDX-License-Identifier: MIT */
/* stdio: modes, the reading calls, positions, buffers, and FILE and descriptor used together. */
#include "compat.h"

static void modes(void)
{
	static const char *const m[] = { "r",  "rb", "re", "rm",  "rme", "rx", "w", "a",
		                         "r+", "w+", "a+", "rb+", "wx",  "z",  "" };
	static const char *const rels[] = { "text/lines.txt", "class-a",     "no-such",
		                            "links/rel",      "links/loop1", "empty/x" };
	for (size_t k = 0; k < sizeof(rels) / sizeof(rels[0]); k++)
		for (size_t i = 0; i < sizeof(m) / sizeof(m[0]); i++) {
			errno = 0;
			FILE *f = fopen(P(rels[k]), m[i]);
			printf("fopen(%s, \"%s\") = %s\n", rels[k], m[i], f ? "open" : ename(errno));
			if (!f)
				continue;
			printf("  fileno %d getfd %d\n", fileno(f), fcntl(fileno(f), F_GETFD));
			int c = getc(f);
			printf("  first %d, error %d %s\n", c, ferror(f), c < 0 ? ename(errno) : "");
			R(fclose(f));
		}
	FILE *f = RP(fopen64(P("text/lines.txt"), "r"));
	R(fclose(f));
}

static void calls(const char *rel)
{
	printf("--- %s\n", rel);
	FILE *f = RP(fopen(P(rel), "r"));
	char *l = NULL;
	size_t room = 0;
	fpos_t pos;
	bytes("fread", buf, R(fread(buf, 1, 100, f)));
	R(ftell(f));
	bytes("fread of 7s", buf, (long long)R(fread(buf, 7, 100, f)) * 7);
	R(ftell(f));
	R(fseek(f, 10, SEEK_SET));
	int c = (int)R(getc(f));
	R(ungetc(c ^ 1, f));
	R(fgetc(f));
	R(ftell(f));
	R(fgetpos(f, &pos));
	if (fgets(buf, 50, f))
		bytes("fgets", buf, (long long)strlen(buf));
	long long n = R(getline(&l, &room, f));
	bytes("getline", l, n < 0 ? 0 : n);
	n = R(getdelim(&l, &room, 'e', f));
	bytes("getdelim", l, n < 0 ? 0 : n);
	R(fsetpos(f, &pos));
	R(ftello(f));
	R(fseeko(f, -100, SEEK_END));
	bytes("the last", buf, R(fread(buf, 1, 1000, f)));
	R(feof(f) != 0);
	R(fgetc(f));
	R(fseek(f, -1, SEEK_SET));
	R(fseek(f, 0, SEEK_CUR));
	R(feof(f) != 0);
	rewind(f);
	R(fread_unlocked(buf, 1, 10, f));
	R(getc_unlocked(f));
	R(fputc('x', f));
	R(ferror(f) != 0);
	clearerr(f);
	R(fprintf(f, "x"));
	R(fflush(f));
	R(fileno(f));
	R(fclose(f));
	free(l);
	/* buffers of all kinds */
	for (int mode = 0; mode < 3; mode++) {
		static char own[777];
		f = fopen(P(rel), "rb");
		setvbuf(f, mode ? own : NULL, mode == 0 ? _IONBF : mode == 1 ? _IOFBF : _IOLBF, mode ? sizeof(own) : 0);
		uint64_t h = 0;
		int m = 0;
		for (; m < 20000 && (c = getc(f)) != EOF; m++)
			h = h * 31 + (unsigned)c;
		printf("buffer %d: %d, %016llx\n", mode, m, (unsigned long long)h);
		fclose(f);
	}
	f = fopen(P(rel), "r");
	size_t total = 0;
	uint64_t h = 0;
	for (size_t got; (got = fread(buf, 1, 8191, f)); total += got)
		h += hash(buf, got);
	printf("whole: %zu, %016llx, eof %d error %d\n", total, (unsigned long long)h, feof(f) != 0, ferror(f) != 0);
	fclose(f);
}

static void mixed(void)
{
	printf("--- FILE and descriptor\n");
	FILE *f = fopen(P("text/lines.txt"), "r");
	int fd = fileno(f);
	R(setvbuf(f, NULL, _IONBF, 0));
	R(read(fd, buf, 5));
	bytes("after read", buf, R(fread(buf, 1, 5, f)));
	R(lseek(fd, 0, SEEK_CUR));
	R(lseek(fd, 100, SEEK_SET));
	bytes("after lseek", buf, R(fread(buf, 1, 5, f)));
	R(fclose(f));
	R(lseek(fd, 0, SEEK_CUR));
	/* what C++ streams do: stdio opens, the descriptor reads */
	f = fopen(P("comp.txt"), "r");
	fd = fileno(f);
	R(lseek(fd, -10, SEEK_END));
	bytes("by descriptor", buf, R(read(fd, buf, 100)));
	struct stat st;
	R(fstat(fd, &st));
	stat_line("by descriptor", &st);
	R(fclose(f));
	/* reading moves the descriptor; closing a half-read stream puts the offset back to what was read */
	fd = (int)R(open(P("text/lines.txt"), O_RDONLY));
	int copy = (int)R(dup(fd));
	f = RP(fdopen(fd, "r"));
	R(fileno(f) == fd);
	RP(fgets(buf, 100, f));
	long at = ftell(f);
	R(fclose(f));
	R(lseek(copy, 0, SEEK_CUR) == at);
	f = RP(fdopen(copy, "r"));
	RP(fgets(buf, 100, f));
	bytes("second line", buf, (long long)strlen(buf));
	R(fflush(f));
	R(lseek(copy, 0, SEEK_CUR));
	R(fclose(f));
	fd = (int)R(open(P("text/lines.txt"), O_RDONLY));
	RP(fdopen(fd, "w"));
	RP(fdopen(fd, "r+"));
	f = RP(fdopen(fd, "re"));
	R(fclose(f));
	RP(fdopen(fd, "r"));
	/* as numpy does: a duplicate, a stream on it, the offset carried back */
	fd = (int)R(open(P("arrays/vec.npy"), O_RDONLY));
	R(lseek(fd, 64, SEEK_SET));
	f = fdopen(dup(fd), "rb");
	R(fseeko(f, 80, SEEK_SET));
	R(ftello(f));
	bytes("numbers", buf, R(fread(buf, 8, 10, f)));
	off_t where = ftello(f);
	R(fclose(f));
	R(lseek(fd, where, SEEK_SET));
	R(close(fd));
}

static void again(void)
{
	printf("--- freopen\n");
	FILE *f = fopen(P("text/lines.txt"), "r");
	int fd = fileno(f);
	f = freopen(P("comp.txt"), "r", f);
	R(fileno(f) == fd);
	bytes("freopen", buf, R(fread(buf, 1, 1000, f)));
	f = freopen("/dev/null", "r", f);
	R(fread(buf, 1, 1, f));
	f = freopen64(P("text/lines.txt"), "r", f);
	bytes("freopen64", buf, R(fread(buf, 1, 1000, f)));
	f = freopen(NULL, "rb", f);
	R(f != NULL);
	if (f) {
		R(ftell(f));
		R(fclose(f));
	}
	f = fopen("/dev/null", "r");
	RP(freopen(P("no-such"), "r", f));
	RP(freopen(P("text/lines.txt"), "r", stdin));
	R(fileno(stdin));
	RP(fgets(buf, 100, stdin));
	printf("stdin: %s", buf);
	R(scanf("%99s", buf));
	printf("scanf: %s\n", buf);
	pid_t pid = fork(); /* a child has the same stdin */
	if (pid == 0) {
		RP(fgets(buf, 100, stdin));
		printf("child: %s", buf);
		fflush(stdout);
		_exit(0);
	}
	ended("child", pid);
	RP(freopen(P("new"), "w", stderr));
}

static void other(void)
{
	printf("--- others\n");
	char m[] = "in memory\n";
	FILE *f = fmemopen(m, sizeof(m), "r");
	R(fileno(f));
	RP(fgets(buf, 100, f));
	R(fclose(f));
	char *out;
	size_t n;
	f = open_memstream(&out, &n);
	fprintf(f, "%d", 42);
	R(fclose(f));
	printf("%s\n", out);
	free(out);
	int a, b;
	f = fopen(P("text/numbers.txt"), "r");
	while (fscanf(f, "%d %d", &a, &b) == 2)
		printf("%d+%d ", a, b);
	printf("\n");
	R(fclose(f));
	RP(fopen(P("text/lines.txt"), "r"));
	R(fcloseall());
	R(open(P("empty"), O_RDONLY));
}

static void run(void)
{
	modes();
	calls("text/lines.txt");
	calls("comp.txt");
	calls("raw70k.bin");
	calls("big.bin");
	calls("empty");
	mixed();
	again();
	other();
}
