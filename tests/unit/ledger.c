/* SPDX-License-Identifier: MIT */
/* The ledger of a run: what threads and processes write is all there, even when one is killed; a damaged one is
 * refused; notes beyond its room are counted. */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "test.h"
#include "vfs/ledger.h"

enum { NODES = 100003, THREADS = 4, ROUNDS = 20000 };

static const char *path;

static struct slu_ledger *opened(void)
{
	struct slu_ledger *l = NULL;
	T_OK(slu_ledger_open(path, &l));
	return l;
}

static void *writer(void *arg)
{
	struct slu_ledger *l = arg;
	for (unsigned i = 0; i < ROUNDS; i++) {
		slu_ledger_served(l, 1, i * 5 % NODES);
		slu_ledger_tally(l, 1, SLU_TALLY_BYTES, 3);
		slu_ledger_note(l, SLU_NOTE_DAMAGED, EIO, i % 2 ? "/data/a" : "/data/b", "why");
	}
	return NULL;
}

static uint64_t all_notes(const struct slu_ledger *l, unsigned *ret_kinds)
{
	struct slu_ledger_entry e;
	uint64_t sum = 0;
	*ret_kinds = 0;
	for (unsigned i = 0; i < SLU_LEDGER_NOTES; i++)
		if (slu_ledger_get_note(l, i, &e)) {
			sum += e.count;
			++*ret_kinds;
		}
	return sum;
}

static void threads_and_processes(struct slu_ledger *l)
{
	pthread_t t[THREADS];
	struct slu_ledger_entry e = { 0 };
	unsigned kinds;
	pid_t child = fork();
	if (child == 0) {
		struct slu_ledger *own = opened(); /* as after exec */
		writer(own);
		_exit(0);
	}
	for (int i = 0; i < THREADS; i++)
		T_EQ(pthread_create(&t[i], NULL, writer, l), 0);
	for (int i = 0; i < THREADS; i++)
		T_EQ(pthread_join(t[i], NULL), 0);
	int status;
	T_EQ(waitpid(child, &status, 0), child);
	T_EQ(status, 0);
	T_EQ(slu_ledger_total(l, 1, SLU_TALLY_BYTES), (THREADS + 1) * ROUNDS * 3);
	T_EQ(slu_ledger_total(l, 0, SLU_TALLY_BYTES), 0);
	T_EQ(slu_ledger_count_served(l, 1), ROUNDS);
	T_EQ(slu_ledger_count_served(l, 0), 0);
	T_TRUE(slu_ledger_was_served(l, 1, 5) && !slu_ledger_was_served(l, 1, 6));
	T_EQ(all_notes(l, &kinds), (THREADS + 1) * ROUNDS);
	T_EQ(kinds, 2);
	for (unsigned i = 0; i < SLU_LEDGER_NOTES; i++)
		if (slu_ledger_get_note(l, i, &e)) {
			T_EQ(e.what, SLU_NOTE_DAMAGED);
			T_EQ(e.err, EIO);
			T_STR(e.detail, "why");
			T_HAS("/data/a /data/b", e.path);
			T_HAS(e.program, "test-ledger");
		}
}

/* A writer that is killed at any moment leaves what it wrote, and a ledger that others go on with. */
static void killed_writers(void)
{
	for (int round = 0; round < 20; round++) {
		int ready[2];
		char c;
		T_OK(pipe(ready));
		pid_t child = fork();
		if (child == 0) {
			struct slu_ledger *l = opened();
			slu_ledger_tally(l, 0, SLU_TALLY_OPEN, 1);
			(void)!write(ready[1], "", 1);
			for (unsigned i = 0;; i++) {
				char name[32];
				snprintf(name, sizeof(name), "/%d/%u", round, i % 4);
				slu_ledger_note(l, SLU_NOTE_WRITE, EROFS, name, NULL);
			}
		}
		T_EQ(read(ready[0], &c, 1), 1);
		usleep((unsigned)round * 50);
		T_OK(kill(child, SIGKILL));
		T_EQ(waitpid(child, NULL, 0), child);
		close(ready[0]);
		close(ready[1]);
	}
	struct slu_ledger *l = opened();
	T_EQ(slu_ledger_total(l, 0, SLU_TALLY_OPEN), 20);
	slu_ledger_note(l, SLU_NOTE_PACK, ENOENT, NULL, NULL);
	slu_ledger_close(l);
}

static void out_of_range(struct slu_ledger *l)
{
	uint64_t before = slu_ledger_count_served(l, 1);
	errno = 12345;
	slu_ledger_served(l, 1, NODES);
	slu_ledger_served(l, 1, UINT64_MAX);
	slu_ledger_served(l, 3, 0);
	slu_ledger_tally(l, 3, SLU_TALLY_OPEN, 1);
	slu_ledger_tally(l, 0, (enum slu_tally)99, 1);
	slu_ledger_served(NULL, 0, 0);
	slu_ledger_tally(NULL, 0, SLU_TALLY_OPEN, 1);
	slu_ledger_note(NULL, SLU_NOTE_WRITE, 0, "x", "y");
	T_EQ(errno, 12345);
	T_EQ(slu_ledger_count_served(l, 1), before);
}

/* A long path is cut, and a program's name; each note of another text is one more until the room ends. */
static void overflow(struct slu_ledger *l)
{
	unsigned kinds, many = 3 * SLU_LEDGER_NOTES;
	char name[1000];
	uint64_t before = all_notes(l, &kinds) + slu_ledger_lost(l);
	errno = 12345;
	for (unsigned i = 0; i < many; i++) {
		memset(name, 'x', sizeof(name));
		name[snprintf(name, sizeof(name), "/%u", i)] = 'x';
		name[sizeof(name) - 1] = 0;
		slu_ledger_note_of(l, SLU_NOTE_RAW, 0, 1, "a program of a long name", name, name);
	}
	T_EQ(errno, 12345);
	T_EQ(all_notes(l, &kinds) + slu_ledger_lost(l), before + many);
	T_GE(kinds, SLU_LEDGER_NOTES * 3 / 4);
	T_GE(slu_ledger_lost(l), many - SLU_LEDGER_NOTES);
}

/* Every byte of header and table is damaged in turn; the ledger is refused, or what it says is usable. */
static void damaged(void)
{
	size_t len, head = 64 + 3 * 128;
	unsigned char *whole = t_read_file(path, &len);
	const char *copy = t_path(t_dir, "copy");
	struct slu_ledger *l;
	for (size_t at = 0; at < head; at++)
		for (int bit = 0; bit < 8; bit += 3) {
			whole[at] ^= (unsigned char)(1 << bit);
			if (at == 0 && bit == 0)
				t_write_file(copy, whole, len);
			int fd = open(copy, O_WRONLY | O_CLOEXEC);
			T_EQ(pwrite(fd, whole, head, 0), head);
			close(fd);
			if (slu_ledger_open(copy, &l) == 0) {
				for (unsigned k = 0; k < slu_ledger_mounts(l); k++)
					(void)slu_ledger_count_served(l, k);
				slu_ledger_served(l, 1, NODES - 1);
				slu_ledger_close(l);
			}
			whole[at] ^= (unsigned char)(1 << bit);
		}
	for (size_t n = 0; n < len; n += n < head ? 1 : 99991) {
		t_write_file(copy, whole, n);
		T_ERR(slu_ledger_open(copy, &l), -EBADMSG);
	}
	T_ERR(slu_ledger_open(t_dir, &l), -EISDIR);
	T_ERR(slu_ledger_open("/dev/null", &l), -EBADMSG);
	T_ERR(slu_ledger_open(t_path(t_dir, "none"), &l), -ENOENT);
	free(whole);
}

int main(void)
{
	const uint64_t nodes[] = { 0, NODES, 10000000 };
	path = t_path(T_TMPDIR(), "ledger");
	T_OK(slu_ledger_create(path, nodes, 3));
	T_ERR(slu_ledger_create(path, nodes, 3), -EEXIST);
	int before = dup(0);
	struct slu_ledger *l = opened();
	int after = dup(0);
	T_EQ(after, before + 1); /* no descriptor stays */
	T_EQ(slu_ledger_mounts(l), 3);
	T_EQ(slu_ledger_nodes(l, 2), 10000000);
	threads_and_processes(l);
	out_of_range(l);
	killed_writers();
	overflow(l);
	slu_ledger_close(l);
	damaged();
	return 0;
}
