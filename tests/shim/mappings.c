/* SPDX-License-Identifier: MIT */
/*
 * `mappings POINT RAW SECONDS`: mappings of files in POINT against what they must hold. RAW is the host's copy of
 * POINT/raw.
 */
#include <signal.h>
#include <sys/mman.h>
#include "../lib/test.h"
#include "lines.h"

enum { PAGE = 4096, MAPS = 300 };

static const char *point;

static char *map_lines(int file, size_t len, int flags, off_t at)
{
	int fd = T_OK(open_lines(point, "lines", file, 0));
	char *m = mmap(NULL, len, PROT_READ, flags, fd, at);
	T_TRUE(m != MAP_FAILED);
	T_EQ(close(fd), 0);
	return m;
}

static char *map_memory(char *at, size_t len, int flags)
{
	char *m = mmap(at, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
	T_TRUE(m != MAP_FAILED);
	return m;
}

static bool all_are(const char *b, size_t n, char c)
{
	for (size_t i = 0; i < n; i++)
		if (b[i] != c)
			return false;
	return true;
}

/* Memory at @m is the program's own: it is empty after MADV_DONTNEED and keeps its contents in mremap(). */
static void check_memory(char *m, size_t len)
{
	memset(m, 7, len);
	T_EQ(madvise(m, len, MADV_DONTNEED), 0);
	T_TRUE(all_are(m, len, 0));
	memset(m, 'x', len);
	char *moved = mremap(m, len, 4 * len, MREMAP_MAYMOVE);
	T_TRUE(moved != MAP_FAILED);
	T_TRUE(all_are(moved, len, 'x'));
	T_TRUE(all_are(moved + len, 3 * len, 0));
	T_EQ(munmap(moved, 4 * len), 0);
}

static void memory_over_a_file(int flags)
{
	char *m = map_lines(1, 4 * PAGE, flags, 0);
	T_TRUE(are_of(m, 4 * PAGE, 1, 0));
	check_memory(map_memory(m, 4 * PAGE, MAP_FIXED), 4 * PAGE);

	m = map_lines(1, 4 * PAGE, flags, 0);
	check_memory(map_memory(m + PAGE, PAGE, MAP_FIXED), PAGE);
	T_TRUE(are_of(m, PAGE, 1, 0));
	T_TRUE(are_of(m + 2 * PAGE, 2 * PAGE, 1, 2 * PAGE));
	T_EQ(munmap(m, 4 * PAGE), 0);
}

/* A mapping of one page of a long file, and memory right behind it. */
static void memory_behind_a_file(int flags)
{
	size_t len = 16 * PAGE;
	char *place = map_memory(NULL, 2 * len, 0);
	int fd = T_OK(open_lines(point, "lines", 2, 0));
	T_TRUE(mmap(place, PAGE, PROT_READ, flags | MAP_FIXED, fd, 0) == place);
	check_memory(map_memory(place + PAGE, len, MAP_FIXED), len);
	T_TRUE(are_of(place, PAGE, 2, 0));
	T_EQ(munmap(place, 2 * len), 0);
	close(fd);
}

/* mremap() onto a mapping of a file replaces it. */
static void moved_over_a_file(int flags)
{
	char *m = map_lines(3, 2 * PAGE, flags, 0), *other = map_memory(NULL, 2 * PAGE, 0);
	memset(other, 'y', 2 * PAGE);
	T_TRUE(mremap(other, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, m) == m);
	T_TRUE(all_are(m, 2 * PAGE, 'y'));
	check_memory(m, 2 * PAGE);
}

/* Pieces are cut off and out; what is left is moved and grown. */
static void pieces(int flags)
{
	char *m = map_lines(4, 9 * PAGE, flags, 5 * PAGE);
	T_EQ(munmap(m, PAGE), 0);
	T_EQ(munmap(m + 4 * PAGE, PAGE), 0);
	T_EQ(munmap(m + 8 * PAGE, PAGE), 0);
	T_TRUE(are_of(m + PAGE, 3 * PAGE, 4, 6 * PAGE));
	T_TRUE(are_of(m + 5 * PAGE, 3 * PAGE, 4, 10 * PAGE));
	char *low = mremap(m + PAGE, 3 * PAGE, 6 * PAGE, MREMAP_MAYMOVE);
	char *high = mremap(m + 5 * PAGE, 3 * PAGE, 6 * PAGE, MREMAP_MAYMOVE);
	T_TRUE(low != MAP_FAILED && high != MAP_FAILED);
	T_TRUE(are_of(low, 6 * PAGE, 4, 6 * PAGE));
	T_TRUE(are_of(high, 6 * PAGE, 4, 10 * PAGE));
	T_EQ(madvise(low, 6 * PAGE, MADV_DONTNEED), 0);
	T_TRUE(are_of(low, 6 * PAGE, 4, 6 * PAGE));
	T_EQ(munmap(low, 6 * PAGE), 0);
	T_EQ(munmap(high, 6 * PAGE), 0);
}

/* A child that looks at @p: the signal that it dies of, or 0. */
static int signal_at(const char *p)
{
	int status;
	pid_t pid = T_OK(fork());
	if (pid == 0) {
		signal(SIGBUS, SIG_DFL);
		_exit(*(volatile const char *)p ? 1 : 2);
	}
	T_EQ(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* The rest of a file, whose front was cut off, is grown: behind the file's end there is nothing, as in the kernel. */
static void grown_past_the_end(int flags, const char *raw)
{
	char path[1000];
	snprintf(path, sizeof(path), "%s/raw", point);
	int fd = T_OK(open(path, O_RDONLY)), host = T_OK(open(raw, O_RDONLY));
	size_t size = T_OK(lseek(fd, 0, SEEK_END)), len = (size + PAGE - 1) / PAGE * PAGE;
	char *m = mmap(NULL, len, PROT_READ, flags, fd, 0), *want = mmap(NULL, size, PROT_READ, MAP_PRIVATE, host, 0);
	T_TRUE(m != MAP_FAILED && want != MAP_FAILED);
	T_EQ(munmap(m, PAGE), 0);
	char *rest = mremap(m + PAGE, len - PAGE, len + PAGE, MREMAP_MAYMOVE);
	T_TRUE(rest != MAP_FAILED);
	T_MEM(rest, want + PAGE, size - PAGE);
	T_TRUE(all_are(rest + size - PAGE, len - size, 0));
	T_EQ(signal_at(rest + len - PAGE), SIGBUS);
	munmap(rest, len + PAGE);
	munmap(want, size);
	close(fd);
	close(host);
}

struct map {
	char *at;
	size_t len;
	int file;
	off_t offset;
};

static void check_map(const struct map *m)
{
	T_TRUE(are_of(m->at, LINE, m->file, m->offset));
	T_TRUE(are_of(m->at + m->len - LINE, LINE, m->file, m->offset + (off_t)m->len - LINE));
}

static void cut_front(struct map *m)
{
	T_EQ(munmap(m->at, PAGE), 0);
	m->at += PAGE;
	m->offset += PAGE;
	m->len -= PAGE;
}

static void resize(struct map *m, size_t len)
{
	char *p = mremap(m->at, m->len, len, MREMAP_MAYMOVE);
	T_TRUE(p != MAP_FAILED);
	m->at = p;
	m->len = len;
}

static void change_map(struct map *m, unsigned choice)
{
	switch (choice % 5) {
	case 0:
		if (m->len > PAGE)
			resize(m, m->len - PAGE);
		break;
	case 1:
		T_EQ(madvise(m->at, m->len, MADV_DONTNEED), 0);
		break;
	case 2:
		resize(m, m->len + 2 * PAGE);
		break;
	case 3:
		if (m->len > PAGE)
			cut_front(m);
		break;
	default:
		T_EQ(munmap(m->at, m->len), 0);
		m->at = NULL;
	}
	if (m->at)
		check_map(m);
}

/* Hundreds of mappings, changed at random; all stay far enough from the end of their file to grow. */
static void at_random(double seconds)
{
	static struct map maps[MAPS];
	unsigned seed = 1;
	double until = now() + seconds;
	while (now() < until) {
		struct map *m = &maps[rand_r(&seed) % MAPS];
		if (m->at && m->len < 16 * PAGE) {
			check_map(m);
			change_map(m, (unsigned)rand_r(&seed));
			continue;
		}
		if (m->at)
			T_EQ(munmap(m->at, m->len), 0);
		m->file = rand_r(&seed) % LONG_FILES;
		m->offset = (off_t)(rand_r(&seed) % 55) * PAGE;
		m->len = (size_t)(1 + rand_r(&seed) % 8) * PAGE;
		m->at = map_lines(m->file, m->len, rand_r(&seed) % 3 ? MAP_PRIVATE : MAP_SHARED, m->offset);
	}
}

int main(int argc, char **argv)
{
	static const int kinds[] = { MAP_PRIVATE, MAP_SHARED };
	if (argc < 4)
		return 2;
	point = argv[1];
	for (int i = 0; i < 2; i++) {
		memory_over_a_file(kinds[i]);
		memory_behind_a_file(kinds[i]);
		moved_over_a_file(kinds[i]);
		pieces(kinds[i]);
		grown_past_the_end(kinds[i], argv[2]);
	}
	at_random(atof(argv[3]));
	return 0;
}
