/* SPDX-License-Identifier: MIT */
/*
 * A file that shrinks while it is mapped: reads give an error, never a signal; and a
 * SIGBUS that is not ours goes to the host's handler, whenever it was installed.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include "pack-fixture.h"

static volatile sig_atomic_t host_called;
static sigjmp_buf host_back;

static void host_handler(int sig)
{
	(void)sig;
	host_called++;
	siglongjmp(host_back, 1);
}

static void install_host_handler(void)
{
	struct sigaction act = { .sa_handler = host_handler, .sa_flags = SA_NODEFER };
	T_OK(sigaction(SIGBUS, &act, NULL));
}

/* A SIGBUS in memory of the host's own. */
static void fault_of_host(const char *dir)
{
	const char *path = t_path(dir, "host-file");
	static char page[4096];

	t_write_file(path, page, sizeof(page));
	int fd = open(path, O_RDWR | O_CLOEXEC);
	T_OK(fd);
	volatile char *m = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	T_TRUE(m != MAP_FAILED);
	T_OK(ftruncate(fd, 0));
	if (sigsetjmp(host_back, 1) == 0) {
		(void)m[0];
		T_FAIL("no fault came");
	}
	close(fd);
	munmap((void *)m, 4096);
}

/* The same deeper on the stack: a host that left its handler by a jump may fault there next. */
static __attribute__((noinline)) void fault_deeper(const char *dir)
{
	volatile char room[20000];

	room[0] = room[sizeof(room) - 1] = 1;
	fault_of_host(dir);
	room[1] = room[0];
}

static void shrink(const struct fixture *f, const char *name, off_t len)
{
	T_OK(truncate(t_path(f->pack, name), len));
}

/* Each of these runs in a process of its own, so that a signal is seen as one. */

static void shard_shrinks(struct fixture *f, struct slu_pack *p)
{
	T_EQ(fixture_read_all(f, p), 0);
	shrink(f, "shard-00000", 4096);
	shrink(f, "shard-00001", 8192);
	T_GE(fixture_read_all(f, p), f->n);
	shrink(f, "shard-00000", 0);
	shrink(f, "shard-00001", 0);
	T_GE(fixture_read_all(f, p), f->n);
	char buf[1];
	T_TRUE(slu_pack_read(p, 0, buf, 0) < 0 && *slu_errmsg());
}

static void shard_shrinks_unread(struct fixture *f, struct slu_pack *p)
{
	shrink(f, "shard-00000", 0);
	shrink(f, "shard-00001", 0);
	T_GE(fixture_read_all(f, p), f->n);
}

static void index_shrinks(struct fixture *f, struct slu_pack *p)
{
	struct slu_pack_info info;
	struct slu_stat st;
	char name[SLU_NAME_MAX];
	uint64_t node;

	shrink(f, "index", 0);
	(void)!slu_pack_info(p, &info);
	(void)!slu_pack_stat(p, 0, &st);
	(void)!slu_pack_name(p, 3, name);
	(void)!slu_pack_lookup(p, "c1/none", &node);
	(void)!slu_pack_columns(p);
	(void)fixture_read_all(f, p); /* checks that nothing wrong comes out */
}

static void host_first(struct fixture *f, struct slu_pack *p)
{
	fault_of_host(f->dir);
	T_EQ(host_called, 1);
	shard_shrinks(f, p);
	T_EQ(host_called, 1);
	fault_of_host(f->dir);
	T_EQ(host_called, 2);
	fault_deeper(f->dir);
	T_EQ(host_called, 3);
}

static void host_later(struct fixture *f, struct slu_pack *p)
{
	install_host_handler();
	fault_of_host(f->dir);
	T_EQ(host_called, 1);
	/* "We look for that now and then": so many reads are more than now and then. */
	for (int i = 0; i < 2000; i++)
		T_EQ(fixture_read_all(f, p), 0);
	shard_shrinks(f, p);
	T_EQ(host_called, 1);
	fault_of_host(f->dir);
	T_EQ(host_called, 2);
}

static struct sigaction at_start; /* a sanitizer may have one of its own */

static void installs_nothing(struct fixture *f, struct slu_pack *p)
{
	struct sigaction act;

	T_EQ(fixture_read_all(f, p), 0);
	T_OK(sigaction(SIGBUS, NULL, &act));
	T_TRUE(act.sa_handler == at_start.sa_handler);
}

struct blocked {
	struct fixture *f;
	struct slu_pack *p;
};

static void *read_with_all_blocked(void *arg)
{
	struct blocked *b = arg;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	shard_shrinks(b->f, b->p);
	return NULL;
}

/* A thread of a host that blocks all signals in its threads, as many do. */
static void all_blocked(struct fixture *f, struct slu_pack *p)
{
	struct blocked b = { f, p };
	pthread_t t;

	T_EQ(pthread_create(&t, NULL, read_with_all_blocked, &b), 0);
	T_EQ(pthread_join(t, NULL), 0);
}

static void in_child(const char *what, const struct slu_pack_options *opt, bool host,
                     void (*fn)(struct fixture *, struct slu_pack *))
{
	static struct fixture f;
	struct slu_pack *p;
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		if (host)
			install_host_handler();
		fixture_make(&f, false);
		T_OK(slu_pack_open(f.pack, opt, &p));
		fn(&f, p);
		slu_pack_close(p);
		exit(0);
	}
	T_TRUE(pid > 0 && waitpid(pid, &status, 0) == pid);
	if (WIFSIGNALED(status))
		T_FAIL("%s: killed by %s", what, strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) == 77)
		exit(77);
	if (status)
		T_FAIL("%s failed", what);
}

int main(void)
{
	const struct slu_pack_options map = { 0 }, pread = { .io = SLU_IO_PREAD };

	T_OK(sigaction(SIGBUS, NULL, &at_start));
	in_child("a shard shrinks, mapped", &map, false, shard_shrinks);
	in_child("a shard shrinks, not mapped", &pread, false, shard_shrinks);
	in_child("a shard shrinks before the first read, mapped", &map, false, shard_shrinks_unread);
	in_child("a shard shrinks before the first read, not mapped", &pread, false, shard_shrinks_unread);
	in_child("the index shrinks, mapped", &map, false, index_shrinks);
	in_child("the index shrinks, not mapped", &pread, false, index_shrinks);
	in_child("no handler without a mapping", &pread, false, installs_nothing);
	in_child("a shard shrinks under a thread that blocks all signals", &map, false, all_blocked);
	in_child("the host has a handler first", &map, true, host_first);
	in_child("the host installs a handler later", &map, false, host_later);
	return 0;
}
